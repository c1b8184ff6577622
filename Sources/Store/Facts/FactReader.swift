internal import GRDB
internal import Lifecycle

/// Reads stored facts back as units: the inverse of ``FactRows`` for the fields that units have.
final class FactReader {
  private let db: Database
  private let schema: String
  private let cellKeys: CellKeyNumbers
  private let withCredits: Bool
  /// A condition on the rows of all tables.
  private let ofApps: String
  private var statements: [SQLiteStatement] = []
  private let entries: StoredEntries
  /// The greatest numbers that rows may point to, as far as they have been asked for.
  private var greatest: StoredEntries.Greatest

  /// A query on a fact table; the person comes first. A unit with several contexts gives only the first one, or, with
  /// credits, one row per context.
  enum Query: Int, CaseIterable {
    case entry, trial, conversion, purchase, exposure

    fileprivate func select(from schema: String, withCredits: Bool) -> String {
      let ofUnit = withCredits ? "1 = 1" : "credit = 0"
      return switch self {
      case .entry: "SELECT person, origin, client, properties, ts FROM \(schema).entry_row WHERE 1 = 1"
      case .trial:
        "SELECT person, origin, client, properties, start, length, grace, converted_after, is_cancelled, credit "
          + "FROM \(schema).trial_row WHERE \(ofUnit)"
      case .conversion:
        "SELECT person, ts, trial_start, conversion_trial_kind, origin, credit "
          + "FROM \(schema).conversion_row WHERE \(ofUnit)"
      case .purchase:
        "SELECT person, origin, client, properties, \(PurchaseUnit.columns), credit "
          + "FROM \(schema).spell_row WHERE \(ofUnit) AND is_purchase = 1"
      case .exposure: "SELECT person, origin, ts, client, outcome FROM \(schema).exposure_row WHERE 1 = 1"
      }
    }
  }

  /// - Parameters:
  ///   - schema: `main`, or `temp` for facts that last as long as the connection.
  ///   - cellKeys: The cell keys of that schema.
  ///   - withCredits: Whether to read all contexts of a unit.
  ///   - apps: The apps whose facts to read; `nil` for all.
  init(
    _ db: Database, schema: String, cellKeys: CellKeyNumbers, withCredits: Bool = false, apps: [NameID]? = nil
  ) throws {
    self.db = db
    // Rows of an unknown cell key pass, so that they are found to be damaged.
    ofApps =
      try apps.flatMap { apps in
        let names = apps.map(\.description).joined(separator: ", ")
        let others = "SELECT id FROM \(schema).origin WHERE app NOT IN (\(names))"
        return try SQLiteStatement(db, others).step() ? " AND origin NOT IN (\(others))" : nil
      } ?? ""
    self.withCredits = withCredits
    self.schema = schema
    self.cellKeys = cellKeys
    entries = try StoredEntries(db)
    greatest = try entries.ofUnits()
  }

  private func statement(_ query: Query, where condition: String) throws -> SQLiteStatement {
    let hasCredits = withCredits && query != .entry && query != .exposure
    return try SQLiteStatement(
      db,
      "\(query.select(from: schema, withCredits: withCredits)) AND \(condition)\(ofApps) "
        + "ORDER BY person\(hasCredits ? ", number, credit" : "")")
  }

  /// Returns the units of a person; none for a person without facts.
  func units(of person: Int32) throws -> PersonUnits {
    if statements.isEmpty { statements = try Query.allCases.map { try statement($0, where: "person = ?") } }
    var units = PersonUnits()
    for (query, statement) in zip(Query.allCases, statements) {
      statement.bind(1, person)
      defer { statement.reset() }
      while try statement.step() { try append(statement, of: query, to: &units) }
    }
    units.complete()
    return units
  }

  /// Returns the queries for the facts that families of units are computed from; entries need everything that happens
  /// after them, and exposures are no units of ``UnitGroups``.
  static func queries(of families: Set<CellFamily>) -> [Query] {
    Query.allCases.filter { query in
      switch query {
      case .entry, .conversion: families.contains(.entry)
      case .trial: families.contains(.entry) || families.contains(.trial)
      case .purchase: families.contains(.entry) || families.contains(.purchase)
      case .exposure: false
      }
    }
  }

  /// The number of rows of a person that make a part.
  private static let most = 16_384

  /// Calls `body` with the units of each person, in the order of the persons.
  ///
  /// - Parameters:
  ///   - inParts: Whether the units of a person with many may come in parts, of which the last has the entry and the
  ///     exposures.
  ///   - isRead: Returns whether a person is wanted; asked once for each person with facts.
  func forEachPerson(
    in range: ClosedRange<Int32> = 0...Int32.max, _ queries: [Query] = Query.allCases, inParts: Bool = false,
    where isRead: (Int32) -> Bool = { _ in true },
    _ body: (_ person: Int32, borrowing PersonUnits) throws -> Void
  ) throws {
    let cursors = try queries.map {
      try statement($0, where: "person BETWEEN \(range.lowerBound) AND \(range.upperBound)")
    }
    var units = PersonUnits()
    var persons = try cursors.map { try $0.step() ? $0.int32(0) : Int32.max }
    while let person = persons.min(), person != .max {
      units.removeAll()
      var steps = FunnelSteps()
      let isRead = isRead(person)
      for index in cursors.indices {
        var count = 0
        while persons[index] == person {
          if isRead { try append(cursors[index], of: queries[index], to: &units) }
          persons[index] = try cursors[index].step() ? cursors[index].int32(0) : Int32.max
          count += 1
          if !inParts || !isRead || count % Self.most > 0 || queries[index] == .exposure { continue }
          let entry = units.entry
          units.complete()
          units.gather(&steps, isLast: false)
          try body(person, units)
          units.removeAll()
          units.entry = entry
        }
      }
      try requireUser(person)
      if !isRead { continue }
      units.complete()
      units.gather(&steps, isLast: true)
      try body(person, units)
    }
  }

  private func append(_ row: SQLiteStatement, of query: Query, to units: inout PersonUnits) throws {
    switch query {
    case .entry: units.entry = (EntryUnit(ts: try instant(row, 4)), try key(row))
    case .trial:
      if row.int64(9) > 0 {
        let last = units.trials.count - 1
        if last < 0 { return }
        units.trials[last].credits = units.credit(try known(row.int32(1)), after: units.trials[last].credits)
        return
      }
      let start = try instant(row, 4)
      let end = start &+ row.int64(5)
      let unit = TrialUnit(
        start: start, end: end, deadline: end &+ row.int64(6), convertedAt: row.optionalInt64(7).map { start &+ $0 },
        isCancelled: row.int64(8) != 0)
      try require(unit.end, unit.deadline, unit.convertedAt ?? start)
      let key = try key(row)
      let cellKey = cellKeys.cellKey(key.cellKey)
      var trial = PersonUnits.Trial(
        unit: unit, key: key, app: cellKey.app, isIntroductory: cellKey.trialKind == TrialKind.introductory.rawValue)
      if withCredits { trial.credits = units.credit(key.cellKey, after: nil) }
      units.trials.append(trial)
    case .conversion:
      if row.int64(5) > 0 {
        let last = units.conversions.count - 1
        if last < 0 { return }
        units.conversions[last].credits = units.credit(try known(row.int32(4)), after: units.conversions[last].credits)
        return
      }
      let isIntroductory = row.int64(3) == Int64(TrialKind.introductory.rawValue)
      var conversion = PersonUnits.Conversion(
        ts: try instant(row, 1), introductoryStart: isIntroductory ? row.optionalInt64(2) : nil,
        trialStart: row.optionalInt64(2))
      try require(conversion.trialStart ?? conversion.ts)
      if withCredits { conversion.credits = units.credit(try known(row.int32(4)), after: nil) }
      units.conversions.append(conversion)
    case .purchase:
      if row.int64(15) > 0 {
        let last = units.purchases.count - 1
        if last < 0 { return }
        units.purchases[last].credits = units.credit(try known(row.int32(1)), after: units.purchases[last].credits)
        return
      }
      var purchase = PersonUnits.Purchase(unit: PurchaseUnit(row, 4), key: try key(row))
      let unit = purchase.unit
      try require(try instant(row, 4), unit.firstCancelledAt ?? unit.start)
      if unit.coverEnd != .max { try require(unit.coverEnd, unit.graceEnd) }
      guard StoredRange.prices.contains(unit.price), unit.payments >= 0 else { throw Self.malformed }
      if withCredits { purchase.credits = units.credit(purchase.key.cellKey, after: nil) }
      units.purchases.append(purchase)
    case .exposure:
      let (number, ts) = (row.int32(1), try instant(row, 2))
      try requireEntries(UnitKey(cellKey: number, client: row.int32(3), properties: 0))
      let arm = cellKeys.cellKey(number).context
      let fact = ExposureFact(
        experiment: arm.experiment, variant: arm.variant, ts: ts, client: row.int32(3),
        outcome: try ExposureOutcome(row.bytes(4), exposedAt: ts))
      units.exposures.append(PersonUnits.Exposure(fact: fact, cellKey: number))
    }
  }

  private static var malformed: DatabaseError { StoredDamage.error("a row of facts is malformed") }

  private func instant(_ row: SQLiteStatement, _ column: Int32) throws -> Int64 {
    let instant = row.int64(column)
    guard StoredRange.instants.contains(instant) else { throw Self.malformed }
    return instant
  }

  /// - Throws: `DatabaseError` if one is no end of a period.
  @inline(__always)
  private func require(_ end: Int64, _ second: Int64 = 0, _ third: Int64 = 0) throws {
    let ends = StoredRange.ends
    guard ends.contains(end), ends.contains(second), ends.contains(third) else { throw Self.malformed }
  }

  /// Returns the number of a cell key.
  ///
  /// - Throws: `DatabaseError` if the store has none of that number.
  private func known(_ cellKey: Int32) throws -> Int32 {
    guard cellKeys.has(cellKey) else { throw StoredDamage.lacks(cellKey, of: "origin", had: "a row of facts") }
    return cellKey
  }

  private func requireUser(_ person: Int32) throws {
    if person > 0 && person <= greatest.user { return }
    // The user may have come since.
    greatest = try entries.ofUnits()
    guard person > 0, person <= greatest.user else {
      throw StoredDamage.lacks(person, of: "user", had: "a row of facts")
    }
  }

  private func requireEntries(_ key: UnitKey) throws {
    if firstLack(key) == nil { return }
    // They may have come since.
    greatest = try entries.ofUnits()
    if let lack = firstLack(key) { throw StoredDamage.lacks(lack.number, of: lack.table, had: "a row of facts") }
  }

  private func firstLack(_ key: UnitKey) -> (number: Int32, table: String)? {
    if !cellKeys.has(key.cellKey) { return (key.cellKey, "origin") }
    if !(0...greatest.client).contains(key.client) { return (key.client, "client") }
    return (0...greatest.properties).contains(key.properties) ? nil : (key.properties, "property_set")
  }

  private func key(_ row: SQLiteStatement) throws -> UnitKey {
    let key = UnitKey(cellKey: row.int32(1), client: row.int32(2), properties: row.int32(3))
    try requireEntries(key)
    return key
  }
}

extension PersonUnits {
  /// Adds a cell key to the credits of a unit.
  ///
  /// - Returns: All of them.
  fileprivate mutating func credit(_ cellKey: Int32, after credits: Range<Int>?) -> Range<Int> {
    let place = self.credits.count
    self.credits.append(cellKey)
    return (credits?.lowerBound ?? place)..<place + 1
  }
}
