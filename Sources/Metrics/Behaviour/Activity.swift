internal import EventModel
internal import Lifecycle
public import Store

/// Counts daily, weekly and monthly active users by status: free, in a trial or paying.
public enum Activity {
  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .activity)
    let periods = query.by.filter(\.isPeriod)
    guard periods.count == 1, let period = periods.first else {
      throw periods.isEmpty
        ? ReportError.periodNeeded(query.by.map(\.name)) : ReportError.severalPeriods(periods.map(\.name))
    }
    for filter in options.filters where filter.dimension.isPeriod && filter.dimension != period {
      throw ReportError.filteredPeriods(filter.dimension.name)
    }
    for dimension in query.by + options.filters.map(\.dimension) {
      if dimension.isOfTerms { throw ReportError.notOfActivity(dimension.name) }
    }
    var rows: [SumsRows<Sums>.Row] = []
    let status = try PersonStatus(query)
    let units = query.without(period)
    let read = try Read(units)
    for app in query.apps { rows += self.rows(query, app, period, status, read) }
    rows.sort { precedesInBytes($0.labels, $1.labels) }
    return query.report(
      "activity", title: "Active users",
      definition: [
        "active: users with an activity event. all is the sum of paid, trial and free",
        "status: paid if a payment covers the last activity of the day or window (2.7), else trial if a trial runs "
          + "then that has not converted (2.2), else free",
        "daily_active: mean over the days of the period. The end of the data may cut the last day short",
        "weekly_active, monthly_active: users active in the 7 and 30 days that end with the period's last day; "
          + "empty if these start before the app's first day",
        "stickiness: daily_active ÷ monthly_active",
        "experiment, variant, paywall and entry_point come from the user's first paywall view ever, (none) without "
          + "one. Other dimensions come from the activity",
      ],
      readsEvents: true,
      columns: columns, rows: SumsRows(keys: ["app"] + query.by.map(\.name) + ["status"], rows: rows))
  }

  private struct Sums {
    var days = 1
    /// The sum over the days.
    var daily = 0
    var weekly = 0
    var monthly = 0
    /// Days of the app's data up to the end of the period.
    var known = 0

    var mean: Double { Double(daily) / Double(days) }
    var knownMonthly: Int? { known < ActivityCounts.windows[2] ? nil : monthly }
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("days", \.days), .number("daily_active", \.mean),
    .count("weekly_active") { $0.known < ActivityCounts.windows[1] ? nil : $0.weekly },
    .count("monthly_active", \.knownMonthly),
    .rate("stickiness") { sums in sums.knownMonthly.flatMap { $0 > 0 ? sums.mean / Double($0) : nil } },
    .count("person_days", \.daily).basis,
  ]

  /// One activity of a user in one row.
  private struct Active {
    var row: Int32
    var person: Int32
    /// Local days since the app's first day.
    var day: Int32
    var ts: Int64

    /// Orders activities by row, then user, then time.
    static func precedes(_ left: Active, _ right: Active) -> Bool {
      (left.row, left.person, left.ts) < (right.row, right.person, right.ts)
    }
  }

  private static func rows(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ period: Dimension, _ status: PersonStatus, _ read: Read
  ) -> [SumsRows<Sums>.Row] {
    let place = query.by.firstIndex(of: period) ?? 0
    let firstDay = query.localTime.day(of: app.firstDay)
    let periods = Periods(query, app: app, by: period)
    guard let end = periods.bounds.last, periods.count > 0 else { return [] }
    var active = read.active[app.id] ?? []
    for index in active.indices {
      active[index].day = Int32(query.localTime.day(of: active[index].ts) - firstDay)
    }
    active.sort(by: Active.precedes)
    let last = max(query.localTime.day(of: end - 1) - firstDay, Int64(active.lazy.map(\.day).max() ?? 0))
    let wanted = query.options.filters.filter { $0.dimension == period }.map(query.codeFilter)
    var rows: [SumsRows<Sums>.Row] = []
    for (row, counts) in counts(active, days: Int(last) + 1, status) {
      for number in 0..<periods.count where wanted.allSatisfy({ $0.accepts(periods.codes[number]) }) {
        let first = max(0, query.localTime.day(of: periods.bounds[number]) - firstDay)
        let last = query.localTime.day(of: periods.bounds[number + 1] - 1) - firstDay
        guard last >= first else { continue }
        var key = read.keys[row]
        key.codes.insert(periods.codes[number], at: place)
        rows += sums(counts, Int(first)...Int(last)).map { (query.labels(key) + [$0.status], $0.sums) }
      }
    }
    return rows
  }

  /// The selected activities by app, with the keys of their rows.
  private struct Read {
    private(set) var keys: [RowKey] = []
    private(set) var active: [NameID: [Active]] = [:]

    init(_ units: ReportQuery) throws {
      let contexts = try EntryContexts(units)
      // Row filters apply to the event, except context filters, which apply to the user's first impression.
      var all = units.options
      // Windows reach back to days before the selected ones.
      all.from = nil
      all.to = nil
      var own = try ScannedRows(units.with(all)) { !$0.isContext && !$0.isPeriod }
      var rows = RowInterner<RowKey>()
      let isOwn = contexts.isEmpty
      try units.facts.forEachEvent([.activity]) { event in
        guard let row = own.place(of: event), contexts.passes(event.person) else { return }
        var place = row
        if !isOwn {
          var key = own.keys[row]
          for (index, dimension) in units.by.enumerated() where dimension.isContext {
            key.codes[index] = contexts.code(dimension, event.person)
          }
          place = Int(rows.intern(key))
        }
        active[event.app, default: []].append(
          Active(row: Int32(place), person: event.person, day: 0, ts: event.ts))
      }
      keys = isOwn ? own.keys : rows.rows
    }
  }

  /// Returns the counts of each row that has activities by status, window and day.
  private static func counts(
    _ active: [Active], days: Int, _ status: PersonStatus
  ) -> [(row: Int, counts: [[[Int]]])] {
    var counts: [(row: Int, counts: [[[Int]]])] = []
    var next = 0
    while next < active.count {
      let row = active[next].row
      var own = ActivityCounts(days: days)
      while next < active.count, active[next].row == row {
        let person = active[next].person
        var list: [(day: Int, status: Int)] = []
        while next < active.count, active[next].row == row, active[next].person == person {
          let one = active[next]
          let today = (day: Int(one.day), status: status.status(person, at: one.ts).rawValue)
          // The last activity of a day sets the user's status on that day.
          if list.last?.day == today.day { list[list.count - 1] = today } else { list.append(today) }
          next += 1
        }
        own.add(list)
      }
      counts.append((Int(row), own.counts))
    }
    return counts
  }

  /// Returns the sums of one period by status, without statuses that have no active user.
  private static func sums(_ counts: [[[Int]]], _ days: ClosedRange<Int>) -> [(status: String, sums: Sums)] {
    let last = days.upperBound
    func sums(_ counts: [[[Int]]]) -> Sums {
      func count(_ count: ([[Int]]) -> Int) -> Int { counts.reduce(0) { $0 + count($1) } }
      return Sums(
        days: days.count, daily: count { $0[0][days].reduce(0, +) }, weekly: count { $0[1][last] },
        monthly: count { $0[2][last] }, known: last + 1)
    }
    let statuses = PersonStatus.Status.allCases
    let all = [(status: "all", sums: sums(statuses.map { counts[$0.rawValue] }))]
    return (all + statuses.map { (status: $0.name, sums: sums([counts[$0.rawValue]])) }).filter {
      $0.sums.daily + $0.sums.monthly > 0
    }
  }
}

/// The contexts of users' first impressions, for the context dimensions and filters of the query.
private struct EntryContexts {
  private let by: [Dimension]
  private var codes: [Int32: [Int64]] = [:]
  private let filters: [(place: Int, filter: CodeFilter)]

  /// Returns whether the query uses no context dimension or filter.
  var isEmpty: Bool { by.isEmpty }

  init(_ query: ReportQuery) throws {
    let own = query.options.filters.filter(\.dimension.isContext)
    by = query.by.filter(\.isContext) + own.map(\.dimension)
    let filtersFrom = by.count - own.count
    filters = own.enumerated().map { (filtersFrom + $0.offset, query.codeFilter($0.element)) }
    if by.isEmpty { return }
    var all = query.options
    all.filters = []
    all.from = nil
    all.to = nil
    let rows = try UnitRows(query.with(all, by: by))
    var found: [Int32: [Int64]] = [:]
    try query.facts.forEachPersonWithCredits(withEntries: true, withTrials: false, withPurchases: false) {
      person, units, cellKey in
      guard let key = units.entry?.key else { return }
      let facet = UnitFacet(cellKey(key.cellKey), client: key.client, properties: key.properties)
      found[person] = rows.undatedRow(facet)?.codes
    }
    codes = found
  }

  func code(_ dimension: Dimension, _ person: Int32) -> Int64 {
    by.firstIndex(of: dimension).flatMap { codes[person]?[$0] } ?? 0
  }

  func passes(_ person: Int32) -> Bool {
    filters.allSatisfy { $0.filter.accepts(codes[person]?[$0.place] ?? 0) }
  }
}
