internal import Basics
internal import EventModel
internal import Foundation
internal import Metrics
internal import Reports
internal import Statistics

/// Finds experiments whose decision has changed since the previous night.
struct DecisionChecks {
  /// One report per experiment and app.
  let reports: [ExperimentReport]
  /// Decisions of the previous night by `app/experiment`; `nil` before the first night that recorded any.
  let previous: [String: String]?
  /// Whether failed sample ratios are already reported as separate findings.
  let hasSampleRatios: Bool

  private var readouts: [ExperimentReadout] { reports.flatMap(\.readouts) }

  /// Decisions by `app/experiment`, for the next night to compare with.
  var decisions: [String: String] {
    Dictionary(readouts.map { (Self.subject($0), Self.text($0)) }) { first, _ in first }
  }

  /// Returns a finding for each change; a new experiment counts as undecided before.
  func findings() throws -> [NightlyFinding] {
    guard let previous else { return [] }
    return try reports.compactMap { report in
      guard let readout = report.readouts.first else { return nil }
      let subject = Self.subject(readout)
      let now = Self.text(readout)
      let before = previous[subject] ?? Self.words(.undecided)
      if before == now || hasSampleRatios && readout.health.isSampleRatioOff { return nil }
      // An experiment with too little data to compare is not a change.
      let isHealthy = !readout.health.isSampleRatioOff && readout.health.leaks.isEmpty
      if previous[subject] == nil, readout.decision.outcome == .none, isHealthy { return nil }
      return NightlyFinding(
        check: .decision, subject: "\(subject): \(before), \(now)",
        message: try Self.message(report, readout, before: before))
    }
  }

  private static func subject(_ readout: ExperimentReadout) -> String { "\(readout.app)/\(readout.experiment)" }

  private static func words(_ outcome: ExperimentDecision.Outcome) -> String {
    outcome == .none ? "no verdict" : outcome.rawValue.replacing("_", with: " ")
  }

  /// Returns text such as `ship b`, or `no verdict (sample ratio)`. An undecided experiment names no variant, because
  /// it may change every night.
  private static func text(_ readout: ExperimentReadout) -> String {
    let decision = readout.decision
    switch decision.outcome {
    case .ship, .doNotShip:
      let variant = decision.treatment.map { " \(readout.treatments[$0])" } ?? ""
      return words(decision.outcome) + variant
    case .noDifference, .undecided: return words(decision.outcome)
    case .none: return "\(words(.none)) (\(decision.reason.replacing("_", with: " ")))"
    }
  }

  /// Returns the change and the readout as a chat message.
  private static func message(
    _ report: ExperimentReport, _ readout: ExperimentReadout, before: String
  ) throws -> String {
    var options = RenderOptions()
    let words = ["tollgate", "experiment", readout.experiment, "--app", readout.app, "--memo", "html"]
    options.memo = Memo(format: .slack, version: programVersion, command: "\(CommandLineText(words))")
    let memo = try FinishedReport.readout(report).text(as: .table, options: options)
    return ReportMarkup.shown("\(subject(readout)): the decision was \(before) and is \(text(readout))") + "\n"
      + memo.trimmingCharacters(in: .newlines)
  }
}
