internal import Basics
internal import Dispatch
internal import EventModel
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
      let sumsOfRows = try sumsOfRows(query)
      // There is no prediction for a single user's purchases.
      let predictions =
        query.by.contains(.person)
        ? sumsOfRows.mapValues { PredictedValue(counting: $0.purchases) } : predictions(sumsOfRows, query)
      let tested = query.by.contains(.person) ? nil : try TestedRanges(query)
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
        columns: query.currencyKeyColumns + columns,
        rows: query.rowsByCurrency(sumsOfRows) { key, sums, currency in
          let prediction = predictions[key] ?? PredictedValue([:], parts: ReportCurrency.parts, days: 0)
          let forecast = prediction.values[0]?.estimate
          return sums.values(currency, prediction)
            + (tested?.cells(key, around: forecast, currency: currency) ?? TestedRanges.noCells(currency))
        })
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

  private static let columns: [ReportColumn] =
    ages.flatMap { age in
      [
        ReportColumn("persons_\(age)", .count), ReportColumn("ltv_person_\(age)", .money),
        ReportColumn("payers_\(age)", .count), ReportColumn("ltv_payer_\(age)", .money),
      ]
    } + [ReportColumn("purchases", .count)]
    + horizons.flatMap { ReportColumn.bounded("predicted_ltv_\($0)m", .money) }
    + [ReportColumn("predicted_note", .text)] + TestedRanges.columns("tested_ltv_12m")

  /// A row of users, which may be none, and purchases.
  struct Sums {
    /// Users by age.
    var persons = [Int](repeating: 0, count: ages.count)
    var realised = RealisedValue()
    var purchases: [Plan: PlanPurchases] = [:]

    func values(_ currency: String, _ prediction: PredictedValue) -> [ReportValue] {
      func mean(_ sum: Int128, of count: Int) -> ReportValue {
        .money(
          count == 0 ? nil : roundedToOdd(sum, dividedBy: Int128(count) * ReportCurrency.parts), currency: currency)
      }
      let realised = ages.indices.flatMap { age -> [ReportValue] in
        [
          .count(persons[age]), mean(self.realised.sums[age], of: persons[age]), .count(self.realised.payers[age]),
          mean(self.realised.sums[age], of: self.realised.payers[age]),
        ]
      }
      return realised + [.count(prediction.purchases)]
        + prediction.values.flatMap { value -> [ReportValue] in
          [value?.estimate, value?.low, value?.high].map { .estimate($0, currency: currency) }
        } + [.text(prediction.note)]
    }
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
