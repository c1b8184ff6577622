internal import Lifecycle
public import Store

/// How far the data bears the reports (cli.md, `health`).
public enum Health {
  /// Whether a reader should worry.
  public enum Severity: String, Sendable {
    case ok
    case notice
    case warning
  }

  private struct Check {
    var app: String
    var name: String
    var count: Int
    var of: Int?
    var severity: Severity
    var meaning: String
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    var options = options
    options.by = []
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    var checks: [Check] = []
    for app in query.apps {
      checks += try self.checks(query, app, snapshot)
      checks += try missingRates(query, app, snapshot)
    }
    checks += try inputChecks(snapshot)
    let rows = checks.map { check -> [ReportValue] in
      [
        .text(check.app), .text(check.name), .count(check.count), check.of.map { .count($0) } ?? .percent(nil),
        check.of.map { .plainShare(check.count, of: $0) } ?? .rate(nil), .text(check.severity.rawValue),
        .text(check.meaning),
      ]
    }
    return query.report(
      "health", title: "How far the data bears the reports",
      definition: ["count of cases, of how many there could be; severity: ok, notice or warning; what it affects"],
      columns: [
        ReportColumn("app", .key), ReportColumn("check", .text), ReportColumn("cases", .count),
        ReportColumn("of", .count), ReportColumn("share", .rate), ReportColumn("severity", .text),
        ReportColumn("meaning", .text),
      ], rows: rows)
  }

  private static func checks(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ snapshot: StoreSnapshot
  ) throws -> [Check] {
    func count(_ sql: String) throws -> [Int] {
      var counts: [Int] = []
      try query.facts.forEachRow(sql) { row in counts = (0..<row.count).map { row.int($0) } }
      return counts
    }
    func check(
      _ name: String, _ counts: [Int], warnAbove share: Double, _ meaning: String
    ) -> Check {
      let cases = counts.first ?? 0
      let of = counts.count > 1 ? counts[1] : nil
      let isMany = of.map { $0 > 0 && Double(cases) > share * Double($0) } ?? (cases > 0)
      return Check(
        app: app.name, name: name, count: cases, of: of,
        severity: cases == 0 ? .ok : isMany ? .warning : .notice, meaning: meaning)
    }
    let spells = query.facts.table(.spell)
    let trials = query.facts.table(.trial)
    return [
      check(
        "purchases without an impression",
        try count(
          """
          SELECT SUM(CASE WHEN entry_point = 1 THEN 1 ELSE 0 END), COUNT(*)
          FROM \(spells) AS s WHERE app = \(app.id) AND is_purchase = 1 AND credit = 0
          """), warnAbove: 0.05,
        "no paywall impression in the 7 d before: they read (unattributed) in savings and cancellations"),
      check(
        "trials without an impression",
        try count(
          """
          SELECT SUM(CASE WHEN entry_point = 1 THEN 1 ELSE 0 END), COUNT(*)
          FROM \(trials) AS t WHERE app = \(app.id) AND credit = 0
          """), warnAbove: 0.05, "they read (unattributed) in trials and cancellations"),
      check(
        "impressions without an entry point",
        try count(
          """
          SELECT SUM(CASE WHEN entry_point = 0 THEN 1 ELSE 0 END), COUNT(*)
          FROM \(try query.facts.impressions()) AS i WHERE app = \(app.id)
          """), warnAbove: 0, "they read (none) by entry point in every report"),
      check(
        "persons in two variants of an experiment",
        try count(
          """
          SELECT SUM(CASE WHEN variants > 1 THEN 1 ELSE 0 END), COUNT(*) FROM (
            SELECT person, experiment, COUNT(*) AS variants FROM \(query.facts.table(.exposure)) AS x
            WHERE app = \(app.id) GROUP BY person, experiment
          ) AS e
          """), warnAbove: 0.01, "an experiment leaves them out as crossed (8.1)"),
      check(
        "subscriptions that began before the data",
        try count(
          """
          SELECT SUM(CASE WHEN is_purchase = 0 THEN 1 ELSE 0 END), COUNT(*)
          FROM \(spells) AS s WHERE app = \(app.id) AND ordinal = 1 AND credit = 0
          """), warnAbove: 0.2, "left-truncated: in money and active counts, in no cohort (2.9)"),
      check(
        "subscription ids of two persons",
        try count(
          """
          SELECT COUNT(*) FROM (
            SELECT subscription_id FROM \(spells) AS s
            WHERE app = \(app.id) AND credit = 0 AND subscription_id IS NOT NULL
            GROUP BY subscription_id HAVING MIN(person) <> MAX(person)
          ) AS shared
          """), warnAbove: 0, "they join nobody, and each person has a subscription of its own (1.3)"),
      try missingDays(query, app, snapshot),
    ]
  }

  /// Days without any event between the first and the as-of.
  private static func missingDays(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ snapshot: StoreSnapshot
  ) throws -> Check {
    let asOf = query.asOf(of: app)
    let days = try snapshot.days(of: app.id).filter { $0 < asOf }
    let span = days.isEmpty ? 0 : Int((days[days.count - 1] - days[0]) / day) + 1
    return Check(
      app: app.name, name: "days without an event", count: span - days.count, of: span,
      severity: span == days.count ? .ok : .warning, meaning: "files may be missing: numbers of those days are too low")
  }

  /// Payments in other currencies than US dollars on days without a rate, once any rates are there.
  private static func missingRates(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ snapshot: StoreSnapshot
  ) throws -> [Check] {
    if try !snapshot.hasRates() { return [] }
    var options = query.options
    options.currency = "USD"
    let money = ReportCurrency(query.with(options))
    var (missing, all) = (0, 0)
    try query.facts.forEachRow(
      """
      SELECT currency, rate_day, SUM(CASE WHEN price > 0 THEN 1 ELSE 0 END), COUNT(*)
      FROM (
        SELECT currency, price, \(money.day("p.ts")) AS rate_day
        FROM \(query.facts.table(.payment)) AS p WHERE app = \(app.id)
      ) AS d
      GROUP BY currency, rate_day
      """
    ) { row in
      all += row.int(3)
      if row[2] > 0, try money.parts(of: 1_000_000, NameID(row[0]), at: row[1]) == 0 { missing += row.int(2) }
    }
    let list = money.missingCurrencies.joined(separator: ", ")
    return [
      Check(
        app: app.name, name: "payments without an exchange rate", count: missing, of: all,
        severity: missing == 0 ? .ok : .warning,
        meaning: missing == 0 ? "reports in one currency have all rates" : "in \(list): --currency refuses these days")
    ]
  }

  private static func inputChecks(_ snapshot: StoreSnapshot) throws -> [Check] {
    let totals = try snapshot.inputTotals()
    func check(_ name: String, _ count: Int, of: Int?, _ severity: Severity, _ meaning: String) -> Check {
      Check(
        app: "(all)", name: name, count: count, of: of, severity: count == 0 ? .ok : severity, meaning: meaning)
    }
    return [
      check(
        "failed files", totals.failedFiles, of: totals.files + totals.failedFiles, .warning,
        "nothing of them was taken: repair them and ingest again"),
      check("duplicate lines", totals.duplicates, of: totals.lines, .notice, "counted once in every metric"),
      check(
        "conflicting lines", totals.conflicts, of: totals.lines, .warning,
        "one event id with several contents: the first received counts, the others are in quarantine"),
    ]
      + totals.quarantined.map { reason, count in
        check(
          "quarantined: \(reason)", count, of: totals.lines, .warning,
          "not counted anywhere; see `tollgate quarantine list`")
      }
  }
}
