internal import EventModel

/// The documented, stable views, for the `sqlite3` shell, notebooks and other engines.
///
/// `user_id` is the least of a person's ids in byte order. Instants are RFC 3339 texts in UTC, prices are in units of
/// their currency, absent values are NULL in `events` and `(none)` in the context of a fact.
enum Views {
  static let all = [
    events, users, entries, exposures, trials, subscriptions, payments, quarantine, files, reportedCounts,
  ]

  private static func instant(_ column: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%S', \(column) / 1000, 'unixepoch') || printf('.%03dZ', \(column) % 1000)"
  }

  /// Returns the expression for the end of a cover; NULL for a lifetime's.
  private static func end(_ column: String) -> String {
    "CASE WHEN \(column) < 9000000000000000 THEN \(instant(column)) END"
  }

  /// Returns the expression for the text of a name; NULL if absent.
  private static func text(_ column: String) -> String { "(SELECT text FROM name WHERE id = nullif(\(column), 0))" }

  /// Returns the expression for the text of a name; `(none)` if absent.
  private static func label(_ column: String) -> String { "(SELECT text FROM name WHERE id = \(column))" }

  /// The dictionaries that an event refers to, and their aliases in the view.
  private static let dictionaries = ["client": "c", "context": "x", "terms": "t"]

  private static func choice(_ column: String, _ names: [String]) -> String {
    let cases = names.enumerated().map { "WHEN \($0.offset) THEN '\($0.element)'" }.joined(separator: " ")
    return "CASE \(column) \(cases) END"
  }

  private static let kinds = EventKind.allCases.map(\.name)
  private static let plans = Plan.allCases.map(\.name)
  private static let reasons = ["", "voluntary", "billing", "price_increase", "refund", "other"]

  private static let context = """
    \(label("f.experiment")) AS experiment,
      \(label("f.variant")) AS variant,
      \(label("f.paywall")) AS paywall,
      \(label("f.entry_point")) AS entry_point
    """

  private static let dimensions = """
    \(choice("f.plan", plans)) AS plan,
      \(choice("f.is_family_tier", ["individual", "family"])) AS tier,
      \(choice("f.trial_kind", ["(none)", "introductory", "app"])) AS trial_kind,
      \(text("f.offering")) AS offering,
      \(text("f.offer_type")) AS offer_type,
      \(text("f.offer_code")) AS offer_code,
      \(text("c.country")) AS country,
      \(text("c.platform")) AS platform,
      \(text("c.store")) AS store,
      \(text("c.app_version")) AS app_version,
      (SELECT json FROM property_set WHERE id = f.properties) AS properties
    """

  private static let person = """
    \(label("f.app")) AS app,
      f.person AS person,
      (SELECT min(name) FROM (
        SELECT name FROM user WHERE id = f.person
        UNION ALL SELECT name FROM user WHERE person = f.person AND person <> id
      )) AS user_id
    """

  /// Sub-queries look up the dictionaries, so that SQLite reads only the columns that a query uses.
  static let events = """
    CREATE VIEW events AS
    \(eventsSQL(from: "event_row") { value, table, alias in
      "(SELECT \(value) FROM \(table) AS \(alias) WHERE \(alias).id = e.\(table))"
    })
    """

  /// Returns the query for every column of a table of events as numbers. It joins the dictionaries, which costs one
  /// look-up per event and dictionary.
  static func wholeEventsSQL(from rows: String) -> String {
    let joins = dictionaries.map { "LEFT JOIN \($0.key) AS \($0.value) ON \($0.value).id = e.\($0.key)" }
    return eventsSQL(from: rows) { value, _, _ in value } + "\n" + joins.sorted().joined(separator: "\n")
  }

  /// Returns the query for the view's columns from a table of events as numbers.
  ///
  /// - Parameter look: Returns the expression for a value of the dictionary entry that an event refers to; takes the
  ///   value, the table and the alias.
  private static func eventsSQL(
    from rows: String, _ look: (_ value: String, _ table: String, _ alias: String) -> String
  ) -> String {
    func entry(_ table: String, _ value: String) -> String { look(value, table, dictionaries[table] ?? table) }
    return """
      SELECT
        e.event_id AS event_id,
        \(choice("e.kind", kinds)) AS event,
        \(instant("e.ts")) AS ts,
        \(entry("client", text("c.app"))) AS app,
        (SELECT name FROM user WHERE id = e.user) AS user_id,
        (SELECT person FROM user WHERE id = e.user) AS person,
        \(instant("(e.ts + e.received_after)")) AS received_at,
        \(entry("client", text("c.platform"))) AS platform,
        \(entry("client", text("c.store"))) AS store,
        \(entry("client", text("c.country"))) AS country,
        \(entry("client", text("c.app_version"))) AS app_version,
        \(entry("client", choice("c.is_sandbox", ["production", "sandbox"]))) AS environment,
        \(entry("context", text("x.entry_point"))) AS entry_point,
        \(entry("context", text("x.experiment"))) AS experiment,
        \(entry("context", text("x.variant"))) AS variant,
        \(entry("context", text("x.paywall"))) AS paywall,
        \(entry("terms", text("t.offering"))) AS offering,
        \(entry("terms", "t.price_weekly / 1e6")) AS price_weekly,
        \(entry("terms", "t.price_monthly / 1e6")) AS price_monthly,
        \(entry("terms", "t.price_yearly / 1e6")) AS price_yearly,
        \(entry("terms", "t.price_lifetime / 1e6")) AS price_lifetime,
        \(entry("terms", choice("t.is_family_tier", ["individual", "family"]))) AS tier,
        \(entry("terms", text("t.product"))) AS product_id,
        \(entry("terms", choice("t.plan", plans))) AS plan,
        \(entry("terms", "t.price / 1e6")) AS price,
        \(entry("terms", text("t.currency"))) AS currency,
        \(entry("terms", "t.price_usd / 1e6")) AS price_usd,
        \(entry("terms", "t.tax_percentage")) AS tax_percentage,
        \(entry("terms", "t.commission_percentage")) AS commission_percentage,
        e.subscription_id AS subscription_id,
        \(instant("(e.ts + e.started_after)")) AS subscription_started_at,
        e.transaction_id AS transaction_id,
        \(instant("(e.ts + e.expires_after)")) AS expires_at,
        \(entry("terms", choice("t.is_family_shared", ["purchased", "family_shared"]))) AS ownership,
        \(entry("terms", text("t.offer_type"))) AS offer_type,
        \(entry("terms", text("t.offer_code"))) AS offer_code,
        \(entry("terms", "t.trial_days")) AS trial_days,
        \(instant("(e.ts + e.trial_ends_after)")) AS trial_ends_at,
        \(entry("terms", text("t.trial_kind"))) AS trial_kind,
        \(entry("terms", text("t.previous_product"))) AS previous_product_id,
        \(entry("terms", text("t.reason"))) AS reason,
        \(instant("(e.ts + e.grace_ends_after)")) AS grace_ends_at,
        (SELECT name FROM user WHERE id = e.previous_user) AS previous_user_id,
        \(entry("terms", text("t.limit_name"))) AS limit_name,
        \(entry("terms", "t.\"limit\"")) AS "limit",
        \(entry("terms", "t.used")) AS used,
        (SELECT json FROM property_set WHERE id = e.properties) AS properties,
        e.file AS file
      FROM \(rows) AS e
      """
  }

  private static let users = """
    CREATE VIEW users AS
    SELECT \(label("u.app")) AS app, u.name AS user_id, u.person AS person
    FROM user AS u
    """

  /// Returns a view of facts: the person, columns of its own and, of units, their context and dimensions.
  private static func view(_ name: String, of table: FactTable, isOfUnits: Bool = true, _ own: [String]) -> String {
    let columns = [person] + own + (isOfUnits ? [context, dimensions] : [])
    return """
      CREATE VIEW \(name) AS
      SELECT
        \(columns.joined(separator: ",\n  "))
      FROM \(table.view) AS f\(isOfUnits ? "\nJOIN client AS c ON c.id = f.client" : "")
      """
  }

  private static let entries = view("entries", of: .entry, ["\(instant("f.ts")) AS entered_at"])

  private static let exposures = view(
    "exposures", of: .exposure, isOfUnits: false,
    [
      "\(label("f.experiment")) AS experiment", "\(label("f.variant")) AS variant", "\(instant("f.ts")) AS exposed_at",
    ])

  private static let trials = view(
    "trials", of: .trial,
    [
      "\(instant("f.start")) AS started_at", "\(instant("f.trial_end")) AS ends_at",
      "\(instant("f.deadline")) AS deadline", "\(instant("f.converted_at")) AS converted_at",
      "f.is_cancelled AS is_cancelled", "\(text("f.product")) AS product_id",
    ])

  private static let subscriptions = view(
    "subscriptions", of: .spell,
    [
      "f.number AS spell", "\(CodedText.sql("f.subscription_id")) AS subscription_id", "f.ordinal AS ordinal",
      "f.is_purchase AS is_purchase", "\(instant("f.start")) AS started_at", "\(end("f.cover_end")) AS ends_at",
      "\(end("f.grace_end")) AS grace_ends_at", "\(choice("f.reason", reasons)) AS churn_reason",
      "f.payments AS payments", "\(instant("f.last_payment_at")) AS last_payment_at",
      "\(text("f.product")) AS product_id", "f.price / 1e6 AS price", "\(text("f.currency")) AS currency",
      "\(instant("f.first_cancelled_at")) AS first_cancelled_at",
      "\(instant("f.first_refunded_at")) AS first_refunded_at",
    ])

  private static let payments = view(
    "payments", of: .payment, isOfUnits: false,
    [
      "f.spell AS spell", "\(instant("f.ts")) AS paid_at", "\(choice("f.kind", kinds)) AS event",
      "\(text("f.product")) AS product_id", "\(choice("f.plan", plans)) AS plan", "f.price / 1e6 AS price",
      "\(text("f.currency")) AS currency", "f.refunded / 1e6 AS refunded",
      "\(instant("f.refunded_at")) AS refunded_at", "\(end("f.cover_end")) AS covered_until",
    ])

  private static let quarantine = """
    CREATE VIEW quarantine AS
    SELECT
      r.id AS id,
      (SELECT path FROM file WHERE id = r.file) AS file,
      r.line AS line,
      r.reason AS reason,
      r.field AS field,
      r.raw AS raw
    FROM rejected_line AS r
    UNION ALL
    SELECT
      NULL,
      (SELECT path FROM file WHERE id = k.file),
      k.line,
      'conflict',
      'event_id',
      k.content
    FROM conflict AS k
    """

  private static let reportedCounts = """
    CREATE VIEW reported_counts AS
    SELECT r.report AS report, r.app AS app, date(r.day * 86400, 'unixepoch') AS day, r.event AS event,
      nullif(r.offer_type, '') AS offer_type, nullif(r.product, '') AS product,
      nullif(r.product_id, '') AS product_apple_id, \(choice("r.plan", plans)) AS plan,
      nullif(r.country, '') AS country, r.quantity AS quantity,
      (SELECT path FROM file WHERE id = r.file) AS file
    FROM reported_count AS r
    """

  static let files = """
    CREATE VIEW files AS
    SELECT id, path, lower(hex(digest)) AS sha256, bytes, lines, events, duplicates, conflicts, quarantined, failure,
      source, reading
    FROM file
    """
}
