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
    var unitRows = try UnitRows(query)
    var viewers: [Int32: Viewer] = [:]
    try query.facts.forEachPersonWithCredits(withEntries: true) { person, units, cellKey in
      guard let (unit, key) = units.entry, !units.purchases.isEmpty else { return }
      unitRows.person = person
      guard let row = unitRows.place(of: key, at: unit.ts, cellKey) else { return }
      let isCounted = units.purchases.map { purchase in
        let isOfTrial = cellKey(purchase.key.cellKey).trialKind == TrialKind.introductory.rawValue
        let starts = units.conversions.lazy.filter { $0.ts == purchase.unit.start }.compactMap(\.introductoryStart)
        return FunnelSteps.counts(
          purchaseAt: purchase.unit.start,
          introductoryStart: isOfTrial ? starts.filter { $0 >= unit.ts }.min() : nil, entry: unit.ts)
      }
      if isCounted.contains(true) { viewers[person] = Viewer(row: row, entry: unit.ts, isCounted: isCounted) }
    }
    var purchases = RowSums<[Plan: Purchases]>([:])
    try PaymentHistoryReader(query.facts).forEachPerson(where: { viewers[$0] != nil }) { money in
      guard let viewer = viewers[money.person] else { return }
      let app = unitRows.keys[viewer.row].app
      let isMature = lastMature[app].map { viewer.entry <= $0 } ?? false
      let spells = money.spells.filter(\.isPurchase)
      guard spells.count == viewer.isCounted.count else { throw PaymentHistoryReader.disagree }
      for (spell, isCounted) in zip(spells, viewer.isCounted) where isCounted {
        let plan = money.payments[spell.payments.lowerBound].plan
        let dates = DueDates(spell, of: money, grace: query.options.grace, asOf: query.asOfs[app] ?? 0)
        try purchases[viewer.row][plan, default: Purchases()].add(
          spell, of: money, isMature: isMature, dates, remainder)
      }
    }
    rows = purchases.byKey(unitRows.keys)
  }

  private struct Viewer {
    var row: Int
    var entry: Int64
    /// By purchase, in the order of the user's spells, whether the funnel counts it.
    var isCounted: [Bool]
  }
}

extension ValueRows.Purchases {
  mutating func add(
    _ spell: PersonMoney.Spell, of money: borrowing PersonMoney, isMature: Bool, _ dates: DueDates,
    _ remainder: PaymentRemainder
  ) throws {
    counts.add(dates)
    var own: [Int64: ValueRows.Mean] = [:]
    for place in spell.payments {
      let payment = money.payments[place]
      func left(given: Int64) throws -> Int128 {
        try remainder.left(payment.price, given: given, payment.currency, Int64(payment.terms), at: payment.ts)
      }
      let code = remainder.money.code(payment.currency)
      let amount = try left(given: money.given(of: payment))
      if place > spell.payments.lowerBound {
        own[code, default: ValueRows.Mean()].add(amount)
      } else if isMature {
        firstPayments[code, default: [:]][amount, default: 0] += 1
        firstPrices[code, default: ValueRows.Mean()].add(try left(given: 0))
      }
    }
    for (code, mean) in own { renewals[code, default: [:]][mean, default: 0] += 1 }
  }
}
