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

  /// - Parameters:
  ///   - asOf: By app; those that are not there have no persons.
  ///   - all: Every person of these apps; else those with events at or after their app's as-of.
  init(_ db: Database, asOf: [NameID: Int64], all: Bool) throws {
    let graph = try IdentityGraph(db) { asOf[$0] ?? .min }
    var stale = UserSet()
    let late = all ? nil : try Self.lateUsers(db, asOf)
    let apps = asOf.keys.sorted().map(String.init).joined(separator: ", ")
    var users: [(user: Int32, person: Int32)] = []
    // In memory the persons of late users are found first, for any of their users makes all of them stale.
    let statement = try SQLiteStatement(db, "SELECT id, person FROM main.user WHERE app IN (\(apps)) ORDER BY id")
    if let late {
      while try statement.step() { if late.contains(statement.int32(0)) { stale.insert(statement.int32(1)) } }
      statement.reset()
    }
    while try statement.step() {
      let (user, person) = (statement.int32(0), statement.int32(1))
      if late == nil { stale.insert(person) } else if !stale.contains(person) { continue }
      users.append((user, graph.person(of: user)))
    }
    self.stale = stale
    self.users = users
    self.graph = graph
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
