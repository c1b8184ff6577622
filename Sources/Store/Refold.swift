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

  /// Folds the persons of a plan, and calls `body` with the facts of those that have any.
  ///
  /// - Parameter takesFirstSight: See ``FoldOptions/takesFirstSight``.
  func forEachPerson(
    _ plan: RefoldPlan, _ dictionaries: EventDictionaries, takesFirstSight: Bool = false,
    _ body: (
      _ person: Int32, _ app: NameID, borrowing PersonFacts, _ subscriptionIDs: () -> [CodedID]
    ) throws -> Void
  ) throws {
    var options = FoldOptions(asOf: .max, grace: grace, attribution: attribution)
    options.takesFirstSight = takesFirstSight
    var fold = RowFold(options: options, dictionaries: dictionaries)
    // The stored person is the widest join: at an earlier instant its users may be several persons.
    try PersonScan(graph: plan.graph, old: EventRuns.cursors(db), new: []).forEach(plan.persons) { person, rows in
      let app = fold.app(of: rows)
      guard let instant = asOf[app] else { return }
      fold.fold(rows, asOf: instant)
      if fold.facts.isEmpty { return }
      try body(person, app, fold.facts) { fold.subscriptionIDs(rows) }
    }
  }
}
