internal import GRDB

/// The table of cached reports, which every commit empties.
enum CachedReports {
  static func clear(_ db: Database) throws { try db.execute(sql: "DELETE FROM kept_report") }
}

extension StoreSnapshot {
  /// Returns the cached bytes of a report; `nil` if it has not been cached since the last commit.
  public func cachedReport(_ name: String) throws -> [UInt8]? {
    try SQLiteStatement(db, "SELECT rows FROM kept_report WHERE name = ?")
      .first(binding: name) { [UInt8]($0.bytes(0)) }
  }
}

extension Store {
  /// Caches reports until the next commit.
  ///
  /// - Parameters:
  ///   - reports: The names and bytes of the reports.
  ///   - isCurrent: Returns whether the store is still the one that the reports were made from; called when no other
  ///     process can write.
  public func cacheReports(_ reports: [(name: String, bytes: [UInt8])], if isCurrent: () throws -> Bool) throws {
    try write { db in
      try db.inTransaction(.immediate) {
        guard try isCurrent() else { return .rollback }
        let insert = try SQLiteStatement(db, "INSERT OR REPLACE INTO kept_report VALUES (?, ?)")
        for (name, bytes) in reports { try insert.run(binding: name, blob: bytes) }
        return .commit
      }
    }
  }
}
