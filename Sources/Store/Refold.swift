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
    for table in FactTable.allCases.map({ "\($0.rawValue)_fact" }) + ["refolded", "refolded_user"] {
      try db.execute(sql: "DROP TABLE IF EXISTS temp.\(table)")
    }
    try db.execute(sql: "CREATE TABLE temp.refolded (person INTEGER NOT NULL PRIMARY KEY) STRICT")
    try db.execute(
      sql: "CREATE TABLE temp.refolded_user (user INTEGER NOT NULL PRIMARY KEY, person INTEGER NOT NULL) STRICT")
    for table in FactTable.allCases { try db.execute(sql: table.createSQL(schema: "temp")) }
    for (app, instant) in asOf.sorted(by: { $0.key < $1.key }) {
      let persons =
        all
        ? "SELECT DISTINCT person FROM main.user WHERE app = \(app)"
        : """
        SELECT DISTINCT user.person FROM main.event JOIN main.user ON user.id = \(EventRowID.userSQL("event.id"))
        WHERE event.ts >= \(instant) AND user.app = \(app)
        """
      try db.execute(sql: "INSERT INTO temp.refolded \(persons)")
    }
    let dictionaries = try StoredDictionaries(db).forFold
    let graph = try IdentityGraph(db, dictionaries: dictionaries) { asOf[$0] ?? .min }
    let reader = try EventReader(db)
    let writer = try FactWriter(db, schema: "temp")
    var fold = PersonFold(options: FoldOptions(asOf: .max, grace: grace, attribution: attribution))

    func insert(_ events: [PersonEvent], person: Int32) throws {
      guard let last = events.last else { return }
      let app = dictionaries.clientApp[Int(last.client)]
      guard let instant = asOf[app] else { return }
      fold.options.asOf = instant
      fold.fold(events, dictionaries: dictionaries)
      try writer.insert(fold.facts, person: person, app: app) { reader.subscriptionID($0) }
    }

    // The stored person is the widest join: at an earlier instant its users may be several persons.
    let users = try SQLiteStatement(
      db,
      """
      SELECT user.id
      FROM main.user
      JOIN temp.refolded ON refolded.person = user.person
      ORDER BY user.id
      """)
    var wanted: [Int32] = []
    while try users.step() { wanted.append(users.int32(0)) }
    let insertUser = try SQLiteStatement(db, "INSERT INTO temp.refolded_user VALUES (?, ?)")
    for user in wanted {
      insertUser.bind(1, user)
      insertUser.bind(2, graph.person(of: user))
      try insertUser.run()
    }
    guard let first = wanted.first, let last = wanted.last else { return }
    if Int(last - first) < wanted.count * 4 {
      var next = 0
      try reader.forEachUser(in: first...last) { user, events in
        while next < wanted.count, wanted[next] < user { next += 1 }
        guard next < wanted.count, wanted[next] == user, !graph.isJoined(user) else { return }
        try insert(events, person: user)
      }
      wanted.removeAll { !graph.isJoined($0) }
    }
    for user in wanted where graph.person(of: user) == user {
      try insert(try reader.events(ofUsers: graph.users(of: user)), person: user)
    }
  }
}
