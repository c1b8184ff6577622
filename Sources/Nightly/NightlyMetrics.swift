internal import Basics
internal import EventModel
internal import Foundation

/// A record in the format of the textfile collector of Prometheus' node exporter. It has no timestamps: the collector
/// adds the file's own.
struct NightlyMetrics {
  let record: NightlyRecord

  var text: String {
    var metrics = PrometheusText()
    func begin(_ name: String, _ help: String) -> String {
      metrics.begin("tollgate_nightly_\(name)", .gauge, help: help)
      return "tollgate_nightly_\(name)"
    }
    func add(_ name: String, _ help: String, _ value: some Any) { metrics.add(begin(name, help), value) }
    let night = CivilDate(record.night).map { Int64($0.daysSince1970) * 86_400 } ?? 0
    add("night_timestamp_seconds", "Start of the night's day, as seconds since 1970.", night)
    add("status", "Exit status of the night.", record.status)
    add("duration_seconds", "Duration of the night.", String(format: "%.1f", record.seconds))
    add("files", "New files.", record.files)
    add("lines", "Lines in new files.", record.lines)
    add("events", "New events.", record.events)
    add("duplicates", "Lines that repeat a known event.", record.duplicates)
    add("quarantined", "Rejected lines in new files.", record.quarantined.values.reduce(0, +))
    add("missing", "Days with missing files.", record.missing.count)
    let findings = begin("findings", "Findings, and whether the night before had found them too.")
    for check in NightlyFinding.Check.allCases {
      for isNew in [true, false] {
        metrics.add(
          findings, record.findings.count { $0.check == check && $0.isNew == isNew },
          ["check": check.rawValue, "state": isNew ? "new" : "standing"])
      }
    }
    let newest = begin("newest_event_timestamp_seconds", "Time of the app's newest event.")
    for (app, text) in record.asOf.sorted(by: { $0.key < $1.key }) {
      guard let instant = Instant(rfc3339: text) else { continue }
      metrics.add(newest, String(format: "%.3f", Double(instant.millisecondsSince1970 - 1) / 1000), ["app": app])
    }
    return metrics.text
  }
}
