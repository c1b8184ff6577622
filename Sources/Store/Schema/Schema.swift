internal import Foundation
internal import GRDB

/// The shape of the store.
enum Schema {
  /// `TOLL`: marks the file as a store, so that no other database is written to by mistake.
  static let applicationID: Int32 = 0x544F_4C4C
  /// `PRAGMA user_version` of a store that this program has brought up to date.
  static let version: Int = firstVersion + migrations.count - 1
  /// The version that the first migration makes: before it, events were rows, refunds and what came of exposures no facts,
  /// money in no blocks, or arrivals not counted, in stores that were never released.
  static let firstVersion = 6

  /// Append-only: a released migration is never edited.
  static let migrations: [@Sendable (Migration) throws -> Void] = [createStore, createPruned, foldAgain]

  /// A database that is being brought up to date.
  struct Migration {
    var db: Database
    /// Makes everything that follows from events anew.
    var rebuild: () throws -> Void
  }

  /// Brings the store to ``version``, each migration in a transaction with its own record.
  ///
  /// - Parameter rebuild: Makes everything that follows from events anew.
  static func migrate(_ db: Database, rebuild: () throws -> Void) throws {
    while true {
      let current = try userVersion(db)
      if current >= version { return }
      try db.inTransaction(.immediate) {
        // Another process may have been faster.
        guard try userVersion(db) == current else { return .rollback }
        if current == 0 { try db.execute(sql: "PRAGMA application_id = \(applicationID)") }
        let next = max(current + 1, firstVersion)
        try withoutActuallyEscaping(rebuild) { try migrations[next - firstVersion](Migration(db: db, rebuild: $0)) }
        try db.execute(sql: "PRAGMA user_version = \(next)")
        return .commit
      }
    }
  }

  /// Whether a file says that it is a store, whatever its version (SQLite's file format, 1.3: bytes 68 to 71).
  static func hasApplicationID(at path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path), let header = try? file.read(upToCount: 72), header.count == 72
    else { return false }
    return header.suffix(4).elementsEqual(withUnsafeBytes(of: applicationID.bigEndian, Array.init))
  }

  static func userVersion(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  private static func createStore(_ migration: Migration) throws {
    let db = migration.db
    for sql in inputTables + dictionaryTables + eventTables + factTables + cellTables + Views.all {
      try db.execute(sql: sql)
    }
    // Names 0 and 1 are what a report prints for an absent value and for a unit that no impression precedes.
    try db.execute(sql: "INSERT INTO name (id, text) VALUES (0, '(none)'), (1, '(unattributed)')")
    try db.execute(sql: "INSERT INTO context VALUES (0, 0, 0, 0, 0)")
    try db.execute(sql: "INSERT INTO property_set VALUES (0, '{}')")
    try fillPlaces(db)
  }

  /// The places that an event can have in its block: those that are not there.
  static func fillPlaces(_ db: Database) throws {
    try db.execute(
      sql: """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(EventBlock.limit))
        INSERT OR IGNORE INTO place SELECT n FROM numbers
        """)
  }

  /// Up to when raw events were taken out.
  private static func createPruned(_ migration: Migration) throws {
    try migration.db.execute(
      sql: """
        CREATE TABLE pruned (
          app    INTEGER NOT NULL PRIMARY KEY,
          before INTEGER NOT NULL  -- ms; later events are whole
        ) STRICT
        """)
  }

  /// Adds prices in US dollars, and folds all events again: outcomes of exposures count usage and trials otherwise (D5), and
  /// payments know the end of the period paid for (definitions 6.4).
  private static func foldAgain(_ migration: Migration) throws {
    let db = migration.db
    try db.execute(sql: "ALTER TABLE terms ADD COLUMN price_usd INTEGER")
    for view in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'view'") {
      try db.execute(sql: "DROP VIEW \(view)")
    }
    for table in FactTable.allCases.map(\.rowTable) + CellFamily.allCases.map(\.table)
      + ["origin", "trial_length", "impression_cell", "money_block", "kept_report"]
    {
      try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
    }
    let views = eventTables.filter { $0.hasPrefix("CREATE VIEW") }
    for sql in views + factTables + cellTables + Views.all { try db.execute(sql: sql) }
    if try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM user)") ?? false { try migration.rebuild() }
  }

  private static let cellTables =
    CellFamily.createSQL(schema: "main") + [
      ImpressionCells.createSQL(schema: "main"), CachedReports.createSQL, MoneyBlocks.createSQL,
    ]

  /// What was read.
  private static let inputTables = [
    """
    CREATE TABLE file (
      id          INTEGER NOT NULL PRIMARY KEY,  -- order of ingestion
      path        TEXT    NOT NULL,
      digest      BLOB    NOT NULL,              -- SHA-256 of the stored bytes
      bytes       INTEGER NOT NULL,              -- stored, that is compressed
      lines       INTEGER NOT NULL,
      events      INTEGER NOT NULL,              -- new ones
      duplicates  INTEGER NOT NULL,
      conflicts   INTEGER NOT NULL,
      quarantined INTEGER NOT NULL,              -- lines, conflicts aside
      failure     TEXT,                          -- why nothing of it was taken; NULL when it was
      csv_header  BLOB,                          -- of CSV files with lines in quarantine
      source      TEXT    NOT NULL               -- whose format: native, a vendor, mapping
    ) STRICT
    """,
    "CREATE UNIQUE INDEX file_digest ON file (digest) WHERE failure IS NULL",
    """
    CREATE TABLE rejected_line (
      id     INTEGER NOT NULL PRIMARY KEY,
      file   INTEGER NOT NULL,
      line   INTEGER NOT NULL,  -- from 1
      reason TEXT    NOT NULL,  -- such as missing:ts
      field  TEXT,
      raw    ANY     NOT NULL   -- text, or a blob where it is no UTF-8
    ) STRICT
    """,
    """
    CREATE TABLE conflict (
      app         INTEGER NOT NULL,
      event_id    TEXT    NOT NULL,
      content     TEXT    NOT NULL,  -- the event as canonical JSON, without received_at
      received_at INTEGER,           -- the earliest seen with this content
      file        INTEGER NOT NULL,
      line        INTEGER,           -- NULL where the content was in the store and gave way
      PRIMARY KEY (app, event_id, content)
    ) STRICT, WITHOUT ROWID
    """,
    ReportedCounts.createSQL,
  ]

  /// What repeats: an event is a handful of numbers that point here.
  private static let dictionaryTables = [
    """
    CREATE TABLE name (
      id   INTEGER NOT NULL PRIMARY KEY,
      text TEXT    NOT NULL  -- different ones, but a name may read (none) as 0 does
    ) STRICT
    """,
    """
    CREATE TABLE context (
      id          INTEGER NOT NULL PRIMARY KEY,
      entry_point INTEGER NOT NULL,
      experiment  INTEGER NOT NULL,
      variant     INTEGER NOT NULL,
      paywall     INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE client (
      id          INTEGER NOT NULL PRIMARY KEY,
      app         INTEGER NOT NULL,
      platform    INTEGER NOT NULL,
      store       INTEGER NOT NULL,
      country     INTEGER NOT NULL,
      app_version INTEGER NOT NULL,
      is_sandbox  INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE terms (
      id                    INTEGER NOT NULL PRIMARY KEY,
      offering              INTEGER NOT NULL,
      price_weekly          INTEGER,           -- micro-units of currency, as all prices
      price_monthly         INTEGER,
      price_yearly          INTEGER,
      price_lifetime        INTEGER,
      is_family_tier        INTEGER NOT NULL,
      product               INTEGER NOT NULL,
      plan                  INTEGER,           -- order of events.md: 0 weekly ... 6 lifetime
      price                 INTEGER,
      currency              INTEGER NOT NULL,
      tax_percentage        REAL,
      commission_percentage REAL,
      is_family_shared      INTEGER NOT NULL,
      offer_type            INTEGER NOT NULL,
      offer_code            INTEGER NOT NULL,
      trial_days            INTEGER,
      trial_kind            INTEGER NOT NULL,
      previous_product      INTEGER NOT NULL,
      reason                INTEGER NOT NULL,
      limit_name            INTEGER NOT NULL,
      "limit"               REAL,
      used                  REAL
    ) STRICT
    """,
    """
    CREATE TABLE property_set (
      id   INTEGER NOT NULL PRIMARY KEY,
      json TEXT    NOT NULL              -- keys in byte order, text values
    ) STRICT
    """,
    """
    CREATE TABLE property (
      set_id INTEGER NOT NULL,
      name   TEXT    NOT NULL,
      value  INTEGER NOT NULL,           -- a name
      PRIMARY KEY (name, set_id)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE user (
      id     INTEGER NOT NULL PRIMARY KEY,  -- order of first sight
      app    INTEGER NOT NULL,
      name   TEXT    NOT NULL,
      person INTEGER NOT NULL               -- least id of the users joined with it
    ) STRICT
    """,
    "CREATE INDEX user_joined ON user (person) WHERE person <> id",
    """
    CREATE TABLE user_key (
      run   INTEGER NOT NULL,  -- keys that were stored together
      block INTEGER NOT NULL,  -- in order of hash
      first INTEGER NOT NULL,  -- the first hash, as in keys
      count INTEGER NOT NULL,
      keys  BLOB    NOT NULL,  -- hashes of (app, name) with their users: see KeyBlock
      PRIMARY KEY (run, block)
    ) STRICT, WITHOUT ROWID
    """,
  ]

  private static let eventTables = [
    """
    CREATE TABLE event_run (
      id     INTEGER NOT NULL PRIMARY KEY,
      events INTEGER NOT NULL
    ) STRICT
    """,
    BlockTable.createSQL,
    "CREATE TABLE place (n INTEGER NOT NULL PRIMARY KEY) STRICT",  // 1 to the events that a block can have
    EventBlock.rowViewSQL,
    """
    CREATE TABLE user_join (
      app           INTEGER NOT NULL,
      ts            INTEGER NOT NULL,
      user          INTEGER NOT NULL,
      previous_user INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX user_join_user ON user_join (user)",
    """
    CREATE TABLE event_key (
      run   INTEGER NOT NULL,  -- keys that were stored together
      block INTEGER NOT NULL,  -- in order of hash
      first INTEGER NOT NULL,  -- the first hash, as in keys
      count INTEGER NOT NULL,
      keys  BLOB    NOT NULL,  -- hashes of (app, event_id) with their users: see KeyBlock
      PRIMARY KEY (run, block)
    ) STRICT, WITHOUT ROWID
    """,
    appDaySQL(schema: "main"),
    Arrivals.createSQL(table: "main.arrival"),
  ]

  /// What bounds the default as-of (definitions 1.1), by app and UTC day.
  static func appDaySQL(schema: String) -> String {
    """
    CREATE TABLE \(schema).app_day (
      app              INTEGER NOT NULL,
      day              INTEGER NOT NULL,  -- UTC, first ms
      events           INTEGER NOT NULL,  -- production
      newest_received  INTEGER,           -- greatest received_at, sandbox included
      newest_timely    INTEGER,           -- greatest ts of production events at most 1 d past their own received_at
      newest_early     INTEGER,           -- ... of those further ahead of it
      newest_unmarked  INTEGER,           -- ... of those without received_at
      PRIMARY KEY (app, day)
    ) STRICT, WITHOUT ROWID
    """
  }

  /// Definitions 2: what the fold makes of a person's events. `person` is the least id of its users.
  static let factTables =
    [FactTable.originSQL(schema: "main")] + FactTable.allCases.flatMap { $0.createSQL(schema: "main") }
}
