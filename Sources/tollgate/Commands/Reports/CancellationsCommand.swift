import ArgumentParser
import Metrics

struct CancellationsCommand: CellReportCommand {
  static let cellReport = ExplainableReport.cancellations

  static let configuration = CommandConfiguration(
    commandName: "cancellations", abstract: "Who turns auto-renew off or leaves, when and why.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func options() throws -> ReportOptions { try arguments.reportOptions() }
}
