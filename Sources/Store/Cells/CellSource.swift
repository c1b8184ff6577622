internal import GRDB
public import Lifecycle

/// Reads the cells of a store.
public final class CellSource: UnitSource {
  private let db: Database
  private var statements: [CellFamily: SQLiteStatement] = [:]
  private var readPlaces: [CellFamily: [Int]] = [:]
  /// The cell keys in the order of their numbers, from 1; a facet's place is that of its cell key.
  public let cellKeys: [CellKey]

  private let asOf: [NameID: Int64]
  private let overlay: CellOverlay?
  private let damage = StoredDamage()
  private let clients: ClosedRange<Int32>

  /// - Parameters:
  ///   - asOf: The as-of in ms, by app.
  ///   - overlay: The differences from the stored cells, if the store has events at or after the as-of.
  init(_ db: Database, asOf: [NameID: Int64], overlay: CellOverlay? = nil) throws {
    self.db = db
    self.asOf = asOf
    self.overlay = overlay
    cellKeys = try (overlay?.cellKeys ?? CellKeyNumbers(db, schema: "main")).cellKeys
    clients = 0...(try StoredEntries(db).ofUnits().client)
  }

  public func facets(of family: CellFamily) throws -> [(place: Int, facet: UnitFacet)] {
    try places(of: family).map { ($0, UnitFacet(cellKeys[$0])) }
  }

  /// Returns the places of the cell keys with cells of a family, in order.
  public func places(of family: CellFamily) throws -> [Int] {
    if let known = readPlaces[family] { return known }
    var places: [Int] = []
    let statement = try SQLiteStatement(db, "SELECT id FROM \(family.table) WHERE id >= ? ORDER BY id LIMIT 1")
    var next = 0
    while next < cellKeys.count {
      let first = CellFamily.rowID(cellKey: Int32(next + 1), day: 0)
      statement.bind(1, first)
      defer { statement.reset() }
      guard try statement.step() else { break }
      let row = statement.int64(0)
      guard row >= first else { throw StoredDamage.error("\(family.table) has rows out of order") }
      let place = Int(CellFamily.cellKey(of: row)) - 1
      if place < cellKeys.count { places.append(place) }
      next = place + 1
    }
    if let changed = overlay?.cells.overlaid[family.rawValue], !changed.isEmpty {
      places = Set(places).union(changed.keys.map { Int(CellFamily.cellKey(of: $0)) - 1 }).sorted()
    }
    readPlaces[family] = places
    return places
  }

  public func forEachCell(
    _ family: CellFamily, facet: Int, days: ClosedRange<Int64>, _ body: (UnitCell) throws -> Void
  ) throws {
    let statement =
      try statements[family]
      ?? SQLiteStatement(db, "SELECT id, units FROM \(family.table) WHERE id BETWEEN ? AND ?")
    statements[family] = statement
    let rows = CellFamily.rowIDs(cellKey: Int32(facet + 1), days: days)
    statement.bind(all: rows.lowerBound, rows.upperBound)
    defer { statement.reset() }
    var changed = overlay?.cells.overlaid[family.rawValue].filter { rows.contains($0.key) } ?? [:]
    func read(_ row: Int64, _ bytes: UnsafeRawBufferPointer) throws {
      guard rows.contains(row) else { throw StoredDamage.error("\(family.table) has rows out of order") }
      if bytes.isEmpty { return }
      let damage = damage
      try body(
        UnitCell(
          day: CellFamily.day(of: row), content: .bytes(bytes), clients: clients,
          isMalformed: { damage.note("row \(row) of \(family.table)") }))
      try damage.check()
    }
    var last = Int64.min
    while try statement.step() {
      let row = statement.int64(0)
      // Pages that have changed places give rows out of order.
      guard row > last else { throw StoredDamage.error("\(family.table) has rows out of order") }
      last = row
      if changed.isEmpty {
        try read(row, statement.bytes(1))
      } else if let bytes = changed.removeValue(forKey: row) {
        try bytes.withUnsafeBytes { try read(row, $0) }
      } else {
        try read(row, statement.bytes(1))
      }
    }
    for (row, bytes) in changed.sorted(by: { $0.key < $1.key }) { try bytes.withUnsafeBytes { try read(row, $0) } }
  }

  /// Returns the impressions that showed both prices.
  ///
  /// - Parameter byDay: Whether to keep UTC days apart.
  /// - Returns: `nil` if only the events can say which impressions of a day were before the as-of.
  public func shownPrices(byDay: Bool) throws -> [ShownPrices]? {
    if overlay == nil { return try ImpressionCells.shownPrices(db, byDay: byDay) }
    for (app, instant) in asOf {
      let isCut = try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (
            SELECT * FROM impression_cell WHERE day = ? AND app = ? AND (newest IS NULL OR newest >= ?)
          )
          """, arguments: [instant / day, app, instant])
      if isCut ?? true { return nil }
    }
    return try ImpressionCells.shownPrices(db, byDay: true, until: asOf)
  }

  public func trialLengths() throws -> [NameID: [(length: Int64, count: Int)]] {
    let statement = try SQLiteStatement(db, "SELECT app, length, trials FROM trial_length ORDER BY app, length")
    var lengths = overlay?.cells.lengths ?? [:]
    while try statement.step() {
      let (length, trials) = (statement.int64(1), statement.int64(2))
      guard StoredRange.distances.contains(length), StoredRange.totals.contains(trials) else {
        throw StoredDamage.error("trial_length is malformed")
      }
      lengths[statement.int32(0), default: [:]][length, default: 0] += Int(trials)
    }
    return lengths.mapValues { counts in
      counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { (length: $0.key, count: $0.value) }
    }
  }
}
