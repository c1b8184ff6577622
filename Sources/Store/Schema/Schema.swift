internal import Foundation
internal import GRDB

/// The schema of the store and its migrations.
enum Schema {
  /// The bytes `TOLL`, which mark the file as a store so that no other database is written to by mistake.
  static let applicationID: Int32 = 0x544F_4C4C
  /// The `PRAGMA user_version` of a store that this program has migrated.
  static let version: Int = firstVersion + migrations.count - 1
  /// The version created by the first migration. Lower numbers belong to earlier layouts that were never released.
  static let firstVersion = 11

  /// Append-only: a released migration is never edited.
  static let migrations: [@Sendable (Migration) throws -> Void] = [
    createStore, addOffers, nameRejectedEvents,
  ]

  struct Migration {
    var db: Database
    /// Rebuilds everything that is derived from events.
    var rebuild: () throws -> Void
  }

  /// Migrates the store to ``version``, with each migration and its record in one transaction.
  ///
  /// - Parameter rebuild: Rebuilds everything that is derived from events.
  static func migrate(_ db: Database, rebuild: () throws -> Void) throws {
    while true {
      let current = try userVersion(db)
      if current >= version { return }
      try db.inTransaction(.immediate) {
        // Another process may have run the migration meanwhile.
        guard try userVersion(db) == current else { return .rollback }
        if current == 0 { try db.execute(sql: "PRAGMA application_id = \(applicationID)") }
        let next = max(current + 1, firstVersion)
        try withoutActuallyEscaping(rebuild) { try migrations[next - firstVersion](Migration(db: db, rebuild: $0)) }
        try db.execute(sql: "PRAGMA user_version = \(next)")
        return .commit
      }
    }
  }

  /// Returns whether a file is marked as a store, of any version (SQLite's file format, 1.3: bytes 68 to 71).
  static func hasApplicationID(at path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path), let header = try? file.read(upToCount: 72), header.count == 72
    else { return false }
    return header.suffix(4).elementsEqual(withUnsafeBytes(of: applicationID.bigEndian, Array.init))
  }

  /// Whether a program has written to a store since it was made as a backup: its header's write version is that of
  /// files with a log (https://www.sqlite.org/fileformat.html, 1.3.3).
  static func isWritten(at path: String) -> Bool {
    let header = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 20)
    return header?.count == 20 && header?[18] == 2
  }

  static func userVersion(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  private static func createStore(_ migration: Migration) throws {
    let db = migration.db
    for sql in inputTables + dictionaryTables + eventTables + factTables + cellTables + Views.all {
      try db.execute(sql: sql)
    }
    // Names 0 and 1 are printed for an absent value and for a unit without a preceding impression.
    try db.execute(sql: "INSERT INTO name (id, text) VALUES (0, '(none)'), (1, '(unattributed)')")
    try db.execute(sql: "INSERT INTO context VALUES (0, 0, 0, 0, 0)")
    try db.execute(sql: "INSERT INTO property_set VALUES (0, '{}')")
    try fillPlaces(db)
  }

  /// Fills the table of places that an event can have in its block; adds those that are missing.
  static func fillPlaces(_ db: Database) throws {
    try db.execute(
      sql: """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(EventBlock.limit))
        INSERT OR IGNORE INTO place SELECT n FROM numbers
        """)
  }

  /// Makes the tables of all that is derived from events anew, and fills them.
  private static func deriveAgain(_ migration: Migration) throws {
    let db = migration.db
    try dropViews(db)
    for table in FactTable.allCases.map(\.rowTable) + CellFamily.allCases.map(\.table)
      + ["origin", "trial_length", "impression_cell", "money_block", "kept_report"]
    {
      try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
    }
    for sql in eventViews + factTables + cellTables + Views.all { try db.execute(sql: sql) }
    if try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM user)") ?? false { try migration.rebuild() }
  }

  /// Adds the product and the offer to the dimensions of units.
  private static func addOffers(_ migration: Migration) throws {
    if try migration.db.columns(in: "origin").contains(where: { $0.name == "offer_code" }) { return }
    try deriveAgain(migration)
  }

  /// Adds the events that rejected lines would be, and the table of records that `init` leaves out.
  private static func nameRejectedEvents(_ migration: Migration) throws {
    let db = migration.db
    let known = Set(try db.columns(in: "rejected_line").map(\.name))
    for column in ["app", "event"] where !known.contains(column) {
      try db.execute(sql: "ALTER TABLE rejected_line ADD COLUMN \(column) TEXT")
    }
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS left_out (
          file  INTEGER NOT NULL,
          app   TEXT    NOT NULL,
          event TEXT    NOT NULL,  -- their kind
          lines INTEGER NOT NULL,
          PRIMARY KEY (file, app, event)
        ) STRICT, WITHOUT ROWID
        """)
  }

  private static func dropViews(_ db: Database) throws {
    for view in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'view'") {
      try db.execute(sql: "DROP VIEW \(view)")
    }
  }

  private static let eventViews = eventTables.filter { $0.hasPrefix("CREATE VIEW") }

  /// Facts that the fold derives from a person's events (definitions 2). `person` is the least id of its users.
  static let factTables =
    [FactTable.cellKeySQL(schema: "main")] + FactTable.allCases.flatMap { $0.createSQL(schema: "main") }
}
