internal import Statistics
internal import Store

/// 90% ranges for the first 12 months of a purchase, as wide as earlier forecasts were off, for reports that make forecasts
/// without testing them.
struct TestedRanges {
  struct Range {
    var forecast: Double
    var low: Double
    var high: Double
    /// The number of errors that it is made of.
    var errors: Int
  }

  private let backtest: Backtest
  private let pools: [Backtest.PoolKey: ScorePool]

  init(_ query: ReportQuery) throws {
    backtest = try Backtest(cutting: query)
    pools = backtest.pools(at: backtest.end)
  }

  /// Returns the range around a forecast; `nil` if too few earlier ones have a known outcome.
  ///
  /// - Parameters:
  ///   - row: The row of purchases, with the currency.
  ///   - inner: An interval that the range contains in any case.
  func range(_ row: RowKey, around forecast: Double?, atLeast inner: Interval? = nil) -> Range? {
    let key = Backtest.SeriesKey(row: row, target: .new)
    guard let forecast, let series = backtest.series[key], let pool = pools[Backtest.PoolKey(key)] else { return nil }
    let range = series.range(around: forecast, pool)
    return range.interval.map {
      Range(
        forecast: forecast, low: min($0.low, inner?.low ?? $0.low), high: max($0.high, inner?.high ?? $0.high),
        errors: range.scores)
    }
  }

  /// The columns of a forecast with its range, which are empty without one.
  static func column<Sums>(_ name: String, _ range: @escaping @Sendable (Sums) -> Range?) -> SumsColumn<Sums> {
    let columns = ReportColumn.bounded(name, .money) + [ReportColumn("tested_errors", .count)]
    return SumsColumn(columns) { sums, currency in
      let range = range(sums)
      return [range?.forecast, range?.low, range?.high].map { .estimate($0, currency: currency) }
        + [.count(range?.errors ?? 0)]
    }
  }
}

extension OriginLedger {
  /// Reads the facts once for the purchases that are new at each of many origins, as they are known at the end of the data
  /// and without what they did from the origin on.
  ///
  /// - Parameter origins: They ascend.
  static func cut(_ query: ReportQuery, at origins: [Int64], _ step: OriginStep) throws -> [OriginLedger] {
    let reader = try PurchaseReader(query)
    let scan = try PaymentHistoryReader(query.facts)
    var rows = try UnitRows(query)
    var byRow = origins.map { _ in CurrencySums(Cohort()) }
    var later = try LaterMoney(query, reader)
    let before = origins.map(step.origin(before:))
    try scan.forEachPerson { money in
      later.add(money)
      for spell in money.spells where spell.isPurchase {
        guard let start = money.payments[spell.payments].first,
          let first = origins.firstIndex(where: { $0 > start.ts })
        else { continue }
        let code = reader.currency.code(start.currency)
        let purchases = try origins[first...].map { try reader.purchase(spell, of: money, asOf: $0) }
        let isNew = origins.indices.first { ForecastTarget.isNew(start.ts, at: origins[$0], after: before[$0]) }
        rows.forEachRow(money.credits[spell.credits], at: spell.start, scan.cellKey) { row in
          for (place, purchase) in zip(first..., purchases) {
            byRow[place][row, code].all[start.plan, default: PlanPurchases()].add(purchase)
          }
          if let isNew, let member = OriginMember(spell, of: money, after: origins[isNew]) {
            byRow[isNew][row, code].new.add(member, start.plan, purchases[isNew - first].first)
          }
        }
      }
    }
    try reader.currency.check()
    return byRow.map { OriginLedger(cohorts: $0.byKey(rows.keys), later: later) }
  }
}
