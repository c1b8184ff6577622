internal import Basics
internal import Dispatch
internal import EventModel
internal import Lifecycle
public import Store

/// Reports the money received from users by age, and the predicted value of purchases (definitions 7.5, 7.6).
public enum LTV {
  /// Ages in days.
  static let ages = [7, 30, 90, 180, 365]
  /// Horizons in months.
  static let horizons = [12, 24, 36]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { try made(snapshot, $0) }
  }

  private static func made(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .ltv)
    let cells = try cells(query)
    // There is no prediction for a single user's purchases.
    let predictions =
      query.by.contains(.person)
      ? cells.mapValues { PredictedValue(counting: $0.purchases) } : predictions(cells, query)
    return query.report(
      "ltv", title: "Lifetime value: realised, and predicted where the name says so",
      definition: [
        "persons_A: those first seen A days before the as-of, by the day of their first event; context: their first paywall, "
          + "(unattributed) without one; plan, tier and trial_kind: their first payment; the rest: their first event",
        "ltv_person_A: revenue by --mode within A days of the first event, exact mean over persons_A; ltv_payer_A: over "
          + "payers_A, who paid above 0 in the row's currency then (7.5)",
        "ltv_payer_A is of users who paid by that age. Payers of two rows are different users; compare rows by ltv_person_A",
        "purchases: first payments by their own day and dimensions, as in retention; a row's users and purchases are not "
          + "the same people (2.9, 2.11)",
        "predicted_ltv_M: PREDICTED revenue of a purchase within M months, per plan of the row and weighted by purchases: "
          + "first payment + later payment × expected renewals, as retained by a shifted beta-geometric fit to the counts of "
          + "retention --by-period (6.4, 7.6)",
        "its bounds: 95 % profile likelihood of retention, of that model and of the discrete Weibull, which explains falling "
          + "churn otherwise; amounts are taken as they were on average until now, and resubscriptions are left out; empty, with "
          + "the reason in predicted_note, where the counts are too few to fit, and not known yet with fewer than 10 known "
          + "renewals of a plan that makes 20 % of the purchases (D6.9); no point where the fit is at its boundary",
      ],
      own: [
        query.currencyParameter, Report.Parameter(name: "mode", value: options.mode.rawValue),
        Report.Parameter(name: "store_fee", value: options.storeFee.description),
      ],
      columns: query.currencyKeyColumns + columns,
      rows: query.rowsByCurrency(cells) { key, cell, currency in
        cell.values(currency, predictions[key] ?? PredictedValue([:], parts: ReportCurrency.parts, days: 0))
      })
  }

  /// Returns the fits of each row, on one thread per core.
  private static func predictions(_ cells: [CellKey: Cell], _ query: ReportQuery) -> [CellKey: PredictedValue] {
    let rows = cells.map {
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
    + horizons.flatMap { months in
      [
        ReportColumn("predicted_ltv_\(months)m", .money), ReportColumn("predicted_ltv_\(months)m_low", .low),
        ReportColumn("predicted_ltv_\(months)m_high", .high),
      ]
    } + [ReportColumn("predicted_note", .text)]

  /// A row of users, which may be none, and purchases.
  struct Cell {
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

  /// Returns cells by row, whose key ends with the currency.
  static func cells(_ query: ReportQuery) throws -> [CellKey: Cell] {
    let ledger = try LTVLedger(query)
    var cells: [CellKey: Cell] = [:]
    for (key, amounts) in ledger.realised { cells[key, default: Cell()].realised = amounts }
    for (key, plans) in ledger.purchases { cells[key, default: Cell()].purchases = plans }
    // Users have no currency: they count in every currency of their row, and in none if no user paid.
    var currencies: [CellKey: [Int64]] = [:]
    for key in cells.keys {
      let row = CellKey(app: key.app, codes: Array(key.codes.dropLast()))
      currencies[row, default: []].append(key.codes[key.codes.count - 1])
    }
    for (row, persons) in ledger.persons {
      for currency in currencies[row] ?? [0] {
        cells[CellKey(app: row.app, codes: row.codes + [currency]), default: Cell()].persons = persons
      }
    }
    return cells
  }
}
