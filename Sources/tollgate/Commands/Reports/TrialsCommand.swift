import ArgumentParser
import Metrics

struct TrialsCommand: CellReportCommand {
  static let cellReport = ExplainableReport.trials

  static let configuration = CommandConfiguration(
    commandName: "trials", abstract: "How many trials come to pay, with those that still can.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func options() throws -> ReportOptions { try arguments.reportOptions() }
}
