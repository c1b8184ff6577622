internal import Lifecycle
public import Store

/// Reports the funnel from the first paywall impression to payment (definitions 3).
public enum Funnel {
  struct Sums {
    var users = 0
    var immature = 0
    var trial = 0
    var trialPaid = 0
    var direct = 0
    var paid = 0
    var paidLater = 0
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .funnel)
    let (found, horizons) = try counts(query)
    return query.report(
      "funnel", title: "Funnel from the first paywall to payment",
      definition: definition(options),
      own: [Report.Parameter(name: "unit", value: options.unit.rawValue), query.horizonParameter(horizons)],
      notes: { query.horizonNotes($0, horizons) },
      columns: columns, rows: query.rows(found))
  }

  /// Returns the sums of the rows, and the horizon H in ms by app.
  static func counts(_ query: ReportQuery) throws -> (sumsOfRows: [RowKey: Sums], horizons: [NameID: Int64]) {
    // Views are read from events, and the units of cohorts lack the trials of others.
    let units = try CellQuery(query, query.options.unit == .user ? [.entry] : [])
    let hasAllTrials = query.options.unit == .user && query.options.cohorts.isEmpty
    let horizons = try horizons(query, hasAllTrials ? units.source : nil)
    let lastMature = Dictionary(
      uniqueKeysWithValues: query.apps.map { ($0.id, query.asOf(of: $0) - (horizons[$0.id] ?? 0)) })
    let sumsOfRows = try query.options.unit == .user ? users(units, lastMature) : views(query, units, lastMature)
    return (sumsOfRows, horizons)
  }

  /// Counts by user (`--unit user`).
  ///
  /// - Parameter lastMature: The last instant of a matured entry, by app.
  private static func users(_ units: CellQuery, _ lastMature: [NameID: Int64]) throws -> [RowKey: Sums] {
    var rows: [RowKey: Sums] = [:]
    try units.forEachRow(.entry) { key, _, scan in
      let last = lastMature[key.app] ?? .min
      var sums = rows[key] ?? Sums()
      try scan { entries in
        entries.forEachEntry { entry in sums.add(entry.steps, isMature: entry.ts <= last) }
      }
      if sums.users + sums.immature > 0 { rows[key] = sums }
    }
    return rows
  }

  /// Counts by view (`--unit view`): each pair of user and row, entered as ``CellQuery/views()`` says.
  private static func views(
    _ query: ReportQuery, _ units: CellQuery, _ lastMature: [NameID: Int64]
  ) throws -> [RowKey: Sums] {
    let views = try units.views()
    let last = views.rows.map { lastMature[$0.app] ?? .min }
    var steps = [FunnelSteps](repeating: FunnelSteps(), count: views.entries.count)
    var credits = units.creditRows
    try query.facts.forEachPersonWithCredits { person, units, cellKey in
      for place in views.places(of: person) {
        let view = views.entries[place]
        guard view.entry <= last[Int(view.row)] else { continue }
        let row = views.rows[Int(view.row)]
        steps[place] = units.steps(behind: view.entry) { places in
          units.credits[places].contains { credits.counts($0, cellKey, in: row) }
        }
      }
    }
    var sumsOfRows = views.rows.map { _ in Sums() }
    for (place, view) in views.entries.enumerated() {
      let row = Int(view.row)
      sumsOfRows[row].add(steps[place], isMature: view.entry <= last[row])
    }
    var rows: [RowKey: Sums] = [:]
    for (key, sums) in zip(views.rows, sumsOfRows) where sums.users + sums.immature > 0 { rows[key] = sums }
    return rows
  }

  private static func definition(_ options: ReportOptions) -> [String] {
    let unit =
      options.unit == .user
      ? "users: by the context of their first paywall view ever (3.1)"
      : "users: once in each row, from their first paywall view in that row (3.1)"
    return [
      "\(unit). Counts and rates cover users whose view is at least a horizon before the end of the data. Later "
        + "users are too recent to count (immature) (3.3)",
      "trial_users: a first introductory trial within 7 d of that view. direct_paid_users: a payment in those 7 d "
        + "that belongs to no trial of the window (3.2)",
      "trial_to_paid_rate: trial_paid_users ÷ trial_users. paid_users: paid either way. All rates have Wilson's 95 "
        + "% interval (3.4)",
    ]
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("users", \.users), .count("trial_users", \.trial), .count("trial_paid_users", \.trialPaid),
    .count("direct_paid_users", \.direct), .count("paid_users", \.paid), .share("trial_rate", \.trial, of: \.users),
    .share("trial_to_paid_rate", \.trialPaid, of: \.trial), .share("direct_rate", \.direct, of: \.users),
    .share("paid_rate", \.paid, of: \.users), .count("paid_later_users", \.paidLater), .count("immature", \.immature),
  ]

  /// Returns the horizon H in ms by app; implements definitions 3.3.
  ///
  /// - Parameter source: A source that has already read the trials of all users.
  static func horizons(_ query: ReportQuery, _ source: (any UnitSource)? = nil) throws -> [NameID: Int64] {
    let least = query.options.horizon ?? FoldOptions.attributionWindow + query.options.grace
    var horizons = Dictionary(uniqueKeysWithValues: query.apps.map { ($0.id, least) })
    if query.options.horizon != nil || query.apps.isEmpty { return horizons }
    let lengths = try source?.trialLengths() ?? query.facts.trialLengths()
    for (app, counts) in lengths where horizons[app] != nil {
      horizons[app, default: 0] += typicalLength(counts) ?? 0
    }
    return horizons
  }

  /// Returns the least length of trials that 99% do not exceed; `nil` without trials.
  ///
  /// - Parameter lengths: They ascend.
  static func typicalLength(_ lengths: [(length: Int64, count: Int)]) -> Int64? {
    let total = lengths.reduce(0) { $0 + $1.count }
    var below = 0
    return lengths.first { length in
      below += length.count
      return below * 100 >= total * 99
    }?.length
  }
}

extension Funnel.Sums {
  /// Adds one entry by its ``FunnelSteps``; implements definitions 3.4.
  fileprivate mutating func add(_ steps: FunnelSteps, isMature: Bool) {
    guard isMature else {
      immature += 1
      return
    }
    users += 1
    if steps.contains(.hasTrial) { trial += 1 }
    if steps.contains(.hasTrialPaid) { trialPaid += 1 }
    if steps.contains(.hasDirect) { direct += 1 }
    if steps.contains(.hasTrialPaid) || steps.contains(.hasDirect) {
      paid += 1
    } else if steps.contains(.hasPurchase) {
      paidLater += 1
    }
  }
}
