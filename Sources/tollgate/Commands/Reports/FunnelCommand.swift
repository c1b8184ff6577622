import ArgumentParser
import Metrics

struct FunnelCommand: CellReportCommand {
  static let cellReport = ExplainableReport.funnel

  static let configuration = CommandConfiguration(
    commandName: "funnel", abstract: "The funnel from the first paywall impression to payment.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup var funnel: FunnelArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func options() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    funnel.add(to: &options)
    return options
  }
}
