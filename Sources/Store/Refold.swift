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

  /// - Parameter all: Every person; else those with events at or after their app's as-of.
  func run(all: Bool) throws {
    // Those of an earlier report of the same snapshot.
    try db.execute(sql: FactTable.dropSQL(schema: "temp"))
    for table in ["refolded", "refolded_user", "late_user"] {
      try db.execute(sql: "DROP TABLE IF EXISTS temp.\(table)")
    }
    try db.execute(sql: "CREATE TABLE temp.refolded (person INTEGER NOT NULL PRIMARY KEY) STRICT")
    try db.execute(
      sql: "CREATE TABLE temp.refolded_user (user INTEGER NOT NULL PRIMARY KEY, person INTEGER NOT NULL) STRICT")
    try db.execute(sql: FactTable.originSQL(schema: "temp"))
    for sql in FactTable.allCases.flatMap({ $0.createSQL(schema: "temp") }) { try db.execute(sql: sql) }
    let dictionaries = try StoredDictionaries(db).forFold
    if !all { try findLateUsers(dictionaries.clientApp) }
    for app in asOf.keys.sorted() {
      let persons =
        all
        ? "SELECT DISTINCT person FROM main.user WHERE app = \(app)"
        : """
        SELECT DISTINCT user.person FROM temp.late_user JOIN main.user ON user.id = late_user.user
        WHERE user.app = \(app)
        """
      try db.execute(sql: "INSERT INTO temp.refolded \(persons)")
    }
    let graph = try IdentityGraph(db) { asOf[$0] ?? .min }
    try setPersons(graph)
    let writer = try FactWriter(db, schema: "temp")
    var fold = try RowFold(
      options: FoldOptions(asOf: .max, grace: grace, attribution: attribution), dictionaries: dictionaries,
      origins: OriginNumbers(db, schema: "temp"))
    var facts = FactRows(putsIntoCells: false)
    // The stored person is the widest join: at an earlier instant its users may be several persons.
    let persons = try Int32.fetchAll(db, sql: "SELECT DISTINCT person FROM temp.refolded_user ORDER BY person")
    try PersonScan(graph: graph, old: EventRuns.cursors(db), new: []).forEach(persons) { person, rows in
      guard let instant = asOf[fold.app(of: rows)] else { return }
      fold.fold(person, rows, asOf: instant, into: &facts)
      if facts.personCount < FactRows.portion { return }
      try writer.insert(&facts)
      facts.removeAll()
    }
    try writer.insert(&facts)
  }

  /// Fills `temp.refolded_user`.
  private func setPersons(_ graph: IdentityGraph) throws {
    let users = try SQLiteStatement(
      db, "SELECT user.id FROM main.user JOIN temp.refolded ON refolded.person = user.person ORDER BY user.id")
    let insert = try SQLiteStatement(db, "INSERT INTO temp.refolded_user VALUES (?, ?)")
    while try users.step() {
      insert.bind(1, users.int32(0))
      insert.bind(2, graph.person(of: users.int32(0)))
      try insert.run()
    }
  }

  /// Fills `temp.late_user` with the users that have events at or after their app's as-of.
  private func findLateUsers(_ clientApp: [NameID]) throws {
    try db.execute(sql: "CREATE TABLE temp.late_user (user INTEGER NOT NULL PRIMARY KEY) STRICT")
    let insert = try SQLiteStatement(db, "INSERT OR IGNORE INTO temp.late_user VALUES (?)")
    try EventRuns.forEachBlock(db) { events in
      for row in events.rows {
        guard let instant = asOf[clientApp[Int(row.client)]], row.ts >= instant else { continue }
        insert.bind(1, row.user)
        try insert.run()
      }
    }
  }
}
