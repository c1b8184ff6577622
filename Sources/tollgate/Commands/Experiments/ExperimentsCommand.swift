import ArgumentParser
import Metrics

struct ExperimentsCommand: RequestCommand {
  static let configuration = ReportKind.experiments.configuration

  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Report") var arguments: ReportArguments<ExperimentsReport>
  @OptionGroup var plans: PlanArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  var knownAt: String? { arguments.knownAt }
  var fileWords: [String] { plans.words }

  func request() throws -> ReportRequest {
    var request = try arguments.request()
    request.experiment.plans = try plans.files()
    return request
  }
}
