import ArgumentParser
import Metrics

struct SavingsCommand: CellReportCommand {
  static let cellReport = ExplainableReport.savings

  static let configuration = CommandConfiguration(
    commandName: "savings", abstract: "What the yearly plan saves, as shown and as taken up.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if let currency = arguments.currency?.code {
      throw ValidationError(
        "--currency is \(currency), but savings compares prices as they were shown, each in its own currency: native")
    }
  }

  func options() throws -> ReportOptions { try arguments.reportOptions() }
}
