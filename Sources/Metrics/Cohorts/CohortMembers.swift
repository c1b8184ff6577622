internal import EventModel
internal import Lifecycle
internal import Store

/// Finds the members of cohorts as of the instants of a query (implements definitions 16.5).
struct CohortMembers {
  private let query: ReportQuery
  /// The apps and instants of each user's first event.
  private let first: FirstEvents

  /// - Parameter query: Without filters and days.
  init(_ query: ReportQuery) throws {
    self.query = query
    first = try query.facts.firstEvents(withDimensions: true)
  }

  /// Returns the cohorts that filters name.
  ///
  /// - Throws: ``ReportError`` for a name that is not in the store's file of cohorts, or if there is no such file.
  static func named(_ filters: [CohortFilter], _ snapshot: StoreSnapshot) throws -> [Cohort] {
    let names = filters.flatMap(\.names)
    let (all, path) = try Cohort.all(of: snapshot)
    guard let all else { throw ReportError.noCohorts(names.first ?? "", file: path) }
    return try names.map { name in
      guard let cohort = all.first(where: { $0.name == name }) else {
        throw ReportError.unknownCohort(name, known: all.map(\.name), file: path)
      }
      return cohort
    }
  }

  func users(of filters: [CohortFilter], _ cohorts: [Cohort]) throws -> UserSet {
    var members: [String: UserSet] = [:]
    for cohort in cohorts where members[cohort.name] == nil { members[cohort.name] = try users(of: cohort) }
    var users = UserSet()
    for (person, instant) in first.instants.enumerated() where instant != .max {
      let person = Int32(person)
      let isKept = filters.allSatisfy { filter in
        filter.names.contains { members[$0]?.contains(person) ?? false } != filter.isExcluding
      }
      if isKept { users.insert(person) }
    }
    return users
  }

  private func users(of cohort: Cohort) throws -> UserSet {
    /// The conditions that each user meets, as bits.
    var met = [UInt64](repeating: 0, count: first.instants.count)
    for (place, condition) in cohort.conditions.enumerated() {
      guard case .first(let filters) = condition else { continue }
      try forEachUser(whoseFirstEventIs: filters, of: cohort) { met[Int($0)] |= 1 << UInt64(place) }
    }
    try addEvents(of: cohort, to: &met)
    let all: UInt64 = 1 << UInt64(cohort.conditions.count) - 1
    let app = cohort.app.map { name in query.apps.first { $0.name == name }?.id ?? -1 }
    var users = UserSet()
    for (person, met) in met.enumerated() where cohort.needsAll ? met == all : met != 0 {
      if app.map({ $0 == first.apps[person] }) ?? true { users.insert(Int32(person)) }
    }
    return users
  }

  private func isOnDay(_ ts: Int64, of cohort: Cohort) -> Bool {
    LocalDays(from: cohort.from, to: cohort.to).range.contains(query.localTime.day(of: ts))
  }

  // MARK: First events

  private func forEachUser(
    whoseFirstEventIs filters: [ReportOptions.Filter], of cohort: Cohort, _ body: (Int32) -> Void
  ) throws {
    let tests = filters.map(query.codeFilter)
    if filters.allSatisfy({ $0.dimension.isOfClient || $0.dimension.isProperty }) {
      let codes = try DimensionCodes(query, filters.map(\.dimension))
      for (person, instant) in first.instants.enumerated() where instant != .max && isOnDay(instant, of: cohort) {
        // Neither clients nor properties depend on what a unit is credited to.
        let facet = UnitFacet(
          credits: [CellKey(app: first.apps[person], context: .none)], client: first.clients[person],
          properties: first.properties[person])
        if tests.allSatisfy({ $0.accepts(codes.code($0.dimension, facet)) }) { body(Int32(person)) }
      }
      return
    }
    let codes = try ScannedDimensions(query, and: filters.map(\.dimension))
    try query.facts.forEachPerson(withEvents: EventKind.allCases) { person, events in
      guard let event = events.first, isOnDay(event.ts, of: cohort) else { return }
      if tests.allSatisfy({ $0.accepts(codes.code($0.dimension, event)) }) { body(person) }
    }
  }

  // MARK: Events

  /// A condition on events or facts.
  private struct Happened {
    var place: Int
    var test: CodeCondition
    var atLeast: Int
    var within: Cohort.Window?
  }

  private func addEvents(of cohort: Cohort, to met: inout [UInt64]) throws {
    var plain: [PathPlan.Condition] = []
    var conditions: [Happened] = []
    for (place, condition) in cohort.conditions.enumerated() {
      guard case .happened(let events, let atLeast, let within) = condition else { continue }
      plain.append(events)
      conditions.append(
        Happened(place: place, test: CodeCondition(query, events), atLeast: atLeast, within: within))
    }
    if conditions.isEmpty { return }
    let entries = conditions.contains { $0.within?.anchor == .entry } ? try self.entries() : [:]
    let moments = try PathMoments(query, plain)
    try moments.forEachPerson { own in
      guard let person = own.first?.person, Int(person) < met.count else { return }
      for condition in conditions {
        var window = Int64.min..<Int64.max
        if let within = condition.within {
          let anchor = within.anchor == .install ? first.instants[Int(person)] : entries[person]
          guard let anchor, anchor != .max else { continue }
          window = anchor..<anchor + within.length
        }
        let count = own.lazy.filter { moment in
          window.contains(moment.position.ts) && isOnDay(moment.position.ts, of: cohort)
            && condition.test.accepts(moment, entry: nil, moments)
        }.prefix(condition.atLeast).count
        if count >= condition.atLeast { met[Int(person)] |= 1 << UInt64(condition.place) }
      }
    }
  }

  /// Returns the instants of the funnel's entries, by user.
  private func entries() throws -> [Int32: Int64] {
    var entries: [Int32: Int64] = [:]
    try query.facts.forEachRow("SELECT person, ts FROM \(query.facts.table(.entry)) AS f") { row in
      entries[try row.person(0)] = try row.instant(1)
    }
    return entries
  }
}
