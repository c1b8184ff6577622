internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// How trials with and without a reminder end.
public enum Nudges {
  private static let hour: Int64 = 3_600_000
  /// Hours from the last nudge to the end of the trial.
  private static let hours: [(from: Int64, name: String)] = [
    (0, "0-6"), (6, "6-24"), (24, "24-48"), (48, "48-72"), (72, "72+"),
  ]

  struct Cell {
    var trials = 0
    var converted = 0
    var introductory = 0
    var cancelled = 0
    var nudges = 0

    var paid: Proportion { Proportion(successes: Double(converted), trials: Double(trials)) }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    let cells = try cells(query)
    return query.report(
      "nudges", title: "Trials with and without a nudge",
      definition: [
        "Correlation, not effect: who gets a nudge is chosen, and a trial that converts or is cancelled early leaves less "
          + "time for one; only an experiment says what a nudge brings",
        "trials: matured ones (2.5), by the hours between the last trial_nudge and the trial's end; none: without one; a "
          + "nudge is of each trial of the person that runs then and has not converted",
        "trial_to_paid_rate: converted of them (4.3); cancel_rate: cancelled of the introductory ones (4.5); Wilson 95 % "
          + "intervals",
        "difference: trial_to_paid_rate less that of the trials without a nudge in the same row, with the "
          + "Miettinen–Nurminen 95 % interval",
      ],
      readsEvents: true, columns: query.keyColumns + [ReportColumn("hours_before_end", .key)] + columns,
      rows: query.rows(cells, labels: { [$0.bucket == 0 ? "none" : hours[$0.bucket - 1].name] }) { key, cell in
        var none = key
        none.bucket = 0
        let other = key.bucket == 0 ? nil : cells[none]
        var difference: Double?
        if let own = cell.paid.estimate, let rate = other?.paid.estimate { difference = own - rate }
        let interval = other.flatMap { miettinenNurminenDifference(cell.paid, $0.paid) }
        return [.count(cell.nudges), .count(cell.trials), .count(cell.converted)]
          + ReportValue.share(cell.converted, of: cell.trials) + [.count(cell.introductory), .count(cell.cancelled)]
          + ReportValue.share(cell.cancelled, of: cell.introductory)
          + [.rate(difference), .rate(interval?.low), .rate(interval?.high)]
      })
  }

  private static let columns =
    ["nudges", "trials", "converted"].map { ReportColumn($0, .count) } + ReportColumn.rate("trial_to_paid_rate")
    + ["introductory_trials", "cancelled"].map { ReportColumn($0, .count) } + ReportColumn.rate("cancel_rate")
    + ReportColumn.rate("difference")

  static func cells(_ query: ReportQuery) throws -> [BucketKey: Cell] {
    var nudges: [Int64: [Int64]] = [:]
    try query.facts.forEachEvent([.trialNudge]) { nudges[Int64($0.person), default: []].append($0.ts) }
    let columns = ["person", "number", "start", "trial_end", "converted_at", "is_cancelled", "trial_kind"]
    let isDistinct = query.options.attribution == .all
    let units = query.units(
      from: query.facts.table(.trial), instant: "start",
      columns: columns.dropFirst(isDistinct ? 2 : 0).map { "f.\($0) AS \($0)" },
      where: "f.deadline <= \(query.byApp("f.app") { query.asOf(of: $0) })", unitKey: ["person", "number"])
    let first = 1 + query.by.count
    var cells: [BucketKey: Cell] = [:]
    try query.facts.forEachRow(
      "SELECT app, \(query.dimensionColumns())\(columns.joined(separator: ", ")) FROM (\(units)) AS u"
    ) { row in
      let (start, end, converted) = (row[first + 2], row[first + 3], row.optional(first + 4))
      // Of one instant, a nudge comes after the start and before a conversion (definitions 1.2).
      let own = (nudges[row[first]] ?? []).filter { $0 >= start && $0 < end && $0 <= converted ?? .max }
      let bucket = own.max().flatMap { last in hours.lastIndex { end - last >= $0.from * hour } }.map { $0 + 1 } ?? 0
      let key = BucketKey(row: CellKey(row, dimensions: query.by.count), split: 0, bucket: bucket)
      var cell = cells[key] ?? Cell()
      cell.trials += 1
      cell.nudges += own.count
      if converted != nil { cell.converted += 1 }
      if row[first + 6] == 1 {
        cell.introductory += 1
        if row[first + 5] == 1 { cell.cancelled += 1 }
      }
      cells[key] = cell
    }
    return cells
  }
}
