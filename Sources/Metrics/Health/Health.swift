internal import EventModel
internal import Lifecycle
public import Store

/// Data-quality checks (Health.md).
public enum Health {
  /// Replaces the app's name in checks that do not belong to a single app.
  public static let allApps = "(all)"

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options.split(by: []), defaultBy: [])
    var checks: [HealthCheck] = []
    if !query.apps.isEmpty {
      let coverage = try Coverage(query)
      let identity = try Identity(query)
      let placeholders = try Placeholders(query)
      let sheets = try missingSheets(query)
      let silent = try silentEntryPoints(query)
      let rates = try missingRates(query)
      let newest = try snapshot.apps().compactMap(\.newestAsOf).max().map { min($0, options.asOf ?? $0) - 1 }
      let newestDay = newest.map { floorDays($0) * day }
      for app in query.apps {
        checks += try coverage.checks(app) + identity.checks(app, persons: coverage.exposedPersons(of: app))
        checks +=
          try placeholders.checks(app) + arrivals(query, app, newestDay: newestDay)
          + (rates[app.id].map { [$0] } ?? []) + farDollarPrices(query, app)
        checks += silent[app.id] ?? []
        if let check = sheets[app.id] { checks.append(check) }
      }
    }
    checks += try rejectedKinds(snapshot, apps: query.apps.map(\.name)).map(\.check) + input(snapshot)
    return query.report(
      "health", title: "Data-quality checks",
      definition: [
        "cases: how many cases a check found. of: how many there could be. affects: the reports whose numbers "
          + "depend on it. severity: ok, notice or warning"
      ],
      readsEvents: true,
      columns: columns, rows: SumsRows(checks))
  }

  private static let columns: [SumsColumn<HealthCheck>] = [
    .key("app", \.app), .key("check", \.name), .count("cases", \.cases), .count("of", \.of),
    .plainShare("share", \.cases, of: { $0.of ?? 0 }), .text("severity", \.severity.rawValue),
    .text("affects") { $0.affects.joined(separator: " ") }, .text("meaning", \.meaning), .text("days", \.daysText),
  ]

  /// Ids that a client sends where it has none, as far as there are any.
  private struct Placeholders {
    private var users: [NameID: Int] = [:]
    private var events: [NameID: Int] = [:]
    private var allUsers: [NameID: Int] = [:]

    init(_ query: ReportQuery) throws {
      func counts(_ table: String, _ condition: String) throws -> [NameID: Int] {
        var counts: [NameID: Int] = [:]
        try query.facts.forEachRow("SELECT app, COUNT(*) FROM \(table) WHERE \(condition) GROUP BY app") { row in
          counts[row.int32(0)] = row.int(1)
        }
        return counts
      }
      users = try counts("user", PlaceholderID.sql("name"))
      events = try counts("conflict", PlaceholderID.sql("event_id"))
      if !users.isEmpty { allUsers = try counts("user", "TRUE") }
    }

    func checks(_ app: StoreSnapshot.App) -> [HealthCheck] {
      var checks: [HealthCheck] = []
      if let count = users[app.id] {
        checks.append(
          HealthCheck(
            app.name, "user ids that stand for none", count, of: allUsers[app.id] ?? 0, affects: HealthCheck.all,
            "such as undefined or null: all users sent with one of them count as one user in every report"))
      }
      if let count = events[app.id] {
        checks.append(
          HealthCheck(
            app.name, "conflicting lines whose event id stands for none", count, of: nil, affects: HealthCheck.all,
            "such as undefined or null: one event of each such id counts, the others are rejected"))
      }
      return checks
    }
  }

  /// Payments in other currencies than US dollars on days without a rate, once any rates are there; by app.
  static func missingRates(_ query: ReportQuery, trace: Trace? = nil) throws -> [NameID: HealthCheck] {
    if try !query.snapshot.tellsRates() { return [:] }
    let found = try paymentsWithoutRates(query, trace: trace)
    return Dictionary(
      uniqueKeysWithValues: query.apps.map { app in
        let own = found[app.id] ?? PaymentsWithoutRates()
        return (
          app.id,
          HealthCheck(
            app.name, PersonCheck.missingRates.rawValue, own.missing, of: own.all,
            affects: ["revenue", "mrr", "ltv", "refunds", "value"],
            own.missing == 0
              ? "reports in one currency have all rates"
              : "in \(own.currencies.sorted(by: precedesInBytes).joined(separator: ", ")): "
                + "reports in one currency fail for these days")
        )
      })
  }

  /// Payments above 0 without a rate to US dollars, among all payments.
  struct PaymentsWithoutRates {
    var missing = 0
    var all = 0
    var currencies: Set<String> = []
  }

  /// - Returns: By app.
  static func paymentsWithoutRates(
    _ query: ReportQuery, trace: Trace? = nil
  ) throws -> [NameID: PaymentsWithoutRates] {
    var options = query.options
    options.currency = "USD"
    let money = ReportCurrency(query.with(options))
    var found: [NameID: PaymentsWithoutRates] = [:]
    // Days of payments are few, so a rate is asked for once a day, without a sort of all payments.
    var known: [[Int64]: Bool] = [:]
    try query.facts.forEachRow(
      """
      SELECT currency, terms, \(money.day("p.ts")), price, person, app
      FROM \(query.facts.table(.payment)) AS p
      """
    ) { row in
      let app = row.int32(5)
      found[app, default: PaymentsWithoutRates()].all += 1
      if row[3] <= 0 { return }
      let key = [row[0], row[1], row[2]]
      let hasRate = try known[key] ?? money.hasRate(row.int32(0), terms: row.int32(1), at: row[2])
      known[key] = hasRate
      if hasRate { return }
      found[app]?.missing += 1
      found[app]?.currencies.insert(query.facts.name(Int(row.int32(0))))
      trace?.add(.missingRates, app, row[4])
    }
    return found
  }

  /// Payments whose price in US dollars gives no rate, as it is far off those of other payments.
  private static func farDollarPrices(_ query: ReportQuery, _ app: StoreSnapshot.App) throws -> [HealthCheck] {
    if try !query.snapshot.tellsPaymentRates() { return [] }
    let rates = try PaymentRates(query).derivedRates()
    var (far, all) = (0, 0)
    try query.facts.forEachRow(
      """
      SELECT ts / \(Lifecycle.day) AS day, terms, COUNT(*)
      FROM \(query.facts.table(.payment)) WHERE app = \(app.id)
      GROUP BY day, terms
      """
    ) { row in
      if rates.hasPrices(row.int32(1)) { all += row.int(2) }
      if rates.isLeftOut(row.int32(1), on: Int(row[0])) { far += row.int(2) }
    }
    return [
      HealthCheck(
        app.name, "payments whose price in US dollars is far off", far, of: all,
        affects: ["revenue", "mrr", "ltv", "refunds", "value"],
        "price_usd ÷ price is more than 25% off the median of their currency in 15 days: other payments give their rate"
      )
    ]
  }

  /// Returns the checks of lines and files, over all apps.
  private static func input(_ snapshot: StoreSnapshot) throws -> [HealthCheck] {
    let totals = try snapshot.inputTotals()
    let lines = totals.lines
    var duplicates = HealthCheck(
      allApps, "duplicate lines", totals.duplicates, of: lines, warnAbove: 1, affects: [],
      "the same event again: counted once in every report")
    if duplicates.cases > 0 { duplicates.severity = .notice }
    return [
      HealthCheck(
        allApps, "failed files", totals.failedFiles, of: totals.files + totals.failedFiles, affects: HealthCheck.all,
        "none of their lines were ingested: repair the files and ingest them again"),
      duplicates,
      HealthCheck(
        allApps, "conflicting lines", totals.conflicts, of: lines, affects: HealthCheck.all,
        "one event id with several contents: the first received counts, the others are rejected"),
    ]
      + totals.quarantined.map { reason, count in
        guard reason.hasPrefix("not mapped") else {
          return HealthCheck(
            allApps, "quarantined: \(reason)", count, of: lines, affects: HealthCheck.all,
            "counted nowhere; see `tollgate quarantine list`")
        }
        // Adapters skip entries that are not events: good to know, nothing to fix.
        var check = HealthCheck(
          allApps, "quarantined: \(reason)", count, of: lines, affects: [],
          "a type that is not an event here, or that this version does not know: counted nowhere")
        check.severity = .notice
        return check
      }
  }
}
