import ArgumentParser
import Metrics

struct FunnelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "funnel", abstract: "The funnel from the first paywall impression to payment.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup var funnel: FunnelArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func run() throws {
    var options = try arguments.reportOptions()
    funnel.add(to: &options)
    try arguments.run(common, output, options: options, Funnel.report)
  }
}
