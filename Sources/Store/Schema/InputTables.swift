extension Schema {
  /// Files, rejected lines, conflicts, and the counts of aggregated reports.
  static let inputTables = [
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
      source      TEXT    NOT NULL,              -- whose format: native, a vendor, mapping
      reading     TEXT                           -- app, plans and mapping it was read with
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
      raw    ANY     NOT NULL,  -- text, or a blob where it is no UTF-8
      app    TEXT,              -- of the event that a line in another format would be
      event  TEXT               -- its kind
    ) STRICT
    """,
    """
    CREATE TABLE unkept_line (
      file   INTEGER NOT NULL,
      reason TEXT    NOT NULL,
      lines  INTEGER NOT NULL,  -- counted and not kept, as the file has too many of the reason
      PRIMARY KEY (file, reason)
    ) STRICT, WITHOUT ROWID
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
    """
    CREATE TABLE reported_count (
      report     TEXT    NOT NULL,  -- subscription_event, subscriber
      app        TEXT    NOT NULL,
      day        INTEGER NOT NULL,  -- since 1970, of the report's calendar
      event      TEXT    NOT NULL,  -- as the report calls it
      offer_type TEXT    NOT NULL,
      product    TEXT    NOT NULL,  -- the subscription's name in App Store Connect
      product_id TEXT    NOT NULL,  -- its Apple ID
      plan       INTEGER,           -- order of events.md: 0 weekly ... 6 lifetime
      country    TEXT    NOT NULL,
      quantity   INTEGER NOT NULL,
      file       INTEGER NOT NULL
    ) STRICT
    """,
  ]

  /// Exchange rates. The first import creates the table.
  static let rateTable = """
    CREATE TABLE IF NOT EXISTS rate (
      currency     TEXT NOT NULL,
      date         TEXT NOT NULL,  -- as 2026-03-01
      usd_per_unit TEXT NOT NULL,  -- an exact decimal
      PRIMARY KEY (currency, date)
    ) STRICT, WITHOUT ROWID
    """

  /// Advertising spend. The first import creates the table.
  static let spendTable = """
    CREATE TABLE IF NOT EXISTS spend (
      app         TEXT    NOT NULL,
      day         TEXT    NOT NULL,  -- in UTC, as 2026-03-01
      source      TEXT    NOT NULL,  -- empty where the file lacks it, as all parts
      campaign    TEXT    NOT NULL,
      ad_group    TEXT    NOT NULL,
      country     TEXT    NOT NULL,
      platform    TEXT    NOT NULL,
      currency    TEXT    NOT NULL,
      spend       INTEGER NOT NULL,  -- micro-units
      installs    INTEGER,
      impressions INTEGER,
      clicks      INTEGER,
      PRIMARY KEY (app, day, source, campaign, ad_group, country, platform)
    ) STRICT, WITHOUT ROWID
    """
}
