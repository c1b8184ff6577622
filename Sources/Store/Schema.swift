internal import GRDB

/// The shape of the store.
enum Schema {
  /// `TOLL`: marks the file as a store, so that no other database is written to by mistake.
  static let applicationID: Int32 = 0x544F_4C4C
  /// `PRAGMA user_version`: the number of migrations.
  static let version: Int = migrations.count

  /// Append-only: a released migration is never edited.
  static let migrations: [@Sendable (Database) throws -> Void] = [migration1]

  /// Brings the store to ``version``, each migration in a transaction with its own record.
  static func migrate(_ db: Database) throws {
    for number in try userVersion(db)..<version {
      try db.inTransaction(.immediate) {
        // Another process may have been faster.
        guard try userVersion(db) == number else { return .rollback }
        if number == 0 { try db.execute(sql: "PRAGMA application_id = \(applicationID)") }
        try migrations[number](db)
        try db.execute(sql: "PRAGMA user_version = \(number + 1)")
        return .commit
      }
    }
  }

  static func userVersion(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
  }

  private static func migration1(_ db: Database) throws {
    for sql in inputTables + dictionaryTables + eventTables + factTables + Views.all { try db.execute(sql: sql) }
    // Names 0 and 1 are what a report prints for an absent value and for a unit that no impression precedes.
    try db.execute(sql: "INSERT INTO name (id, text) VALUES (0, '(none)'), (1, '(unattributed)')")
    try db.execute(sql: "INSERT INTO context VALUES (0, 0, 0, 0, 0)")
    try db.execute(sql: "INSERT INTO property_set VALUES (0, '{}')")
  }

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
      csv_header  BLOB                           -- of CSV files with lines in quarantine
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
      keys  BLOB    NOT NULL,  -- hashes of (app, name) in order, 8 bytes each, then the users, 4 bytes each
      PRIMARY KEY (run, block)
    ) STRICT, WITHOUT ROWID
    """,
  ]

  private static let eventTables = [
    """
    CREATE TABLE segment (
      id     INTEGER NOT NULL PRIMARY KEY,
      events INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE event (
      id              INTEGER NOT NULL PRIMARY KEY,  -- run, user and place: see EventRowID
      ts              INTEGER NOT NULL,  -- ms since 1970, as all instants
      kind            INTEGER NOT NULL,  -- order of events.md
      event_id        ANY     NOT NULL,  -- text; a UUID in lower case as its 16 bytes; a plain number as such
      file            INTEGER NOT NULL,
      received_after  INTEGER,           -- received_at − ts
      client          INTEGER NOT NULL,
      context         INTEGER NOT NULL,
      terms           INTEGER NOT NULL,
      properties      INTEGER NOT NULL,
      subscription_id ANY,               -- coded as event_id
      transaction_id  ANY,
      expires_at      INTEGER,
      trial_ends_at   INTEGER,
      grace_ends_at   INTEGER,
      previous_user   INTEGER
    ) STRICT
    """,
    "CREATE INDEX event_identify ON event (previous_user) WHERE previous_user IS NOT NULL",
    """
    CREATE TABLE event_key (
      run   INTEGER NOT NULL,  -- keys that were stored together
      block INTEGER NOT NULL,  -- in order of hash
      keys  BLOB    NOT NULL,  -- hashes of (app, event_id) in order, 8 bytes each, then their users, 4 bytes each
      PRIMARY KEY (run, block)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE app_day (
      app              INTEGER NOT NULL,
      day              INTEGER NOT NULL,  -- UTC, first ms
      events           INTEGER NOT NULL,  -- production
      newest_received  INTEGER,           -- greatest received_at, sandbox included
      newest_timely    INTEGER,           -- greatest ts of production events at most 1 d past their own received_at
      newest_early     INTEGER,           -- ... of those further ahead of it
      newest_unmarked  INTEGER,           -- ... of those without received_at
      PRIMARY KEY (app, day)
    ) STRICT, WITHOUT ROWID
    """,
  ]

  /// Definitions 2: what the fold makes of a person's events. `person` is the least id of its users.
  static let factTables = FactTable.allCases.map { $0.createSQL(schema: "main") }
}
