import ArgumentParser
import Metrics

struct ExperimentsCommand: DatedReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiments", abstract: "The experiments that persons were exposed to.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if arguments.currency?.code != nil {
      throw ValidationError("--currency is for reports of money: experiments are listed with their persons")
    }
    if arguments.attribution != .last {
      throw ValidationError("--attribution is for reports: an experiment counts persons by their exposure")
    }
    if arguments.by != nil { throw ValidationError("--by is for reports: experiments are listed one a row") }
  }

  func reporting() throws -> ReportMaker {
    let options = try arguments.reportOptions()
    return { .tables([try ReportCache.report(.experiments, $0, options)]) }
  }
}
