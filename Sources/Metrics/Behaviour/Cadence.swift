internal import Lifecycle
public import Store

/// What a paywall brings by how often it was seen before, and how long ago.
public enum Cadence {
  /// How many times a person has seen a paywall, this time included.
  private static let times = [(1, "1"), (2, "2"), (3, "3"), (4, "4-5"), (6, "6-10"), (11, "11+")]
  /// Days since the last time; the first has none.
  private static let gaps: [(Int64, String)] = [
    (0, "0"), (1, "1"), (2, "2-3"), (4, "4-7"), (8, "8-14"), (15, "15-30"), (31, "31+"),
  ]
  private static let splits = ["times_seen", "days_since_last"]

  struct Cell {
    var views = 0
    var persons = 0
    var trial = 0
    var paid = 0
    var trials = 0
    var cancelled = 0
    var immature = 0
    fileprivate var lastPerson: Int64?
  }

  fileprivate struct View {
    var row: CellKey
    var ts: Int64
    var isAsked: Bool
    var trial = false
    var paid = false
    var trials = 0
    var cancelled = 0
  }

  private struct Outcomes {
    var trials: [(start: Int64, deadline: Int64, isConverted: Bool, isCancelled: Bool)] = []
    var direct: [Int64] = []
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    let horizons = try Funnel.horizons(query, try CellQuery(query, [.entry]))
    let cells = try cells(query, horizons)
    return query.report(
      "cadence", title: "Paywalls by how often they were seen before",
      definition: [
        "Correlation, not effect: who sees a paywall for the fifth time has said no four times, and who is shown it often "
          + "uses the app often; only an experiment on the cadence says what another one would bring",
        "views: impressions at least a horizon before the as-of, the others are immature (3.3); times_seen: the person's "
          + "first, second, … impression of the app, any paywall; days_since_last: elapsed days since the one before",
        "a trial or purchase is the view's that is the person's last one in the 7 d before it (2.10); trial: an introductory "
          + "one; paid: it converted, or a purchase without a trial of the store (3.2)",
        "trial_cancel_rate: cancelled of the views' matured introductory trials (4.5); Wilson 95 % intervals, which take "
          + "views for independent: from 4-5 on a person may have several in a row of the table",
      ],
      own: [
        Report.Parameter(
          name: "horizon_days", value: options.horizon.map(ReportQuery.days) ?? "7 + trial length + grace of each app")
      ],
      notes: { instant in
        query.apps.filter { $0.name == instant.app }.map { "horizon \(ReportQuery.days(horizons[$0.id] ?? 0)) d" }
      },
      columns: query.keyColumns + [ReportColumn("split", .key), ReportColumn("range", .key)] + columns,
      rows: query.rows(cells, labels: { [splits[$0.split], label($0)] }) { _, cell in
        [.count(cell.persons), .count(cell.views), .count(cell.trial), .count(cell.paid)]
          + ReportValue.share(cell.trial, of: cell.views) + ReportValue.share(cell.paid, of: cell.views)
          + [.count(cell.trials), .count(cell.cancelled)] + ReportValue.share(cell.cancelled, of: cell.trials)
          + [.count(cell.immature)]
      })
  }

  private static let columns =
    ["persons", "views", "trial_views", "paid_views"].map { ReportColumn($0, .count) }
    + ReportColumn.rate("trial_rate") + ReportColumn.rate("paid_rate")
    + ["trials", "trial_cancelled"].map { ReportColumn($0, .count) } + ReportColumn.rate("trial_cancel_rate")
    + [ReportColumn("immature", .count)]

  private static func label(_ key: BucketKey) -> String {
    key.split == 0 ? times[key.bucket].1 : key.bucket == 0 ? "first" : gaps[key.bucket - 1].1
  }

  static func cells(_ query: ReportQuery, _ horizons: [NameID: Int64]) throws -> [BucketKey: Cell] {
    let outcomes = try outcomes(query)
    let asOfs = query.asOfs
    var cells: [BucketKey: Cell] = [:]
    try forEachPerson(query) { person, views in
      var views = views
      credit(outcomes[person], to: &views, asOf: asOfs[views[0].row.app] ?? .min)
      for (place, view) in views.enumerated() where view.isAsked {
        let isMature = view.ts + (horizons[view.row.app] ?? 0) <= asOfs[view.row.app] ?? .min
        let time = times.lastIndex { $0.0 <= place + 1 } ?? 0
        let days = place == 0 ? nil : (view.ts - views[place - 1].ts) / day
        let gap = days.flatMap { days in gaps.lastIndex { $0.0 <= days } }.map { $0 + 1 } ?? 0
        for (split, bucket) in [time, gap].enumerated() {
          cells[BucketKey(row: view.row, split: split, bucket: bucket), default: Cell()]
            .add(view, of: person, isMature: isMature)
        }
      }
    }
    return cells
  }

  private static func credit(_ outcomes: Outcomes?, to views: inout [View], asOf: Int64) {
    guard let outcomes else { return }
    func place(_ ts: Int64) -> Int? { views.lastIndex { $0.ts <= ts && ts - 7 * day < $0.ts } }
    for trial in outcomes.trials {
      guard let place = place(trial.start) else { continue }
      views[place].trial = true
      if trial.isConverted { views[place].paid = true }
      if trial.deadline <= asOf {
        views[place].trials += 1
        if trial.isCancelled { views[place].cancelled += 1 }
      }
    }
    for ts in outcomes.direct {
      if let place = place(ts) { views[place].paid = true }
    }
  }

  /// Calls `body` with each person's impressions in order (definitions 1.2).
  private static func forEachPerson(_ query: ReportQuery, _ body: (Int64, [View]) -> Void) throws {
    // What is asked for is a part of the views; the number of each is among all of them.
    let filters = query.options.filters.map { (dimension: $0.dimension, codes: Set(query.codes(of: $0))) }
    var all = query.options
    all.filters = []
    all.from = nil
    all.to = nil
    let isInDays = query.dayCondition("f.ts").map { "CASE WHEN \($0) THEN 1 ELSE 0 END" } ?? "1"
    let dimensions = query.by + filters.map(\.dimension)
    let units = query.with(all).units(
      from: try query.facts.impressions(), instant: "ts",
      columns: ["f.person AS person", "f.ts AS ts", "f.event_id AS event_id", "\(isInDays) AS is_in_days"],
      by: dimensions)
    let first = 1 + dimensions.count
    var (person, views): (Int64?, [View]) = (nil, [])
    try query.facts.forEachRow(
      """
      SELECT app, \(query.dimensionColumns(dimensions.count))person, ts, is_in_days FROM (\(units)) AS u
      ORDER BY person, ts, event_id
      """
    ) { row in
      if let person, person != row[first] {
        body(person, views)
        views.removeAll(keepingCapacity: true)
      }
      person = row[first]
      let passes = filters.indices.allSatisfy { filters[$0].codes.contains(row[1 + query.by.count + $0]) }
      views.append(
        View(
          row: CellKey(row, dimensions: query.by.count), ts: row[first + 1], isAsked: passes && row[first + 2] == 1))
    }
    if let person { body(person, views) }
  }

  private static func outcomes(_ query: ReportQuery) throws -> [Int64: Outcomes] {
    var outcomes: [Int64: Outcomes] = [:]
    try query.facts.forEachRow(
      """
      SELECT person, start, deadline, converted_at IS NOT NULL, is_cancelled
      FROM \(query.facts.table(.trial)) AS t WHERE trial_kind = 1 AND credit = 0
      """
    ) { row in
      outcomes[row[0], default: Outcomes()].trials.append((row[1], row[2], row[3] == 1, row[4] == 1))
    }
    try query.facts.forEachRow(
      """
      SELECT person, ts FROM \(query.facts.table(.conversion)) AS v
      WHERE credit = 0 AND (trial_start IS NULL OR conversion_trial_kind <> 1)
      """
    ) { row in outcomes[row[0], default: Outcomes()].direct.append(row[1]) }
    return outcomes
  }
}

extension Cadence.Cell {
  fileprivate mutating func add(_ view: Cadence.View, of person: Int64, isMature: Bool) {
    guard isMature else {
      immature += 1
      return
    }
    views += 1
    if lastPerson != person { persons += 1 }
    lastPerson = person
    if view.trial { trial += 1 }
    if view.paid { paid += 1 }
    trials += view.trials
    cancelled += view.cancelled
  }
}
