internal import Lifecycle
internal import Statistics
public import Store

/// Cancellation of trials and subscriptions (definitions 6).
public enum Cancellations {
  /// Days after the first payment: a billing date and its grace behind 30, 90 and 365 (definitions 6.2).
  static let ages = [35, 95, 370]

  struct Cell {
    var trials = 0
    var trialsCancelled = 0
    var subscriptions = 0
    /// By age: at risk, cancelled, followed, ended.
    var byAge = [[Int]](repeating: [0, 0, 0, 0], count: ages.count)
    /// Voluntary, billing, price increase, refund, other.
    var churned = [0, 0, 0, 0, 0]
    var refundAtRisk = 0
    var refunded = 0
    /// Times from the first payment, ascending: cancelled and censored.
    var times: [(time: Int64, cancelled: Int, censored: Int)] = []
  }

  private static let defaultBy: [Dimension] = [.variant, .entryPoint, .plan]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    return query.report(
      "cancellations", title: "Cancellation of trials and subscriptions",
      definition: [
        "trials: matured introductory ones by the day of their start; cancelled: auto-renew off at their end (4.5, 6.1)",
        "subscriptions: first purchases, lifetime aside, by the day of the first payment; not the same people as the "
          + "trials of the row (6.1, 6.2)",
        "cancelled_A: auto-renew off A days after the first payment, of those at risk that long; ended_A: churned "
          + "within A days, of those followed that long and through grace (6.2)",
        "churned: all that have, by reason (2.8, 6.3); refund: first payment given back in full within 30 d (6.3)",
        "median_days_to_cancel: Kaplan–Meier, from the first payment to the first cancellation (6.5)",
      ],
      columns: query.keyColumns + columns, rows: try rows(query))
  }

  private static func rows(_ query: ReportQuery) throws -> [[ReportValue]] {
    var cells: [CellKey: Cell] = [:]
    if let stored = try CellQuery(query, [.trial, .purchase]) {
      cells = try Self.cells(stored, asOf: query.asOfs, grace: query.options.grace)
    } else {
      try addTrials(query, to: &cells)
      try addSpells(query, to: &cells)
    }
    return query.rows(cells) { _, cell in values(cell) }
  }

  private static let columns: [ReportColumn] =
    [ReportColumn("trials", .count), ReportColumn("trial_cancelled", .count)]
    + ReportColumn.rate("trial_cancel_rate") + [ReportColumn("subscriptions", .count)]
    + ages.flatMap { age in
      [ReportColumn("at_risk_\(age)", .count), ReportColumn("cancelled_\(age)", .count)]
        + ReportColumn.rate("cancelled_\(age)_rate")
        + [ReportColumn("followed_\(age)", .count), ReportColumn("ended_\(age)", .count)]
        + ReportColumn.rate("ended_\(age)_rate")
    }
    + [
      "churned", "churned_voluntary", "churned_billing", "churned_price_increase", "churned_refund", "churned_other",
      "refund_at_risk", "refunded",
    ].map { ReportColumn($0, .count) }
    + ReportColumn.rate("refund_rate") + [ReportColumn("median_days_to_cancel", .number)]

  private static func values(_ cell: Cell) -> [ReportValue] {
    [.count(cell.trials), .count(cell.trialsCancelled)]
      + ReportValue.share(cell.trialsCancelled, of: cell.trials) + [.count(cell.subscriptions)]
      + cell.byAge.flatMap { counts -> [ReportValue] in
        [.count(counts[0]), .count(counts[1])] + ReportValue.share(counts[1], of: counts[0])
          + [.count(counts[2]), .count(counts[3])] + ReportValue.share(counts[3], of: counts[2])
      }
      + [.count(cell.churned.reduce(0, +))] + cell.churned.map { .count($0) }
      + [.count(cell.refundAtRisk), .count(cell.refunded)]
      + ReportValue.share(cell.refunded, of: cell.refundAtRisk)
      + [.number(medianDays(cell))]
  }

  private static func addTrials(_ query: ReportQuery, to cells: inout [CellKey: Cell]) throws {
    let units = query.units(
      from: query.facts.table(.trial), instant: "start", columns: ["f.is_cancelled AS is_cancelled"],
      where: "f.trial_kind = 1 AND f.deadline <= \(query.byApp("f.app") { query.asOf(of: $0) })",
      unitKey: ["person", "number"])
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())COUNT(*), SUM(is_cancelled)
      FROM (\(units)) AS u
      GROUP BY app\((0..<query.by.count).map { ", d\($0)" }.joined())
      """
    ) { row in
      let first = 1 + query.by.count
      var cell = Cell()
      cell.trials = row.int(first)
      cell.trialsCancelled = row.int(first + 1)
      cells[CellKey(row, dimensions: query.by.count)] = cell
    }
  }

  /// Definitions 6.2, 6.3 and 6.5.
  private static func addSpells(_ query: ReportQuery, to cells: inout [CellKey: Cell]) throws {
    let units = query.units(
      from: query.facts.table(.spell), instant: "start",
      columns: [
        "start", "cover_end", "grace_end", "reason", "is_off_35", "is_off_95", "is_off_370", "first_cancelled_at",
        "first_refunded_at",
      ].map { "f.\($0) AS \($0)" },
      where: "f.is_purchase = 1 AND f.plan <> 6", unitKey: ["person", "number"])
    let asOf = query.asOf
    let grace = query.options.grace
    let isChurned = "grace_end <= \(asOf)"
    func sum(_ condition: String) -> String { "SUM(CASE WHEN \(condition) THEN 1 ELSE 0 END)" }
    let byAge = ages.flatMap { age in
      let length = Int64(age) * day
      return [
        sum("start + \(length) <= \(asOf)"),
        sum("start + \(length) <= \(asOf) AND is_off_\(age) = 1"),
        sum("start + \(length + grace) <= \(asOf)"),
        sum("start + \(length + grace) <= \(asOf) AND \(isChurned) AND cover_end < start + \(length)"),
      ]
    }
    let reasons: [ChurnReason] = [.voluntary, .billing, .priceIncrease, .refund, .other]
    let byReason = reasons.map { sum("\(isChurned) AND reason = \($0.rawValue)") }
    let refunds = [
      sum("start + \(30 * day) <= \(asOf)"),
      sum("start + \(30 * day) <= \(asOf) AND first_refunded_at < start + \(30 * day)"),
    ]
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())
        COUNT(*),
        \((byAge + byReason + refunds).joined(separator: ",\n  "))
      FROM (\(units)) AS u
      GROUP BY app\(group)
      """
    ) { row in
      let key = CellKey(row, dimensions: query.by.count)
      var column = 1 + query.by.count
      func next() -> Int {
        column += 1
        return row.int(column - 1)
      }
      var cell = cells[key] ?? Cell()
      cell.subscriptions = next()
      cell.byAge = ages.map { _ in [next(), next(), next(), next()] }
      cell.churned = reasons.map { _ in next() }
      cell.refundAtRisk = next()
      cell.refunded = next()
      cells[key] = cell
    }
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())time, SUM(is_cancelled), SUM(1 - is_cancelled)
      FROM (
        SELECT app\(group),
          CASE WHEN first_cancelled_at IS NOT NULL THEN first_cancelled_at - start
               WHEN \(isChurned) THEN cover_end - start
               ELSE \(asOf) - start END AS time,
          CASE WHEN first_cancelled_at IS NOT NULL THEN 1 ELSE 0 END AS is_cancelled
        FROM (\(units)) AS u
      ) AS times
      GROUP BY app\(group), time
      ORDER BY \((1...(query.by.count + 2)).map(String.init).joined(separator: ", "))
      """
    ) { row in
      let first = 1 + query.by.count
      cells[CellKey(row, dimensions: query.by.count)]?.times.append(
        (row[first], row.int(first + 1), row.int(first + 2)))
    }
  }

  private static func medianDays(_ cell: Cell) -> Double? {
    let median = KaplanMeier.median(
      times: cell.times.map(\.time), events: cell.times.map(\.cancelled), censored: cell.times.map(\.censored))
    return median.map { Double($0) / Double(day) }
  }
}
