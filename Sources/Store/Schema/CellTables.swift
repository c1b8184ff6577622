extension Schema {
  /// Tables computed from facts and events so that reports read less.
  static let cellTables =
    cellTables(schema: "main") + [
      impressionCellTable(schema: "main"),
      """
      CREATE TABLE kept_report (
        name TEXT NOT NULL PRIMARY KEY,
        rows BLOB NOT NULL               -- the report without options, as of the last commit
      ) STRICT, WITHOUT ROWID
      """,
    ]

  /// Returns the tables for the units of each ``CellFamily``, the lengths of introductory trials, and payments.
  ///
  /// - Parameter schema: `main`, or `temp` for a rebuild to compare with.
  static func cellTables(schema: String) -> [String] {
    [
      """
      CREATE TABLE \(schema).trial_length (
        app    INTEGER NOT NULL,
        length INTEGER NOT NULL,  -- ms from start to end
        trials INTEGER NOT NULL,  -- introductory ones
        PRIMARY KEY (app, length)
      ) STRICT, WITHOUT ROWID
      """,
      """
      CREATE TABLE \(schema).money_block (
        id      INTEGER NOT NULL PRIMARY KEY,  -- person >> \(PaymentHistory.bits)
        persons BLOB    NOT NULL               -- see PersonMoney
      ) STRICT
      """,
    ]
      + CellFamily.allCases.map { family in
        """
        CREATE TABLE \(schema).\(family.table) (
          id    INTEGER NOT NULL PRIMARY KEY,  -- origin << 16 | UTC day since 1970
          units BLOB    NOT NULL               -- see UnitLayout
        ) STRICT
        """
      }
  }

  /// Returns the table of impressions by day and offer; `newest` is NULL if the newest impression was removed and the
  /// one before it is unknown.
  static func impressionCellTable(schema: String) -> String {
    """
    CREATE TABLE \(schema).impression_cell (
      day         INTEGER NOT NULL,  -- UTC, since 1970; -1 for all days
      app         INTEGER NOT NULL,
      context     INTEGER NOT NULL,
      terms       INTEGER NOT NULL,
      impressions INTEGER NOT NULL,  -- production, not family-shared
      newest      INTEGER,           -- ts; NULL for unknown
      PRIMARY KEY (day, app, context, terms)
    ) STRICT, WITHOUT ROWID
    """
  }

  /// The options that the facts of a store without events were folded with; see ``FactsElsewhere``.
  static let factsElsewhereTable = """
    CREATE TABLE \(FactsElsewhere.table) (
      as_of       INTEGER NOT NULL,
      grace       INTEGER NOT NULL,
      attribution TEXT    NOT NULL
    ) STRICT
    """

  /// The receipt of an erasure whose file has not been vacuumed yet.
  static let forgetPendingTable =
    "CREATE TABLE \(Store.pendingTable) (user INTEGER NOT NULL, receipt TEXT NOT NULL) STRICT"
}
