internal import EventModel
internal import Lifecycle
internal import Store

/// Reads the exposures to one experiment of one app and their outcomes: from stored cells, in milliseconds, or from the
/// facts of users, which have every dimension. Both give equal results.
struct ExposureSource {
  /// A user as read from facts.
  struct Person {
    let user: ExposedUser
    let unit: ExposureUnit
    let trial: ExposureOutcome.Trial?
    let revenues: [ExposureOutcome.Revenue]

    init(_ user: ExposedUser, _ outcome: ExposureOutcome) {
      self.user = user
      var unit = ExposureUnit(ts: user.exposedAt, client: user.client, outcome)
      unit.isCrossed = user.isCrossed
      self.unit = unit
      trial = outcome.trial
      revenues = outcome.revenues
    }
  }

  private enum Content {
    case cells(CellSource, arms: [(facet: Int, variant: NameID)])
    case persons([Person])
  }

  private var content: Content
  /// Exposures at or after this instant do not count.
  let end: Int64
  /// The slices by the codes of the query's dimensions; one slice without codes if the query has none.
  private(set) var slices: [[Int64]]

  /// - Parameter needsPersons: Whether ``persons`` are needed.
  init(
    _ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, plan: ExperimentPlan, needsPersons: Bool
  ) throws {
    let asOf = query.asOf(of: app)
    end = min(plan.end ?? asOf, asOf)
    (content, slices) = (.persons([]), [[]])
    let isUnfiltered =
      query.by.isEmpty && query.options.filters.isEmpty && query.options.from == nil && query.options.to == nil
    if !needsPersons, isUnfiltered, let cells = try query.facts.cells() {
      let arms = cells.cellKeys.indices.compactMap { facet -> (facet: Int, variant: NameID)? in
        let cellKey = cells.cellKeys[facet]
        guard cellKey.app == app.id, cellKey.context.experiment == experiment else { return nil }
        return (facet, cellKey.context.variant)
      }
      content = .cells(cells, arms: arms)
      if try cellsTell(plan) { return }
    }
    (content, slices) = try Self.read(query, app: app, experiment: experiment, since: plan.start, before: end)
  }

  /// Returns whether the cells can answer a plan with a start or an end of exposures. A user first seen before the
  /// start may have been seen again later, and a user whose second variant came at or after the end is not crossed.
  private func cellsTell(_ plan: ExperimentPlan) throws -> Bool {
    guard plan.start != nil || plan.end != nil, case .cells(let cells, let arms) = content else { return true }
    let (start, planned) = (plan.start ?? .min, plan.end ?? .max)
    var tells = true
    var units: [ExposureUnit] = []
    for (facet, _) in arms {
      try cells.forEachCell(.exposure, facet: facet, days: CellFamily.days) { cell in
        cell.exposures(into: &units)
        for unit in units where unit.ts < start || unit.ts < planned && unit.isCrossed && plan.end != nil {
          tells = false
        }
      }
    }
    return tells
  }

  /// By the dimensions and filters of the query, and since the plan's start.
  private static func read(
    _ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, since start: Int64?, before end: Int64
  ) throws -> (Content, slices: [[Int64]]) {
    let rows = try UnitRows(query)
    var (undated, slices): ([Int32: RowKey?], RowInterner<[Int64]>) = ([:], RowInterner())
    if query.by.isEmpty { _ = slices.intern([]) }
    var persons: [Person] = []
    func add(_ user: ExposedUser, _ outcome: ExposureOutcome) {
      if undated[user.client] == nil {
        let cellKey = CellKey(app: app.id, context: Context(experiment: 0, variant: 0, paywall: 0, entryPoint: 0))
        let row = rows.undatedRow(UnitFacet(cellKey, client: user.client))
        undated.updateValue(row, forKey: user.client)
      }
      guard let row = undated[user.client] ?? nil, let key = rows.days.row(row, at: user.exposedAt) else { return }
      var user = user
      user.slice = Int(slices.intern(key.codes))
      persons.append(Person(user, outcome))
    }
    guard let start else {
      try ExposedUser.forEach(of: experiment, app: app.id, before: end, withOutcomes: true, query.facts, add)
      return (.persons(persons), slices.rows)
    }
    let source = try query.facts.exposures(of: experiment, app: app.id, since: start, grace: query.options.grace)
    // Groups by user alone, in the order of the key: with the app, of which there is one, SQLite would sort.
    try query.facts.forEachRow(
      """
      SELECT person, MIN(variant), MIN(ts), MIN(client), COUNT(*), MIN(outcome) FROM \(source) AS x
      WHERE app = \(app.id) AND experiment = \(experiment) AND ts < \(end)
      GROUP BY person
      """
    ) { row in
      let user = ExposedUser(
        person: try row.person(0), variant: row.int32(1), exposedAt: try row.instant(2), client: try row.client(3),
        isCrossed: row[4] > 1)
      add(
        user, user.isCrossed ? ExposureOutcome() : try ExposureOutcome(row.bytes(5), exposedAt: user.exposedAt))
    }
    return (.persons(persons), slices.rows)
  }

  /// Whether cells are read instead of facts.
  var isOfCells: Bool { if case .cells = content { true } else { false } }

  /// The users; empty if cells are read.
  var persons: [Person] {
    if case .persons(let persons) = content { persons } else { [] }
  }

  @inline(__always)
  func forEachExposure(_ body: (_ variant: NameID, ExposureUnit, _ slice: Int) -> Void) throws {
    for person in persons { body(person.user.variant, person.unit, person.user.slice) }
    try forEachUnit(.exposure, { $0.exposures(into: &$1) }, at: { $0.ts }, body)
  }

  @inline(__always)
  func forEachTrial(_ body: (_ variant: NameID, ExposedTrialUnit, _ slice: Int) -> Void) throws {
    for person in persons {
      if let trial = person.trial {
        body(person.user.variant, ExposedTrialUnit(exposedAt: person.unit.ts, trial), person.user.slice)
      }
    }
    try forEachUnit(.exposedTrial, { $0.exposedTrials(into: &$1) }, at: { $0.exposedAt }, body)
  }

  @inline(__always)
  func forEachRevenue(_ body: (_ variant: NameID, ExposedRevenueUnit, _ slice: Int) -> Void) throws {
    for person in persons {
      for revenue in person.revenues {
        body(person.user.variant, ExposedRevenueUnit(exposedAt: person.unit.ts, revenue), person.user.slice)
      }
    }
    try forEachUnit(.exposedRevenue, { $0.exposedRevenues(into: &$1) }, at: { $0.exposedAt }, body)
  }

  /// Reads units of cells, if cells are read.
  ///
  /// - Parameters:
  ///   - read: Replaces a list with a cell's units.
  ///   - instant: Returns the exposure of a unit.
  @inline(__always)
  private func forEachUnit<Unit>(
    _ family: CellFamily, _ read: (UnitCell, inout [Unit]) -> Void, at instant: (Unit) -> Int64,
    _ body: (_ variant: NameID, Unit, _ slice: Int) -> Void
  ) throws {
    guard case .cells(let cells, let arms) = content else { return }
    var units: [Unit] = []
    for (facet, variant) in arms {
      try cells.forEachCell(family, facet: facet, days: CellFamily.days) { cell in
        read(cell, &units)
        for unit in units where instant(unit) < end { body(variant, unit, 0) }
      }
    }
  }
}
