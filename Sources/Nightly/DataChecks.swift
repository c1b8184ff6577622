internal import EventModel
internal import Foundation
internal import Metrics
internal import Store

/// Checks how fresh the data is, and whether experiments split users as planned.
struct DataChecks {
  let config: NightlyConfig
  /// The first instant of the night's day, in ms.
  let start: Int64

  func freshness(_ apps: [StoreSnapshot.App]) -> [NightlyFinding] {
    var findings: [NightlyFinding] = []
    for (name, hours) in config.thresholds.freshnessHours {
      let wanted = name == "*" ? apps : apps.filter { $0.name == name }
      if name != "*" && wanted.isEmpty {
        findings.append(
          NightlyFinding(
            check: .freshness, subject: name, message: "\(name): there is no event of the app", limit: hours)
        )
      }
      for app in wanted {
        guard let newest = app.newestAsOf else { continue }
        let age = Double(start - newest + 1) / 3_600_000
        guard age > hours else { continue }
        findings.append(
          NightlyFinding(
            check: .freshness, subject: app.name,
            message:
              "\(app.name): the newest event is \(String(format: "%.1f", age)) h older than the night, more than "
              + "\(String(format: "%g", hours)) h",
            value: (age * 10).rounded() / 10, limit: hours))
      }
    }
    return findings
  }

  /// Returns one finding for all apps that the previous night did not have.
  func newApps(_ apps: [StoreSnapshot.App], after previous: NightlyRecord?) -> [NightlyFinding] {
    guard let known = previous?.asOf, !known.isEmpty else { return [] }
    let new = apps.map(\.name).filter { known[$0] == nil }
    if new.isEmpty { return [] }
    let names = new.prefix(5).joined(separator: ", ") + (new.count > 5 ? " and \(grouped(new.count - 5)) more" : "")
    return [
      NightlyFinding(
        check: .app, subject: new.joined(separator: ", "),
        message: new.count == 1
          ? "\(names) is a new app: check that its name is right"
          : "\(grouped(new.count)) new apps: \(names): check that their names are right",
        value: Double(new.count), limit: 0)
    ]
  }

  /// Returns the readouts of all experiments, one per app, each under its plan.
  func readouts(_ snapshot: StoreSnapshot) throws -> [ExperimentReport] {
    guard try !snapshot.apps().isEmpty else { return [] }
    return try ExperimentList.report(snapshot, ReportOptions()).rows.compactMap { row -> ExperimentReport? in
      guard case .text(let app) = row[0], case .text(let experiment) = row[1] else { return nil }
      var options = ReportOptions()
      options.apps = [app]
      let plan = config.plans[experiment] ?? ExperimentPlan()
      if let planned = plan.app, planned != app { return nil }
      do {
        return try Experiments.report(snapshot, options, ExperimentOptions(experiment: experiment, plan: plan))
      } catch is ExperimentError {
        // No user is exposed under the plan yet.
        return nil
      }
    }
  }

  func sampleRatios(_ reports: [ExperimentReport]) -> [NightlyFinding] {
    guard let limit = config.thresholds.sampleRatioP else { return [] }
    return reports.flatMap(\.readouts).compactMap { readout in
      guard let ratio = readout.health.sequential, ratio.p < limit else { return nil }
      let subject = "\(readout.app)/\(readout.experiment)"
      let arms = readout.arms.map {
        "\($0.variant) \(grouped($0.persons)) of \(String(format: "%.1f", $0.share * 100))%"
      }
      return NightlyFinding(
        check: .sampleRatio, subject: subject,
        message:
          "\(subject): users are not split between the variants as planned (\(arms.joined(separator: ", ")); "
          + "p \(String(format: "%.2g", ratio.p)), less than \(String(format: "%g", limit))): do not trust its results",
        value: ratio.p, limit: limit)
    }
  }
}
