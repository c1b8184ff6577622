internal import EventModel
internal import GRDB
internal import Lifecycle

/// Which persons' stored facts do not hold under other rules, and who their users are instead.
struct RecomputePlan {
  /// The persons as stored.
  let stale: UserSet
  /// Their users, in order, with the persons that they are instead.
  let users: [(user: Int32, person: Int32)]
  let graph: IdentityGraph

  /// The persons to fold, in order.
  var persons: [Int32] {
    var persons = UserSet()
    for (_, person) in users { persons.insert(person) }
    return persons.users
  }

  /// The plan for some of the persons, where joins are as stored.
  func only(_ persons: UserSet) -> RecomputePlan {
    RecomputePlan(stale: persons, users: users.filter { persons.contains($0.person) }, graph: graph)
  }

  init(stale: UserSet, users: [(user: Int32, person: Int32)], graph: IdentityGraph) {
    self.stale = stale
    self.users = users
    self.graph = graph
  }

  /// Everybody.
  ///
  /// - Parameter asOf: By app; those that are not there have no persons to fold.
  init(everybodyIn db: Database, asOf: [NameID: Int64]) throws {
    try self.init(of: Self.allUsers(db), IdentityGraph(stored: db), IdentityGraph(db) { asOf[$0] ?? .min })
  }

  /// Those with events at or after their app's as-of, and those whose facts are others with another grace or attribution
  /// than the stored ones.
  ///
  /// - Parameter isPast: Whether there are such events.
  init(_ db: Database, asOf: [NameID: Int64], isPast: Bool, grace: Int64, attribution: Attribution) throws {
    var users = isPast ? try Self.lateUsers(db, asOf) : UserSet()
    if grace != FoldOptions.stored.grace { try Self.addPersonsWithUnits(db, to: &users) }
    let stored = try IdentityGraph(stored: db)
    if attribution != FoldOptions.stored.attribution { try Self.addPersonsWithContexts(db, stored, to: &users) }
    try self.init(of: users.users, stored, isPast ? IdentityGraph(db) { asOf[$0] ?? .min } : stored)
  }

  /// - Parameters:
  ///   - of: Users whose persons' facts do not hold.
  ///   - stored: Which users are one person by the stored facts.
  ///   - graph: Which users are at the as-of.
  private init(of changed: [Int32], _ stored: IdentityGraph, _ graph: IdentityGraph) {
    var stale = UserSet()
    var users = UserSet()
    // A late event of any of a stored person's users makes all of them stale.
    for user in changed {
      let person = stored.person(of: user)
      if stale.contains(person) { continue }
      stale.insert(person)
      for user in stored.users(of: person) { users.insert(user) }
    }
    self.stale = stale
    self.users = users.users.map { ($0, graph.person(of: $0)) }
    self.graph = graph
  }

  /// Users are numbered from 1.
  private static func allUsers(_ db: Database) throws -> [Int32] {
    let last = try Int32.fetchOne(db, sql: "SELECT MAX(id) FROM main.user") ?? 0
    return last > 0 ? Array(1...last) : []
  }

  /// Adds the persons of whom something begins or ends at an instant that grace moves.
  private static func addPersonsWithUnits(_ db: Database, to users: inout UserSet) throws {
    for table in [FactTable.trial, .conversion, .spell] {
      let row = try SQLiteStatement(db, "SELECT DISTINCT person FROM main.\(table.rowTable)")
      while try row.step() { users.insert(row.int32(0)) }
    }
  }

  /// Adds the persons that saw impressions of two contexts within one window of attribution (definitions 2.10): of one
  /// context, each kind of attribution takes the same.
  private static func addPersonsWithContexts(
    _ db: Database, _ stored: IdentityGraph, to users: inout UserSet
  ) throws {
    // By person; -1 for none yet.
    var contexts: [Int64] = []
    var instants: [Int64] = []
    var numbers = BlockNumbers()
    let kind = Int64(EventKind.paywallImpression.rawValue)
    try SortedRuns.forEachView(db) { view in
      guard try numbers.readContexts(view, ofKind: kind) else { return }
      for place in numbers.kinds.indices where numbers.kinds[place] == kind {
        let person = stored.person(of: Int32(truncatingIfNeeded: numbers.users[place]))
        let index = Int(person)
        if index >= contexts.count {
          let more = index + 1 + index / 2 - contexts.count
          contexts.append(contentsOf: repeatElement(-1, count: more))
          instants.append(contentsOf: repeatElement(0, count: more))
        }
        let (context, ts, before) = (numbers.contexts[place], numbers.instants[place], contexts[index])
        if before != -1 {
          // Two that differ in a window have neighbours between them that do. Where users were joined, or came in several
          // runs, impressions may be met out of order: neighbours are not known then.
          let isNear = before != context && ts - instants[index] < FoldOptions.attributionWindow
          if isNear || ts < instants[index] { users.insert(person) }
        }
        contexts[index] = context
        instants[index] = ts
      }
    }
  }

  /// The users that have events at or after their app's as-of.
  private static func lateUsers(_ db: Database, _ asOf: [NameID: Int64]) throws -> UserSet {
    let clientApp = try StoredDictionaries.clientApps(db)
    // An app that is not asked for has no late users.
    let limits = clientApp.map { asOf[$0] ?? .max }
    let least = limits.min() ?? .max
    var late = UserSet()
    var numbers = BlockNumbers()
    try SortedRuns.forEachView(db) { view in
      try numbers.readArrivals(view)
      for place in numbers.instants.indices where numbers.instants[place] >= least {
        guard numbers.instants[place] >= limits[Int(numbers.clients[place])] else { continue }
        late.insert(Int32(truncatingIfNeeded: numbers.users[place]))
      }
    }
    return late
  }
}
