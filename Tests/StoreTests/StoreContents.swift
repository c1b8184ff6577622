import Metrics

/// The parts of a store that do not depend on the order of ingestion: the four reports byte for byte, and the rows of
/// the documented views.
///
/// Numbers of persons and files are left out. A fact's `user_id`, which is that of the person's first user, is replaced
/// by the least of the person's ids. Quarantined lines are compared by reason, field and text, not by position.
struct StoreContents {
  private var reports: [String: String]
  /// The rows of each view as texts, in byte order.
  private var views: [String: [String]] = [:]

  init(_ store: TestStore, _ options: ReportOptions = ReportOptions()) throws {
    reports = try store.reports(options)
    let sqlite = try store.sqlite()
    // Maps an app and a person's number to the person's least user id.
    var names: [String: String] = [:]
    for row in try sqlite.rows("SELECT app, person, user_id FROM users") {
      let person = "\(row[0] ?? "") \(row[1] ?? "")"
      let name = row[2] ?? ""
      names[person] = names[person].map { precedesInBytes($0, name) ? $0 : name } ?? name
    }
    let ordered = { (rows: [String]) in rows.sorted(by: precedesInBytes) }
    for view in ["events", "users", "entries", "exposures", "trials", "subscriptions", "payments"] {
      let (columns, rows) = try sqlite.query("SELECT * FROM \(view)")
      views[view] = ordered(
        rows.map { row in
          let values = Dictionary(uniqueKeysWithValues: zip(columns, row))
          let person = names["\((values["app"] ?? nil) ?? "") \((values["person"] ?? nil) ?? "")"] ?? "?"
          return zip(columns, row).map { column, value in
            switch column {
            case "file": ""
            case "person": "person=\(person)"
            case "user_id" where view != "events" && view != "users": ""
            default: "\(column)=\(value ?? "NULL")"
            }
          }.joined(separator: "|")
        })
    }
    views["quarantine"] = ordered(
      try sqlite.rows("SELECT reason, field, raw FROM quarantine").map { row in
        row.map { $0 ?? "NULL" }.joined(separator: "|")
      })
  }

  /// Returns up to five lines for each report and view that differs; empty if there is no difference.
  func differences(from other: StoreContents) -> [String] {
    var found: [String] = []
    for (name, text) in reports.sorted(by: { $0.key < $1.key }) where other.reports[name].map(bytes) != bytes(text) {
      found += Self.onlyIn(lines(text), lines(other.reports[name] ?? ""), "\(name):")
    }
    for (name, rows) in views.sorted(by: { $0.key < $1.key }) {
      found += Self.onlyIn(rows, other.views[name] ?? [], "\(name):")
    }
    return found
  }

  func count(of view: String) -> Int { views[view]?.count ?? 0 }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  /// Compares texts as multisets of bytes.
  private static func onlyIn(_ left: [String], _ right: [String], _ name: String) -> [String] {
    var counts: [[UInt8]: Int] = [:]
    for row in left { counts[Array(row.utf8), default: 0] += 1 }
    for row in right { counts[Array(row.utf8), default: 0] -= 1 }
    let found = counts.filter { $0.value != 0 }.map { row, count in
      "\(name) \(count > 0 ? "only here" : "only there") \(String(decoding: row, as: UTF8.self))"
    }
    return Array(found.sorted().prefix(5))
  }
}
