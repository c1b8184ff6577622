internal import GRDB
internal import Lifecycle

/// Folds persons again under other rules, into tables of memory with the columns of the stored ones.
///
/// `temp.refolded` lists the persons whose stored facts do not hold, `temp.refolded_user` whose users are who instead.
struct Refold {
  private let db: Database
  private let asOf: [NameID: Int64]
  private let grace: Int64
  private let attribution: Attribution

  init(_ db: Database, asOf: [NameID: Int64], grace: Int64, attribution: Attribution) {
    self.db = db
    self.asOf = asOf
    self.grace = grace
    self.attribution = attribution
  }

  func run(_ plan: RefoldPlan, _ dictionaries: EventDictionaries) throws {
    // Those of an earlier report of the same snapshot.
    try db.execute(sql: FactTable.dropSQL(schema: "temp"))
    for table in ["refolded", "refolded_user"] { try db.execute(sql: "DROP TABLE IF EXISTS temp.\(table)") }
    try db.execute(sql: "CREATE TABLE temp.refolded (person INTEGER NOT NULL PRIMARY KEY) STRICT")
    try db.execute(
      sql: "CREATE TABLE temp.refolded_user (user INTEGER NOT NULL PRIMARY KEY, person INTEGER NOT NULL) STRICT")
    try db.execute(sql: FactTable.originSQL(schema: "temp"))
    for sql in FactTable.allCases.flatMap({ $0.createSQL(schema: "temp") }) { try db.execute(sql: sql) }
    let insertPerson = try SQLiteStatement(db, "INSERT INTO temp.refolded VALUES (?)")
    for person in plan.stale.users {
      insertPerson.bind(1, person)
      try insertPerson.run()
    }
    let insertUser = try SQLiteStatement(db, "INSERT INTO temp.refolded_user VALUES (?, ?)")
    for (user, person) in plan.users {
      insertUser.bind(1, user)
      insertUser.bind(2, person)
      try insertUser.run()
    }
    let writer = try FactWriter(db, schema: "temp")
    let origins = try OriginNumbers(db, schema: "temp")
    var facts = FactRows(putsIntoCells: false)
    try forEachPerson(plan, dictionaries) { person, app, folded, subscriptionIDs in
      facts.append(person, app: app, folded, subscriptionIDs: subscriptionIDs(), origins)
      if facts.personCount < FactRows.portion { return }
      try writer.insert(&facts)
      facts.removeAll()
    }
    try writer.insert(&facts)
  }

  /// From so many users on, a thread of its own reads the events while this one folds them.
  private static let manyUsers = 10_000
  /// Events that are handed on together.
  private static let portion = 16_384

  /// Folds the persons of a plan, and calls `body` with the facts of those that have any.
  ///
  /// - Parameters:
  ///   - takesFirstSight: See ``FoldOptions/takesFirstSight``.
  ///   - readsAside: Whether another thread may have the connection meanwhile, which `body` then must leave alone.
  func forEachPerson(
    _ plan: RefoldPlan, _ dictionaries: EventDictionaries, takesFirstSight: Bool = false, readsAside: Bool = false,
    _ body: (
      _ person: Int32, _ app: NameID, borrowing PersonFacts, _ subscriptionIDs: () -> [CodedID]
    ) throws -> Void
  ) throws {
    var options = FoldOptions(asOf: .max, grace: grace, attribution: attribution)
    options.takesFirstSight = takesFirstSight
    var fold = RowFold(options: options, dictionaries: dictionaries)
    func take(_ person: Int32, _ rows: EventRows) throws {
      let app = fold.app(of: rows)
      guard let instant = asOf[app] else { return }
      fold.fold(rows, asOf: instant)
      if fold.facts.isEmpty { return }
      try body(person, app, fold.facts) { fold.subscriptionIDs(rows) }
    }
    if readsAside && plan.users.count >= Self.manyUsers {
      try forEachPersonAside(plan, take)
    } else {
      try Self.forEachPerson(plan, EventRuns.cursors(db), take)
    }
  }

  /// The stored person is the widest join: at an earlier instant its users may be several persons.
  private static func forEachPerson(
    _ plan: RefoldPlan, _ cursors: [TableCursor], _ body: (_ person: Int32, EventRows) throws -> Void
  ) throws {
    try PersonScan(graph: plan.graph, old: cursors, new: []).forEach(plan.persons, body)
  }

  private func forEachPersonAside(
    _ plan: RefoldPlan, _ body: (_ person: Int32, EventRows) throws -> Void
  ) throws {
    /// Belongs to the reading thread until it has ended.
    final class Shared: @unchecked Sendable {
      var cursors: [TableCursor]
      init(_ cursors: [TableCursor]) { self.cursors = cursors }
    }
    let shared = try Shared(EventRuns.cursors(db))
    let queue = BatchQueue<[(person: Int32, rows: EventRows)]>.filled(capacity: 4, thread: "read") { put in
      var portion: [(person: Int32, rows: EventRows)] = []
      var events = 0
      try Self.forEachPerson(plan, shared.cursors) { person, rows in
        portion.append((person, rows))
        events += rows.rows.count
        if events < Self.portion { return }
        try put(portion)
        portion = []
        events = 0
      }
      try put(portion)
    }
    defer {
      queue.cancel()
      queue.join()
      // Their statements end on the connection's own thread.
      shared.cursors = []
    }
    while let portion = try queue.take() {
      for (person, rows) in portion { try body(person, rows) }
    }
  }
}
