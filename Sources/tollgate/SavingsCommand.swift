import ArgumentParser
import Metrics

struct SavingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "savings", abstract: "What the yearly plan saves, as shown and as taken up.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  func run() throws {
    try arguments.run(common, options: try arguments.reportOptions(), Savings.report)
  }
}
