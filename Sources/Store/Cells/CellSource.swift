internal import GRDB
public import Lifecycle

/// Reads the cells of a store.
public final class CellSource {
  private let db: Database
  private var statements: [CellFamily: SQLiteStatement] = [:]
  /// The origins that cells may have, with the numbers that they are stored under.
  public let origins: [(number: Int32, origin: Origin)]

  private let asOf: [NameID: Int64]
  private let overlay: CellOverlay?

  /// - Parameters:
  ///   - asOf: By app, in ms.
  ///   - overlay: What differs from the stored cells, where events at or after the as-of are in the store.
  init(_ db: Database, asOf: [NameID: Int64], overlay: CellOverlay? = nil) throws {
    self.db = db
    self.asOf = asOf
    self.overlay = overlay
    let all = try overlay?.origins ?? OriginNumbers(db, schema: "main")
    origins = all.origins.enumerated().map { (Int32($0 + 1), $1) }
  }

  /// A cell's units; valid until the next cell.
  public struct Cell {
    /// Days since 1970.
    public let day: Int64
    fileprivate let bytes: UnsafeRawBufferPointer

    @inline(__always)
    public func forEachEntry(_ body: (EntryUnit) -> Void) {
      let dayStart = day * Lifecycle.day
      EntryUnit.layout.forEach(in: bytes) { body(EntryUnit($0, dayStart: dayStart)) }
    }

    @inline(__always)
    public func forEachTrial(_ body: (TrialUnit) -> Void) {
      let dayStart = day * Lifecycle.day
      TrialUnit.layout.forEach(in: bytes) { body(TrialUnit($0, dayStart: dayStart)) }
    }

    @inline(__always)
    public func forEachPurchase(_ body: (PurchaseUnit) -> Void) {
      let dayStart = day * Lifecycle.day
      PurchaseUnit.layout.forEach(in: bytes) { body(PurchaseUnit($0, dayStart: dayStart)) }
    }
  }

  /// Calls `body` with the cells of a family and origin, in order of their days.
  ///
  /// - Parameters:
  ///   - origin: A number of ``origins``.
  ///   - days: Since 1970.
  public func forEachCell(
    _ family: CellFamily, origin: Int32, days: ClosedRange<Int64>, _ body: (Cell) throws -> Void
  ) throws {
    let statement =
      try statements[family]
      ?? SQLiteStatement(db, "SELECT id, units FROM \(family.table) WHERE id BETWEEN ? AND ?")
    statements[family] = statement
    let rows = CellFamily.rowIDs(origin: origin, days: days)
    statement.bind(1, rows.lowerBound)
    statement.bind(2, rows.upperBound)
    defer { statement.reset() }
    var changed = overlay?.cells.overlaid[family.rawValue].filter { rows.contains($0.key) } ?? [:]
    func read(_ row: Int64, _ bytes: UnsafeRawBufferPointer) throws {
      if !bytes.isEmpty { try body(Cell(day: CellFamily.day(of: row), bytes: bytes)) }
    }
    while try statement.step() {
      let row = statement.int64(0)
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

  /// What to read the impressions' cells as, in `FROM`: with `impressions` and `newest` (NULL for unknown), and for `ts` the first
  /// instant of the day.
  ///
  /// - Returns: `nil` where only events can say which impressions of a day were before the as-of.
  public func impressions(byDay: Bool) throws -> String? {
    if overlay == nil { return ImpressionCells.sql(byDay: byDay) }
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
    return ImpressionCells.sql(byDay: true, until: asOf)
  }

  /// The lengths of introductory trials in ms with how many have each, ascending, by app (definitions 3.3).
  public func trialLengths() throws -> [NameID: [(length: Int64, count: Int)]] {
    let statement = try SQLiteStatement(db, "SELECT app, length, trials FROM trial_length ORDER BY app, length")
    var lengths = overlay?.cells.lengths ?? [:]
    while try statement.step() {
      lengths[statement.int32(0), default: [:]][statement.int64(1), default: 0] += Int(statement.int64(2))
    }
    return lengths.mapValues { counts in
      counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { (length: $0.key, count: $0.value) }
    }
  }
}
