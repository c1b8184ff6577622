internal import GRDB
internal import Lifecycle

extension StoreSnapshot {
  /// Compares the tables that commits keep up to date with a rebuild from all events.
  ///
  /// - Returns: The number of rows by table that are in only one of the two; empty if they agree.
  public func differencesFromRebuild() throws -> [(table: String, rows: Int)] {
    var asOf: [NameID: Int64] = [:]
    for app in try Int32.fetchAll(db, sql: "SELECT DISTINCT app FROM client") { asOf[app] = .max }
    for sql in CellFamily.dropSQL(schema: "temp") + Schema.cellTables(schema: "temp") { try db.execute(sql: sql) }
    let (cells, money) = (try CellWriter(db, schema: "temp"), try MoneyUpkeep(db, schema: "temp"))
    try Recompute(db, asOf: asOf, grace: FoldOptions.stored.grace, attribution: FoldOptions.stored.attribution)
      .run(RecomputePlan(everybodyIn: db, asOf: asOf), StoredDictionaries(db).forFold) { rows in
        try cells.add(rows.cells)
        try money.add(rows.money)
      }
    try cells.flush()
    try money.flush()
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
        "\(table)", "SELECT * FROM main.\(table.view)", "SELECT * FROM temp.\(table.view)")
    }
    try readUsersAndDays()
    // Users without events, such as those named only in an `identify` event, are persons too.
    try compare(
      "user", "SELECT id, person FROM main.user WHERE id IN (SELECT user FROM temp.seen_user)",
      "SELECT user, person FROM temp.recomputed_user WHERE user IN (SELECT user FROM temp.seen_user)")
    try compareCells(compare)
    let payers = try PaymentHistory.differences(db)
    if payers > 0 { differences.append(("money_block", payers)) }
    let firsts = try FirstPayments.differences(db)
    if firsts > 0 { differences.append(("first_payment", firsts)) }
    for table in ["app_day", "arrival"] {
      try compare(table, "SELECT * FROM main.\(table)", "SELECT * FROM temp.\(table)")
    }
    return differences
  }

  /// Compares the cells with those of the recomputed facts, which are in `temp`.
  private func compareCells(_ compare: (_ table: String, _ stored: String, _ rebuilt: String) throws -> Void) throws {
    for table in CellFamily.allCases.map(\.table) {
      try compare(table, "SELECT * FROM main.\(table)", "SELECT * FROM temp.\(table)")
    }
    // An unknown stored instant counts as equal to the rebuilt one.
    let rebuilt = "SELECT * FROM (\(ImpressionCells.rebuiltSQL))"
    try db.execute(
      sql: """
        DROP TABLE IF EXISTS temp.impression_cell;
        \(Schema.impressionCellTable(schema: "temp"));
        INSERT INTO temp.impression_cell \(rebuilt);
        INSERT INTO temp.impression_cell \(ImpressionCells.sumSQL(of: "temp.impression_cell"));
        """)
    try compare(
      "impression_cell",
      """
      SELECT day, app, context, terms, cell.impressions, COALESCE(cell.newest, known.newest)
      FROM main.impression_cell AS cell
      LEFT JOIN temp.impression_cell AS known USING (day, app, context, terms)
      """, "SELECT * FROM temp.impression_cell")
    try compare("trial_length", "SELECT * FROM main.trial_length", "SELECT * FROM temp.trial_length")
  }

  /// Fills `temp.seen_user`, `temp.app_day` and `temp.arrival` from all events.
  private func readUsersAndDays() throws {
    try db.execute(
      sql: """
        DROP TABLE IF EXISTS temp.seen_user;
        DROP TABLE IF EXISTS temp.app_day;
        CREATE TABLE temp.seen_user (user INTEGER NOT NULL PRIMARY KEY) STRICT;
        DROP TABLE IF EXISTS temp.arrival;
        \(Schema.appDayTable(schema: "temp"));
        \(Schema.arrivalTable("temp.arrival"))
        """)
    let insert = try SQLiteStatement(db, "INSERT OR IGNORE INTO temp.seen_user VALUES (?)")
    try SortedRuns.forEachRow(db) { row, _ in try insert.run(binding: row.user) }
    let days = try EventDays(db, schema: "temp")
    days.invalidate()
    try days.update(runs: { try SortedRuns.cursors(db) }, dictionaries: StoredDictionaries(db).forFold)
  }
}
