import ArgumentParser
import Metrics

/// What a funnel takes beyond other reports.
struct FunnelArguments: ParsableArguments {
  @Option(help: "What a funnel counts: user, or view for each pair of person and row.")
  var unit: ReportOptions.Unit = .user

  @Option(
    help: ArgumentHelp(
      "Days until a person is matured in a funnel (default: 7, trial length and grace).", valueName: "days"))
  var horizon: DaysArgument?

  func add(to options: inout ReportOptions) {
    options.unit = unit
    options.horizon = horizon?.milliseconds
  }
}
