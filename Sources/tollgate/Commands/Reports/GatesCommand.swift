import ArgumentParser
import Metrics

struct GatesCommand: CellReportCommand {
  static let cellReport = ExplainableReport.gates

  static let configuration = CommandConfiguration(
    commandName: "gates", abstract: "Who met the limits of the free tier, and what followed.",
    discussion: "--by takes the dimensions of the first hit of each person.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @Option(help: ArgumentHelp("Days until a person is matured (default: 7, trial length and grace).", valueName: "days"))
  var horizon: DaysArgument?

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if arguments.attribution != .last {
      throw ValidationError("--attribution is for reports of trials and purchases: gates takes the first hit")
    }
  }

  func options() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    options.horizon = horizon?.milliseconds
    return options
  }
}
