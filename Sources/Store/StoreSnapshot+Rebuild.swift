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
    // Users without events, such as those that only an identify names, are persons too.
    try compare(
      "user", "SELECT id, person FROM main.user WHERE id IN (SELECT \(EventRowID.userSQL("id")) FROM main.event)",
      "SELECT user, person FROM temp.refolded_user WHERE user IN (SELECT \(EventRowID.userSQL("id")) FROM main.event)")
    try compare("app_day", "SELECT * FROM main.app_day", EventDays.rebuiltSQL)
    return differences
  }

  /// What SQLite's own check finds; empty for a sound file.
  public func integrityProblems() throws -> [String] {
    try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
  }
}
