import EventModel
import Foundation
import Metrics
import Store

/// What the data of a night says of itself: how fresh it is, and whether experiments deal users as planned.
struct DataChecks {
  let config: NightlyConfig
  /// The first instant of the night's day, in ms.
  let start: Int64

  func freshness(_ apps: [StoreSnapshot.App]) -> [NightFinding] {
    var findings: [NightFinding] = []
    for (name, hours) in config.thresholds.freshnessHours {
      let wanted = name == "*" ? apps : apps.filter { $0.name == name }
      if name != "*" && wanted.isEmpty {
        findings.append(
          NightFinding(check: .freshness, subject: name, message: "\(name): there is no event of the app", limit: hours)
        )
      }
      for app in wanted {
        guard let newest = app.newestAsOf else { continue }
        let age = Double(start - newest + 1) / 3_600_000
        guard age > hours else { continue }
        findings.append(
          NightFinding(
            check: .freshness, subject: app.name,
            message:
              "\(app.name): the newest event is \(String(format: "%.1f", age)) h older than the night, more than "
              + "\(String(format: "%g", hours)) h",
            value: (age * 10).rounded() / 10, limit: hours))
      }
    }
    return findings
  }

  func sampleRatios(_ snapshot: StoreSnapshot) throws -> [NightFinding] {
    guard let limit = config.thresholds.sampleRatioP, try !snapshot.apps().isEmpty else { return [] }
    let seen = try ExperimentList.report(snapshot, ReportOptions())
    var findings: [NightFinding] = []
    for row in seen.rows {
      guard case .text(let app) = row[0], case .text(let experiment) = row[1] else { continue }
      var options = ReportOptions()
      options.apps = [app]
      let plan = config.plans[experiment] ?? ExperimentPlan()
      if let planned = plan.app, planned != app { continue }
      let report: ExperimentReport
      do {
        report = try Experiments.report(snapshot, options, ExperimentOptions(experiment: experiment, plan: plan))
      } catch is ExperimentError {
        // Nobody is exposed under the plan yet.
        continue
      }
      for readout in report.readouts {
        guard let ratio = readout.health.sequential, ratio.p < limit else { continue }
        let arms = readout.arms.map {
          "\($0.variant) \(grouped($0.persons)) of \(String(format: "%.1f", $0.share * 100)) %"
        }
        findings.append(
          NightFinding(
            check: .sampleRatio, subject: "\(app)/\(experiment)",
            message:
              "\(app)/\(experiment): users do not fall to the variants as planned (\(arms.joined(separator: ", ")); "
              + "p \(String(format: "%.2g", ratio.p)), less than \(String(format: "%g", limit))): believe no result",
            value: ratio.p, limit: limit))
      }
    }
    return findings
  }
}
