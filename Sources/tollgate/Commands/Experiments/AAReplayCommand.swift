public import ArgumentParser
import EventModel
public import Metrics
import Store

struct AAReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aa-replay",
    abstract: "Measure how often each method finds a difference that is not there.",
    discussion: """
      Splits past users at random into two arms, 1,000 times, and applies every method as in an experiment: once at the \
      end, and after each day. Every difference found is a false alarm. A method made for daily looks should alarm in at \
      most 5 % of replays with daily looks; a method made for one look should do so at the end.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("One app (repeatable; default: all, each in rows of its own).", valueName: "name"))
  var app: [String] = []

  @Option(help: "Metric: paid, trial_start, trial_cancelled, refunded or retained.")
  var metric: ReplayMetric = .paid

  @Option(help: ArgumentHelp("Number of random splits, 1 to 100000.", valueName: "n"))
  var repetitions = 1_000

  @Option(help: ArgumentHelp("Random seed; the same seed gives the same rates.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("First day of users' first sight of a paywall, such as 2026-03-01.", valueName: "day"))
  var from: CivilDate?

  @Option(help: ArgumentHelp("The day after the last.", valueName: "day"))
  var to: CivilDate?

  @Option(name: .customLong("timezone"), help: ArgumentHelp("Where days begin: an IANA name.", valueName: "zone"))
  var timeZone = "UTC"

  @Option(
    help: ArgumentHelp(
      "Events from this instant on do not exist, such as 2026-03-01T00:00:00Z (default: just after each app's newest).",
      valueName: "instant"))
  var asOf: InstantArgument?

  @Option(help: ArgumentHelp("Days of grace after a trial or a period.", valueName: "days"))
  var grace: DaysArgument?

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if let from, let to, to <= from { throw ValidationError("--to is \(to), but must be after --from, \(from)") }
    guard AAReplays.repetitions.contains(repetitions) else {
      throw ValidationError("--repetitions is \(repetitions), but must be 1 to \(AAReplays.repetitions.upperBound)")
    }
  }

  func run() throws {
    var options = ReportOptions()
    options.apps = app
    options.from = from
    options.to = to
    options.timeZone = timeZone
    options.asOf = asOf?.milliseconds
    if let grace { options.grace = grace.milliseconds }
    let started = ContinuousClock.now
    let store = try Store.open(readOnly: common.storePath)
    let report = try store.read {
      try AAReplays.report($0, options, metric: metric, repetitions: repetitions, seed: seed)
    }
    common.logger.info("aa-replay: \(repetitions) repetitions in \(ContinuousClock.now - started)")
    try output.write(.tables([report]))
  }
}

extension ReplayMetric: ExpressibleByArgument {}
