internal import EventModel
internal import Lifecycle
internal import Store

/// Reads the purchases and payments of each row's viewers.
struct ValueRows {
  /// A row's purchases of one plan.
  struct Purchases {
    var counts = PeriodCounts()
    /// The remainders of matured viewers' first payments in ``ReportCurrency/parts``, by ``ReportCurrency/code(_:)``.
    var firstPayments: [Int64: [Int128: Int]] = [:]
    /// First payments before refunds, by currency.
    var firstPrices: [Int64: Mean] = [:]
    /// The renewals of each buyer, with the number of buyers who have the like, by currency.
    var renewals: [Int64: [Mean: Int]] = [:]

    /// Adds one buyer's renewals by currency.
    mutating func addBuyer(_ own: [Int64: Mean]) {
      for (code, mean) in own { renewals[code, default: [:]][mean, default: 0] += 1 }
    }
  }

  struct Mean: Hashable {
    var count = 0
    var sum: Int128 = 0

    mutating func add(_ amount: Int128, count more: Int = 1) {
      count += more
      sum += amount * Int128(more)
    }

    /// The mean in micro-units.
    var microUnits: Double? { count == 0 ? nil : Double(sum) / Double(count) / Double(ReportCurrency.parts) }
  }

  let viewers: [RowKey: Funnel.Sums]
  private(set) var rows: [RowKey: [Plan: Purchases]] = [:]
  let remainder: PaymentRemainder
  private let query: ReportQuery

  private static let given = "CASE WHEN p.refunded > p.price THEN p.price ELSE p.refunded END"

  init(_ query: ReportQuery) throws {
    self.query = query
    remainder = try PaymentRemainder(query)
    let (sumsOfRows, horizons) = try Funnel.counts(query)
    viewers = sumsOfRows
    try readRows(
      lastMature: Dictionary(
        uniqueKeysWithValues: query.apps.map { ($0.id, query.asOf(of: $0) - (horizons[$0.id] ?? 0)) }))
  }

  /// Reads first spells whose conversion ``FunnelSteps`` counts, with their payments.
  private mutating func readRows(lastMature: [NameID: Int64]) throws {
    let facts = query.facts
    let own = [
      "app", "person", "experiment", "variant", "paywall", "entry_point", "plan", "is_family_tier", "trial_kind",
      "own_product", "offering", "offer_type", "offer_code", "client", "properties", "ts",
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
    let asOfs = query.asOfs
    var last: (person: Int64, spell: Int64)?
    var periods: [DueDates.Period] = []
    var renewals: [Int64: Mean] = [:]
    var places: [RowKey: [Plan: Int]] = [:]
    var list: [Purchases] = []
    try query.forEachUnit(
      from: purchases, instant: "ts", columns: columns, orderedBy: ["person", "spell", "payment"]
    ) { key, row in
      guard let plan = Plan(rawValue: UInt8(truncatingIfNeeded: row[3])),
        FunnelSteps.counts(
          purchaseAt: row[14], introductoryStart: row.optional(15), entry: row[13])
      else { return }
      let place = places[key]?[plan] ?? list.count
      if place == list.count {
        places[key, default: [:]][plan] = place
        list.append(Purchases())
      }
      let isFirst = last.map { $0 != (row[0], row[1]) } ?? true
      last = (row[0], row[1])
      let (ts, price, currency, terms) = (row[6], row[7], row.int32(8), row[9])
      let code = remainder.money.code(currency)
      let amount = try remainder.left(price, given: row[10], currency, terms, at: ts)
      if isFirst {
        periods.removeAll(keepingCapacity: true)
        renewals.removeAll(keepingCapacity: true)
      }
      periods.append(
        DueDates.Period(plan: Plan(rawValue: UInt8(truncatingIfNeeded: row[11])) ?? plan, end: row[12]))
      if isFirst {
        if let last = lastMature[key.app], row[13] <= last {
          list[place].firstPayments[code, default: [:]][amount, default: 0] += 1
          list[place].firstPrices[code, default: Mean()].add(
            try remainder.left(price, given: 0, currency, terms, at: ts))
        }
      } else {
        renewals[code, default: Mean()].add(amount)
      }
      if periods.count == row.int(4) {
        let dates = DueDates(
          periods, graceEnd: row[5], grace: query.options.grace, asOf: asOfs[key.app] ?? 0)
        list[place].counts.add(dates)
        list[place].addBuyer(renewals)
      }
    }
    rows = places.mapValues { $0.mapValues { list[$0] } }
  }
}
