internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// Reads what the viewers of each row bought and paid, and what the app's purchases of each plan came to.
struct ValueRows {
  /// A row's purchases of one plan.
  struct Purchases {
    var counts = PeriodCounts()
    /// Of matured viewers, by ``ReportCurrency/code(_:)``: what their first payments left, in ``ReportCurrency/parts``.
    var firstPayments: [Int64: [Int128: Int]] = [:]
    /// By currency: what they would have left without refunds.
    var firstPrices: [Int64: Mean] = [:]
    var renewals: [Int64: Mean] = [:]
  }

  struct Mean {
    var count = 0
    var sum: Int128 = 0

    mutating func add(_ amount: Int128, count more: Int = 1) {
      count += more
      sum += amount * Int128(more)
    }

    /// In micro-units.
    var microUnits: Double? { count == 0 ? nil : Double(sum) / Double(count) / Double(ReportCurrency.parts) }
  }

  struct AppPlan: Hashable {
    var app: NameID
    var plan: Plan
  }

  private struct Renewal {
    var currency: NameID
    var terms: Int64
    var price: Int64
    var given: Int64
    var ts: Int64
    var count: Int
  }

  let viewers: [CellKey: Funnel.Cell]
  private(set) var rows: [CellKey: [Plan: Purchases]] = [:]
  private(set) var apps: [AppPlan: PeriodCounts] = [:]
  private var appRenewals: [AppPlan: [Renewal]] = [:]
  let money: ReportCurrency
  private let query: ReportQuery
  private let kept: (Int128, Int64) -> Int128

  private static let given = "CASE WHEN p.refunded > p.price THEN p.price ELSE p.refunded END"

  init(_ query: ReportQuery) throws {
    self.query = query
    money = ReportCurrency(query)
    kept = try query.keptShares()
    let (cells, horizons) = try Funnel.counts(query)
    viewers = cells
    try readRows(lastMature: query.byApp("u.app") { query.asOf(of: $0) - (horizons[$0.id] ?? 0) })
    try readApps()
  }

  /// What is left of a payment by `--mode`, in ``ReportCurrency/parts``.
  private func left(_ price: Int64, given: Int64, _ currency: NameID, _ terms: Int64, at ts: Int64) throws -> Int128 {
    let amount = try money.parts(
      of: query.options.mode == .gross ? price : price - given, currency, terms: Int32(terms), at: ts)
    return query.options.mode == .proceeds ? kept(amount, terms) : amount
  }

  /// First spells whose conversion a funnel counts (definitions 3.2), with their payments.
  private mutating func readRows(lastMature: String) throws {
    let facts = query.facts
    let own = [
      "app", "person", "experiment", "variant", "paywall", "entry_point", "plan", "is_family_tier", "trial_kind",
      "client", "properties", "ts",
    ].map { "e.\($0) AS \($0)" }
    let purchases = """
      (SELECT \(own.joined(separator: ", ")), s.number AS spell, s.plan AS bought, s.payments AS payments,
         s.grace_end AS grace_end, s.start AS start, p.number AS payment, p.ts AS paid_at, p.price AS price,
         p.currency AS currency, p.terms AS terms, \(Self.given) AS given, p.plan AS paid_plan, p.paid_until AS paid_until,
         CASE WHEN s.trial_kind = 1 THEN (
           SELECT MIN(v.trial_start) FROM \(facts.table(.conversion)) AS v
           WHERE v.person = s.person AND v.ts = s.start AND v.conversion_trial_kind = 1 AND v.trial_start >= e.ts
         ) END AS introductory_start
       FROM \(facts.table(.spell)) AS s
       JOIN \(facts.table(.entry)) AS e ON e.person = s.person
       JOIN \(facts.table(.payment)) AS p ON p.person = s.person AND p.spell = s.number
       WHERE s.is_purchase = 1 AND s.credit = 0 AND s.start >= e.ts)
      """
    let columns = [
      "person", "spell", "payment", "bought", "payments", "grace_end", "paid_at", "price", "currency", "terms", "given",
      "paid_plan", "paid_until", "ts", "start", "introductory_start",
    ]
    let units = query.units(from: purchases, instant: "ts", columns: columns.map { "f.\($0) AS \($0)" })
    let asOfs = query.asOfs
    var last: (person: Int64, spell: Int64)?
    var periods: [DueDates.Period] = []
    let first = 1 + query.by.count
    var places: [CellKey: [Plan: Int]] = [:]
    var list: [Purchases] = []
    try facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())\(columns.joined(separator: ", ")),
        CASE WHEN ts <= \(lastMature) THEN 1 ELSE 0 END
      FROM (\(units)) AS u
      ORDER BY person, spell, payment
      """
    ) { row in
      guard let plan = Plan(rawValue: UInt8(truncatingIfNeeded: row[first + 3])),
        FunnelSteps.counts(
          purchaseAt: row[first + 14], introductoryStart: row.optional(first + 15), entry: row[first + 13])
      else { return }
      let key = CellKey(row, dimensions: query.by.count)
      let place = places[key]?[plan] ?? list.count
      if place == list.count {
        places[key, default: [:]][plan] = place
        list.append(Purchases())
      }
      let isFirst = last.map { $0 != (row[first], row[first + 1]) } ?? true
      last = (row[first], row[first + 1])
      let (ts, price, currency, terms) = (row[first + 6], row[first + 7], NameID(row[first + 8]), row[first + 9])
      let code = money.code(currency)
      let amount = try left(price, given: row[first + 10], currency, terms, at: ts)
      if isFirst { periods.removeAll(keepingCapacity: true) }
      periods.append(
        DueDates.Period(plan: Plan(rawValue: UInt8(truncatingIfNeeded: row[first + 11])) ?? plan, end: row[first + 12]))
      if periods.count == row.int(first + 4) {
        let dates = DueDates(
          periods, graceEnd: row[first + 5], grace: query.options.grace, asOf: asOfs[key.app] ?? 0)
        list[place].counts.add(dates)
      }
      if isFirst {
        if row[first + 16] == 1 {
          list[place].firstPayments[code, default: [:]][amount, default: 0] += 1
          list[place].firstPrices[code, default: Mean()].add(try left(price, given: 0, currency, terms, at: ts))
        }
      } else {
        list[place].renewals[code, default: Mean()].add(amount)
      }
    }
    rows = places.mapValues { $0.mapValues { list[$0] } }
  }

  /// All purchases of the apps, whatever the rows and filters say.
  private mutating func readApps() throws {
    let list = query.apps.map { String($0.id) }.joined(separator: ", ")
    let condition = "s.is_purchase = 1 AND s.credit = 0 AND s.app IN (\(list))"
    let (spells, payments) = (query.facts.table(.spell), query.facts.table(.payment))
    let asOfs = query.asOfs
    let scan = try PersonMoneyScan(query.facts)
    try scan.forEachPerson { money in
      for spell in money.spells where spell.isPurchase {
        guard let plan = money.payments[spell.payments].first?.plan, plan != .lifetime,
          let app = money.credits[spell.credits].first.map({ scan.origin($0.origin).app }), let asOf = asOfs[app]
        else { continue }
        apps[AppPlan(app: app, plan: plan), default: PeriodCounts()].add(
          DueDates(spell, of: money, grace: query.options.grace, asOf: asOf))
      }
    }
    var renewals: [AppPlan: [Renewal]] = [:]
    try query.facts.forEachRow(
      """
      SELECT app, bought, currency, terms, price, given, rate_day, COUNT(*)
      FROM (
        SELECT s.app AS app, s.plan AS bought, p.currency AS currency, p.terms AS terms, p.price AS price,
          \(Self.given) AS given, \(money.day("p.ts")) AS rate_day
        FROM \(spells) AS s
        JOIN \(payments) AS p ON p.person = s.person AND p.spell = s.number
        WHERE \(condition) AND s.payments > 1
          AND p.number > (SELECT MIN(q.number) FROM \(payments) AS q WHERE q.person = p.person AND q.spell = p.spell)
      ) AS r
      GROUP BY app, bought, currency, terms, price, given, rate_day
      """
    ) { row in
      guard let plan = Plan(rawValue: UInt8(truncatingIfNeeded: row[1])) else { return }
      renewals[AppPlan(app: NameID(row[0]), plan: plan), default: []].append(
        Renewal(
          currency: NameID(row[2]), terms: row[3], price: row[4], given: row[5], ts: row[6], count: row.int(7)))
    }
    appRenewals = renewals
  }

  /// What a renewal of a plan leaves on average in the whole app, in micro-units; `nil` where none is known.
  func appRenewalPrice(_ place: AppPlan, _ code: Int64) throws -> Double? {
    var mean = Mean()
    for renewal in appRenewals[place] ?? [] where money.code(renewal.currency) == code {
      mean.add(
        try left(renewal.price, given: renewal.given, renewal.currency, renewal.terms, at: renewal.ts),
        count: renewal.count)
    }
    return mean.microUnits
  }
}
