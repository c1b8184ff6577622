internal import Basics
internal import Lifecycle
internal import Store

/// Forecasts made as of earlier days by the whole pipeline, next to what the purchases then brought.
struct Backtest {
  /// The purchases of a row that its first origin needs.
  static let leastPurchases = 30

  struct SeriesKey: Hashable {
    var row: RowKey
    var target: ForecastTarget
  }

  let query: ReportQuery
  let step: OriginStep
  /// Whether an origin knows only what had been received by then.
  let isByReception: Bool
  private(set) var series: [SeriesKey: BacktestSeries] = [:]
  /// The forecasts as of the end of the data, whose money is still to come.
  private(set) var now: [SeriesKey: BacktestSeries.Point] = [:]
  private var states = RenewalStates()
  /// Whether forecasts have the fit's interval.
  private var hasBounds = true
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
        let ledger = try OriginLedger(pastQuery, at: origin, after: step.origin(before: origin))
        try settle(ledger.later) { _ in origin }
        states.settle(ledger.later, at: origin, grace: grace)
        add(ledger, at: origin, pastQuery)
        states.watch(ledger.cohorts, at: origin)
      }
    }
    if series.isEmpty { return }
    let last = try OriginLedger(query, at: end, after: step.origin(before: end))
    let later = last.later
    let asOfs = query.asOfs
    for (key, own) in series {
      guard let end = asOfs[key.row.app] else { continue }
      var own = own
      try own.complete(at: end, grace: grace) { try Self.sums($0, key, later) }
      series[key] = own
    }
    try settle(later) { asOfs[$0] ?? .min }
    states.settle(later, at: end, grace: grace)
    var ahead = self
    for key in ahead.add(last, at: end, query, isLast: true) { now[key] = ahead.series[key]?.points.last }
  }

  /// Tests the monthly forecasts of new purchases alone, by one pass over the facts of the end of the data. Each origin
  /// knows purchases as they are known now, up to the origin: users that were joined later are joined, and events that
  /// were received later are there.
  init(cutting query: ReportQuery) throws {
    self.query = query
    (step, isByReception, hasBounds) = (.month, false, false)
    guard let first = query.apps.map(\.firstDay).min(), let asOf = query.asOfs.values.max(),
      let newest = query.apps.compactMap(\.newestAsOf).max()
    else { return }
    end = min(asOf, newest)
    let origins = step.origins(from: first + 1, to: end - ForecastTarget.new.reach - query.options.grace)
    if origins.isEmpty { return }
    let ledgers = try OriginLedger.cut(query, at: origins, step)
    for (origin, ledger) in zip(origins, ledgers) {
      try settle(ledger.later) { _ in origin }
      add(ledger, at: origin, query)
    }
    let asOfs = query.asOfs
    if let later = ledgers.last?.later { try settle(later) { asOfs[$0] ?? .min } }
  }

  /// Reads a store as it was known at an origin.
  private func read(_ snapshot: StoreSnapshot, at origin: Int64, _ body: (StoreSnapshot) throws -> Void) throws {
    guard isByReception else { return try body(snapshot) }
    try snapshot.known(at: .received(origin)).store.read(body)
  }

  private static func sums(
    _ point: BacktestSeries.Point, _ key: SeriesKey, _ later: LaterMoney
  ) throws -> [AgeBand: Int128] {
    try later.sums(point.members, point.trials, code: key.row.codes.last ?? 0, of: key.target, at: point.origin)
  }

  /// - Parameter instants: Returns the instant that the money of an app is known at.
  private mutating func settle(_ later: LaterMoney, at instants: (NameID) -> Int64) throws {
    for (key, own) in series {
      var own = own
      try own.settle(at: instants(key.row.app), grace: grace) { try Self.sums($0, key, later) }
      series[key] = own
    }
  }

  /// Makes the forecasts of an origin.
  ///
  /// - Parameter isLast: Whether money that comes after the end of the data is asked for, of rows with forecasts before.
  @discardableResult
  private mutating func add(
    _ ledger: OriginLedger, at origin: Int64, _ past: ReportQuery, isLast: Bool = false
  ) -> [SeriesKey] {
    for (key, cohort) in ledger.cohorts {
      mostPurchases[key.app] = max(mostPurchases[key.app] ?? 0, cohort.purchases)
      if cohort.purchases >= Self.leastPurchases, firstOrigins[key.app] == nil { firstOrigins[key.app] = origin }
    }
    let rows = ledger.cohorts.compactMap { row, cohort -> Row? in
      let targets = ForecastTarget.allCases.filter { target in
        if !isLast, origin + target.reach > query.asOfs[row.app] ?? .min { return false }
        let purchases = target == .new ? cohort.new.members.count : cohort.purchases
        let first = isLast ? target : target == .new ? .new : .active(0)
        let hasBegun = series[SeriesKey(row: row, target: first)] != nil && purchases > 0
        return hasBegun || (!isLast && purchases >= Self.leastPurchases)
      }
      if targets.isEmpty { return nil }
      return Row(
        key: row, cohort: cohort, trials: ledger.trials[row], targets: targets, days: past.daysOfData(row.app))
    }
    let (states, hasBounds) = (states, hasBounds)
    let forecasts = rows.concurrentMap { row in
      let active =
        row.targets == [.new]
        ? nil
        : OriginForecast(
          row.cohort, row.trials, app: ledger.bought[row.key.app] ?? [:], at: origin, days: row.days
        ) { states.tally(row.key, $0, $1) }
      return row.targets.map { target -> OriginForecast.Horizon in
        if case .active(let place) = target, let active { return active.horizons[place] }
        return NewForecast(row.cohort, days: row.days, hasBounds: hasBounds).value
      }
    }
    var made: [SeriesKey] = []
    for (row, forecasts) in zip(rows, forecasts) {
      for (target, forecast) in zip(row.targets, forecasts) {
        let key = SeriesKey(row: row.key, target: target)
        series[key, default: BacktestSeries(target)].append(row.cohort, row.trials.open, forecast, at: origin)
        made.append(key)
      }
    }
    let pools = pools(at: origin)
    for key in made {
      if let pool = pools[PoolKey(key)] { series[key]?.setInterval(pool) }
    }
    return made
  }

  private struct Row {
    var key: RowKey
    var cohort: OriginLedger.Cohort
    var trials: OriginTrials.Row
    var targets: [ForecastTarget]
    var days: Int
  }

  /// The rows that share their scores.
  struct PoolKey: Hashable {
    var app: NameID
    var target: ForecastTarget

    init(_ key: SeriesKey) { (app, target) = (key.row.app, key.target) }
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
