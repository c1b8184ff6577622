internal import Foundation
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
  private let grace: Int64
  private let attribution: Attribution

  init(_ db: Database, asOf: [NameID: Int64], grace: Int64, attribution: Attribution) {
    self.db = db
    self.asOf = asOf
    self.grace = grace
    self.attribution = attribution
  }

  /// - Parameter owner: The number by which ``isOwner(_:)`` knows the tables again; their segments then have the numbers of
  ///   the stored ones. `nil` to take nothing from stored facts.
  func run(_ plan: RecomputePlan, _ dictionaries: EventDictionaries, owner: Int64? = nil) throws {
    // Drops the tables of an earlier report on the same snapshot.
    try db.execute(sql: FactTable.dropSQL(schema: "temp"))
    for table in ["recomputed", "recomputed_user", "recomputed_by"] {
      try db.execute(sql: "DROP TABLE IF EXISTS temp.\(table)")
    }
    try db.execute(sql: "CREATE TABLE temp.recomputed (person INTEGER NOT NULL PRIMARY KEY) STRICT")
    try db.execute(
      sql: "CREATE TABLE temp.recomputed_user (user INTEGER NOT NULL PRIMARY KEY, person INTEGER NOT NULL) STRICT")
    try db.execute(sql: FactTable.segmentSQL(schema: "temp"))
    if owner != nil { try db.execute(sql: "INSERT INTO temp.origin SELECT * FROM main.origin") }
    for sql in FactTable.allCases.flatMap({ $0.createSQL(schema: "temp") }) { try db.execute(sql: sql) }
    let insertPerson = try SQLiteStatement(db, "INSERT INTO temp.recomputed VALUES (?)")
    for person in plan.stale.users {
      insertPerson.bind(1, person)
      try insertPerson.run()
    }
    let insertUser = try SQLiteStatement(db, "INSERT INTO temp.recomputed_user VALUES (?, ?)")
    for (user, person) in plan.users {
      insertUser.bind(1, user)
      insertUser.bind(2, person)
      try insertUser.run()
    }
    let writer = try FactWriter(db, schema: "temp")
    let segments = try SegmentNumbers(db, schema: "temp")
    var facts = FactRows(putsIntoCells: false)
    try forEachPerson(plan, dictionaries) { person, app, folded, subscriptionID in
      try facts.append(person, app: app, folded, segments, id: subscriptionID) { rows in
        try writer.insert(&rows)
        rows.removeAll()
      }
      if facts.personCount < FactRows.portion { return }
      try writer.insert(&facts)
      facts.removeAll()
    }
    try writer.insert(&facts)
    try db.execute(sql: "CREATE TABLE temp.recomputed_by AS SELECT ? AS owner", arguments: [owner])
  }

  /// Returns whether the temporary tables are those of an owner; a later report on the connection replaces them.
  func isOwner(_ owner: Int64) throws -> Bool {
    try db.tableExists("recomputed_by", in: "temp")
      && Int64.fetchOne(db, sql: "SELECT owner FROM temp.recomputed_by") == owner
  }

  /// The number of users from which on a separate thread reads the events while this one folds them.
  private static let manyUsers = 10_000
  /// The number of events that are handed on together.
  private static let portion = 4096

  /// Folds the persons of a plan, and calls `body` with the facts of those that have any.
  ///
  /// - Parameters:
  ///   - take: Sets what the facts have besides those that are stored.
  ///   - readsAside: Whether another thread may use the connection meanwhile; `body` must not use it then.
  func forEachPerson(
    _ plan: RecomputePlan, _ dictionaries: EventDictionaries, taking take: (inout FoldOptions) -> Void = { _ in },
    readsAside: Bool = false,
    _ body: (
      _ person: Int32, _ app: NameID, borrowing PersonFacts, _ subscriptionID: (Int32) -> CodedID
    ) throws -> Void
  ) throws {
    var options = FoldOptions(asOf: .max, grace: grace, attribution: attribution)
    take(&options)
    var rowFold = RowFold(options: options, dictionaries: dictionaries)
    func fold(_ person: Int32, _ rows: EventRows, _ places: Range<Int>) throws {
      let app = try rowFold.app(of: rows, upTo: places.upperBound)
      guard let instant = asOf[app] else { return }
      try rowFold.fold(rows, places, asOf: instant)
      if rowFold.facts.isEmpty { return }
      try body(person, app, rowFold.facts) { rowFold.subscriptionID($0) }
    }
    if readsAside && plan.users.count >= Self.manyUsers {
      try forEachPersonAside(plan, fold)
    } else {
      try Self.forEachPerson(plan, SortedRuns.cursors(db)) { try fold($0, $1, $1.rows.indices) }
    }
  }

  /// Reads the events of each person in the plan. A stored person is the widest join; at an earlier instant its users
  /// may be several persons.
  private static func forEachPerson(
    _ plan: RecomputePlan, _ cursors: [TableCursor], _ body: (_ person: Int32, EventRows) throws -> Void
  ) throws {
    try PersonScan(graph: plan.graph, old: cursors, new: [], withArrival: false).forEach(plan.persons, body)
  }

  private func forEachPersonAside(
    _ plan: RecomputePlan, _ body: (_ person: Int32, EventRows, _ places: Range<Int>) throws -> Void
  ) throws {
    let shared = try SharedCursors(SortedRuns.cursors(db))
    let queue = BatchQueue<PersonPortion>.filled(capacity: 4, thread: "read") { put in
      var portion = shared.emptyPortion()
      try Self.forEachPerson(plan, shared.cursors) { person, rows in
        portion.append(person, rows)
        if portion.rows.rows.count < Self.portion { return }
        try put(portion)
        portion = shared.emptyPortion()
      }
      try put(portion)
    }
    defer {
      queue.cancel()
      queue.join()
      // The cursors' statements must be finalised on the connection's own thread.
      shared.cursors = []
    }
    while var portion = try queue.take() {
      var first = 0
      for (person, end) in zip(portion.persons, portion.ends) {
        try body(person, portion.rows, first..<end)
        first = end
      }
      portion.removeAll()
      shared.take(back: portion)
    }
  }
}

/// The events of several persons.
private struct PersonPortion: Sendable {
  private(set) var persons: [Int32] = []
  /// The end of each person's events in `rows`.
  private(set) var ends: [Int] = []
  private(set) var rows = EventRows()

  mutating func append(_ person: Int32, _ own: borrowing EventRows) {
    rows.append(contentsOf: own, own.rows.indices)
    persons.append(person)
    ends.append(rows.rows.count)
  }

  mutating func removeAll() {
    persons.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    rows.removeAll()
  }
}

/// The cursors of a reading thread, and empty portions for it to fill again; freeing memory on a thread other than the
/// one that allocated it is slow.
private final class SharedCursors: @unchecked Sendable {
  /// Used only by the reading thread until it has ended.
  var cursors: [TableCursor]
  private let lock = NSLock()
  /// Guarded by the lock.
  private var empty: [PersonPortion] = []

  init(_ cursors: [TableCursor]) { self.cursors = cursors }

  func emptyPortion() -> PersonPortion { lock.withLock { empty.popLast() } ?? PersonPortion() }

  func take(back portion: consuming PersonPortion) {
    let portion = portion
    lock.withLock { empty.append(portion) }
  }
}
