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
    /// The range of ``Value/testedMonth`` from errors of earlier forecasts.
    var tested: TestedRanges.Range?

    /// The reason why values or their points are empty; empty if none is.
    var note = ""

    var purchases: Int { buyers.values.reduce(0, +) }
    var others: Int { buyers.reduce(0) { $0 + (plans.contains($1.key) ? 0 : $1.value) } }

    var survival: String {
      let own = Set(hasOwnSurvival.values)
      return own.count == 2 ? "mixed" : own.first.map { $0 ? "own" : "app" } ?? ""
    }
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
    let byKey = rows.map { row -> (RowKey, Row) in
      var row = row
      row.tested = tested(row)
      row.note = note(row.estimate, days: query.daysOfData(row.key.app))
      return (row.key, row)
    }
    return query.report(
      "value", title: "Value of a viewer", definition: definition, own: parameters(query),
      columns: columns, rows: query.rowsByCurrency(Dictionary(uniqueKeysWithValues: byKey)))
  }

  /// Returns a function for the range of a row's forecast of 12 months from errors of earlier forecasts. These are of all
  /// purchases of the app, so that the range is at least as wide as the row's own interval.
  private static func testedRanges(_ query: ReportQuery) throws -> (Row) -> TestedRanges.Range? {
    var options = query.options
    (options.by, options.filters, options.from, options.to, options.cohorts) = ([], [], nil, nil, [])
    let ranges: TestedRanges
    do {
      ranges = try TestedRanges(ReportQuery(query.snapshot, options, by: .ltv))
    } catch ReportError.missingRates, ReportError.convertedAmountTooLarge {
      // Days outside this report's own may have no rate.
      return { _ in nil }
    }
    return { row in
      let isPredicted = row.estimate.bases[testedMonth - 1] == .predicted
      return ranges.range(
        RowKey(app: row.key.app, codes: row.key.codes.suffix(1)),
        around: isPredicted ? row.estimate.values[testedMonth - 1] : nil,
        atLeast: row.estimate.interval(month: testedMonth))
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

  private static let plans: [Plan] = [.weekly, .monthly, .yearly, .lifetime]

  private static let columns: [SumsColumn<Row>] = [
    .count("users", \.sums.users), .share("paid_rate", \.sums.paid, of: \.sums.users),
    .each(plans) { _, plan in [.count("\(plan.name)_purchases") { $0.buyers[plan] ?? 0 }] },
    .count("other_purchases", \.others), .text("survival", \.survival),
    .each(horizons) { _, month in
      [
        .estimate("value_\(month)", { $0.estimate.values[month - 1] }) { $0.estimate.interval(month: month) },
        .text("basis_\(month)") { $0.estimate.bases[month - 1]?.rawValue ?? "" },
      ]
    },
    .text("note", \.note), TestedRanges.column("tested_value_12", \.tested), .count("paid", \.sums.paid).basis,
    // Rows by user have at most one buyer.
    .count("buyers") { min(1, $0.purchases) }.basis, .count("purchases", \.purchases).basis,
    .count("immature", \.sums.immature).basis,
    .each(horizons) { _, month in
      [.number(variance(of: "value_\(month)")) { $0.estimate.variance(month: month) }]
    }.basis,
  ]

  /// The name of the column with the variance of an amount's resamples (definitions 9.5).
  static func variance(of name: String) -> String { "\(name)_variance" }

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
