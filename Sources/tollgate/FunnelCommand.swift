import ArgumentParser
import Metrics

struct FunnelCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "funnel", abstract: "The funnel from the first paywall impression to payment.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup var funnel: FunnelArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func reporting() throws -> ReportMaker {
    var options = try arguments.reportOptions()
    funnel.add(to: &options)
    return { .tables([try Funnel.report($0, options)]) }
  }
}
