import ArgumentParser
import Metrics

struct RevenueCommand: CellReportCommand {
  static let cellReport = ExplainableReport.revenue
  static let hasAmounts = true

  static let configuration = CommandConfiguration(
    commandName: "revenue", abstract: "Payments, refunds and what is left of them.",
    discussion: "By default a row is a variant and entry point of all days; --by month gives the months.")

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
