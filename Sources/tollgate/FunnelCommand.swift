import ArgumentParser
import Metrics

struct FunnelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "funnel", abstract: "The funnel from the first paywall impression to payment.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @Option(help: "What is counted: user, or view for each pair of person and row.")
  var unit: ReportOptions.Unit = .user

  @Option(help: ArgumentHelp("Days until a person is matured (default: 7, trial length and grace).", valueName: "days"))
  var horizon: DaysArgument?

  func run() throws {
    var options = try arguments.reportOptions()
    options.unit = unit
    options.horizon = horizon?.milliseconds
    try arguments.run(common, options: options, Funnel.report)
  }
}
