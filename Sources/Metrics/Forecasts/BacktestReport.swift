internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// Reports how wrong earlier forecasts of a purchase's money were: `ltv --backtest`.
enum BacktestReport {
  /// The name of the table with a row for each forecast, and one over all of them.
  static let name = "backtest"
  /// The name of the table with the newest forecast of each row whose money is known.
  static let newestName = "backtest_newest"
  /// The name of the table with the forecasts as of the end of the data.
  static let nowName = "backtest_now"
  /// The name of the table with the errors by age, of each row's longest horizon that is tested.
  static let agesName = "backtest_ages"
  /// The name of the table with the errors with and without each part of the forecast.
  static let modelName = "backtest_model"
  /// The origin of the rows over all origins, and the age of those of all ages.
  static let all = "all"

  /// Returns one table of every forecast, then of all of a row.
  static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions, _ step: OriginStep) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let backtest = try Backtest(ReportQuery(snapshot, options, by: .ltv), snapshot, step)
      return table(backtest, name, rows(backtest))
    }
  }

  /// Returns the tables for people: the errors of each row, also by age, then its newest forecast whose money is known.
  ///
  /// - Parameter showsModel: Whether a table shows the errors with and without each part of the forecast.
  static func forPeople(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ step: OriginStep, showsModel: Bool = false
  ) throws -> [Report] {
    try options.inOneCurrency(snapshot) { options in
      let backtest = try Backtest(ReportQuery(snapshot, options, by: .ltv), snapshot, step)
      let rows = rows(backtest)
      let errors = rows.filter { $0.isOfAll && $0.age == nil }
      if errors.isEmpty { return [table(backtest, name, [])] }
      let now = rows.filter(\.isNow)
      let newest = Dictionary(grouping: rows.filter(\.isTested)) {
        [$0.labels, [$0.target.name, String($0.target.days)]]
      }
      .compactMap(\.value.last).sorted(by: BacktestRow.precedes)
      let ages = longestByAge(rows)
      // New purchases have no such parts.
      let model = showsModel ? errors.filter { $0.target != .new } : []
      return [table(backtest, name, errors, ofOne: false)]
        + [(modelName, model), (agesName, ages)].filter { !$0.1.isEmpty }
        .map { table(backtest, $0.0, $0.1, ofOne: false) }
        + [(newestName, newest), (nowName, now)].filter { !$0.1.isEmpty }
        .map { table(backtest, $0.0, $0.1, ofAll: false) }
    }
  }

  /// Returns the errors by age of each row's longest horizon, where purchases of more than one age are tested.
  private static func longestByAge(_ rows: [BacktestRow]) -> [BacktestRow] {
    Dictionary(grouping: rows.filter { $0.age != nil }, by: \.labels).values.flatMap { rows in
      let longest = rows.filter { $0.target == rows.map(\.target).max() }
      return longest.count > 1 ? longest : []
    }.sorted(by: BacktestRow.precedes)
  }

  /// The columns of one forecast.
  private static let ofOne: [SumsColumn<BacktestRow>] = [
    .count("purchases") { $0.point?.purchases }, .count("trials") { $0.point?.trials.count },
    .estimate("predicted", { $0.each(\.forecast.predicted) }, \.interval),
    .estimate("fit_low") { $0.each(\.forecast.fit?.low) }, .estimate("fit_high") { $0.each(\.forecast.fit?.high) },
    .money("actual", { $0.point?.all.actual }, per: \.purchases), .rate("error_share", \.errorShare),
    .text("inside") { row in row.point.map { $0.isInside.map { $0 ? "yes" : "no" } ?? "" } },
    .estimate("predicted_fit") { $0.each(\.forecast.stateless) },
    .estimate("predicted_with_trials") { $0.each(\.forecast.withTrials) },
    .estimate("predicted_without_trials") { $0.each(\.forecast.withoutTrials) },
    .estimate("baseline_km") { $0.each(\.forecast.continued) }, .estimate("baseline_ratio") { $0.each(\.all.ratio) },
  ]

  /// The columns of rows over all forecasts.
  private static let ofAll: [SumsColumn<BacktestRow>] = [
    .count("origins") { $0.errors?.origins }, .rate("mape") { $0.errors?.mape },
    SumsColumn(ReportColumn.rate("bias")) { row, _ in
      [row.errors?.bias, row.errors?.biasInterval?.low, row.errors?.biasInterval?.high].map { .rate($0) }
    },
    .count("ranges") { $0.ranged?.all },
    .plainShare("coverage", { $0.ranged?.inside ?? 0 }, of: { $0.ranged?.all ?? 0 }),
    .text("closest") { $0.errors?.closest }, .rate("mape_fit") { $0.errors?.stateless.rule },
    .rate("mape_with_trials") { $0.errors?.withTrials }, .rate("mape_without_trials") { $0.errors?.withoutTrials },
    .rate("mape_km") { $0.errors?.continued.rule }, .rate("mape_ratio") { $0.errors?.ratio.rule },
  ]

  private static func table(
    _ backtest: Backtest, _ name: String, _ rows: [BacktestRow], ofOne isOfOne: Bool = true, ofAll isOfAll: Bool = true
  ) -> Report {
    var columns = isOfOne ? ofOne : []
    columns.append(.count("scores", \.scores))
    if isOfOne { columns.append(.text("method") { $0.point.map { $0.method == .none ? "" : $0.method.rawValue } }) }
    if isOfAll { columns += ofAll }
    columns.append(.text("note", \.note))
    if isOfAll { columns.append(.text("age_days") { $0.age?.name ?? all }) }
    let query = backtest.query
    var report = query.report(
      name, title: "Forecasts tested", definition: definition(backtest),
      own: query.moneyParameters + [
        Report.Parameter(name: "every", value: backtest.step.rawValue),
        Report.Parameter(name: "known_by", value: backtest.isByReception ? "received_at" : "ts"),
      ],
      columns: columns,
      rows: SumsRows(
        keys: query.keyColumns.map(\.name) + ["currency"] + (isOfOne ? ["origin"] : []) + ["of", "horizon_days"],
        rows: rows.map {
          ($0.labels + (isOfOne ? [$0.origin] : []) + [$0.target.name, String($0.target.days)], $0)
        }))
    if rows.isEmpty { report.emptyNote = emptyNote(backtest) }
    return report
  }

  private static func definition(_ backtest: Backtest) -> [String] {
    let grace = ReportQuery.days(backtest.query.options.grace)
    return [
      "Each forecast is made as of its origin, the first day of a \(backtest.step.rawValue) in UTC: events of that day and "
        + "later do not exist for it"
        + (backtest.isByReception
          ? ", nor do events received later"
          : "; no event has received_at, so its ts stands for when it became known"),
      "of active: first payments whose subscription is active at the origin, lifetime access left out, and open trials; "
        + "their revenue in the next horizon_days. of new: first payments that became 30 days old since the origin before, and their revenue "
        + "in their first 12 months. The first origin of a row has at least \(Backtest.leastPurchases)",
      "predicted: PREDICTED revenue by --mode of a purchase. Of new ones it is predicted_ltv_12m as of the origin (7.6). Of "
        + "active ones it is, by plan, the average later payment × the renewals that the fit expects given the payments made, "
        + "and what changes of plan brought so far for each renewal. The next renewal depends on whether auto-renew is off: by "
        + "what purchases with it on or off, and as near to their renewal, did after earlier origins (30 or more)",
      "trials: open trials among the purchases. Their revenue is a purchase's in the time left × the chance to convert of "
        + "earlier trials that were open on the same day with auto-renew on or off as theirs (Aalen–Johansen, 30 or more). "
        + "predicted leaves it out where earlier forecasts, of which the money was known at the origin, were off less "
        + "without it. predicted_with_trials and predicted_without_trials are both",
      "predicted_fit, mape_fit: the forecast without regard to auto-renew of purchases, and its error",
      "actual: what these purchases brought in that time, at the exchange rates of the day before the origin, once "
        + "horizon_days + \(grace) days have passed. Resubscriptions do not count, and refunds count when they happen",
      "predicted_low, predicted_high: conformal 90% range. scores: how far earlier forecasts for this horizon, whose "
        + "money was known at the origin, were off; method: own, or pooled over the app's rows where a row has too few",
      "fit_low, fit_high: 95% interval of the fit. It covers only the chance in the counts, so it is too narrow",
      "baseline_km: last payments continued by the Kaplan–Meier shares of the plan. baseline_ratio: last payments × what "
        + "those of the newest earlier cohort whose money was known at the origin brought in; of new ones, first payments",
      "error_share: predicted ÷ actual − 1. mape: average size of the error, weighted by money; mape_km and mape_ratio: "
        + "that of the baselines. bias: sum of the errors ÷ sum of the money; its 95% interval is from origins at least "
        + "horizon_days apart. coverage: share of the ranges that contain the actual revenue. closest: forecast, last "
        + "payments or cohort before, whichever was off least",
      "Rows with origin all are over all origins",
      "age_days: days from the first payment to the origin, or trial. Errors by age are of the same forecasts; their "
        + "baseline_ratio is that of the cohort before at this age",
    ]
  }

  // MARK: - Rows

  private static func rows(_ backtest: Backtest) -> [BacktestRow] {
    let query = backtest.query
    let pools = query.asOfs.mapValues { backtest.pools(at: min($0, backtest.end)) }
    return backtest.series.flatMap { key, series -> [BacktestRow] in
      let labels =
        query.labels(key.row) + [query.options.currency ?? query.facts.name(Int(key.row.codes[query.by.count]))]
      let pool = pools[key.row.app]?[Backtest.PoolKey(key)]
      return series.points.map { BacktestRow(labels, key.target, $0) }
        + [backtest.now[key]].compactMap(\.self).filter { $0.interval != nil }
        .map { BacktestRow(labels, key.target, $0, isNow: true) }
        + (series.points.contains { $0.all.actual != nil } ? [BacktestRow(labels, key.target, series, pool)] : [])
        + Set(series.points.flatMap(\.ages.keys)).compactMap { BacktestRow(labels, key.target, series, $0) }
    }.sorted(by: BacktestRow.precedes)
  }

  /// Returns a sentence on why no forecast of a store can be tested.
  private static func emptyNote(_ backtest: Backtest) -> String? {
    let query = backtest.query
    guard let shortest = DueTable.horizons.first, !query.apps.isEmpty else { return nil }
    let last = query.asOfs.values.max().map { Instant(millisecondsSince1970: $0 - 1).date.description } ?? ""
    guard let first = backtest.firstOrigins.values.min() else {
      return
        "No forecast can be tested yet: no row has \(Backtest.leastPurchases) active purchases on the first day of a "
        + "\(backtest.step.rawValue) (at most \(backtest.mostPurchases.values.max() ?? 0); data to \(last))."
    }
    let known = Instant(millisecondsSince1970: first + Int64(shortest) * day + query.options.grace).date
    return
      "No forecast can be tested yet: the first is of \(Instant(millisecondsSince1970: first).date), and what comes in "
      + "its first \(shortest) days is known from \(known) on (data to \(last))."
  }
}

/// A row of ``BacktestReport``: a forecast, or the errors of several.
struct BacktestRow {
  /// The app, the dimensions and the currency.
  var labels: [String]
  /// Empty for all origins.
  var origin: String
  var target: ForecastTarget
  /// `nil` for all ages.
  private(set) var age: AgeBand?
  /// `nil` for all origins.
  private(set) var point: BacktestSeries.Point?
  private(set) var errors: BacktestErrors?
  /// Forecasts with a range, and those whose money was inside.
  private(set) var ranged: (all: Int, inside: Int)?
  private(set) var scores: Int?
  private(set) var note = ""

  var isOfAll: Bool { origin == BacktestReport.all }
  /// Whether there is a forecast whose money is known.
  var isTested: Bool { point?.forecast.predicted != nil && point?.all.actual != nil }
  /// Whether it is the forecast as of the end of the data.
  private(set) var isNow = false

  var purchases: Int { point?.purchases ?? 0 }

  /// Returns an amount for each purchase.
  func each(_ sum: (BacktestSeries.Point) -> Double?) -> Double? {
    point.flatMap { point in sum(point).map { $0 / Double(point.purchases) } }
  }

  /// The range of an amount for each purchase.
  var interval: Interval? {
    let count = Double(purchases)
    return point?.interval.map { Interval(low: $0.low / count, high: $0.high / count) }
  }

  var errorShare: Double? {
    guard let predicted = point?.forecast.predicted, let money = point?.all.money, money > 0 else { return nil }
    return predicted / money - 1
  }

  private init(_ labels: [String], _ origin: String, _ target: ForecastTarget, _ age: AgeBand? = nil) {
    (self.labels, self.origin, self.target, self.age) = (labels, origin, target, age)
  }

  init(_ labels: [String], _ target: ForecastTarget, _ point: BacktestSeries.Point, isNow: Bool = false) {
    self.init(labels, Instant(millisecondsSince1970: point.origin).date.description, target)
    (self.point, self.isNow, scores) = (point, isNow, point.scores)
    var notes = point.forecast.notes + [point.reason].compactMap(\.self)
    if let predicted = point.forecast.predicted, let money = point.all.money {
      func isCloser(_ rule: Double?) -> Bool { rule.map { abs($0 - money) < abs(predicted - money) } ?? false }
      notes += Self.losses(isCloser(point.forecast.continued), isCloser(point.all.ratio))
    }
    note = notes.joined(separator: "; ")
  }

  /// All forecasts for a horizon.
  init(_ labels: [String], _ target: ForecastTarget, _ series: BacktestSeries, _ pool: ScorePool?) {
    self.init(labels, BacktestReport.all, target)
    let errors = BacktestErrors(series)
    (self.errors, scores, ranged) = (errors, series.scores.count, (errors.ranged, errors.inside))
    var notes = Self.losses(errors)
    if let pool, series.level.halfWidth(series.scores) ?? series.level.halfWidth(pool.scores) == nil {
      notes.insert("range \(pool.waiting(for: series))", at: 0)
    }
    if errors.origins == 0, let last = series.points.last { notes = last.forecast.notes + notes }
    note = notes.joined(separator: "; ")
  }

  /// The errors of all forecasts for purchases of an age; `nil` if none has known money.
  init?(_ labels: [String], _ target: ForecastTarget, _ series: BacktestSeries, _ age: AgeBand) {
    let errors = BacktestErrors(series, age)
    if errors.origins == 0 { return nil }
    self.init(labels, BacktestReport.all, target, age)
    (self.errors, note) = (errors, Self.losses(errors).joined(separator: "; "))
  }

  private static func losses(_ errors: BacktestErrors) -> [String] {
    losses(errors.continued.isCloser, errors.ratio.isCloser)
  }

  private static func losses(_ continued: Bool, _ ratio: Bool) -> [String] {
    (continued ? ["continuing last payments was closer"] : []) + (ratio ? ["the cohort before was closer"] : [])
  }

  static func precedes(_ left: BacktestRow, _ right: BacktestRow) -> Bool {
    if left.labels != right.labels { return precedesInBytes(left.labels, right.labels) }
    if left.origin != right.origin { return left.origin < right.origin }
    if left.target != right.target { return left.target < right.target }
    return right.age.map { age in left.age.map { $0 < age } ?? true } ?? false
  }
}
