import ArgumentParser
import EventModel
import Metrics

struct ValueCommand: CellReportCommand {
  static let cellReport = ExplainableReport.value
  static let hasAmounts = true

  static let configuration = CommandConfiguration(
    commandName: "value",
    abstract: "What a person who saw the paywall is expected to bring in 1, 3, 12 and 24 months.",
    discussion: """
      From purchases, plans, survival, refunds and fees; what is not seen yet is predicted and says so. Tables and \
      Markdown also have the second report, of pairs of variants with the month in which they change places; with csv, \
      json and html --pairs gives that one instead.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @Option(help: "What counts: gross, net of refunds, or proceeds after tax and commission.")
  var mode: ReportOptions.Mode = .proceeds

  @Option(
    help: ArgumentHelp(
      "The commission of payments that record none, for proceeds, such as 0.15.", valueName: "share"))
  var storeFee: ExactShare = .none

  @Option(
    help: ArgumentHelp(
      "The share that renews a plan each time, where fewer than 10 renewals are known, such as yearly=0.45 (repeatable).",
      valueName: "plan=share"))
  var renewal: [RenewalArgument] = []

  @Option(help: ArgumentHelp("Days until a person is matured (default: 7, trial length and grace).", valueName: "days"))
  var horizon: DaysArgument?

  @Flag(help: "Pairs of variants, and when they change places.")
  var pairs = false

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    for (place, argument) in renewal.enumerated() where renewal[..<place].contains(where: { $0.plan == argument.plan })
    {
      throw ValidationError("--renewal names \(argument.plan.name) twice")
    }
    if arguments.attribution != .last {
      throw ValidationError("--attribution is for reports of purchases: value takes a person's first impression")
    }
  }

  func options() throws -> ReportOptions {
    if pairs { throw UsageError("--pairs compares rows with each other: leave it out, and name the row of one") }
    return try rowOptions()
  }

  /// Of rows and of their pairs.
  private func rowOptions() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    options.mode = mode
    options.storeFee = storeFee
    options.horizon = horizon?.milliseconds
    options.assumedRenewals = Dictionary(uniqueKeysWithValues: renewal.map { ($0.plan, $0.share) })
    return options
  }

  func reporting() throws -> ReportMaker {
    let options = try rowOptions()
    if pairs { return { .tables([try ReportCache.report(.valuePairs, $0, options)]) } }
    guard output.format == .table || output.format == .markdown, output.sort == nil else {
      return { .tables([try Self.cellReport.report($0, options)]) }
    }
    return { snapshot in
      let kept = try [.ofCells(.value), .valuePairs].compactMap { try ReportCache.kept($0, snapshot, options) }
      let reports = kept.count == 2 ? kept : try Value.withPairs(snapshot, options)
      // A variant alone has no pair.
      return .tables(reports.prefix(1) + reports.dropFirst().filter { !$0.rows.isEmpty })
    }
  }
}

/// A plan with the share that renews it.
struct RenewalArgument: ExpressibleByArgument {
  var plan: Plan
  var share: Double

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let plan = Plan(name: String(parts[0])), plan != .lifetime, let share = Double(parts[1]),
      (0...1).contains(share)
    else { return nil }
    self.plan = plan
    self.share = share
  }
}
