extension Schema {
  /// The tables of sorted runs, event blocks and keys, and of the daily sums that commits keep up to date.
  static let eventTables = [
    """
    CREATE TABLE event_run (
      id     INTEGER NOT NULL PRIMARY KEY,
      events INTEGER NOT NULL
    ) STRICT
    """,
    eventBlockTable,
    "CREATE TABLE place (n INTEGER NOT NULL PRIMARY KEY) STRICT",  // 1 to EventBlock.limit
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
    keyTable("event_key", of: "event_id"),
    """
    CREATE TABLE first_payment (
      app INTEGER NOT NULL PRIMARY KEY,
      ts  INTEGER NOT NULL  -- ms; of production
    ) STRICT
    """,
    """
    CREATE TABLE pruned (
      app    INTEGER NOT NULL PRIMARY KEY,
      before INTEGER NOT NULL  -- ms; later events are whole
    ) STRICT
    """,
    appDayTable(schema: "main"),
    arrivalTable("main.arrival"),
  ]

  /// Returns the table of the hashes by which events or users are known again.
  static func keyTable(_ name: String, of id: String) -> String {
    """
    CREATE TABLE \(name) (
      run   INTEGER NOT NULL,  -- keys that were stored together
      block INTEGER NOT NULL,  -- in order of hash
      first INTEGER NOT NULL,  -- the first hash, as in keys
      count INTEGER NOT NULL,
      keys  BLOB    NOT NULL,  -- hashes of (app, \(id)) with their users: see KeyBlock
      PRIMARY KEY (run, block)
    ) STRICT, WITHOUT ROWID
    """
  }

  /// Returns the table of counts and of the instants that bound the default as-of, by app and UTC
  /// day.
  static func appDayTable(schema: String) -> String {
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

  /// Returns a table that counts events by the delay between `ts` and `received_at`.
  static func arrivalTable(_ table: String) -> String {
    """
    CREATE TABLE \(table) (
      app       INTEGER NOT NULL,
      source    TEXT    NOT NULL,  -- a vendor; of native events the usual file family
      day       INTEGER NOT NULL,  -- UTC, first ms
      timely    INTEGER NOT NULL,  -- production events received within 1 d of ts, and at most 1 min before it
      unstamped INTEGER NOT NULL,  -- ... without received_at
      ahead     INTEGER NOT NULL,  -- ... received up to 1 d before ts
      far_ahead INTEGER NOT NULL,  -- ... received earlier than that
      over_1d   INTEGER NOT NULL,  -- ... received more than 1 d, up to 2 d after ts
      over_2d   INTEGER NOT NULL,
      over_7d   INTEGER NOT NULL,
      over_30d  INTEGER NOT NULL,
      PRIMARY KEY (app, source, day)
    ) STRICT, WITHOUT ROWID
    """
  }

  static let eventBlockTable: String = {
    let numbers = EventBlock.Header.names.map { "\($0) INTEGER NOT NULL" }
    let lists = EventBlock.Column.allCases.map { "\"\($0.name)\" \($0.isOfIDs ? "ANY" : "TEXT")" }
    return """
      CREATE TABLE event_block (
        id INTEGER NOT NULL PRIMARY KEY,  -- run, last user and place: see BlockKey
        \((numbers + lists).joined(separator: ",\n  "))
      ) STRICT
      """
  }()
}
