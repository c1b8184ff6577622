internal import EventModel
internal import GRDB
internal import Lifecycle

/// The persons whose stored facts do not hold under other options, and the persons that their users belong to instead.
struct RecomputePlan {
  /// The persons as stored.
  let stale: UserSet
  /// Their users, in order, each with the person that it belongs to instead; those of whom no event exists may be left
  /// out, as they have no facts.
  let users: [(user: Int32, person: Int32)]
  let graph: IdentityGraph
  /// The users of whom an event exists; `nil` for all.
  private(set) var known: UserSet?
  /// The joined users of the stored facts, if they are not those of `graph`.
  private(set) var storedGraph: IdentityGraph?

  /// The persons to fold.
  var persons: UserSet {
    var persons = UserSet()
    for (_, person) in users { persons.insert(person) }
    return persons
  }

  /// Returns the plan for some of the persons, if joins are as stored.
  func only(_ persons: UserSet) -> RecomputePlan {
    RecomputePlan(stale: persons, users: users.filter { persons.contains($0.person) }, graph: graph, known: known)
  }

  /// Returns the plan that folds some of the persons, by their numbers in ``graph``.
  func folding(_ persons: UserSet) -> RecomputePlan {
    RecomputePlan(stale: stale, users: users.filter { persons.contains($0.person) }, graph: graph, known: known)
  }

  /// Returns the plan for some of the stale persons.
  func only(stale persons: UserSet) -> RecomputePlan {
    RecomputePlan(of: persons.users, storedGraph ?? graph, graph, known)
  }
}

extension RecomputePlan {
  /// Creates a plan for all persons.
  ///
  /// - Parameter asOf: The as-of by app; apps that are missing have no persons to fold.
  init(everybodyIn db: Database, asOf: [NameID: Int64]) throws {
    try self.init(of: Self.allUsers(db), IdentityGraph(stored: db), IdentityGraph(db) { asOf[$0] ?? .min })
  }

  /// Creates a plan for the persons with events at or after their app's as-of and for those whose facts differ under
  /// another grace or attribution than the stored one.
  ///
  /// - Parameter isPast: Whether there are events at or after an as-of.
  init(
    _ db: Database, asOf: [NameID: Int64], later: LaterEvents?, isPast: Bool, grace: Int64, attribution: Attribution
  ) throws {
    var (users, known): (UserSet, UserSet?) = isPast ? try Self.lateUsers(db, asOf, later) : (UserSet(), nil)
    if grace != FoldOptions.stored.grace { try Self.addPersonsWithUnits(db, to: &users) }
    let stored = try IdentityGraph(stored: db)
    if attribution != FoldOptions.stored.attribution { try Self.addPersonsWithContexts(db, stored, to: &users) }
    let ends = later?.has(UInt64(EventKind.identify.rawValue)) ?? false ? later?.ends ?? [:] : asOf
    try self.init(of: users.users, stored, isPast ? IdentityGraph(db) { ends[$0] ?? .min } : stored, known)
  }

  /// - Parameters:
  ///   - of: The users of persons whose facts do not hold.
  ///   - stored: The joined users of the stored facts.
  ///   - graph: The joined users at the as-of.
  ///   - known: See ``known``.
  private init(of changed: [Int32], _ stored: IdentityGraph, _ graph: IdentityGraph, _ known: UserSet? = nil) {
    var stale = UserSet()
    var users = UserSet()
    // A late event of any user makes all users of the stored person stale.
    for user in changed {
      let person = stored.person(of: user)
      if stale.contains(person) { continue }
      stale.insert(person)
      for user in stored.users(of: person) where known?.contains(user) ?? true { users.insert(user) }
    }
    self.known = known
    storedGraph = stored
    self.stale = stale
    self.users = users.users.map { ($0, graph.person(of: $0)) }
    self.graph = graph
  }

  /// Returns all users, which are numbered from 1.
  private static func allUsers(_ db: Database) throws -> [Int32] {
    let last = Int32(try StoredEntries.greatestUser(db))
    return last > 0 ? Array(1...last) : []
  }

  /// Adds the persons with a start or an end at an instant that depends on grace.
  private static func addPersonsWithUnits(_ db: Database, to users: inout UserSet) throws {
    let greatest = Int64(try StoredEntries.greatestUser(db))
    for table in [FactTable.trial, .conversion, .spell] {
      let row = try SQLiteStatement(db, "SELECT DISTINCT person FROM main.\(table.rowTable)")
      while try row.step() {
        let person = row.int64(0)
        guard person > 0, person <= greatest else {
          throw StoredDamage.lacks(person, of: "user", had: "a row of facts")
        }
        users.insert(Int32(person))
      }
    }
  }

  /// Adds the persons with impressions of two contexts or offerings within one attribution window; with one of
  /// each, every attribution credits the same.
  private static func addPersonsWithContexts(
    _ db: Database, _ stored: IdentityGraph, to users: inout UserSet
  ) throws {
    // The offering of terms, as far as any has one.
    var offerings: [Int64: Int64] = [:]
    let row = try SQLiteStatement(db, "SELECT id, offering FROM terms WHERE offering <> 0")
    while try row.step() { offerings[row.int64(0)] = row.int64(1) }
    let withTerms = !offerings.isEmpty
    // The context and offering of each person's last impression; -1 for none yet.
    var contexts: [Int64] = []
    var instants: [Int64] = []
    let kind = Int64(EventKind.paywallImpression.rawValue)
    try SortedRuns.forEachNumbers(db, read: { try $0.readContexts($1, ofKind: kind, withTerms: withTerms) }) {
      numbers in
      for place in numbers.kinds.indices where numbers.kinds[place] == kind {
        let person = stored.person(of: Int32(truncatingIfNeeded: numbers.users[place]))
        let index = Int(person)
        if index >= contexts.count {
          let more = index + 1 + index / 2 - contexts.count
          contexts.append(contentsOf: repeatElement(-1, count: more))
          instants.append(contentsOf: repeatElement(0, count: more))
        }
        let offering = withTerms ? offerings[numbers.terms[place]] ?? 0 : 0
        let context = offering << 32 | numbers.contexts[place]
        let (ts, before) = (numbers.instants[place], contexts[index])
        if before != -1 {
          // If two impressions in a window differ, two neighbouring ones between them do. After joins, or with several
          // runs, impressions may come out of order; neighbours are not known then, so the person is added.
          let isNear = before != context && ts - instants[index] < FoldOptions.attributionWindow
          if isNear || ts < instants[index] { users.insert(person) }
        }
        contexts[index] = context
        instants[index] = ts
      }
    }
  }

  /// Returns the users with events that do not exist, at or after their app's as-of, and those with events that do.
  private static func lateUsers(
    _ db: Database, _ asOf: [NameID: Int64], _ later: LaterEvents?
  ) throws -> (late: UserSet, known: UserSet?) {
    let clientApp = try StoredDictionaries.clientApps(db)
    // An app that is not asked for has no late users.
    let limits = clientApp.map { asOf[$0] ?? .max }
    let ends = clientApp.map { later?.ends[$0] ?? .min }
    let least = limits.min() ?? .max
    let withKinds = later != nil
    var (late, known) = (UserSet(), UserSet())
    var lastKnown: Int64 = 0
    try SortedRuns.forEachNumbers(db, read: { try $0.readArrivals($1, from: least, withKinds: withKinds) }) { numbers in
      for (place, user) in numbers.users.enumerated() {
        let ts = numbers.instants[place]
        if ts >= least {
          let client = Int(numbers.clients[place])
          let isKept = ts < ends[client] && later?.has(UInt64(truncatingIfNeeded: numbers.kinds[place])) ?? false
          if ts >= limits[client], !isKept {
            late.insert(Int32(truncatingIfNeeded: user))
            continue
          }
        }
        if user == lastKnown { continue }
        lastKnown = user
        known.insert(Int32(truncatingIfNeeded: user))
      }
    }
    return (late, known)
  }
}
