internal import GRDB
internal import Lifecycle

extension Store {
  /// Makes identities, facts, cells and days anew from the events, and the indexes from their tables.
  ///
  /// Damaged pages of what follows from events are not read: their tables are taken out of the schema, and the file is then
  /// written anew without them.
  ///
  /// - Throws: ``StoreError/beyondRepair(path:reason:)`` where what they follow from is damaged itself: then only a copy
  ///   helps, or the files.
  public func repair(lockTimeout: Double = 30) throws {
    var isSound = true
    do {
      try translatingErrors(lockTimeout: lockTimeout) {
        try queue.writeWithoutTransaction { db in
          // Before the transaction, which could write nothing any more once the check has met a page that is none.
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
      }
    } catch let StoreError.damaged(path, reason) {
      throw StoreError.beyondRepair(
        path: path, reason: "its events cannot be read, so nothing can be made from them: \(reason)")
    }
    if !isSound { try vacuum(lockTimeout: lockTimeout) }
  }

  /// Makes what follows from events anew in a sound store; in a transaction.
  func rebuildDerived(_ db: Database) throws {
    for table in Self.derivedTables { try db.execute(sql: "DELETE FROM \(table)") }
    try fillDerived(db)
  }

  private func fillDerived(_ db: Database) throws {
    try Schema.fillPlaces(db)
    try db.execute(sql: "UPDATE user SET person = id WHERE person <> id")
    try EventWriter(db, storePath: path).rebuild()
  }

  /// Those that events tell again.
  private static let derivedTables =
    FactTable.allCases.map(\.rowTable) + CellFamily.allCases.map(\.table)
    + ["origin", "trial_length", "impression_cell", "money_block", "kept_report", "user_join", "app_day", "arrival"]

  /// What follows from events, all indexes, and what the query planner has counted: for ``makeAnew(_:)``.
  private static let derivedEntries = """
    tbl_name IN (\(derivedTables.map { "'\($0)'" }.joined(separator: ", "))) AND type IN ('table', 'index')
    OR type = 'index' AND sql IS NOT NULL OR tbl_name LIKE 'sqlite\\_stat%' ESCAPE '\\'
    """

  /// Makes derived tables empty and indexes anew without a look at their pages, which then belong to nothing until the
  /// file is written anew: to free them is to trust what they say of themselves.
  ///
  /// - Throws: ``StoreError/beyondRepair(path:reason:)`` with the table where one that stays is damaged, too.
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
  /// What SQLite's own check finds; empty for a sound file.
  public func integrityProblems() throws -> [String] { try integrityProblems("integrity_check") }

  /// What it finds in the tables that are there, a sentence each.
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

  /// The check gives up where a page cannot be read at all.
  private func integrityProblems(_ check: String) throws -> [String] {
    var problems: [String] = []
    do {
      let rows = try String.fetchCursor(db, sql: "PRAGMA \(check)")
      while let row = try rows.next() {
        // The first row says which database it is of.
        problems += row.split(separator: "\n").filter { $0 != "ok" && !$0.hasPrefix("***") }.map(String.init)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      problems.append(error.message ?? "\(error)")
    }
    return problems
  }
}
