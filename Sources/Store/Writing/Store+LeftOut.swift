public import EventModel
internal import GRDB

extension Store {
  /// Records of a kind that a mapping leaves out of a file.
  public struct LeftOut: Sendable {
    public var path: String
    public var app: String
    public var kind: EventKind
    public var lines: Int

    public init(path: String, app: String, kind: EventKind, lines: Int) {
      (self.path, self.app, self.kind, self.lines) = (path, app, kind, lines)
    }
  }

  /// Remembers which records of files were left out, in place of what was known of these files.
  ///
  /// - Parameter paths: The files that were read.
  public func note(_ leftOut: [LeftOut], of paths: [String]) throws {
    try write { db in
      try db.inTransaction(.immediate) {
        var ids: [String: Int64] = [:]
        for path in paths {
          ids[path] = try Int64.fetchOne(
            db, sql: "SELECT MAX(id) FROM file WHERE path = ? AND failure IS NULL", arguments: [path])
        }
        for id in ids.values { try db.execute(sql: "DELETE FROM left_out WHERE file = ?", arguments: [id]) }
        for entry in leftOut where entry.lines > 0 {
          guard let id = ids[entry.path] else { continue }
          try db.execute(
            sql: "INSERT INTO left_out VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET lines = lines + ?4",
            arguments: [id, entry.app, entry.kind.name, entry.lines])
        }
        try CachedReports.clear(db)
        return .commit
      }
    }
  }
}
