internal import Basics
internal import EventModel

/// Explains why nothing of a file was taken whose columns or members are not those of an event.
enum UnknownFile {
  /// The fields that every event has.
  static let required = ["event", "ts", "user_id", "app", "event_id"]

  /// - Parameter names: The columns or members, in the order of the file.
  static func failure(_ names: [String], path: String, isTable: Bool) -> FileFailure {
    let known = required.filter(names.contains)
    let list = required.joined(separator: ", ")
    var lines = ["not in a known format."]
    let what = isTable ? "columns" : "members"
    if known.isEmpty {
      lines.append("  known \(what): none of \(list)")
    } else {
      let missing = required.filter { !known.contains($0) }
      lines.append("  known \(what): \(known.joined(separator: ", ")); missing: \(missing.joined(separator: ", "))")
    }
    let near = isYAML(path) ? [] : nearest(names.filter { !known.contains($0) })
    if !near.isEmpty { lines.append("  nearest: \(near.joined(separator: ", "))") }
    lines.append("  next: \(next(names, path))")
    var failure = FileFailure(lines.joined(separator: "\n"))
    failure.isRemembered = false
    return failure
  }

  /// Returns the command that reads such a file.
  private static func next(_ names: [String], _ path: String) -> String {
    if isYAML(path) { return "if it is a mapping: tollgate ingest --mapping \(path.shellWord) FILE" }
    if names.contains("usd_per_unit") { return "tollgate rates import \(path.shellWord)" }
    if names.contains("date"), names.contains("spend") { return "tollgate spend import \(path.shellWord)" }
    return "tollgate init \(path.shellWord)"
  }

  private static func isYAML(_ path: String) -> Bool { path.hasSuffix(".yaml") || path.hasSuffix(".yml") }

  private static func nearest(_ names: [String]) -> [String] {
    var near: [String] = []
    for field in [EventField.userID, .ts, .event, .app, .eventID] {
      let best = names.map { name in (name, FieldSynonyms.score(of: name, for: field)) }
        .max { $0.1 < $1.1 }
      if let (name, score) = best, score >= 0.5, !near.contains(where: { $0.hasPrefix("\(name) (") }) {
        near.append("\(name) (\(field.name)?)")
      }
    }
    return near
  }
}
