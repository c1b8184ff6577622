public import ArgumentParser
public import Metrics
import Store

struct AAReplayCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "aa-replay",
    abstract: "Measure how often each method finds a difference that is not there.",
    discussion: """
      Splits past users at random into two arms, 1,000 times, and applies every method as in an experiment: once at \
      the end, and after each day. Every difference found is a false alarm. A method made for daily looks should alarm \
      in at most 5% of replays with daily looks; a method made for one look, in at most 5% of replays with one look at \
      the end.
      """)

  @OptionGroup var common: CommonOptions

  @Option("app", of: .replay) var app: [String]

  @Option(help: "Metric: paid, trial_start, trial_cancelled, refunded or retained.")
  var metric: ReplayMetric = .paid

  @Option(help: ArgumentHelp("Number of random splits, 1 to 100000.", valueName: "n"))
  var repetitions = 1_000

  @Option(help: ArgumentHelp("Random seed; the same seed gives the same rates.", valueName: "n"))
  var seed: UInt64 = 1

  @Option("from", of: .replay) var from: [String]
  @Option("to", of: .replay) var to: [String]
  @Option("timezone", of: .replay) var timeZone: [String]
  @Option("as-of", of: .replay) var asOf: [String]
  @Option("grace", of: .replay) var grace: [String]

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    guard AAReplays.repetitions.contains(repetitions) else {
      throw ValidationError("--repetitions is \(repetitions), but must be 1 to \(AAReplays.repetitions.upperBound)")
    }
  }

  func asked() throws -> ReportRequest {
    try ReportRequest(
      .replay,
      [
        .init("app", app), .init("from", from), .init("to", to), .init("timezone", timeZone), .init("as-of", asOf),
        .init("grace", grace),
      ])
  }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try asked()
    let own = ["--metric=\(metric.rawValue)", "--repetitions=\(repetitions)", "--seed=\(seed)"]
    return request.kind.words(try request.spelledOut(snapshot, currency: nil), own: output.words + own)
  }

  func report(_ snapshot: StoreSnapshot) throws -> FinishedReport {
    let options = try asked().resolved(snapshot).options
    return .tables([
      try AAReplays.report(snapshot, options, metric: metric, repetitions: repetitions, seed: seed)
    ])
  }
}

extension ReplayMetric: ExpressibleByArgument {}
