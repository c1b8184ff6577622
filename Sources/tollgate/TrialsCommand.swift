import ArgumentParser
import Metrics

struct TrialsCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "trials", abstract: "How many trials come to pay, with those that still can.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func reporting() throws -> ReportMaker {
    let options = try arguments.reportOptions()
    return { .tables([try Trials.report($0, options)]) }
  }
}
