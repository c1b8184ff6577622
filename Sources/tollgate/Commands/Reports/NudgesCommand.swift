import ArgumentParser
import Metrics

struct NudgesCommand: CellReportCommand {
  static let cellReport = ExplainableReport.nudges

  static let configuration = CommandConfiguration(
    commandName: "nudges", abstract: "Conversions after a trial reminder, against trials open at the same age.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func options() throws -> ReportOptions { try arguments.reportOptions() }
}
