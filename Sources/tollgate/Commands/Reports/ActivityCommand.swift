import ArgumentParser
import Metrics

struct ActivityCommand: CellReportCommand {
  static let cellReport = ExplainableReport.activity

  static let configuration = CommandConfiguration(
    commandName: "activity", abstract: "Daily, weekly and monthly active persons: free, in a trial, paying.",
    discussion: "By default a row is a week; --by day, week or month, and other dimensions beside it.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if arguments.attribution != .last {
      throw ValidationError(
        "--attribution is for reports of trials and purchases: activity takes a person's first impression")
    }
  }

  func options() throws -> ReportOptions { try arguments.reportOptions() }
}
