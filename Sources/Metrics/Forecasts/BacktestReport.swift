internal import EventModel
internal import Lifecycle
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
      return table(backtest, name, rows(backtest), columns.map(\.column))
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
      if errors.isEmpty { return [table(backtest, name, [], columns.map(\.column))] }
      let now = rows.filter(\.isNow)
      let newest = Dictionary(grouping: rows.filter(\.isTested)) {
        [$0.labels, [$0.target.name, String($0.target.days)]]
      }
      .compactMap(\.value.last).sorted()
      let ofAll = columns.filter(\.isOfAll).map(\.column)
      let ages = longestByAge(rows)
      // New purchases have no such parts.
      let model = showsModel ? errors.filter { $0.target != .new } : []
      return [table(backtest, name, errors, ofAll)]
        + (model.isEmpty ? [] : [table(backtest, modelName, model, ofAll)])
        + (ages.isEmpty ? [] : [table(backtest, agesName, ages, ofAll)])
        + [(newestName, newest), (nowName, now)].filter { !$0.1.isEmpty }
        .map { table(backtest, $0.0, $0.1, columns.filter(\.isOfOne).map(\.column)) }
    }
  }

  /// Returns the errors by age of each row's longest horizon, where purchases of more than one age are tested.
  private static func longestByAge(_ rows: [BacktestRow]) -> [BacktestRow] {
    Dictionary(grouping: rows.filter { $0.age != nil }, by: \.labels).values.flatMap { rows in
      let longest = rows.filter { $0.target == rows.map(\.target).max() }
      return longest.count > 1 ? longest : []
    }.sorted()
  }

  /// A column of forecasts, of the rows over all of them, or of both.
  private struct Column {
    var column: ReportColumn
    var isOfOne: Bool
    var isOfAll: Bool

    init(_ name: String, _ kind: ReportColumn.Kind, one: Bool = false, all: Bool = false) {
      (column, isOfOne, isOfAll) = (ReportColumn(name, kind), one, all)
    }
  }

  private static let columns = [
    Column("origin", .key, one: true), Column("of", .key, one: true, all: true),
    Column("horizon_days", .key, one: true, all: true),
    Column("purchases", .count, one: true), Column("trials", .count, one: true), Column("predicted", .money, one: true),
    Column("predicted_low", .low, one: true), Column("predicted_high", .high, one: true),
    Column("fit_low", .money, one: true), Column("fit_high", .money, one: true), Column("actual", .money, one: true),
    Column("error_share", .rate, one: true), Column("inside", .text, one: true),
    Column("predicted_fit", .money, one: true), Column("predicted_with_trials", .money, one: true),
    Column("predicted_without_trials", .money, one: true), Column("baseline_km", .money, one: true),
    Column("baseline_ratio", .money, one: true),
    Column("scores", .count, one: true, all: true), Column("method", .text, one: true),
    Column("origins", .count, all: true), Column("mape", .rate, all: true), Column("bias", .rate, all: true),
    Column("bias_low", .low, all: true), Column("bias_high", .high, all: true), Column("ranges", .count, all: true),
    Column("coverage", .rate, all: true), Column("closest", .text, all: true),
    Column("mape_fit", .rate, all: true), Column("mape_with_trials", .rate, all: true),
    Column("mape_without_trials", .rate, all: true), Column("mape_km", .rate, all: true),
    Column("mape_ratio", .rate, all: true),
    Column("note", .text, one: true, all: true), Column("age_days", .text, all: true),
  ]

  private static func table(
    _ backtest: Backtest, _ name: String, _ rows: [BacktestRow], _ columns: [ReportColumn]
  ) -> Report {
    let query = backtest.query
    var report = query.report(
      name, title: "Forecasts tested", definition: definition(backtest),
      own: query.moneyParameters + [
        Report.Parameter(name: "every", value: backtest.step.rawValue),
        Report.Parameter(name: "known_by", value: backtest.isByReception ? "received_at" : "ts"),
      ],
      columns: query.currencyKeyColumns + columns,
      rows: rows.map { row in row.labels.map(ReportValue.text) + columns.map { row.values[$0.name] ?? .percent(nil) } })
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
      let currency = query.options.currency ?? query.facts.name(Int(key.row.codes[query.by.count]))
      let labels = query.labels(key.row) + [currency]
      let pool = pools[key.row.app]?[Backtest.PoolKey(key)]
      return series.points.map { BacktestRow(labels, key.target, $0, currency) }
        + [backtest.now[key]].compactMap(\.self).filter { $0.interval != nil }
        .map { BacktestRow(labels, key.target, $0, currency, isNow: true) }
        + (series.points.contains { $0.all.actual != nil } ? [BacktestRow(labels, key.target, series, pool)] : [])
        + Set(series.points.flatMap(\.ages.keys)).compactMap { BacktestRow(labels, key.target, series, $0) }
    }.sorted()
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

/// A row of ``BacktestReport``, as values by column.
struct BacktestRow: Comparable {
  /// The app, the dimensions and the currency.
  var labels: [String]
  /// Empty for all origins.
  var origin: String
  var target: ForecastTarget
  /// `nil` for all ages.
  private(set) var age: AgeBand?
  var values: [String: ReportValue]

  var isOfAll: Bool { origin == BacktestReport.all }
  /// Whether there is a forecast whose money is known.
  private(set) var isTested = false
  /// Whether it is the forecast as of the end of the data.
  private(set) var isNow = false

  private init(_ labels: [String], _ origin: String, _ target: ForecastTarget, _ age: AgeBand? = nil) {
    (self.labels, self.origin, self.target, self.age) = (labels, origin, target, age)
    values = [
      "origin": .text(origin), "of": .text(target.name), "horizon_days": .text(String(target.days)),
      "age_days": .text(age?.name ?? BacktestReport.all),
    ]
  }

  init(
    _ labels: [String], _ target: ForecastTarget, _ point: BacktestSeries.Point, _ currency: String,
    isNow: Bool = false
  ) {
    self.init(labels, Instant(millisecondsSince1970: point.origin).date.description, target)
    self.isNow = isNow
    let count = Double(point.purchases)
    func each(_ sum: Double?) -> ReportValue { .estimate(sum.map { $0 / count }, currency: currency) }
    let (forecast, predicted) = (point.forecast, point.forecast.predicted)
    values["purchases"] = .count(point.purchases)
    values["trials"] = .count(point.trials.count)
    values["predicted"] = each(predicted)
    values["predicted_low"] = each(point.interval?.low)
    values["predicted_high"] = each(point.interval?.high)
    values["fit_low"] = each(forecast.fit?.low)
    values["fit_high"] = each(forecast.fit?.high)
    values["actual"] = .money(
      point.all.actual.map { roundedToOdd($0, dividedBy: Int128(point.purchases) * ReportCurrency.parts) },
      currency: currency)
    values["predicted_fit"] = each(forecast.stateless)
    values["predicted_with_trials"] = each(forecast.withTrials)
    values["predicted_without_trials"] = each(forecast.withoutTrials)
    values["baseline_km"] = each(forecast.continued)
    values["baseline_ratio"] = each(point.all.ratio)
    values["scores"] = .count(point.scores)
    values["method"] = .text(point.method == .none ? "" : point.method.rawValue)
    values["inside"] = .text(point.isInside.map { $0 ? "yes" : "no" } ?? "")
    values["error_share"] = .rate(
      predicted.flatMap { predicted in
        point.all.money.flatMap { $0 > 0 ? predicted / $0 - 1 : nil }
      })
    var notes = forecast.notes + [point.reason].compactMap(\.self)
    if let predicted, let money = point.all.money {
      func isCloser(_ rule: Double?) -> Bool { rule.map { abs($0 - money) < abs(predicted - money) } ?? false }
      notes += Self.losses(isCloser(forecast.continued), isCloser(point.all.ratio))
    }
    values["note"] = .text(notes.joined(separator: "; "))
    isTested = predicted != nil && point.all.actual != nil
  }

  /// All forecasts for a horizon.
  init(_ labels: [String], _ target: ForecastTarget, _ series: BacktestSeries, _ pool: ScorePool?) {
    self.init(labels, BacktestReport.all, target)
    let errors = BacktestErrors(series)
    set(errors)
    values["scores"] = .count(series.scores.count)
    values["ranges"] = .count(errors.ranged)
    values["coverage"] = .plainShare(errors.inside, of: errors.ranged)
    var notes = Self.losses(errors)
    if let pool, series.level.halfWidth(series.scores) ?? series.level.halfWidth(pool.scores) == nil {
      notes.insert("range \(pool.waiting(for: series))", at: 0)
    }
    if errors.origins == 0, let last = series.points.last { notes = last.forecast.notes + notes }
    values["note"] = .text(notes.joined(separator: "; "))
  }

  /// The errors of all forecasts for purchases of an age; `nil` if none has known money.
  init?(_ labels: [String], _ target: ForecastTarget, _ series: BacktestSeries, _ age: AgeBand) {
    let errors = BacktestErrors(series, age)
    if errors.origins == 0 { return nil }
    self.init(labels, BacktestReport.all, target, age)
    set(errors)
    values["note"] = .text(Self.losses(errors).joined(separator: "; "))
  }

  private mutating func set(_ errors: BacktestErrors) {
    values["origins"] = .count(errors.origins)
    values["mape"] = .rate(errors.mape)
    values["bias"] = .rate(errors.bias)
    values["bias_low"] = .rate(errors.biasInterval?.low)
    values["bias_high"] = .rate(errors.biasInterval?.high)
    values["closest"] = .text(errors.closest)
    values["mape_fit"] = .rate(errors.stateless.rule)
    values["mape_with_trials"] = .rate(errors.withTrials)
    values["mape_without_trials"] = .rate(errors.withoutTrials)
    values["mape_km"] = .rate(errors.continued.rule)
    values["mape_ratio"] = .rate(errors.ratio.rule)
  }

  private static func losses(_ errors: BacktestErrors) -> [String] {
    losses(errors.continued.isCloser, errors.ratio.isCloser)
  }

  private static func losses(_ continued: Bool, _ ratio: Bool) -> [String] {
    (continued ? ["continuing last payments was closer"] : []) + (ratio ? ["the cohort before was closer"] : [])
  }

  static func < (left: BacktestRow, right: BacktestRow) -> Bool {
    if left.labels != right.labels { return precedesInBytes(left.labels, right.labels) }
    if left.origin != right.origin { return left.origin < right.origin }
    if left.target != right.target { return left.target < right.target }
    return right.age.map { age in left.age.map { $0 < age } ?? true } ?? false
  }
}
