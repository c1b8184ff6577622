import ArgumentParser
import Metrics

struct CadenceCommand: CellReportCommand {
  static let cellReport = ExplainableReport.cadence

  static let configuration = CommandConfiguration(
    commandName: "cadence", abstract: "Trials, payments and cancellations by how often a paywall was seen before.",
    discussion: "Rows are of all paywalls of an app together; --by variant gives those of each.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @Option(help: ArgumentHelp("Days until a person is matured (default: 7, trial length and grace).", valueName: "days"))
  var horizon: DaysArgument?

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if arguments.attribution != .last {
      throw ValidationError("--attribution is for reports of trials and purchases: cadence takes the last impression")
    }
  }

  func options() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    options.horizon = horizon?.milliseconds
    return options
  }
}
