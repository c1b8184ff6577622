internal import GRDB

extension Store {
  /// Rebuilds identities, facts, cells and days from the events, and the indexes from their tables.
  ///
  /// Damaged pages of derived tables are not read: their tables are removed from the schema, and the file is then
  /// rewritten without them.
  ///
  /// - Throws: ``StoreError/beyondRepair(path:reason:)`` if the events or another source table is damaged; then only a
  ///   backup or the original files help.
  public func repair(lockTimeout: Double = 30) throws {
    var isSound = true
    do {
      try write(lockTimeout: lockTimeout) { db in
        // The check runs before the transaction, because a transaction cannot write anything after the check has met
        // an unreadable page.
        let snapshot = StoreSnapshot(db)
        isSound = try snapshot.integrityProblems().isEmpty
        if isSound, let problem = try snapshot.referenceProblems().first {
          throw StoreError.beyondRepair(path: path, reason: problem)
        }
        try db.inTransaction(.immediate) {
          if isSound {
            try db.execute(sql: "REINDEX")
            try rebuildDerived(db)
          } else {
            try makeAnew(db)
            try fillDerived(db)
          }
          return .commit
        }
      }
    } catch let StoreError.damaged(path, reason) {
      throw StoreError.beyondRepair(
        path: path, reason: "its events cannot be read, so nothing can be rebuilt: \(reason)")
    }
    if !isSound { try vacuum(lockTimeout: lockTimeout) }
  }

  /// Rebuilds everything derived from events in a sound store, inside a transaction.
  func rebuildDerived(_ db: Database) throws {
    for table in Self.derivedTables { try db.execute(sql: "DELETE FROM \(table)") }
    try fillDerived(db)
  }

  private func fillDerived(_ db: Database) throws {
    try Schema.fillPlaces(db)
    try db.execute(sql: "UPDATE user SET person = id WHERE person <> id")
    try EventWriter(db, storePath: path).rebuild()
  }

  /// The tables that can be derived from events.
  private static let derivedTables =
    FactTable.allCases.map(\.rowTable) + CellFamily.allCases.map(\.table)
    + [
      "origin", "trial_length", "impression_cell", "money_block", "kept_report", "user_join", "app_day", "arrival",
      "first_payment",
    ]

  /// The schema entries of derived tables, all indexes and the query planner's statistics, for ``makeAnew(_:)``.
  private static let derivedEntries = """
    tbl_name IN (\(derivedTables.map { "'\($0)'" }.joined(separator: ", "))) AND type IN ('table', 'index')
    OR type = 'index' AND sql IS NOT NULL OR tbl_name LIKE 'sqlite\\_stat%' ESCAPE '\\'
    """

  /// Recreates derived tables, empty, and indexes without reading their pages. Those pages belong to nothing until the
  /// file is rewritten, because freeing them would mean trusting their content.
  ///
  /// - Throws: ``StoreError/beyondRepair(path:reason:)`` with the table if a source table is damaged, too.
  private func makeAnew(_ db: Database) throws {
    let definitions = try String.fetchAll(
      db,
      sql: """
        SELECT sql FROM sqlite_schema
        WHERE (\(Self.derivedEntries)) AND sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY type = 'index', rootpage
        """)
    try db.execute(
      sql: """
        PRAGMA writable_schema = ON;
        DELETE FROM sqlite_schema WHERE \(Self.derivedEntries);
        PRAGMA writable_schema = RESET;
        """)
    db.clearSchemaCache()
    if let problem = try StoreSnapshot(db).tableProblems().first {
      throw StoreError.beyondRepair(path: path, reason: problem)
    }
    for sql in definitions { try db.execute(sql: sql) }
  }
}

extension StoreSnapshot {
  /// Returns the problems found by SQLite's own check; empty for a sound file.
  public func integrityProblems() throws -> [String] { try integrityProblems("integrity_check") }

  /// Returns the problems found in the existing tables, one sentence each.
  fileprivate func tableProblems() throws -> [String] {
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
        """)
    return try tables.flatMap { table in
      try integrityProblems("quick_check(\(table))").map { "the table \(table): \($0)" }
    }
  }

  /// Runs a check, which gives up at a page that cannot be read at all.
  private func integrityProblems(_ check: String) throws -> [String] {
    var problems: [String] = []
    do {
      let rows = try String.fetchCursor(db, sql: "PRAGMA \(check)")
      while let row = try rows.next() {
        // The first row names the database.
        problems += row.split(separator: "\n").filter { $0 != "ok" && !$0.hasPrefix("***") }.map(String.init)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      problems.append(error.message ?? "\(error)")
    }
    return problems
  }
}
