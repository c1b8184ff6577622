internal import EventModel
internal import Lifecycle
public import Store

/// Daily, weekly and monthly active persons by what they are: free, in a trial, paying.
public enum Activity {
  private static let defaultBy: [Dimension] = [.week]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    let periods = query.by.filter(\.isPeriod)
    guard periods.count == 1, let period = periods.first else {
      throw periods.isEmpty
        ? ReportError.periodNeeded(query.by.map(\.name)) : ReportError.severalPeriods(periods.map(\.name))
    }
    for filter in options.filters where filter.dimension.isPeriod && filter.dimension != period {
      throw ReportError.filteredPeriods(filter.dimension.name)
    }
    for dimension in query.by + options.filters.map(\.dimension) {
      if [.plan, .tier, .trialKind].contains(dimension) { throw ReportError.notOfActivity(dimension.name) }
    }
    var rows: [(labels: [String], values: [ReportValue])] = []
    let status = try PersonStatus(query)
    for app in query.apps { rows += try self.rows(query, app, period, status) }
    rows.sort { left, right in
      for (a, b) in zip(left.labels, right.labels) where !a.utf8.elementsEqual(b.utf8) { return precedesInBytes(a, b) }
      return false
    }
    return query.report(
      "activity", title: "Active persons",
      definition: [
        "active: with an activity event; status: at the last activity of the day or window: paid while a payment covers it "
          + "(2.7), else trial while one runs that has not converted (2.2), else free; all: the sum of the three",
        "daily_active: mean over the days of the period up to the as-of, whose last day may be cut short; weekly_active, "
          + "monthly_active: persons active in the 7 and 30 days that end with the period's last day; empty where those "
          + "begin before the app's first day",
        "stickiness: daily_active ÷ monthly_active",
        "experiment, variant, paywall, entry_point: of the person's first impression ever, (none) without one; other "
          + "dimensions: of the activity",
      ],
      columns: query.keyColumns + [ReportColumn("status", .key)] + columns,
      rows: rows.map { $0.labels.map(ReportValue.text) + $0.values })
  }

  private static let columns = [
    ReportColumn("days", .count), ReportColumn("daily_active", .number), ReportColumn("weekly_active", .count),
    ReportColumn("monthly_active", .count), ReportColumn("stickiness", .rate),
  ]

  /// A person's activities in one row.
  private struct Days {
    /// By local day: when the last activity was, which says what the person is on that day.
    var last: [Int: Int64] = [:]
  }

  private struct RowPerson: Hashable {
    var row: CellKey
    var person: Int32
  }

  private static func rows(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ period: Dimension, _ status: PersonStatus
  ) throws -> [(labels: [String], values: [ReportValue])] {
    let place = query.by.firstIndex(of: period) ?? 0
    let units = query.without(period)
    let firstDay = Int(floorDays(query.localTime.local(app.firstDay)))
    var found: [RowPerson: Days] = [:]
    let contexts = try EntryContexts(units, app)
    let dimensions = try ScannedDimensions(units) { !$0.isContext && !$0.isPeriod }
    try query.facts.forEachEvent(of: app.id) { event in
      guard event.kind == .activity, dimensions.passes(event), contexts.passes(event.person) else { return }
      let codes = units.by.map { $0.isContext ? contexts.code($0, event.person) : dimensions.code($0, event) }
      let key = RowPerson(row: CellKey(app: app.id, codes: codes), person: event.person)
      let day = Int(floorDays(query.localTime.local(event.ts))) - firstDay
      found[key, default: Days()].last[day] = max(event.ts, found[key]?.last[day] ?? .min)
    }
    let periods = Periods(query, app: app, by: period)
    guard let end = periods.bounds.last, periods.count > 0 else { return [] }
    let days =
      max(
        Int(floorDays(query.localTime.local(end - 1))) - firstDay, found.values.flatMap(\.last.keys).max() ?? 0) + 1
    let wanted = query.options.filters.filter { $0.dimension == period }.map { Set(query.codes(of: $0)) }
    var rows: [(labels: [String], values: [ReportValue])] = []
    for (row, persons) in Dictionary(grouping: found, by: \.key.row) {
      let counts = ActivityCounts(
        persons: persons.map { key, value in
          value.last.sorted { $0.key < $1.key }.map { ($0.key, status.status(key.person, at: $0.value).rawValue) }
        }, days: days)
      for number in 0..<periods.count where wanted.allSatisfy({ $0.contains(periods.codes[number]) }) {
        let first = max(0, Int(floorDays(query.localTime.local(periods.bounds[number]))) - firstDay)
        let last = Int(floorDays(query.localTime.local(periods.bounds[number + 1] - 1))) - firstDay
        guard last >= first else { continue }
        var key = row
        key.codes.insert(periods.codes[number], at: place)
        rows += values(counts, first...last).map { (query.labels(key) + [$0.status], $0.values) }
      }
    }
    return rows
  }

  /// Of one period, by status, those without anybody left out.
  private static func values(
    _ counts: ActivityCounts, _ days: ClosedRange<Int>
  ) -> [(status: String, values: [ReportValue])] {
    let last = days.upperBound
    let statuses = PersonStatus.Status.allCases.map { status in
      (
        name: status.name, daily: counts.daily(status.rawValue, days.lowerBound..<last + 1),
        weekly: counts.active(status.rawValue, window: 1, on: last),
        monthly: counts.active(status.rawValue, window: 2, on: last)
      )
    }
    let all = statuses.reduce((name: "all", daily: 0, weekly: 0, monthly: 0)) { sum, one in
      ("all", sum.daily + one.daily, sum.weekly + one.weekly, sum.monthly + one.monthly)
    }
    return ([all] + statuses).filter { $0.daily + $0.monthly > 0 }.map { one in
      let mean = Double(one.daily) / Double(days.count)
      let hasWeek = last >= ActivityCounts.windows[1] - 1
      let hasMonth = last >= ActivityCounts.windows[2] - 1
      return (
        one.name,
        [
          .count(days.count), .number(mean), hasWeek ? .count(one.weekly) : .percent(nil),
          hasMonth ? .count(one.monthly) : .percent(nil),
          .rate(hasMonth && one.monthly > 0 ? mean / Double(one.monthly) : nil),
        ]
      )
    }
  }
}

/// The contexts of persons' first impressions, as far as they are asked for.
private struct EntryContexts {
  private let by: [Dimension]
  private var codes: [Int32: [Int64]] = [:]
  private let filters: [(place: Int, codes: Set<Int64>)]

  init(_ query: ReportQuery, _ app: StoreSnapshot.App) throws {
    let own = query.options.filters.filter(\.dimension.isContext)
    by = query.by.filter(\.isContext) + own.map(\.dimension)
    let filtersFrom = by.count - own.count
    filters = own.enumerated().map { (filtersFrom + $0.offset, Set(query.codes(of: $0.element))) }
    if by.isEmpty { return }
    var all = query.options
    all.filters = []
    all.from = nil
    all.to = nil
    let units = query.with(all).units(
      from: query.facts.table(.entry), instant: "ts", columns: ["f.person AS person"], where: "f.app = \(app.id)",
      by: by)
    var found: [Int32: [Int64]] = [:]
    let count = by.count
    try query.facts.forEachRow(
      "SELECT person, \((0..<count).map { "d\($0)" }.joined(separator: ", ")) FROM (\(units)) AS u"
    ) {
      row in found[Int32(row[0])] = (0..<count).map { row[$0 + 1] }
    }
    codes = found
  }

  func code(_ dimension: Dimension, _ person: Int32) -> Int64 {
    by.firstIndex(of: dimension).flatMap { codes[person]?[$0] } ?? 0
  }

  func passes(_ person: Int32) -> Bool {
    filters.allSatisfy { $0.codes.contains(codes[person]?[$0.place] ?? 0) }
  }
}
