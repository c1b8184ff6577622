import ArgumentParser
import Metrics

struct NudgesCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "nudges", abstract: "Trials with and without a reminder that they end.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func reporting() throws -> ReportMaker {
    let options = try arguments.reportOptions()
    return { .tables([try Nudges.report($0, options)]) }
  }
}
