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
    add("night_timestamp_seconds", "The night, as the first second of its day.", night)
    add("status", "What the program ended with.", record.status)
    add("duration_seconds", "How long the night took.", String(format: "%.1f", record.seconds))
    add("files", "Files that were new.", record.files)
    add("lines", "Lines of the new files.", record.lines)
    add("events", "New events.", record.events)
    add("duplicates", "Lines whose event was known.", record.duplicates)
    add("quarantined", "Lines in quarantine of the new files.", record.quarantined.values.reduce(0, +))
    add("missing", "Days of which files are still missing.", record.missing.count)
    let findings = begin("findings", "What was found, and whether the night before had found it, too.")
    for check in NightlyFinding.Check.allCases {
      for isNew in [true, false] {
        metrics.add(
          findings, record.findings.count { $0.check == check && $0.isNew == isNew },
          ["check": check.rawValue, "state": isNew ? "new" : "standing"])
      }
    }
    let newest = begin("newest_event_timestamp_seconds", "The app's newest event.")
    for (app, text) in record.asOf.sorted(by: { $0.key < $1.key }) {
      guard let instant = Instant(rfc3339: text) else { continue }
      metrics.add(newest, String(format: "%.3f", Double(instant.millisecondsSince1970 - 1) / 1000), ["app": app])
    }
    return metrics.text
  }
}
