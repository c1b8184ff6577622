internal import GRDB
internal import Ingest
internal import Lifecycle

/// Folds persons again with other options, into temporary tables with the columns of the stored ones.
///
/// `temp.recomputed` lists the persons whose stored facts do not hold; `temp.recomputed_user` has the persons that
/// their users belong to instead.
struct Recompute {
  private let db: Database
  private let asOf: [NameID: Int64]
  private let laterEnds: [NameID: Int64]
  private let options: FoldOptions

  init(
    _ db: Database, asOf: [NameID: Int64], later: LaterEvents? = nil, grace: Int64, attribution: Attribution
  ) {
    self.db = db
    self.asOf = asOf
    laterEnds = later?.ends ?? [:]
    var options = FoldOptions(asOf: .max, grace: grace, attribution: attribution)
    options.laterKinds = later?.kinds ?? 0
    self.options = options
  }

  /// - Parameters:
  ///   - owner: The number by which ``isOwner(_:)`` knows the tables again.
  ///   - take: Called with the cells and payments of the persons, where they are wanted.
  func run(
    _ plan: RecomputePlan, _ dictionaries: EventDictionaries, owner: Int64? = nil,
    takingCells take: ((FactRows) throws -> Void)? = nil
  ) throws {
    // Drops the tables of an earlier report on the same snapshot.
    try db.execute(sql: FactTable.dropSQL(schema: "temp"))
    for table in ["recomputed", "recomputed_user", "recomputed_by"] {
      try db.execute(sql: "DROP TABLE IF EXISTS temp.\(table)")
    }
    try db.execute(sql: "CREATE TABLE temp.recomputed (person INTEGER NOT NULL PRIMARY KEY) STRICT")
    try db.execute(
      sql: "CREATE TABLE temp.recomputed_user (user INTEGER NOT NULL PRIMARY KEY, person INTEGER NOT NULL) STRICT")
    try db.execute(sql: FactTable.cellKeySQL(schema: "temp"))
    try db.execute(sql: "INSERT INTO temp.origin SELECT * FROM main.origin")
    for sql in FactTable.allCases.flatMap({ $0.createSQL(schema: "temp") }) { try db.execute(sql: sql) }
    let insertPerson = try SQLiteStatement(db, "INSERT INTO temp.recomputed VALUES (?)")
    for person in plan.stale {
      try insertPerson.run(binding: person)
    }
    let insertUser = try SQLiteStatement(db, "INSERT INTO temp.recomputed_user VALUES (?, ?)")
    for (user, person) in plan.users {
      try insertUser.run(binding: user, person)
    }
    let writer = try FactWriter(db, schema: "temp")
    let cellKeys = try CellKeyNumbers(db, schema: "temp")
    var facts = FactRows(putsIntoCells: take != nil)
    func store(_ rows: inout FactRows) throws {
      try take?(rows)
      try writer.insert(&rows)
      rows.removeAll()
    }
    try forEachPerson(plan, dictionaries) { person, app, folded, subscriptionID in
      try facts.append(person, app: app, folded, cellKeys, id: subscriptionID, full: store)
      if facts.personCount >= FactRows.portion { try store(&facts) }
    }
    try store(&facts)
    try db.execute(sql: "CREATE TABLE temp.recomputed_by AS SELECT ? AS owner", arguments: [owner])
  }

  /// Returns whether the temporary tables are those of an owner; a later report on the connection replaces them.
  func isOwner(_ owner: Int64) throws -> Bool {
    try db.tableExists("recomputed_by", in: "temp")
      && Int64.fetchOne(db, sql: "SELECT owner FROM temp.recomputed_by") == owner
  }

  /// The number of users from which on other threads fold the events.
  private static let manyUsers = 1000

  /// Folds the persons of a plan, and calls `body` with the facts of those that have any.
  func forEachPerson(
    _ plan: RecomputePlan, _ dictionaries: EventDictionaries,
    _ body: (
      _ person: Int32, _ app: NameID, borrowing PersonFacts, _ subscriptionID: (Int32) -> CodedID
    ) throws -> Void
  ) throws {
    var fold = AppFold(asOf, laterEnds, options, dictionaries)
    try Self.forEachPerson(plan, SortedRuns.cursors(db)) { person, rows in
      try fold.fold(rows, rows.rows.indices) { app, facts, ids in try body(person, app, facts, ids.subscription) }
    }
  }

  /// Folds the persons of a plan on other threads, and calls `body` with what is made of their facts, in order.
  ///
  /// - Parameters:
  ///   - take: Sets what the facts have besides those that are stored.
  ///   - splitsJoined: Whether each user of a joined person comes after the person, too, as if it were joined with nobody;
  ///     its number is negative.
  ///   - empty: Makes an output of no persons.
  ///   - add: Adds the facts of a person that has any to an output.
  func forEachPortion<Output: Sendable>(
    _ plan: RecomputePlan, _ dictionaries: EventDictionaries, taking take: (inout FoldOptions) -> Void = { _ in },
    splitsJoined: Bool = false, from empty: @escaping @Sendable () -> Output,
    adding add:
      @escaping @Sendable (_ output: inout Output, _ person: Int32, _ app: NameID, borrowing PersonFacts) -> Void,
    _ body: (Output) throws -> Void
  ) throws {
    var options = options
    take(&options)
    let (asOf, laterEnds, foldOptions) = (asOf, laterEnds, options)
    // Filled again, as freeing memory on a thread other than the one that allocated it is slow.
    var unused: [PersonPortion] = []
    try OrderedWork.run(
      aside: plan.users.count >= Self.manyUsers,
      read: { put in
        var portion = PersonPortion()
        var own = EventRows()
        try Self.forEachPerson(plan, SortedRuns.cursors(db)) { person, rows in
          portion.append(person, rows)
          if splitsJoined, plan.graph.isJoined(person) {
            for user in plan.graph.users(of: person) {
              own.removeAll()
              for place in rows.rows.indices where rows.rows[place].user == user {
                own.append(contentsOf: rows, place..<place + 1)
              }
              if !own.rows.isEmpty { portion.append(-user, own) }
            }
          }
          if !portion.isFull { return }
          try put(portion)
          portion = unused.popLast() ?? PersonPortion()
        }
        try put(portion)
      },
      worker: {
        var fold = AppFold(asOf, laterEnds, foldOptions, dictionaries)
        return { (portion: PersonPortion) in
          var (output, first) = (empty(), 0)
          for (person, end, _) in portion.persons {
            try fold.fold(portion.rows, first..<end) { app, facts, _ in add(&output, person, app, facts) }
            first = end
          }
          return (portion, output)
        }
      },
      take: { portion, output in
        portion.removeAll()
        unused.append(portion)
        try body(output)
      })
  }

  /// Reads the events of each person in the plan. A stored person is the widest join; at an earlier instant its users
  /// may be several persons.
  private static func forEachPerson(
    _ plan: RecomputePlan, _ cursors: [TableCursor], _ body: (_ person: Int32, EventRows) throws -> Void
  ) throws {
    try PersonScan(graph: plan.graph, old: cursors, new: [], withArrival: false).forEach(plan.persons, body)
  }
}

/// Folds persons, each as of the instant of its app.
private struct AppFold {
  private let asOf: [NameID: Int64]
  private let laterEnds: [NameID: Int64]
  private var rowFold: RowFold

  init(
    _ asOf: [NameID: Int64], _ laterEnds: [NameID: Int64], _ options: FoldOptions, _ dictionaries: EventDictionaries
  ) {
    (self.asOf, self.laterEnds) = (asOf, laterEnds)
    rowFold = RowFold(options: options, dictionaries: dictionaries)
  }

  /// Folds the events of a person, and calls `body` with the person's app and facts if there are any.
  mutating func fold(
    _ rows: borrowing EventRows, _ places: Range<Int>,
    _ body: (NameID, borrowing PersonFacts, PersonIDs) throws -> Void
  ) throws {
    let app = try rowFold.app(of: rows, upTo: places.upperBound)
    guard let instant = asOf[app] else { return }
    try rowFold.fold(rows, places, asOf: instant, laterEnd: laterEnds[app] ?? .min)
    try rowFold.withFacts { facts, ids in if !facts.isEmpty { try body(app, facts, ids) } }
  }
}
