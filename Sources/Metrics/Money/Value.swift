internal import EventModel
internal import Statistics
public import Store

/// Estimates the value of a user who saw the paywall: funnel, plans, survival, refunds and fees in one number
/// (definitions 3, 5.6, 7.1, 7.6).
public enum Value {
  /// Months from the first payment.
  static let horizons = [1, 3, 12, 24]
  /// The horizon of which earlier forecasts are tested.
  private static let testedMonth = 12
  /// A row's estimate in one currency.
  struct Row {
    /// The row's key, which ends with the currency's code.
    var key: RowKey
    var sums: Funnel.Sums
    var buyers: [Plan: Int]
    /// Whether each plan's survival is the row's own.
    var hasOwnSurvival: [Plan: Bool]
    var estimate: ValueEstimate
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let query = try query(snapshot, options)
      return try report(query, rows(query))
    }
  }

  /// Returns this report and, if rows have variants, ``ValuePairs`` from the same rows.
  public static func withPairs(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> [Report] {
    try options.inOneCurrency(snapshot) { options in
      let query = try query(snapshot, options)
      let rows = try rows(query)
      let own = try report(query, rows)
      return query.by.contains(.variant) ? [own, try ValuePairs.report(query, rows)] : [own]
    }
  }

  private static func report(_ query: ReportQuery, _ rows: [Row]) throws -> Report {
    let tested = try testedRanges(query)
    return query.report(
      "value", title: "Value of a viewer", definition: definition, own: parameters(query),
      columns: query.currencyKeyColumns + columns + basisColumns,
      rows: query.rowsByCurrency(Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0) })) { _, row, currency in
        values(row, currency, days: query.daysOfData(row.key.app)) + tested(row, currency) + basis(row)
      })
  }

  /// Returns the table cells of a row's forecast of 12 months with a range from errors of earlier forecasts. These are of all
  /// purchases of the app, so that the range is at least as wide as the row's own interval.
  private static func testedRanges(_ query: ReportQuery) throws -> (Row, String) -> [ReportValue] {
    var options = query.options
    (options.by, options.filters, options.from, options.to, options.cohorts) = ([], [], nil, nil, [])
    let ranges: TestedRanges
    do {
      ranges = try TestedRanges(ReportQuery(query.snapshot, options, by: .ltv))
    } catch ReportError.missingRates, ReportError.convertedAmountTooLarge {
      // Days outside this report's own may have no rate.
      return { _, currency in TestedRanges.noCells(currency) }
    }
    return { row, currency in
      let isPredicted = row.estimate.bases[testedMonth - 1] == .predicted
      return ranges.cells(
        RowKey(app: row.key.app, codes: row.key.codes.suffix(1)),
        around: isPredicted ? row.estimate.values[testedMonth - 1] : nil,
        atLeast: row.estimate.interval(month: testedMonth), currency: currency)
    }
  }

  static func query(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> ReportQuery {
    var options = options
    options.unit = .user
    return try ReportQuery(snapshot, options, by: .value)
  }

  static func parameters(_ query: ReportQuery) -> [Report.Parameter] {
    let assumed = query.options.assumedRenewals.sorted { $0.key.rawValue < $1.key.rawValue }
    return query.moneyParameters + [
      query.horizonParameter,
      Report.Parameter(
        name: "renewal",
        value: assumed.isEmpty ? "none" : assumed.map { "\($0.key.name)=\($0.value)" }.joined(separator: ",")),
    ]
  }

  /// The fewest buyers behind a range or a forecast.
  public static let leastBuyers = ValueEstimate.leastBuyers

  static let definition = [
    "users: viewers whose time is over, by the context of their first paywall view ever. purchases: their purchases "
      + "that a funnel counts, in the row's currency (3.1–3.3)",
    "value_m: money expected per user from payments due in the first m months after the first payment. Per plan it "
      + "is the first payments minus their refunds, plus buyers × mean renewal × Σ S(n), ÷ users",
    "mode: gross, net of refunds, or proceeds after tax and commission (7.1)",
    "S(n): share of buyers who make payment n. It is a Kaplan–Meier estimate while 10 or more buyers had the chance "
      + "to make it (6.4). After that, a shifted beta-geometric fit predicts it (7.6)",
    "survival: own if each plan has 30 known first renewals in the row, app for all purchases of the app, "
      + "mixed if plans differ",
    "basis_m: seen; predicted if a renewal rests on the fit or on fewer than 10 buyers; assumed if it rests on "
      + "--renewal; empty if a plan's renewals are not known. Then give --renewal PLAN=SHARE",
    "note: not known yet, if a plan with 20% of the purchases has a renewal due in these months and fewer than 10 "
      + "of its renewals are known (D6.9). If its fit is at its limit, only the interval is shown (7.6)",
    "Intervals are 95% bootstrap intervals with \(ValueEstimate.resamples) resamples: Poisson weights for first "
      + "payments and for the buyers behind the renewal price, binomial draws and a new fit for renewals",
    "With fewer than \(ValueEstimate.leastBuyers) buyers there is no interval and no prediction",
    "Purchases after the funnel's window, and subscriptions that come back after churn, do not count",
    LTV.testedDefinition("value_12, if it is predicted,")
      + ". They are of all purchases of the app, and the range is at least that of value_12",
  ]

  private static let columns: [ReportColumn] =
    [ReportColumn("users", .count)] + ReportColumn.rate("paid_rate")
    + ["weekly", "monthly", "yearly", "lifetime", "other"].map { ReportColumn("\($0)_purchases", .count) }
    + [ReportColumn("survival", .text)]
    + horizons.flatMap { month in
      ReportColumn.bounded("value_\(month)", .money) + [ReportColumn("basis_\(month)", .text)]
    } + [ReportColumn("note", .text)] + TestedRanges.columns("tested_value_12")

  private static let basisColumns =
    ["paid", "buyers", "purchases", "immature"].map { ReportColumn($0, .count, isBasis: true) }
    + horizons.map { ReportColumn(variance(of: "value_\($0)"), .number, isBasis: true) }

  /// The name of the column with the variance of an amount's resamples (definitions 9.5).
  static func variance(of name: String) -> String { "\(name)_variance" }

  private static func basis(_ row: Row) -> [ReportValue] {
    let purchases = row.buyers.values.reduce(0, +)
    // Rows by user.
    return [.count(row.sums.paid), .count(min(1, purchases)), .count(purchases), .count(row.sums.immature)]
      + horizons.map { .number(row.estimate.variance(month: $0)) }
  }

  private static func values(_ row: Row, _ currency: String, days: Int) -> [ReportValue] {
    func count(_ plan: Plan) -> Int { row.buyers[plan] ?? 0 }
    let named: [Plan] = [.weekly, .monthly, .yearly, .lifetime]
    let other = row.buyers.filter { !named.contains($0.key) }.values.reduce(0, +)
    let own = Set(row.hasOwnSurvival.values)
    let survival = own.count == 2 ? "mixed" : own.first.map { $0 ? "own" : "app" } ?? ""
    return [.count(row.sums.users)] + ReportValue.share(row.sums.paid, of: row.sums.users)
      + named.map { .count(count($0)) } + [.count(other), .text(survival)]
      + horizons.flatMap { month -> [ReportValue] in
        let interval = row.estimate.interval(month: month)
        return [
          .estimate(row.estimate.values[month - 1], currency: currency),
          .estimate(interval?.low, currency: currency), .estimate(interval?.high, currency: currency),
          .text(row.estimate.bases[month - 1]?.rawValue ?? ""),
        ]
      } + [.text(note(row.estimate, days: days))]
  }

  /// Returns the reason why values or their points are empty; empty if none is.
  static func note(_ estimate: ValueEstimate, days: Int) -> String {
    let shown = estimate.unknown.filter { $0.month <= horizons[horizons.count - 1] }
    let unknown = shown.map { RenewalSupport.notKnown($0.plan.name, from: "month \($0.month)", days: days) }
    // For an unknown plan, its fit adds nothing.
    let atBoundary = estimate.atBoundary.filter { fit in !shown.contains { $0.plan == fit.plan } }
    let few = estimate.hasTooFewBuyers ? ["fewer than \(ValueEstimate.leastBuyers) buyers: no interval"] : []
    return (few + unknown + atBoundary.compactMap { RenewalSupport.boundary($0.plan.name, $0.fit) })
      .joined(separator: "; ")
  }

  static func rows(_ query: ReportQuery) throws -> [Row] {
    let data = try ValueRows(query)
    var estimator = RowEstimator(
      query, AppPurchases(query, data.remainder, apps: query.apps.map(\.id)))
    var rows: [Row] = []
    for (key, sums) in data.viewers {
      let estimates = try estimator.estimates(
        data.rows[key] ?? [:], app: key.app, labels: query.labels(key).joined(separator: "\u{1F}"), viewers: sums.users)
      for (code, estimate) in estimates {
        var row = key
        row.codes.append(code)
        rows.append(
          Row(
            key: row, sums: sums, buyers: estimate.buyers, hasOwnSurvival: estimate.hasOwnSurvival,
            estimate: estimate.value))
      }
    }
    try data.remainder.money.check()
    return rows
  }
}
