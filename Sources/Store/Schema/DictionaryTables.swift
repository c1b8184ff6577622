extension Schema {
  /// Tables of repeated values, to which events refer by number.
  static let dictionaryTables = [
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
      used                  REAL,
      price_usd             INTEGER
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
    keyTable("user_key", of: "name"),
  ]
}
