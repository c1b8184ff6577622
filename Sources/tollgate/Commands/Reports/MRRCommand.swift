import ArgumentParser
import Metrics

struct MRRCommand: CellReportCommand {
  static let cellReport = ExplainableReport.mrr
  static let hasAmounts = true

  static let configuration = CommandConfiguration(
    commandName: "mrr",
    abstract: "What active subscriptions bring in a month, and how that moves.",
    discussion: """
      The state at the as-of, or before --to; with day, week or month among --by, at the end of each. --from is where \
      the first period begins.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @Flag(help: "What came and went between the start and the end of each period.")
  var movement = false

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func options() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    options.showsMovement = movement
    return options
  }

  /// Tables by period have the movement, too.
  func printing() throws -> ReportMaker {
    var options = try options()
    let isByPeriod = options.by.map { $0.contains { [.day, .week, .month].contains($0) } } ?? true
    if isByPeriod, output.format == .table || output.format == .markdown, output.columns == nil, output.sort == nil {
      options.showsMovement = true
    }
    let made = options
    return { .tables([try Self.cellReport.report($0, made)]) }
  }
}
