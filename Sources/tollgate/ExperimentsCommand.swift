import ArgumentParser
import Metrics

struct ExperimentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiments", abstract: "The experiments that persons were exposed to.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if arguments.by != nil { throw ValidationError("--by is for reports: experiments are listed one a row") }
  }

  func run() throws {
    try arguments.run(common, output, options: try arguments.reportOptions(), ExperimentList.report)
  }
}
