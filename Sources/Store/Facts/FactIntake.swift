public import EventModel
internal import GRDB
public import Lifecycle

extension Store {
  /// Fills a store without events with facts that were folded elsewhere, all or none. Reports on facts then read the
  /// same as in a store with all events; reading events throws ``StoreError/hasNoEvents``.
  ///
  /// - Parameters:
  ///   - options: The options that the facts were folded with; reports with other options need events.
  ///   - tables: The tables to fill, including payments; reading any other table throws a ``StoreError``.
  public func takeFacts(
    foldedBy options: FoldOptions, of tables: Set<FactTable> = Set(FactTable.allCases),
    _ body: (FactIntake) throws -> Void
  ) throws {
    try take(foldedBy: options, body) { db in
      try Self.drop(FactTable.allCases.filter { !tables.contains($0) }.map(\.rowTable), db)
      try Self.drop(CellFamily.allCases.filter { !tables.isSuperset(of: $0.factTables) }.map(\.table), db)
    }
  }

  /// Fills a store without events with cells alone, computed from facts that were folded with the stored options.
  public func takeCells(_ body: (FactIntake) throws -> Void) throws {
    try take(foldedBy: .stored, body) { db in
      try Self.drop(FactTable.allCases.map(\.rowTable) + ["money_block"], db)
    }
  }

  private static func drop(_ tables: [String], _ db: Database) throws {
    for table in tables { try db.execute(sql: "DROP TABLE \(table)") }
  }

  private func take(
    foldedBy options: FoldOptions, _ body: (FactIntake) throws -> Void, end: (Database) throws -> Void
  ) throws {
    try write { db in
      try db.inTransaction(.immediate) {
        try FactsElsewhere.mark(db, options)
        // The intake's statements must be finalised before its tables are dropped.
        try {
          let intake = try FactIntake(db)
          try body(intake)
          try intake.finish()
        }()
        try end(db)
        return .commit
      }
      try db.execute(sql: "PRAGMA analysis_limit = 1000; PRAGMA optimize")
    }
  }
}

/// Adds the facts or cells of persons, and the impressions that a store without events needs in place of events.
public final class FactIntake {
  private let db: Database
  private let dictionaries: DictionaryWriter
  private let cellKeys: CellKeyNumbers
  private let writer: FactWriter
  private let cells: CellUpkeep
  private let money: MoneyUpkeep
  private let insertUser: SQLiteStatement
  private let insertImpressions: SQLiteStatement
  private let cellKeyTable: CellKeyTable
  private var rows = FactRows(putsIntoCells: true)
  private var nextUser: Int32 = 1

  fileprivate init(_ db: Database) throws {
    self.db = db
    dictionaries = try DictionaryWriter(db)
    cellKeys = try CellKeyNumbers(db, schema: "main")
    writer = try FactWriter(db, schema: "main")
    cells = try CellUpkeep(db, cellKeys: cellKeys)
    money = try MoneyUpkeep(db, schema: "main")
    insertUser = try SQLiteStatement(db, "INSERT INTO user VALUES (?, ?, ?, ?)")
    insertImpressions = try SQLiteStatement(db, "INSERT INTO impression_cell VALUES (?, ?, ?, ?, ?, ?)")
    cellKeyTable = try CellKeyTable(db, schema: "main")
  }

  // MARK: Dictionaries

  /// Returns the number of a name; 0 for an absent one.
  public func name(_ text: UnsafeRawBufferPointer) throws -> NameID { try dictionaries.name(text) }

  /// Returns the number of a name; 0 for `nil`.
  public func name(_ text: String?) throws -> NameID {
    guard var text else { return 0 }
    return try text.withUTF8 { try dictionaries.name(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the number of a production client.
  public func client(
    app: NameID, platform: NameID, store: NameID, country: NameID, appVersion: NameID
  ) throws -> Int32 {
    var row = ClientNames()
    row.app = UInt32(app)
    row.platform = UInt32(platform)
    row.store = UInt32(store)
    row.country = UInt32(country)
    row.appVersion = UInt32(appVersion)
    return try dictionaries.client(row)
  }

  /// Returns the number of a property set in canonical JSON; 0 for none.
  public func properties(_ json: UnsafeRawBufferPointer) throws -> Int32 { try dictionaries.properties(json) }

  /// Returns the numbers of the context and the terms of a batch's only event.
  public func contextAndTerms(of batch: EventBatch) throws -> (context: Int32, terms: Int32) {
    let names = try dictionaries.numbers(ofNames: batch)
    let record = batch.records[0]
    return (
      try dictionaries.context(Context(batch.contexts.rows[Int(record.context)]) { names[Int($0)] }),
      try dictionaries.terms(batch.terms.rows[Int(record.terms)].mapNames { names[Int($0)] })
    )
  }

  // MARK: Rows

  /// Adds a person's facts.
  ///
  /// - Parameters:
  ///   - users: The ids of the person, at least one.
  ///   - subscriptionIDs: The ids in the order of ``SpellFact/subscription``, from 1.
  public func add(app: NameID, users: [[UInt8]], _ facts: PersonFacts, subscriptionIDs: [[UInt8]]) throws {
    let person = nextUser
    for user in users {
      insertUser.bind(all: nextUser, app)
      insertUser.bind(4, person)
      try user.withUnsafeBytes { name in
        insertUser.bindText(3, name)
        try insertUser.run()
      }
      nextUser += 1
    }
    rows.append(person, app: app, facts, cellKeys, id: { CodedID(subscriptionIDs[Int($0) - 1]) }) { _ in }
    if rows.personCount >= FactRows.portion { try store() }
  }

  /// Adds the units of a ``MonthCell`` whose names are numbered by this intake, or removes units that were added
  /// before.
  public func add(_ family: CellFamily, _ cellKey: CellKey, number: Int32, units: [UInt8], isTakenAway: Bool) throws {
    let known = cellKeys.cellKeys.count
    let cellKeyNumber = cellKeys.number(of: cellKey)
    if cellKeys.cellKeys.count > known { try cellKeyTable.add(cellKey, number: cellKeyNumber) }
    let rows = CellRows(family, cellKey, cellKeyNumber: cellKeyNumber, number: number, units: units)
    if isTakenAway { try cells.writer.remove(rows) } else { try cells.writer.add(rows) }
  }

  /// Adds impressions of one context and terms on a UTC day.
  ///
  /// - Parameters:
  ///   - day: Days since 1970.
  ///   - newest: The `ts` of the newest of them.
  public func addImpressions(
    app: NameID, day: Int64, context: Int32, terms: Int32, count: Int64, newest: Int64
  ) throws {
    try insertImpressions.run(binding: day, app, context, terms, count, newest)
  }

  private func store() throws {
    try cells.writer.add(rows.cells)
    try money.add(rows.money)
    try writer.insert(&rows)
    rows.removeAll()
  }

  fileprivate func finish() throws {
    try store()
    try cells.finish()
    try money.flush()
    try db.execute(sql: "INSERT INTO impression_cell \(ImpressionCells.sumSQL(of: "impression_cell"))")
  }
}

extension CodedID {
  init(_ text: [UInt8]) {
    self = text.withUnsafeBytes { bytes in
      if var uuid = CodedText.uuid(bytes) { return .uuid(withUnsafeBytes(of: &uuid) { [UInt8]($0) }) }
      return CodedText.integer(bytes).map { .integer($0) } ?? .text(text)
    }
  }
}
