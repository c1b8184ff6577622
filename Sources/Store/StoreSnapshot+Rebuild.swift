internal import GRDB
internal import Lifecycle

extension StoreSnapshot {
  /// Compares what upkeep has kept with a rebuild from all events.
  ///
  /// - Returns: By table, the rows that are in one of the two but not in both; empty when they agree.
  public func differencesFromRebuild() throws -> [(table: String, rows: Int)] {
    var asOf: [NameID: Int64] = [:]
    for app in try Int32.fetchAll(db, sql: "SELECT DISTINCT app FROM client") { asOf[app] = .max }
    try Refold(db, asOf: asOf, grace: FoldOptions.stored.grace, attribution: FoldOptions.stored.attribution)
      .run(all: true)
    var differences: [(table: String, rows: Int)] = []
    func compare(_ table: String, _ stored: String, _ rebuilt: String) throws {
      let rows =
        try Int.fetchOne(
          db,
          sql: """
            SELECT (SELECT COUNT(*) FROM (\(stored) EXCEPT \(rebuilt)))
              + (SELECT COUNT(*) FROM (\(rebuilt) EXCEPT \(stored)))
            """) ?? 0
      if rows > 0 { differences.append((table, rows)) }
    }
    for table in FactTable.allCases {
      try compare(
        table.rawValue, "SELECT * FROM main.\(table.rawValue)_fact", "SELECT * FROM temp.\(table.rawValue)_fact")
    }
    try readUsersAndDays()
    // Users without events, such as those that only an identify names, are persons too.
    try compare(
      "user", "SELECT id, person FROM main.user WHERE id IN (SELECT user FROM temp.seen_user)",
      "SELECT user, person FROM temp.refolded_user WHERE user IN (SELECT user FROM temp.seen_user)")
    try compare("app_day", "SELECT * FROM main.app_day", "SELECT * FROM temp.app_day")
    return differences
  }

  /// Fills `temp.seen_user` and `temp.app_day` from all events.
  private func readUsersAndDays() throws {
    try db.execute(
      sql: """
        DROP TABLE IF EXISTS temp.seen_user;
        DROP TABLE IF EXISTS temp.app_day;
        CREATE TABLE temp.seen_user (user INTEGER NOT NULL PRIMARY KEY) STRICT;
        \(Schema.appDaySQL(schema: "temp"))
        """)
    let insert = try SQLiteStatement(db, "INSERT OR IGNORE INTO temp.seen_user VALUES (?)")
    let runs = try EventRuns.cursors(db)
    for run in runs {
      try run.forEachBlock { events in
        for row in events.rows {
          insert.bind(1, row.user)
          try insert.run()
        }
      }
      run.rewind()
    }
    let days = try EventDays(db, table: "temp.app_day")
    days.invalidate()
    try days.update(runs: { runs }, dictionaries: StoredDictionaries(db).forFold)
  }

  /// What SQLite's own check finds; empty for a sound file.
  public func integrityProblems() throws -> [String] {
    try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
  }
}
