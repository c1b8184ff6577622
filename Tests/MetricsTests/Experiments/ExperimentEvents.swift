import Foundation
import Metrics
import Reports

@testable import Store

/// Event lines of one experiment, `test` of the app `demo`, by days since 2026-01-01.
enum ExperimentEvents {
  static let day: Int64 = 86_400_000
  /// 2026-01-01T00:00:00Z.
  static let start: Int64 = 1_767_225_600_000

  /// - Parameters:
  ///   - ms: Milliseconds since the start.
  ///   - more: Further members, each preceded by a comma.
  static func line(_ kind: String, _ user: String, ms: Int64, _ more: String = "", id: String = "") -> String {
    #"{"event":"\#(kind)","event_id":"\#(kind)-\#(user)-\#(ms)\#(id)","ts":\#(start + ms),"app":"demo","user_id":"\#(user)"\#(more)}"#
  }

  static func exposure(_ user: String, _ variant: String, ms: Int64 = 0, _ more: String = "") -> String {
    line("exposure", user, ms: ms, #","experiment":"test","variant":"\#(variant)"\#(more)"#, id: "-\(variant)")
  }

  static func trial(_ user: String, ms: Int64, days: Int = 7) -> String {
    line("trial_start", user, ms: ms, #","trial_days":\#(days),"plan":"monthly","product_id":"pro""#)
  }

  static func conversion(_ user: String, ms: Int64, _ price: String, _ currency: String = "USD") -> String {
    line(
      "conversion", user, ms: ms,
      #","plan":"monthly","product_id":"pro","price":\#(price),"currency":"\#(currency)""#)
  }

  /// Returns an instant some days after the start, in ms.
  static func days(_ days: Int64, ms: Int64 = 0) -> Int64 { days * day + ms }

  /// Returns `persons` users of a variant, exposed evenly over `days`. `paying` of them buy at once for `price` each,
  /// spread over those days too.
  static func arm(
    _ variant: String, persons: Int, paying: Int, price: String = "10", platform: String = "ios", days: Int64 = 20
  ) -> [String] {
    (0..<persons).flatMap { index -> [String] in
      let user = "\(variant)-\(index)"
      // A stride coprime to the number spreads the payers.
      let ms = Int64(index * 7_919 % persons) * days * day / Int64(persons)
      let exposure = exposure(user, variant, ms: ms, #","platform":"\#(platform)""#)
      return index < paying ? [exposure, conversion(user, ms: ms + 60_000, price)] : [exposure]
    }
  }

  /// - Parameter asOf: Milliseconds since the start.
  static func readout(
    _ arms: [[String]], _ yaml: String? = nil, asOf: Int64 = days(60)
  ) throws -> ExperimentReadout {
    let end = line("activity", "end", ms: asOf - 1)
    return try TestStore(lines: arms.joined() + [end]).readout(yaml: yaml)
  }
}

extension TestStore {
  /// Returns the readouts of `test` for command-line arguments and the text of a YAML file.
  func experiment(
    _ name: String = "test", _ arguments: [String] = [], yaml: String? = nil, overTime: Bool = false
  ) throws -> ExperimentReport {
    let plan = try yaml.map { try ExperimentPlan(yaml: $0, experiment: name, file: "plan.yaml") }
    let options = try ReportOptions(arguments: arguments)
    return try store.read {
      try Experiments.report(
        $0, options, ExperimentOptions(experiment: name, plan: plan ?? ExperimentPlan(), isOverTime: overTime))
    }
  }

  /// Returns the only readout.
  func readout(
    _ name: String = "test", _ arguments: [String] = [], yaml: String? = nil, overTime: Bool = false
  ) throws -> ExperimentReadout {
    let report = try experiment(name, arguments, yaml: yaml, overTime: overTime)
    guard let readout = report.readouts.first, report.readouts.count == 1 else {
      throw TestError("\(report.readouts.count) readouts instead of 1")
    }
    return readout
  }

  /// Returns the summary sentence.
  func sentence(_ report: ExperimentReport) throws -> String {
    let table = try render(report, as: .json)
    let rows = try JSONSerialization.jsonObject(with: Data(table.utf8)) as? [String: Any]
    let verdict = (rows?["rows"] as? [[String: Any]])?.first { $0["measure"] as? String == "sentence" }
    return verdict?["text"] as? String ?? "no sentence"
  }
}

extension ExperimentReadout {
  /// Returns `n events immature` of a metric and variant.
  func counts(_ metric: String, _ variant: String) -> String {
    guard let readout = metrics.first(where: { $0.metric.name == metric }),
      let arm = arms.firstIndex(where: { $0.variant == variant })
    else { return "no \(metric) of \(variant)" }
    let result = readout.arms[arm]
    return "\(result.persons) \(result.events) \(result.immature)"
  }

  func value(_ metric: String, _ variant: String) -> Double? {
    guard let arm = arms.firstIndex(where: { $0.variant == variant }) else { return nil }
    return metrics.first { $0.metric.name == metric }?.arms[arm].estimate
  }

  func comparison(_ metric: String, _ treatment: Int = 0) -> ArmComparison? {
    metrics.first { $0.metric.name == metric }?.comparisons[treatment]
  }

  /// Decision, variant and reason.
  var told: String {
    "\(decision.outcome.rawValue) \(decision.treatment.map { treatments[$0] } ?? "") \(decision.reason)"
  }
}
