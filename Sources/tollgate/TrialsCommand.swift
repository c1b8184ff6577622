import ArgumentParser
import Metrics

struct TrialsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trials", abstract: "How many trials come to pay, with those that still can.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func run() throws {
    try arguments.run(common, output, options: try arguments.reportOptions(), Trials.report)
  }
}
