internal import Lifecycle
internal import Statistics
public import Store

/// Trial to paid (definitions 4).
public enum Trials {
  struct Cell {
    var trials = 0
    var converted = 0
    var lapsed = 0
    var pendingRenewing = 0
    var pendingCancelled = 0
    var matured = 0
    var maturedConverted = 0
    var maturedIntroductory = 0
    var cancelled = 0
    var incidence: AalenJohansen?

    /// Definitions 4.2 to 4.5 of one trial.
    mutating func add(_ trial: TrialUnit, isIntroductory: Bool, asOf: Int64) {
      // An app's own trial renews nothing, so a pending one counts as renewing.
      let isOff = isIntroductory && trial.isCancelled
      trials += 1
      let isMatured = trial.deadline <= asOf
      if isMatured {
        matured += 1
        if isIntroductory { maturedIntroductory += 1 }
        if isOff { cancelled += 1 }
      }
      if trial.convertedAt != nil {
        converted += 1
        if isMatured { maturedConverted += 1 }
      } else if isMatured {
        lapsed += 1
      } else if isOff {
        pendingCancelled += 1
      } else {
        pendingRenewing += 1
      }
    }
  }

  private static let defaultBy: [Dimension] = [.variant, .entryPoint]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    let columns = columns + (options.showsBasis ? [ReportColumn("matured_introductory", .count)] : [])
    let cells = try CellQuery(query, [.trial]).map { try Self.cells($0, asOf: query.asOfs) } ?? rows(query)
    return query.report(
      "trials", title: "Trial to paid",
      definition: [
        "trials by the day of their start = converted + lapsed + pending (renewing or cancelled) (4.2)",
        "trial_to_paid: converted ÷ matured, that is of those whose deadline (end + grace) is past (4.3); "
          + "floor and ceiling: with none and with all of the pending ones (4.4)",
        "cancel: introductory trials with auto-renew off at their end, of the matured ones (4.5)",
        "cumulative_incidence: Aalen–Johansen over all trials, pending ones censored at the as-of (4.6)",
      ],
      columns: query.keyColumns + columns,
      rows: query.rows(cells) { _, cell in
        values(cell) + (options.showsBasis ? [.count(cell.maturedIntroductory)] : [])
      })
  }

  /// The same from facts.
  private static func rows(_ query: ReportQuery) throws -> [CellKey: Cell] {
    let units = query.units(
      from: query.facts.table(.trial), instant: "start",
      columns: [
        "f.start AS start", "f.deadline AS deadline", "f.converted_at AS converted_at",
        "f.is_cancelled AS is_cancelled", "f.trial_kind AS kind",
      ], unitKey: ["person", "number"])
    var cells = try counts(query, units)
    try addIncidence(query, units, to: &cells)
    return cells
  }

  private static let columns: [ReportColumn] =
    [
      "trials", "converted", "lapsed", "pending_renewing", "pending_cancelled", "matured", "matured_converted",
    ].map { ReportColumn($0, .count) }
    + ReportColumn.rate("trial_to_paid_rate")
    + [ReportColumn("floor_rate", .rate), ReportColumn("ceiling_rate", .rate), ReportColumn("cancelled", .count)]
    + ReportColumn.rate("cancel_rate") + ReportColumn.rate("cumulative_incidence")

  private static func values(_ cell: Cell) -> [ReportValue] {
    [
      .count(cell.trials), .count(cell.converted), .count(cell.lapsed), .count(cell.pendingRenewing),
      .count(cell.pendingCancelled), .count(cell.matured), .count(cell.maturedConverted),
    ]
      + ReportValue.share(cell.maturedConverted, of: cell.matured)
      + [
        .plainShare(cell.converted, of: cell.trials),
        .plainShare(cell.converted + cell.pendingRenewing + cell.pendingCancelled, of: cell.trials),
        .count(cell.cancelled),
      ]
      + ReportValue.share(cell.cancelled, of: cell.maturedIntroductory)
      + incidence(cell)
  }

  /// Definitions 4.2 to 4.5.
  private static func counts(_ query: ReportQuery, _ units: String) throws -> [CellKey: Cell] {
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    let isMatured = "deadline <= \(query.asOf)"
    let isPending = "deadline > \(query.asOf) AND converted_at IS NULL"
    // An app's own trial renews nothing, so a pending one counts as renewing.
    let isOff = "kind = 1 AND is_cancelled = 1"
    func sum(_ condition: String) -> String { "SUM(CASE WHEN \(condition) THEN 1 ELSE 0 END)" }
    var cells: [CellKey: Cell] = [:]
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())
        COUNT(*),
        \(sum("converted_at IS NOT NULL")),
        \(sum("\(isMatured) AND converted_at IS NULL")),
        \(sum("\(isPending) AND NOT (\(isOff))")),
        \(sum("\(isPending) AND \(isOff)")),
        \(sum(isMatured)),
        \(sum("\(isMatured) AND converted_at IS NOT NULL")),
        \(sum("\(isMatured) AND kind = 1")),
        \(sum("\(isMatured) AND \(isOff)"))
      FROM (\(units)) AS u
      GROUP BY app\(group)
      """
    ) { row in
      let first = 1 + query.by.count
      var cell = Cell()
      cell.trials = row.int(first)
      cell.converted = row.int(first + 1)
      cell.lapsed = row.int(first + 2)
      cell.pendingRenewing = row.int(first + 3)
      cell.pendingCancelled = row.int(first + 4)
      cell.matured = row.int(first + 5)
      cell.maturedConverted = row.int(first + 6)
      cell.maturedIntroductory = row.int(first + 7)
      cell.cancelled = row.int(first + 8)
      cells[CellKey(row, dimensions: query.by.count)] = cell
    }
    return cells
  }

  static let conversion = 0
  static let lapse = 1
  static let censoring = 2

  /// Definitions 4.6. Ends of one time come before the censorings at it: what is censored is still at risk.
  private static func addIncidence(_ query: ReportQuery, _ units: String, to cells: inout [CellKey: Cell]) throws {
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    let order = (1...(query.by.count + 3)).map(String.init).joined(separator: ", ")
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())time, cause, COUNT(*)
      FROM (
        SELECT app\(group),
          CASE WHEN converted_at IS NOT NULL THEN converted_at - start
               WHEN deadline <= \(query.asOf) THEN deadline - start
               ELSE \(query.asOf) - start END AS time,
          CASE WHEN converted_at IS NOT NULL THEN \(conversion)
               WHEN deadline <= \(query.asOf) THEN \(lapse)
               ELSE \(censoring) END AS cause
        FROM (\(units)) AS u
      ) AS ends
      GROUP BY app\(group), time, cause
      ORDER BY \(order)
      """
    ) { row in
      let key = CellKey(row, dimensions: query.by.count)
      let cause = row.int(2 + query.by.count)
      let count = row.int(3 + query.by.count)
      guard var cell = cells[key], cell.matured > 0 else { return }
      // Taken out of the cell while it changes, so that it is not copied.
      var incidence = cell.incidence ?? AalenJohansen(atRisk: cell.trials, causes: 2)
      add(count, cause: cause, to: &incidence)
      cell.incidence = incidence
      cells[key] = cell
    }
  }

  static func add(_ count: Int, cause: Int, to curve: inout AalenJohansen) {
    if cause == censoring { curve.censor(count) } else { curve.end(count, cause: cause) }
  }

  /// Wilson's interval at the effective number of trials; at an incidence of 0 or 1, at the matured ones.
  private static func incidence(_ cell: Cell) -> [ReportValue] {
    guard let curve = cell.incidence else { return [.rate(nil), .rate(nil), .rate(nil)] }
    let rate = curve.incidence(of: conversion)
    let trials = curve.effectiveTrials(of: conversion) ?? Double(cell.matured)
    let interval = wilsonInterval(successes: min(trials, rate * trials), trials: trials)
    return [.rate(rate), .rate(interval?.low), .rate(interval?.high)]
  }
}
