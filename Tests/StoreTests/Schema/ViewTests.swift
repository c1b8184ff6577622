import Store
import Testing

/// The views are the store's public interface: their columns and formats change only with
/// a migration and an entry in the changelog.
@Suite struct ViewTests {
  private static let person = ["app", "person", "user_id"]
  private static let context = ["experiment", "variant", "paywall", "entry_point"]
  private static let dimensions = [
    "plan", "tier", "trial_kind", "offering", "offer_type", "offer_code", "country", "platform", "store", "app_version",
    "properties",
  ]

  private static let columns = [
    "events": [
      "event_id", "event", "ts", "app", "user_id", "person", "received_at", "platform", "store", "country",
      "app_version",
      "environment", "entry_point", "experiment", "variant", "paywall", "offering", "price_weekly", "price_monthly",
      "price_yearly", "price_lifetime", "tier", "product_id", "plan", "price", "currency", "price_usd",
      "tax_percentage",
      "commission_percentage", "subscription_id", "subscription_started_at", "transaction_id", "expires_at",
      "ownership", "offer_type",
      "offer_code",
      "trial_days", "trial_ends_at", "trial_kind", "previous_product_id", "reason", "grace_ends_at", "previous_user_id",
      "limit_name", "limit", "used", "properties", "file",
    ],
    "users": ["app", "user_id", "person"],
    "entries": person + ["entered_at"] + context + dimensions,
    "exposures": person + ["experiment", "variant", "exposed_at"],
    "trials": person + ["started_at", "ends_at", "deadline", "converted_at", "is_cancelled", "product_id"] + context
      + dimensions,
    "subscriptions": person + [
      "spell", "subscription_id", "ordinal", "is_purchase", "started_at", "ends_at", "grace_ends_at", "churn_reason",
      "payments", "last_payment_at", "product_id", "price", "currency", "first_cancelled_at", "first_refunded_at",
    ] + context + dimensions,
    "payments": person + [
      "spell", "paid_at", "event", "product_id", "plan", "price", "currency", "refunded", "refunded_at",
      "covered_until",
    ],
    "quarantine": ["id", "file", "line", "reason", "field", "raw"],
    "files": [
      "id", "path", "sha256", "bytes", "lines", "events", "duplicates", "conflicts", "quarantined", "failure",
      "source", "reading",
    ],
    "reported_counts": [
      "report", "app", "day", "event", "offer_type", "product", "product_apple_id", "plan", "country", "quantity",
      "file",
    ],
  ]

  @Test func theViewsHaveTheirColumns() throws {
    try withTestStore { store in
      try store.ingest([String]())
      let sqlite = try store.sqlite()
      for (view, columns) in Self.columns { #expect(try sqlite.columns(of: view) == columns, "\(view)") }
      let views = try sqlite.rows("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name").map {
        $0[0] ?? ""
      }
      // The views that the program itself builds on, with facts and events as numbers, are not documented.
      let documented = views.filter { !$0.hasSuffix("_fact") && $0 != "event_row" }
      #expect(documented == Self.columns.keys.sorted())
    }
  }

  @Test func instantsAreRFC3339TextsInUTC() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines, sampleLines.map { String(decoding: $0, as: UTF8.self) })
      let sqlite = try store.sqlite()
      let pattern = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z/
      var seen = 0
      for (view, columns) in Self.columns {
        for column in columns
        where column == "ts" || column == "deadline" || column.hasSuffix("_at") || column == "covered_until" {
          for row in try sqlite.rows("SELECT DISTINCT \(column) FROM \(view) WHERE \(column) IS NOT NULL") {
            #expect(row[0]?.wholeMatch(of: pattern) != nil, "\(view).\(column): \(row)")
            seen += 1
          }
        }
      }
      #expect(seen > 1_000)
    }
  }

  /// One event with every field; the expected texts are those of the line.
  @Test func anEventReadsAsItWasWritten() throws {
    let line = #"""
      {"event_id":"e","event":"trial_start","ts":"2026-03-01T12:34:56.789+02:00","app":"demo","user_id":"u","received_at":"2026-03-01T10:35:00Z","platform":"ios","store":"app_store","country":"tr","app_version":"1.2.3","environment":"sandbox","entry_point":"settings","experiment":"x","variant":"v","paywall":"p","offering":"o","price_weekly":1.5,"price_monthly":"6.99","price_yearly":39.99,"price_lifetime":99.123456,"tier":"family","product_id":"pro","plan":"semiannual","price":0.000001,"currency":"try","price_usd":0.25,"tax_percentage":0.2,"commission_percentage":0.15,"subscription_id":"s","subscription_started_at":"2026-02-27T00:00:00.001Z","transaction_id":"t","expires_at":"2026-09-01T00:00:00Z","ownership":"family_shared","offer_type":"promotional","offer_code":"c","trial_days":7,"trial_ends_at":"2026-03-08T00:00:00Z","trial_kind":"app","previous_product_id":"old","reason":"other","grace_ends_at":"2026-03-11T00:00:00Z","limit_name":"words","limit":50,"used":12.5,"properties":{"b":1,"a":"x"},"extra":true}
      """#
    try withTestStore { store in
      try store.ingest([line])
      let (columns, rows) = try store.sqlite().query("SELECT * FROM events")
      let row = Dictionary(uniqueKeysWithValues: zip(columns, try #require(rows.first)))
      let expected = [
        "event_id": "e", "event": "trial_start", "ts": "2026-03-01T10:34:56.789Z", "app": "demo", "user_id": "u",
        "received_at": "2026-03-01T10:35:00.000Z", "platform": "ios", "store": "app_store", "country": "TR",
        "app_version": "1.2.3", "environment": "sandbox", "entry_point": "settings", "experiment": "x", "variant": "v",
        "paywall": "p", "offering": "o", "price_weekly": "1.5", "price_monthly": "6.99", "price_yearly": "39.99",
        "price_lifetime": "99.123456", "tier": "family", "product_id": "pro", "plan": "semiannual", "price": "1.0e-06",
        "currency": "TRY", "price_usd": "0.25", "tax_percentage": "0.2", "commission_percentage": "0.15",
        "subscription_id": "s", "subscription_started_at": "2026-02-27T00:00:00.001Z",
        "transaction_id": "t", "expires_at": "2026-09-01T00:00:00.000Z", "ownership": "family_shared",
        "offer_type": "promotional", "offer_code": "c", "trial_days": "7", "trial_ends_at": "2026-03-08T00:00:00.000Z",
        "trial_kind": "app", "previous_product_id": "old", "reason": "other",
        "grace_ends_at": "2026-03-11T00:00:00.000Z",
        "limit_name": "words", "limit": "50.0", "used": "12.5", "properties": #"{"a":"x","b":"1","extra":"true"}"#,
      ]
      for (column, value) in expected { #expect(row[column] == value, "\(column)") }
    }
  }

  /// Derived by hand from definitions 2: a monthly trial that converts and is then cancelled, as the views show it.
  @Test func factsReadInTheirUnits() throws {
    let product: [String: Any] = ["product_id": "pro", "plan": "monthly", "subscription_id": "s"]
    func with(_ more: [String: Any]) -> [String: Any] { product.merging(more) { _, new in new } }
    try withTestStore { store in
      try store.ingest([
        impression("1", at(0), user: "u", ["country": "de"]),
        eventLine("trial_start", "2", at(0.5), user: "u", with(["trial_days": 7])),
        eventLine("conversion", "3", at(7.5), user: "u", with(["price": "6.99", "currency": "EUR"])),
        eventLine("cancellation", "4", at(20), user: "u", product),
        eventLine("activity", "5", at(80), user: "v"),
      ])
      let sqlite = try store.sqlite()
      #expect(
        try sqlite.rows(
          "SELECT started_at, ends_at, deadline, converted_at, is_cancelled, entry_point, variant FROM trials")
          == [
            [
              "2026-03-01T12:00:00.000Z", "2026-03-08T12:00:00.000Z", "2026-03-11T12:00:00.000Z",
              "2026-03-08T12:00:00.000Z", "0", "settings", "(none)",
            ]
          ])
      // A month after 8 March is 8 April.
      #expect(
        try sqlite.rows(
          """
          SELECT subscription_id, ordinal, is_purchase, started_at, ends_at, grace_ends_at, churn_reason, payments, price,
            currency, first_cancelled_at, plan, trial_kind, country FROM subscriptions
          """)
          == [
            [
              "s", "1", "1", "2026-03-08T12:00:00.000Z", "2026-04-08T12:00:00.000Z", "2026-04-11T12:00:00.000Z",
              "voluntary",
              "1", "6.99", "EUR", "2026-03-21T00:00:00.000Z", "monthly", "introductory", nil,
            ]
          ])
      #expect(
        try sqlite.rows(
          "SELECT paid_at, event, plan, price, currency, refunded, refunded_at, covered_until FROM payments")
          == [
            [
              "2026-03-08T12:00:00.000Z", "conversion", "monthly", "6.99", "EUR", "0.0", nil,
              "2026-04-08T12:00:00.000Z",
            ]
          ])
      #expect(
        try sqlite.rows("SELECT entered_at, entry_point, country FROM entries") == [
          ["2026-03-01T00:00:00.000Z", "settings", "DE"]
        ])
    }
  }
}
