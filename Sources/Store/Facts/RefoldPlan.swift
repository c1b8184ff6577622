internal import GRDB
internal import Lifecycle

/// Which persons' stored facts do not hold under other rules, and who their users are instead.
struct RefoldPlan {
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

  init(stale: UserSet, users: [(user: Int32, person: Int32)], graph: IdentityGraph) {
    self.stale = stale
    self.users = users
    self.graph = graph
  }

  /// - Parameters:
  ///   - asOf: By app; those that are not there have no persons to fold.
  ///   - all: Every person; else those with events at or after their app's as-of.
  init(_ db: Database, asOf: [NameID: Int64], all: Bool) throws {
    let graph = try IdentityGraph(db) { asOf[$0] ?? .min }
    let stored = try IdentityGraph(stored: db)
    var stale = UserSet()
    var users = UserSet()
    // A late event of any of a stored person's users makes all of them stale.
    for user in try all ? Self.allUsers(db) : Self.lateUsers(db, asOf).users {
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

  /// The users that have events at or after their app's as-of.
  private static func lateUsers(_ db: Database, _ asOf: [NameID: Int64]) throws -> UserSet {
    let clientApp = try StoredDictionaries.clientApps(db)
    // An app that is not asked for has no late users.
    let limits = clientApp.map { asOf[$0] ?? .max }
    let least = limits.min() ?? .max
    var late = UserSet()
    var numbers = BlockNumbers()
    try EventRuns.forEachView(db) { view in
      try numbers.readArrivals(view)
      for place in numbers.instants.indices where numbers.instants[place] >= least {
        guard numbers.instants[place] >= limits[Int(numbers.clients[place])] else { continue }
        late.insert(Int32(truncatingIfNeeded: numbers.users[place]))
      }
    }
    return late
  }
}
