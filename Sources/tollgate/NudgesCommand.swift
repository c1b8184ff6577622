import ArgumentParser
import Metrics

struct NudgesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nudges", abstract: "Trials with and without a reminder that they end.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func run() throws {
    try arguments.run(common, output, options: try arguments.reportOptions(), Nudges.report)
  }
}
