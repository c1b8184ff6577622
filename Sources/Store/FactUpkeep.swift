internal import GRDB
internal import Lifecycle

/// Keeps the facts what a rebuild from all events would give, by folding only the persons that a commit touches.
final class FactUpkeep {
  private let db: Database
  private let reader: EventReader
  private let writer: FactWriter
  private var fold = PersonFold(options: .stored)
  private let setPerson: SQLiteStatement

  private var graph: IdentityGraph
  private var touched = UserSet()
  private var joins: [(user: Int32, previous: Int32)] = []
  private var mustRebuildGraph = false
  /// Users from here on are new in this commit: they have no facts yet.
  private var firstNewUser: Int32

  init(_ db: Database, segments: Segments, nextUser: Int32) throws {
    self.db = db
    reader = try EventReader(db, segments: segments)
    writer = try FactWriter(db, schema: "main")
    setPerson = try SQLiteStatement(db, "UPDATE user SET person = ?2 WHERE id = ?1")
    graph = try IdentityGraph(stored: db)
    firstNewUser = nextUser
  }

  /// Notes that a user's events have changed.
  func touch(_ user: Int32) { touched.insert(user) }

  /// Notes a new `identify` event that counts.
  func join(_ user: Int32, with previous: Int32) { joins.append((user, previous)) }

  /// Notes that an `identify` event has gone.
  func unjoin() { mustRebuildGraph = true }

  /// Brings identities and facts up to date, inside the commit's transaction.
  func update(dictionaries: EventDictionaries, nextUser: Int32) throws {
    var stale = UserSet()
    for user in touched.users { stale.insert(graph.person(of: user)) }
    if mustRebuildGraph {
      try rebuildGraph(dictionaries, &stale)
    } else {
      for join in joins {
        guard let (absorbed, root) = graph.join(join.user, join.previous) else { continue }
        stale.insert(absorbed)
        stale.insert(root)
        for user in graph.users(of: root) { try store(person: root, of: user) }
      }
    }
    let persons = stale.users
    for person in persons where person < firstNewUser { try writer.delete(person: person) }
    try insertFacts(persons, isStale: stale.contains, dictionaries)
    touched.removeAll()
    joins.removeAll()
    mustRebuildGraph = false
    firstNewUser = nextUser
  }

  private func rebuildGraph(_ dictionaries: EventDictionaries, _ stale: inout UserSet) throws {
    let old = graph
    graph = try IdentityGraph(db, dictionaries: dictionaries) { _ in .max }
    for user in Set(old.joined.keys).union(graph.joined.keys) where old.person(of: user) != graph.person(of: user) {
      stale.insert(old.person(of: user))
      stale.insert(graph.person(of: user))
      try store(person: graph.person(of: user), of: user)
    }
  }

  private func store(person: Int32, of user: Int32) throws {
    setPerson.bind(1, user)
    setPerson.bind(2, person)
    try setPerson.run()
  }

  private func insertFacts(
    _ persons: [Int32], isStale: (Int32) -> Bool, _ dictionaries: EventDictionaries
  ) throws {
    guard let first = persons.first, let last = persons.last else { return }
    // Where most of a range is wanted, one walk through it is faster than a seek a person.
    if Int(last - first) < persons.count * 4 {
      try reader.forEachUser(in: first...last) { user, events in
        guard isStale(user), !graph.isJoined(user) else { return }
        try insert(events, person: user, dictionaries)
      }
      for person in persons where graph.isJoined(person) { try insertJoined(person, dictionaries) }
    } else {
      for person in persons { try insertJoined(person, dictionaries) }
    }
  }

  private func insertJoined(_ person: Int32, _ dictionaries: EventDictionaries) throws {
    guard graph.person(of: person) == person else { return }
    try insert(try reader.events(ofUsers: graph.users(of: person)), person: person, dictionaries)
  }

  private func insert(_ events: [PersonEvent], person: Int32, _ dictionaries: EventDictionaries) throws {
    guard let last = events.last else { return }
    fold.fold(events, dictionaries: dictionaries)
    try writer.insert(fold.facts, person: person, app: dictionaries.clientApp[Int(last.client)]) {
      reader.subscriptionID($0)
    }
  }
}
