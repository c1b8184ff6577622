internal import Basics
internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// Forecasts made as of earlier days by the whole pipeline, next to what the purchases then brought.
struct Backtest {
  /// The purchases of a row that its first origin needs.
  static let leastPurchases = 30

  struct SeriesKey: Hashable {
    var row: CellKey
    /// Of ``DueTable/horizons``.
    var horizon: Int
  }

  let query: ReportQuery
  let step: OriginStep
  /// Whether an origin knows only what had been received by then.
  let isByReception: Bool
  private(set) var series: [SeriesKey: BacktestSeries] = [:]
  /// The most active purchases that a row of each app has at an origin.
  private(set) var mostPurchases: [NameID: Int] = [:]
  /// The first origin with enough purchases, by app, in ms.
  private(set) var firstOrigins: [NameID: Int64] = [:]

  /// The instant after the newest event that reports read, in ms: nothing is known of later days.
  private(set) var end = Int64.min

  private var grace: Int64 { query.options.grace }

  init(_ query: ReportQuery, _ snapshot: StoreSnapshot, _ step: OriginStep) throws {
    self.query = query
    self.step = step
    isByReception = try snapshot.tellsReception()
    guard let first = query.apps.map(\.firstDay).min(), let asOf = query.asOfs.values.max(),
      let newest = query.apps.compactMap(\.newestAsOf).max()
    else { return }
    end = min(asOf, newest)
    for origin in step.origins(from: first + 1, to: end) {
      // Too young for the shortest horizon: read only to say when the first result will be known.
      if origin + Int64(DueTable.horizons[0]) * day > asOf, !firstOrigins.isEmpty { break }
      try read(snapshot, at: origin) { past in
        let options = query.options.asKnown(at: origin, try past.apps().map(\.name))
        guard let options else { return }
        let pastQuery = try ReportQuery(past, options, by: .ltv)
        let ledger = try OriginLedger(pastQuery, at: origin)
        try settle(ledger.later, at: origin)
        add(ledger.cohorts, at: origin, pastQuery)
      }
    }
    if series.isEmpty { return }
    let later = try OriginLedger(query, at: nil).later
    for (key, own) in series {
      guard let end = query.asOfs[key.row.app] else { continue }
      var own = own
      try own.complete(at: end, grace: grace) { try Self.money($0, key, later) }
      try own.settle(at: end, grace: grace) { try Self.money($0, key, later) }
      series[key] = own
    }
  }

  /// Reads a store as it was known at an origin.
  private func read(_ snapshot: StoreSnapshot, at origin: Int64, _ body: (StoreSnapshot) throws -> Void) throws {
    guard isByReception else { return try body(snapshot) }
    try snapshot.known(at: .received(origin)).store.read(body)
  }

  private static func money(_ point: BacktestSeries.Point, _ key: SeriesKey, _ later: LaterMoney) throws -> Int128 {
    try later.sum(
      point.members, code: key.row.codes.last ?? 0, from: point.origin,
      until: point.origin + Int64(DueTable.horizons[key.horizon]) * day)
  }

  private mutating func settle(_ later: LaterMoney, at origin: Int64) throws {
    for (key, own) in series {
      var own = own
      try own.settle(at: origin, grace: grace) { try Self.money($0, key, later) }
      series[key] = own
    }
  }

  private mutating func add(_ cohorts: [CellKey: OriginLedger.Cohort], at origin: Int64, _ past: ReportQuery) {
    for (key, cohort) in cohorts {
      mostPurchases[key.app] = max(mostPurchases[key.app] ?? 0, cohort.purchases)
      if cohort.purchases >= Self.leastPurchases, firstOrigins[key.app] == nil { firstOrigins[key.app] = origin }
    }
    let begun = cohorts.filter { key, cohort in
      let hasTime = origin + Int64(DueTable.horizons[0]) * day <= query.asOfs[key.app] ?? .min
      let hasBegun = series[SeriesKey(row: key, horizon: 0)] != nil && cohort.purchases > 0
      return hasTime && (hasBegun || cohort.purchases >= Self.leastPurchases)
    }
    let forecasts = begun.map { (key: $0, cohort: $1, days: past.daysOfData($0.app)) }.concurrentMap {
      ($0.key, $0.cohort, OriginForecast($0.cohort, days: $0.days))
    }
    var made: [SeriesKey] = []
    for (key, cohort, forecast) in forecasts {
      for place in DueTable.horizons.indices
      where origin + Int64(DueTable.horizons[place]) * day <= query.asOfs[key.app] ?? .min {
        let key = SeriesKey(row: key, horizon: place)
        series[key, default: BacktestSeries(horizon: place)].append(cohort, forecast.horizons[place], at: origin)
        made.append(key)
      }
    }
    let pools = pools(at: origin)
    for key in made {
      if let pool = pools[PoolKey(key)] { series[key]?.setInterval(pool) }
    }
  }

  /// The rows that share their scores.
  struct PoolKey: Hashable {
    var app: NameID
    var horizon: Int

    init(_ key: SeriesKey) { (app, horizon) = (key.row.app, key.horizon) }
  }

  /// Returns the scores known at an instant by app and horizon.
  func pools(at instant: Int64) -> [PoolKey: ScorePool] {
    Dictionary(grouping: series) { PoolKey($0.key) }
      .mapValues { ScorePool($0.map(\.value), at: instant, grace: grace, step) }
  }
}

extension ReportOptions {
  /// Returns the options for what was known at an instant, in ms; `nil` if none of the apps asked for had events yet.
  ///
  /// - Parameter known: The apps with events by then.
  fileprivate func asKnown(at instant: Int64, _ known: [String]) -> ReportOptions? {
    var options = self
    options.apps = apps.filter(known.contains)
    if options.apps.isEmpty, !apps.isEmpty || known.isEmpty { return nil }
    (options.asOf, options.asOfs) = (instant, [:])
    return options
  }
}
