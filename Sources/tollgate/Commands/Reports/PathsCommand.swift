import ArgumentParser
import Basics
import Metrics

struct PathsCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "paths", abstract: PathsReport.kind.question,
    discussion: """
      Without a name, the path is the checkout: the first paywall, the payment sheet, a trial or purchase, payment. \
      For users who did not start a trial or buy, the report shows whether they left the sheet, closed the paywall, or \
      did neither.

        tollgate paths --by variant
        tollgate paths onboarding --paths paths.yaml

      Define your own paths in a file:

        paths:
          onboarding:
            entry: {event: activity, where: {"property:screen": welcome}}
            steps:
              - {name: view, event: paywall_impression, within: 2h}
              - {name: closed, event: paywall_dismissal, within: 1h, optional: true}
              - {name: trial, fact: trial, within: 7d, same: [variant]}
              - {name: paid, fact: trial_paid}
              - {name: renewed, fact: renewal, within: 400d}

      A step is one event or a list of them, or a fact: trial, trial_any, direct, purchase, trial_paid or renewal. \
      Each step takes the first event after the previous step. Its time counts from that step, or from the entry with \
      from: entry. Users may skip an optional step.
      """)

  @Argument(help: "Path: checkout, or one from --paths.")
  var name = PathPlan.checkoutName

  @Option(help: ArgumentHelp("File with paths of your own (YAML).", valueName: "file"), completion: .file())
  var paths: String?

  @Option("to-step", of: .paths) var toStep: [String]

  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Report") var arguments: ReportArguments<PathsReport>

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if output.receipt != nil, name != PathPlan.checkoutName {
      throw ValidationError("--receipt needs the path checkout, because a receipt does not hold the file of --paths")
    }
  }

  var knownAt: String? { arguments.knownAt }

  func request() throws -> ReportRequest {
    var request = try arguments.request([.init("to-step", toStep)])
    request.options.path = try plan()
    return request
  }

  /// Returns the path of the file; `nil` for the checkout.
  private func plan() throws -> PathPlan? {
    let plans = try paths.map { try PathPlan.all(yaml: SmallFile.text(of: $0), file: $0) } ?? []
    if name == PathPlan.checkoutName { return nil }
    if let plan = plans.first(where: { $0.name == name }) { return plan }
    let known = [PathPlan.checkoutName] + plans.map(\.name)
    throw UsageError(
      paths == nil
        ? "there is no path \(name), only \(PathPlan.checkoutName); to use your own, name their file with --paths"
        : "there is no path \(name), only \(known.joined(separator: ", "))\(NearName.hint(name, in: known))")
  }
}
