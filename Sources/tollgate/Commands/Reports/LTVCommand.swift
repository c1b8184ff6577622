import ArgumentParser
import Metrics

struct LTVCommand: CellReportCommand {
  static let cellReport = ExplainableReport.ltv
  static let hasAmounts = true

  static let configuration = CommandConfiguration(
    commandName: "ltv", abstract: "Lifetime value per person and payer, realised, and predicted per purchase.",
    discussion: """
      Realised within 7, 30, 90, 180 and 365 days of a person's first event, of those seen that long ago. Columns named \
      predicted_ are predictions for 12, 24 and 36 months after a first payment; --by plan gives each plan's own.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup var money: MoneyArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func options() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    money.add(to: &options)
    return options
  }
}
