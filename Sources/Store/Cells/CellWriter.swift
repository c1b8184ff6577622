internal import GRDB
internal import Lifecycle

/// Adds units to cells and removes them, in memory until ``flush()``.
final class CellWriter {
  /// The number of pending fields at which they are written: 16 MB.
  static let pendingLimit = 2_000_000

  private var added = CellRows()
  private var removed = CellRows()
  /// The number of introductory trials added by app and length, not yet written.
  private(set) var lengths: [NameID: [Int64: Int]] = [:]

  private let addLength: SQLiteStatement
  private let dropLengths: SQLiteStatement
  private let select: [SQLiteStatement]
  private let replace: [SQLiteStatement]
  private let delete: [SQLiteStatement]

  /// Whether the changes stay in memory and the store is not written.
  private let isOverlay: Bool
  /// The changed rows of an overlay, by family; a row is empty if no unit is left.
  private(set) var overlaid: [[Int64: [UInt8]]] = CellFamily.allCases.map { _ in [:] }

  /// - Parameters:
  ///   - schema: `main`, or `temp` for a rebuild to compare with.
  ///   - isOverlay: Whether nothing is written to the store.
  init(_ db: Database, schema: String, isOverlay: Bool = false) throws {
    self.isOverlay = isOverlay
    addLength = try SQLiteStatement(
      db,
      """
      INSERT INTO \(schema).trial_length VALUES (?, ?, ?)
      ON CONFLICT (app, length) DO UPDATE SET trials = trials + excluded.trials
      """)
    dropLengths = try SQLiteStatement(db, "DELETE FROM \(schema).trial_length WHERE trials = 0")
    let tables = CellFamily.allCases.map { "\(schema).\($0.table)" }
    select = try tables.map { try SQLiteStatement(db, "SELECT units FROM \($0) WHERE id = ?") }
    replace = try tables.map { try SQLiteStatement(db, "INSERT OR REPLACE INTO \($0) VALUES (?, ?)") }
    delete = try tables.map { try SQLiteStatement(db, "DELETE FROM \($0) WHERE id = ?") }
  }

  func add(_ units: PersonUnits) throws {
    added.append(units)
    try flushWhenFull()
  }

  /// - Parameter isPart: Whether they are some of a person's with very many, whose facts need the memory.
  func add(_ rows: CellRows, isPart: Bool = false) throws {
    added.append(contentsOf: rows)
    try flushWhenFull(isPart ? Self.pendingLimit / 4 : Self.pendingLimit)
  }

  func remove(_ units: PersonUnits) throws {
    removed.append(units)
    try flushWhenFull()
  }

  func remove(_ rows: CellRows) throws {
    removed.append(contentsOf: rows)
    try flushWhenFull()
  }

  private func flushWhenFull(_ limit: Int = pendingLimit) throws {
    if added.count + removed.count >= limit { try flush() }
  }

  /// Writes the pending changes; a cell without units has no row.
  func flush() throws {
    for family in CellFamily.allCases {
      let added = Groups(added.families[family.rawValue], fields: family.layout.fields)
      let removed = Groups(removed.families[family.rawValue], fields: family.layout.fields)
      var (a, r) = (0, 0)
      while a < added.count || r < removed.count {
        let row = min(added.row(at: a), removed.row(at: r))
        try write(added.units(of: row, from: &a), removed.units(of: row, from: &r), family, row)
      }
    }
    for (app, length) in added.lengths { lengths[app, default: [:]][length, default: 0] += 1 }
    for (app, length) in removed.lengths { lengths[app, default: [:]][length, default: 0] -= 1 }
    added.removeAll()
    removed = CellRows()
    if isOverlay { return }
    for (app, lengths) in lengths {
      for (length, count) in lengths where count != 0 {
        try addLength.run(binding: app, length, Int64(count))
      }
    }
    try dropLengths.run()
    lengths.removeAll(keepingCapacity: true)
  }

  /// The units of a family, grouped by cell.
  private struct Groups {
    private let numbers: [Int64]
    private let fields: Int
    /// The places of the units in `numbers`, in the order of their rows.
    private let order: [UInt32]

    init(_ numbers: [Int64], fields: Int) {
      self.numbers = numbers
      self.fields = fields
      order = numbers.withUnsafeBufferPointer { Self.order(of: $0, width: 1 + fields) }
    }

    var count: Int { order.count }

    /// Returns the places of the units in the order of their rows. ``HashOrder`` needs numbers whose leading bits
    /// spread, so cell key and day are combined into such a number.
    private static func order(of numbers: UnsafeBufferPointer<Int64>, width: Int) -> [UInt32] {
      let count = numbers.count / width
      if count == 0 { return [] }
      var days = (first: Int64.max, last: Int64.min)
      var lastCellKey: Int64 = 0
      for place in 0..<count {
        let row = numbers[place * width]
        days = (min(days.first, CellFamily.day(of: row)), max(days.last, CellFamily.day(of: row)))
        lastCellKey = max(lastCellKey, CellFamily.cellKey(of: row))
      }
      let span = days.last - days.first + 1
      let shift = UInt64(bitPattern: (lastCellKey + 1) * span).leadingZeroBitCount
      return HashOrder.places(count: count) { place in
        let row = numbers[place * width]
        let dense = CellFamily.cellKey(of: row) * span + CellFamily.day(of: row) - days.first
        return UInt64(bitPattern: dense) << UInt64(shift)
      }
    }

    /// Returns the row of the unit at a place in the order; the greatest number after the last unit.
    func row(at place: Int) -> Int64 { place < order.count ? numbers[Int(order[place]) * (1 + fields)] : .max }

    /// Returns the fields of a row's units and moves `place` to the next row.
    func units(of row: Int64, from place: inout Int) -> [Int64] {
      let first = place
      while self.row(at: place) == row && place < order.count { place += 1 }
      let last = place
      if first == last { return [] }
      return numbers.withUnsafeBufferPointer { numbers in
        [Int64](unsafeUninitializedCapacity: (last - first) * fields) { units, count in
          for place in first..<last {
            let start = Int(order[place]) * (1 + fields) + 1
            for field in 0..<fields { units.initializeElement(at: count + field, to: numbers[start + field]) }
            count += fields
          }
        }
      }
    }
  }

  private func write(_ newUnits: [Int64], _ oldUnits: [Int64], _ family: CellFamily, _ row: Int64) throws {
    let layout = family.layout
    var added = layout.sorted(newUnits)
    var removed = layout.sorted(oldUnits)
    layout.cancel(&added, &removed)
    if added.isEmpty && removed.isEmpty { return }
    var units = try units(family, row)
    if !removed.isEmpty {
      guard let left = layout.subtract(removed, from: units) else {
        throw DatabaseError(
          resultCode: .SQLITE_CORRUPT,
          message: "\(family.table) lacks units that the facts have; run `tollgate doctor --repair`")
      }
      units = left
    }
    units = layout.merge(units, added)
    if isOverlay {
      // An overlay stays in memory, so this copies the bytes into an array without spare capacity.
      overlaid[family.rawValue][row] = layout.encode(units).withUnsafeBytes { [UInt8]($0) }
    } else if units.isEmpty {
      try delete[family.rawValue].run(binding: row)
    } else {
      try replace[family.rawValue].run(binding: row, blob: layout.encode(units))
    }
  }

  /// Returns the current units of a row, in order.
  private func units(_ family: CellFamily, _ row: Int64) throws -> [Int64] {
    if let bytes = overlaid[family.rawValue][row] { return bytes.withUnsafeBytes { family.layout.decode($0) } }
    return try select[family.rawValue].first(binding: row) { family.layout.decode($0.bytes(0)) } ?? []
  }
}
