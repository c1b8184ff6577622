import ArgumentParser
import Metrics

struct CancellationsCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancellations", abstract: "Who turns auto-renew off or leaves, when and why.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func reporting() throws -> ReportMaker {
    let options = try arguments.reportOptions()
    return { .tables([try Cancellations.report($0, options)]) }
  }
}
