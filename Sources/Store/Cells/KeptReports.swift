internal import GRDB

extension StoreSnapshot {
  /// What was kept of a report since the last commit; `nil` for nothing.
  public func keptReport(_ name: String) throws -> [UInt8]? {
    let statement = try SQLiteStatement(db, "SELECT rows FROM kept_report WHERE name = ?")
    statement.bind(1, name)
    return try statement.step() ? [UInt8](statement.bytes(0)) : nil
  }
}

extension Store {
  /// Keeps reports of the store as it is; the next commit forgets them.
  ///
  /// - Parameters:
  ///   - isCurrent: Whether the store is still the one that they were made of: asked when no other can write.
  ///   - body: Makes them, of the snapshot that they will be kept with.
  public func keepReports(
    if isCurrent: () throws -> Bool = { true }, _ body: (StoreSnapshot) throws -> [(name: String, rows: [UInt8])]
  ) throws {
    try translatingErrors {
      try queue.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          guard try isCurrent() else { return .rollback }
          let insert = try SQLiteStatement(db, "INSERT OR REPLACE INTO kept_report VALUES (?, ?)")
          for (name, rows) in try body(StoreSnapshot(db)) {
            try rows.withUnsafeBytes { bytes in
              insert.bind(1, name)
              insert.bindBlob(2, bytes)
              try insert.run()
            }
          }
          return .commit
        }
      }
    }
  }
}

/// Reports that are asked for again and again.
enum KeptReports {
  static let createSQL = """
    CREATE TABLE kept_report (
      name TEXT NOT NULL PRIMARY KEY,
      rows BLOB NOT NULL               -- the report with no option given, as of the last commit
    ) STRICT, WITHOUT ROWID
    """

  static func forget(_ db: Database) throws { try db.execute(sql: "DELETE FROM kept_report") }
}
