import ArgumentParser
import Metrics

struct SubscriptionsCommand: CellReportCommand {
  static let cellReport = ExplainableReport.subscriptions

  static let configuration = CommandConfiguration(
    commandName: "subscriptions",
    abstract: "Active subscriptions and trials, their status, and how they come and go.",
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
}
