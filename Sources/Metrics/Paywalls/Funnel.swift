internal import Lifecycle
internal import Statistics
public import Store

/// The funnel from the first paywall impression to payment (definitions 3).
public enum Funnel {
  struct Cell {
    var users = 0
    var immature = 0
    var trial = 0
    var trialPaid = 0
    var direct = 0
    var paid = 0
    var paidLater = 0

    mutating func add(_ other: Cell) {
      users += other.users
      immature += other.immature
      trial += other.trial
      trialPaid += other.trialPaid
      direct += other.direct
      paid += other.paid
      paidLater += other.paidLater
    }
  }

  private static let defaultBy: [Dimension] = [.variant, .entryPoint]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    let (found, horizons) = try counts(query)
    return report(query, horizons, rows: query.rows(found) { _, cell in values(cell) })
  }

  /// The rows, and H in ms by app (definitions 3.1 to 3.4).
  static func counts(_ query: ReportQuery) throws -> (cells: [CellKey: Cell], horizons: [NameID: Int64]) {
    let stored = try CellQuery(query, [.entry])
    let horizons = try horizons(query, stored)
    var lastMature: [NameID: Int64] = [:]
    for app in query.apps { lastMature[app.id] = query.asOf(of: app) - (horizons[app.id] ?? 0) }
    let cells = query.options.unit == .user ? try stored.map { try Self.cells($0, lastMature: lastMature) } : nil
    return (try cells ?? rows(query, lastMature: lastMature), horizons)
  }

  /// The same from facts.
  private static func rows(_ query: ReportQuery, lastMature: [NameID: Int64]) throws -> [CellKey: Cell] {
    let lastMature = query.byApp("u.app") { lastMature[$0.id] ?? .min }
    let isByView = query.options.unit == .view
    let units =
      isByView
      ? try viewUnits(query)
      : query.units(
        from: query.facts.table(.entry), instant: "ts", columns: ["f.person AS person", "f.ts AS entry"])

    var cells: [CellKey: Cell] = [:]
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns())
        SUM(CASE WHEN entry <= \(lastMature) THEN 1 ELSE 0 END),
        COUNT(*)
      FROM (\(units)) AS u
      GROUP BY app\((0..<query.by.count).map { ", d\($0)" }.joined())
      """
    ) { row in
      var cell = Cell()
      let first = 1 + query.by.count
      cell.users = row.int(first)
      cell.immature = row.int(first + 1) - cell.users
      cells[CellKey(row, dimensions: query.by.count)] = cell
    }
    try query.facts.forEachRow(steps(query, units: units, lastMature: lastMature, isByView: isByView)) { row in
      let first = 1 + query.by.count
      let key = CellKey(row, dimensions: query.by.count)
      cells[key]?.trial = row.int(first)
      cells[key]?.trialPaid = row.int(first + 1)
      cells[key]?.direct = row.int(first + 2)
      cells[key]?.paid = row.int(first + 3)
      cells[key]?.paidLater = row.int(first + 4)
    }
    return cells
  }

  private static func report(
    _ query: ReportQuery, _ horizons: [NameID: Int64], rows: [[ReportValue]]
  ) -> Report {
    query.report(
      "funnel", title: "Funnel from the first paywall to payment",
      definition: definition(query.options),
      own: [
        Report.Parameter(name: "unit", value: query.options.unit.rawValue), query.horizonParameter(horizons),
      ],
      notes: { query.horizonNotes($0, horizons) },
      columns: query.keyColumns + columns, rows: rows)
  }

  private static func definition(_ options: ReportOptions) -> [String] {
    let unit =
      options.unit == .user
      ? "users: persons by the context of their first impression ever (3.1)"
      : "users: pairs of person and row, entered at the first impression in that row (3.1)"
    return [
      "\(unit); counts and rates are over those entered at least a horizon before the as-of (3.3), the others are immature",
      "trial: first introductory trial within 7 d of the entry; direct: a payment in those 7 d that belongs to no trial "
        + "of the window (3.2)",
      "trial_to_paid: trial paid ÷ trial; paid: either way; all rates with Wilson 95 % intervals (3.4)",
    ]
  }

  private static let columns: [ReportColumn] =
    ["users", "trial_users", "trial_paid_users", "direct_paid_users", "paid_users"].map { ReportColumn($0, .count) }
    + ["trial_rate", "trial_to_paid_rate", "direct_rate", "paid_rate"].flatMap { ReportColumn.rate($0) }
    + ["paid_later_users", "immature"].map { ReportColumn($0, .count) }

  private static func values(_ cell: Cell) -> [ReportValue] {
    [.count(cell.users), .count(cell.trial), .count(cell.trialPaid), .count(cell.direct), .count(cell.paid)]
      + ReportValue.share(cell.trial, of: cell.users)
      + ReportValue.share(cell.trialPaid, of: cell.trial)
      + ReportValue.share(cell.direct, of: cell.users)
      + ReportValue.share(cell.paid, of: cell.users)
      + [.count(cell.paidLater), .count(cell.immature)]
  }

  /// Definitions 3.1 for `--unit view`: each pair of person and row, entered at the first impression in it.
  private static func viewUnits(_ query: ReportQuery) throws -> String {
    // Days filter entries, which are known only once the first impression is: hence the second pass.
    var unfiltered = query.options
    unfiltered.from = nil
    unfiltered.to = nil
    let impressions = query.with(unfiltered).units(
      from: try query.facts.impressions(), instant: "ts", columns: ["f.person AS person", "f.ts AS ts"])
    let entries = """
      SELECT app, \(query.dimensionColumns())person, MIN(ts) AS entry
      FROM (\(impressions)) AS i
      GROUP BY app\((0..<query.by.count).map { ", d\($0)" }.joined()), person
      """
    guard let days = query.dayCondition("entry") else { return entries }
    return "SELECT * FROM (\(entries)) AS e WHERE \(days)"
  }

  /// Definitions 3.2 and 3.4: what the matured units came to, driven from the few who did anything.
  private static func steps(_ query: ReportQuery, units: String, lastMature: String, isByView: Bool) -> String {
    let match = isByView ? query.creditMatches(row: "u", credit: "s") : "1 = 1"
    let contexts = "experiment, variant, paywall, entry_point"
    let group = (0..<query.by.count).map { ", d\($0)" }.joined()
    return """
      SELECT app, \(query.dimensionColumns())
        SUM(trial),
        SUM(trial_paid),
        SUM(direct),
        SUM(CASE WHEN trial_paid + direct > 0 THEN 1 ELSE 0 END),
        SUM(CASE WHEN trial_paid + direct = 0 THEN later ELSE 0 END)
      FROM (
        SELECT u.app AS app, u.person\((0..<query.by.count).map { ", u.d\($0) AS d\($0)" }.joined()),
          MAX(CASE WHEN s.step <= 2 AND s.ts < u.entry + 604800000 THEN 1 ELSE 0 END) AS trial,
          MAX(CASE WHEN s.step = 2 AND s.ts < u.entry + 604800000 THEN 1 ELSE 0 END) AS trial_paid,
          MAX(CASE WHEN s.step = 3 AND s.ts < u.entry + 604800000
            AND (s.trial_start IS NULL OR s.trial_start < u.entry) THEN 1 ELSE 0 END) AS direct,
          MAX(CASE WHEN s.step = 4 THEN 1 ELSE 0 END) AS later
        FROM (
          SELECT person, start AS ts, CASE WHEN converted_at IS NULL THEN 1 ELSE 2 END AS step,
            NULL AS trial_start, \(contexts)
          FROM \(query.facts.table(.trial)) AS t WHERE trial_kind = 1
          UNION ALL
          SELECT person, ts, 3, CASE WHEN conversion_trial_kind = 1 THEN trial_start END, \(contexts)
          FROM \(query.facts.table(.conversion)) AS v
          UNION ALL
          SELECT person, start, 4, NULL, \(contexts)
          FROM \(query.facts.table(.spell)) AS p WHERE is_purchase = 1
        ) AS s
        JOIN (\(units)) AS u ON u.person = s.person AND u.entry <= s.ts AND \(match)
        WHERE u.entry <= \(lastMature)
        GROUP BY u.app, u.person\(group)
      ) AS m
      GROUP BY app\(group)
      """
  }

  /// Definitions 3.3: H in ms, by app.
  static func horizons(_ query: ReportQuery, _ stored: CellQuery?) throws -> [NameID: Int64] {
    var horizons: [NameID: Int64] = [:]
    for app in query.apps { horizons[app.id] = query.options.horizon ?? 7 * day + query.options.grace }
    if query.options.horizon != nil || query.apps.isEmpty { return horizons }
    let lengths: [NameID: [(length: Int64, count: Int)]]
    if let source = try stored?.source ?? query.facts.cells() {
      lengths = try source.trialLengths()
    } else {
      lengths = try lengthsFromFacts(query)
    }
    for (app, counts) in lengths where horizons[app] != nil {
      let total = counts.reduce(0) { $0 + $1.count }
      var below = 0
      for (length, count) in counts {
        below += count
        if below * 100 >= total * 99 {
          horizons[app, default: 0] += length
          break
        }
      }
    }
    return horizons
  }

  /// The lengths of introductory trials with how many have each, ascending.
  private static func lengthsFromFacts(
    _ query: ReportQuery
  ) throws -> [NameID: [(length: Int64, count: Int)]] {
    var lengths: [NameID: [(length: Int64, count: Int)]] = [:]
    try query.facts.forEachRow(
      """
      SELECT app, trial_end - start, COUNT(*)
      FROM \(query.facts.table(.trial)) AS t
      WHERE trial_kind = 1 AND credit = 0
      GROUP BY app, trial_end - start
      ORDER BY 1, 2
      """
    ) { row in lengths[NameID(row[0]), default: []].append((row[1], row.int(2))) }
    return lengths
  }
}
