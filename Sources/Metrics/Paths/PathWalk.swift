internal import EventModel
internal import Lifecycle
internal import Store

/// Walks users along a path of a file (definitions 11.3 to 11.6).
struct PathWalk {
  private struct Condition {
    let events: UInt64
    let fact: PathPlan.Fact?
    let filters: [CodeFilter]
    let same: [Dimension]

    init(_ query: ReportQuery, _ condition: PathPlan.Condition) {
      events = condition.events.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
      fact = condition.fact
      filters = condition.filters.map(query.codeFilter)
      same = condition.same
    }

    func accepts(_ moment: PathMoment, entry: PathMoment?, _ moments: PathMoments) -> Bool {
      switch moment.content {
      case .event(let event): if events >> UInt64(event.kind.rawValue) & 1 == 0 { return false }
      case .fact(let fact): if fact.kind != self.fact { return false }
      }
      if !filters.allSatisfy({ $0.accepts(moments.code($0.dimension, moment)) }) { return false }
      guard let entry else { return true }
      return same.allSatisfy { moments.code($0, moment) == moments.code($0, entry) }
    }
  }

  private let query: ReportQuery
  private let plan: PathPlan
  private let entry: Condition
  private let steps: [Condition]
  private let moments: PathMoments
  private let contexts: RowContexts
  private let filters: [CodeFilter]
  /// The days asked for but for --from and --to, which are of the entry that ``entries(_:)`` finds.
  private let days: DayQuestion

  private init(_ query: ReportQuery, _ plan: PathPlan) throws {
    self.query = query
    self.plan = plan
    entry = Condition(query, plan.entry)
    steps = plan.steps.map { Condition(query, $0.condition) }
    moments = try PathMoments(query, plan)
    contexts = try RowContexts(query)
    filters = CellQuery.keyFilters(query)
    var options = query.options
    (options.from, options.to) = (nil, nil)
    days = DayQuestion(query.with(options), by: query.by, isFiltered: true)
  }

  /// Returns the cells of the rows, and the horizon in ms by app.
  static func cells(
    _ query: ReportQuery, _ plan: PathPlan
  ) throws -> (cells: [CellKey: PathCell], horizons: [NameID: Int64]) {
    // The funnel's horizon is its window, the length of a trial, and grace.
    let horizons =
      plan.steps.contains { $0.within == nil }
      ? try Funnel.horizons(query).mapValues { plan.horizon(trial: $0 - FoldOptions.attributionWindow) }
      : Dictionary(uniqueKeysWithValues: query.apps.map { ($0.id, plan.horizon(trial: 0)) })
    let walk = try PathWalk(query, plan)
    let dates = try UnitRows(query)
    let none = PathCell(steps: plan.steps.count)
    var cells: [CellKey: PathCell] = [:]
    try walk.moments.forEachPerson { own in
      for (place, row) in walk.entries(own) {
        let app = row.app
        guard let asOf = query.asOfs[app], let row = dates.dated(row, at: own[place].position.ts) else { continue }
        let isView = query.options.unit == .view
        let reach = walk.reach(own, from: place) { moment in
          !isView || walk.contexts.isOf(row) { walk.moments.code($0, moment) }
        }
        let isMature = own[place].position.ts <= asOf - (horizons[app] ?? 0)
        cells[row, default: none].add(reach, isMature: isMature, asOf: asOf)
      }
    }
    return (cells, horizons)
  }

  /// Returns a user's entries with their rows, without days: the first ever if its row is asked for, or with `--unit
  /// view` the first to each row.
  private func entries(_ own: [PathMoment]) -> [(place: Int, row: CellKey)] {
    var found: [(place: Int, row: CellKey)] = []
    var seen: Set<CellKey> = []
    for place in own.indices where entry.accepts(own[place], entry: nil, moments) {
      let moment = own[place]
      var row = CellKey(app: moments.app(of: moment), codes: query.by.map { moments.code($0, moment) })
      let isAsked = filters.allSatisfy { $0.accepts(moments.code($0.dimension, moment)) }
      if query.options.unit == .user { return isAsked ? [(place, row)] : [] }
      if days.asksForDays {
        let day = query.localTime.day(of: moment.position.ts)
        guard days.isAsked(day) else { continue }
        row = days.dated(row, day)
      }
      if isAsked, seen.insert(row).inserted { found.append((place, row)) }
    }
    return found
  }

  /// Returns how far a user came in each step.
  ///
  /// - Parameter isOfRow: Returns whether a moment counts for the entry's row.
  private func reach(
    _ own: [PathMoment], from start: Int, where isOfRow: (PathMoment) -> Bool
  ) -> [PathCell.Reach] {
    let first = own[start]
    func find(_ step: Int, after position: PathMoment.Position, of trial: PathMoment.Trial?) -> PathMoment? {
      own[start...].first { moment in
        moment.position > position && steps[step].accepts(moment, entry: first, moments) && isOfRow(moment)
          && (trial == nil || moment.trial == trial)
      }
    }
    var reach = plan.steps.map { _ in PathCell.Reach.none }
    /// The match of the last required step; `nil` once the path has ended.
    var last: PathMoment? = first
    /// The matches of the optional steps since then.
    var open: [(place: Int, match: PathMoment?)] = []
    for (place, step) in plan.steps.enumerated() {
      guard let anchor = step.isFromEntry ? first : last else { continue }
      let end = step.within.map { anchor.position.ts + $0 } ?? anchor.trial?.deadline ?? .max
      var match: PathMoment?
      if let last { match = find(place, after: last.position, of: step.within == nil ? last.trial : nil) }
      if let found = match, found.position.ts >= end { match = nil }
      reach[place] = PathCell.Reach(anchor: anchor.position.ts, reached: match?.position.ts, end: end)
      if step.isOptional {
        open.append((place, match))
        continue
      }
      if let match {
        // An optional step comes before the next required one or not at all.
        for (place, found) in open where found.map({ $0.position >= match.position }) ?? true {
          reach[place].reached = nil
          reach[place].end = min(reach[place].end, match.position.ts)
        }
      }
      open.removeAll()
      last = match
    }
    return reach
  }
}
