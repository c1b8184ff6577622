import ArgumentParser
import Metrics

struct CancellationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancellations", abstract: "Who turns auto-renew off or leaves, when and why.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func run() throws {
    try arguments.run(common, output, options: try arguments.reportOptions(), Cancellations.report)
  }
}
