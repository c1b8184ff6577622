import EventModel
import Foundation

/// A record for the textfile collector of Prometheus' node exporter. It has no clock: the collector adds the file's own.
struct PrometheusText {
  let record: NightRecord

  var text: String {
    var lines: [String] = []
    func add(_ name: String, _ help: String, _ values: [(labels: String, value: String)]) {
      lines.append("# HELP tollgate_nightly_\(name) \(help)")
      lines.append("# TYPE tollgate_nightly_\(name) gauge")
      for (labels, value) in values {
        lines.append("tollgate_nightly_\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)")
      }
    }
    let night = CivilDate(record.night).map { Int64($0.daysSince1970) * 86_400 } ?? 0
    add("night_timestamp_seconds", "The night, as the first second of its day.", [("", String(night))])
    add("status", "What the program ended with.", [("", String(record.status))])
    add("duration_seconds", "How long the night took.", [("", String(format: "%.1f", record.seconds))])
    add("files", "Files that were new.", [("", String(record.files))])
    add("lines", "Lines of the new files.", [("", String(record.lines))])
    add("events", "New events.", [("", String(record.events))])
    add("duplicates", "Lines whose event was known.", [("", String(record.duplicates))])
    add(
      "quarantined", "Lines in quarantine of the new files.",
      [("", String(record.quarantined.values.reduce(0, +)))])
    add("missing", "Days of which files are still missing.", [("", String(record.missing.count))])
    add(
      "findings", "What was found, and whether the night before had found it, too.",
      NightFinding.Check.allCases.flatMap { check in
        [true, false].map { isNew in
          (
            "check=\"\(check.rawValue)\",state=\"\(isNew ? "new" : "standing")\"",
            String(record.findings.count { $0.check == check && $0.isNew == isNew })
          )
        }
      })
    add(
      "newest_event_timestamp_seconds", "The app's newest event.",
      record.asOf.sorted { $0.key < $1.key }.compactMap { app, text in
        Instant(rfc3339: text).map {
          ("app=\"\(Self.escaped(app))\"", String(format: "%.3f", Double($0.millisecondsSince1970 - 1) / 1000))
        }
      })
    return lines.joined(separator: "\n") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
      .replacingOccurrences(of: "\n", with: "\\n")
  }
}
