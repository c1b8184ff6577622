internal import Basics
internal import Dispatch
internal import EventModel
internal import Statistics
public import Store

/// Reports the money received from users by age, and the predicted value of purchases (definitions 7.5, 7.6).
public enum LTV {
  /// Ages in days.
  static let ages = [7, 30, 90, 180, 365]
  /// Horizons in months.
  static let horizons = [12, 24, 36]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    if let step = options.backtest { return try BacktestReport.report(snapshot, options, step) }
    return try options.inOneCurrency(snapshot) { options in
      let query = try ReportQuery(snapshot, options, by: .ltv)
      var sumsOfRows = try sumsOfRows(query)
      // There is no prediction for a single user's purchases.
      let isByPerson = query.by.contains(.person)
      let predictions =
        isByPerson ? sumsOfRows.mapValues { PredictedValue(counting: $0.purchases) } : predictions(sumsOfRows, query)
      let tested = isByPerson ? nil : try TestedRanges(query)
      for (key, prediction) in predictions {
        sumsOfRows[key]?.prediction = prediction
        sumsOfRows[key]?.tested = tested?.range(key, around: prediction.values[0]?.estimate)
      }
      return query.report(
        "ltv", title: "Lifetime value: so far, and predicted",
        definition: [
          "persons_A: users whose first event is at least A days before the end of the data, by the day of that "
            + "event. Context: their first paywall view, else (unattributed). plan, tier and trial_kind: their first "
            + "payment. Other dimensions: their first event",
          "ltv_person_A: revenue by --mode within A days of the first event ÷ persons_A. ltv_payer_A: the same "
            + "revenue ÷ payers_A, who paid above 0 in the row's currency by then (7.5)",
          "Payers of two rows are different users. Compare rows by ltv_person_A",
          "purchases: first payments, by their own day and dimensions, as in retention. A row's users and its "
            + "purchases belong to different people (2.9, 2.11)",
          "predicted_ltv_M: PREDICTED revenue of a purchase within M months. Per plan it is the first payment plus "
            + "later payments × expected renewals; plans are weighted by purchases (6.4, 7.6)",
          "Expected renewals come from a shifted beta-geometric fit to the counts of retention --by-period. Amounts "
            + "are taken as they were on average so far, and resubscriptions do not count",
          "Bounds: 95% profile likelihood of this model and of the discrete Weibull model, which explains falling "
            + "churn otherwise",
          "Predictions are empty, with the reason in predicted_note, if there are too few counts to fit. They are not "
            + "known yet while a plan that makes 20% of the purchases has fewer than 10 known renewals (D6.9). If "
            + "the fit is at its limit, only the interval is shown",
          testedDefinition("predicted_ltv_12m"),
        ],
        own: query.moneyParameters,
        columns: columns, rows: query.rowsByCurrency(sumsOfRows))
    }
  }

  /// - Parameter column: The forecast.
  static func testedDefinition(_ column: String) -> String {
    "tested: \(column) with a 90% range from the errors of tested_errors earlier forecasts of a purchase's first 12 months, "
      + "one for each month; it takes 9 whose outcome is known. Each was made from what is known now of the days before it; "
      + "ltv --backtest also leaves out what was received later"
  }

  /// Returns the fits of each row, on one thread per core.
  private static func predictions(_ sumsOfRows: [RowKey: Sums], _ query: ReportQuery) -> [RowKey: PredictedValue] {
    let rows = sumsOfRows.map {
      (key: $0.key, purchases: $0.value.purchases, days: query.daysOfData($0.key.app))
    }
    let predicted = rows.concurrentMap {
      PredictedValue($0.purchases, parts: ReportCurrency.parts, days: $0.days)
    }
    return Dictionary(uniqueKeysWithValues: zip(rows.map(\.key), predicted))
  }

  private static let columns: [SumsColumn<Sums>] = [
    .each(ages) { place, age in
      [
        .count("persons_\(age)") { $0.persons[place] },
        .money("ltv_person_\(age)", { $0.realised.sums[place] }, per: { $0.persons[place] }),
        .count("payers_\(age)") { $0.realised.payers[place] },
        .money("ltv_payer_\(age)", { $0.realised.sums[place] }, per: { $0.realised.payers[place] }),
      ]
    },
    .count("purchases", \.prediction.purchases),
    .each(horizons) { place, months in
      [
        .estimate("predicted_ltv_\(months)m", { $0.prediction.values[place]?.estimate }) {
          $0.prediction.values[place].map { Interval(low: $0.low, high: $0.high) }
        }
      ]
    },
    .text("predicted_note", \.prediction.note), TestedRanges.column("tested_ltv_12m", \.tested),
  ]

  /// A row of users, which may be none, and purchases.
  struct Sums {
    /// Users by age.
    var persons = [Int](repeating: 0, count: ages.count)
    var realised = RealisedValue()
    var purchases: [Plan: PlanPurchases] = [:]
    var prediction = PredictedValue(counting: [:])
    /// The range of the first horizon from errors of earlier forecasts.
    var tested: TestedRanges.Range?
  }

  /// Users' money by age, in one currency.
  struct RealisedValue {
    /// Sums in parts of a micro-unit.
    var sums = [Int128](repeating: 0, count: ages.count)
    var payers = [Int](repeating: 0, count: ages.count)

    mutating func add(_ other: RealisedValue) {
      for age in sums.indices {
        sums[age] += other.sums[age]
        payers[age] += other.payers[age]
      }
    }
  }

  /// Returns sums by row, whose key ends with the currency.
  static func sumsOfRows(_ query: ReportQuery) throws -> [RowKey: Sums] {
    let ledger = try LTVLedger(query)
    var sumsOfRows: [RowKey: Sums] = [:]
    for (key, amounts) in ledger.realised { sumsOfRows[key, default: Sums()].realised = amounts }
    for (key, plans) in ledger.purchases { sumsOfRows[key, default: Sums()].purchases = plans }
    // Users have no currency: they count in every currency of their row, and in none if no user paid.
    var currencies: [RowKey: [Int64]] = [:]
    for key in sumsOfRows.keys {
      let row = RowKey(app: key.app, codes: Array(key.codes.dropLast()))
      currencies[row, default: []].append(key.codes[key.codes.count - 1])
    }
    for (row, persons) in ledger.persons {
      for currency in currencies[row] ?? [0] {
        sumsOfRows[RowKey(app: row.app, codes: row.codes + [currency]), default: Sums()].persons = persons
      }
    }
    return sumsOfRows
  }
}
