internal import EventModel
internal import Lifecycle
internal import Store

/// Walks users along a path of a file (implements definitions 11.3, 11.4 and 11.5).
struct PathWalk {
  private let query: ReportQuery
  private let plan: PathPlan
  private let entry: CodeCondition
  private let steps: [CodeCondition]
  private let moments: PathMoments
  private let contexts: RowContexts
  private let filters: [CodeFilter]
  /// The requested days without `--from` and `--to`, which apply to the entries that ``entries(_:)`` finds.
  private let days: DayQuestion

  private init(_ query: ReportQuery, _ plan: PathPlan) throws {
    self.query = query
    self.plan = plan
    entry = CodeCondition(query, plan.entry)
    steps = plan.steps.map { CodeCondition(query, $0.condition) }
    moments = try PathMoments(query, [plan.entry] + plan.steps.map(\.condition))
    contexts = try RowContexts(query)
    filters = CellQuery.keyFilters(query)
    days = DayQuestion(query, by: query.by, hasEnds: false)
  }

  /// Returns the sums of the rows, and the horizon in ms by app.
  static func sumsOfRows(
    _ query: ReportQuery, _ plan: PathPlan
  ) throws -> (sumsOfRows: [RowKey: PathSums], horizons: [NameID: Int64]) {
    // The funnel's horizon is its window, the length of a trial, and grace.
    let horizons =
      plan.steps.contains { $0.within == nil }
      ? try Funnel.horizons(query).mapValues { plan.horizon(trial: $0 - FoldOptions.attributionWindow) }
      : Dictionary(uniqueKeysWithValues: query.apps.map { ($0.id, plan.horizon(trial: 0)) })
    let walk = try PathWalk(query, plan)
    let days = DayQuestion(query, by: query.by)
    let none = PathSums(steps: plan.steps.count)
    var sumsOfRows: [RowKey: PathSums] = [:]
    try walk.moments.forEachPerson { own in
      for (place, row) in walk.entries(own) {
        let app = row.app
        guard let asOf = query.asOfs[app], let row = days.row(row, at: own[place].position.ts) else { continue }
        let isView = query.options.unit == .view
        let reach = walk.reach(own, from: place) { moment in
          !isView || walk.contexts.isOf(row) { walk.moments.code($0, moment) }
        }
        let isMature = own[place].position.ts <= asOf - (horizons[app] ?? 0)
        sumsOfRows[row, default: none].add(reach, isMature: isMature, asOf: asOf)
      }
    }
    return (sumsOfRows, horizons)
  }

  /// Returns when users reached the last step of a path, in ms by user, with the exposure as the entry.
  ///
  /// - Parameter exposures: Instants in ms, by user.
  static func reached(
    _ query: ReportQuery, _ plan: PathPlan, from exposures: [Int32: Int64], to experiment: String
  ) throws -> [Int32: Int64] {
    var plan = plan
    plan.entry = PathPlan.Condition(
      events: [.exposure, .paywallImpression],
      filters: [ReportOptions.Filter(dimension: .experiment, values: [experiment])])
    let walk = try PathWalk(query, plan)
    var reached: [Int32: Int64] = [:]
    try walk.moments.forEachPerson { own in
      guard let person = own.first?.person, let ts = exposures[person],
        let place = own.firstIndex(where: { $0.position.ts == ts && walk.entry.accepts($0, entry: nil, walk.moments) })
      else { return }
      reached[person] = walk.reach(own, from: place) { _ in true }.last?.reached
    }
    return reached
  }

  /// Returns a user's entries with their rows, without days: the first ever if its row is asked for, or with `--unit
  /// view` the first to each row.
  private func entries(_ own: [PathMoment]) -> [(place: Int, row: RowKey)] {
    var found: [(place: Int, row: RowKey)] = []
    var seen: Set<RowKey> = []
    for place in own.indices where entry.accepts(own[place], entry: nil, moments) {
      let moment = own[place]
      let row = RowKey(app: moments.app(of: moment), codes: query.by.map { moments.code($0, moment) })
      let isAsked = filters.allSatisfy { $0.accepts(moments.code($0.dimension, moment)) }
      if query.options.unit == .user { return isAsked ? [(place, row)] : [] }
      if isAsked, let row = days.row(row, at: moment.position.ts), seen.insert(row).inserted {
        found.append((place, row))
      }
    }
    return found
  }

  /// Returns how far a user came in each step.
  ///
  /// - Parameter isOfRow: Returns whether a moment counts for the entry's row.
  private func reach(
    _ own: [PathMoment], from start: Int, where isOfRow: (PathMoment) -> Bool
  ) -> [PathSums.Reach] {
    let first = own[start]
    func find(_ step: Int, after position: PathMoment.Position, of trial: PathMoment.Trial?) -> PathMoment? {
      own[start...].first { moment in
        moment.position > position && steps[step].accepts(moment, entry: first, moments) && isOfRow(moment)
          && (trial == nil || moment.trial == trial)
      }
    }
    var reach = plan.steps.map { _ in PathSums.Reach.none }
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
      reach[place] = PathSums.Reach(anchor: anchor.position.ts, reached: match?.position.ts, end: end)
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
