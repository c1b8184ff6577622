internal import GRDB
internal import Lifecycle

/// Adds units to cells and takes them away, in memory until ``flush()``.
final class CellWriter {
  private struct Change {
    var added: [Int64] = []
    var removed: [Int64] = []
  }

  /// Numbers of pending fields from which on they are written: 16 MB.
  private static let pendingLimit = 2_000_000

  @exclusivity(unchecked) private(set) var keys: [CellDimensions: Int32] = [:]
  @exclusivity(unchecked) private var lastKey: (dimensions: CellDimensions, id: Int32)?
  /// By family, then by row.
  @exclusivity(unchecked) private var changes: [[Int64: Change]] = CellFamily.allCases.map { _ in [:] }
  /// By app, how many introductory trials of each length were added; not yet written.
  @exclusivity(unchecked) private(set) var lengths: [NameID: [Int64: Int]] = [:]
  @exclusivity(unchecked) private var pending = 0

  private let insertKey: SQLiteStatement
  private let addLength: SQLiteStatement
  private let dropLengths: SQLiteStatement
  private let select: [SQLiteStatement]
  private let replace: [SQLiteStatement]
  private let delete: [SQLiteStatement]

  /// Whether the store is left alone, and what changes stays in memory.
  private let isOverlay: Bool
  /// By family, the changed rows of an overlay; without bytes where no unit is left.
  private(set) var overlaid: [[Int64: [UInt8]]] = CellFamily.allCases.map { _ in [:] }

  /// - Parameters:
  ///   - schema: `main`, or `temp` for a rebuild to compare with.
  ///   - isOverlay: Whether nothing is written.
  init(_ db: Database, schema: String, isOverlay: Bool = false) throws {
    self.isOverlay = isOverlay
    insertKey = try SQLiteStatement(db, "INSERT INTO \(schema).cell_key VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
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
    let stored = try SQLiteStatement(db, "SELECT id, \(CellDimensions.columns) FROM \(schema).cell_key")
    while try stored.step() { keys[CellDimensions(stored, 1)] = stored.int32(0) }
  }

  func add(_ units: PersonUnits) throws { try change(units, isAdded: true) }

  func remove(_ units: PersonUnits) throws { try change(units, isAdded: false) }

  private func change(_ units: PersonUnits, isAdded: Bool) throws {
    if let (unit, dimensions) = units.entry {
      try change(.entry, dimensions, unit.ts, isAdded) { unit.append(to: &$0) }
    }
    for (unit, dimensions) in units.trials {
      try change(.trial, dimensions, unit.start, isAdded) { unit.append(to: &$0) }
      if dimensions.trialKind == TrialKind.introductory.rawValue {
        lengths[dimensions.app, default: [:]][unit.end - unit.start, default: 0] += isAdded ? 1 : -1
      }
    }
    for (unit, dimensions) in units.purchases {
      try change(.purchase, dimensions, unit.start, isAdded) { unit.append(to: &$0) }
    }
    if pending >= Self.pendingLimit { try flush() }
  }

  @inline(__always)
  private func change(
    _ family: CellFamily, _ dimensions: CellDimensions, _ instant: Int64, _ isAdded: Bool,
    _ append: (inout [Int64]) -> Void
  ) throws {
    let row = CellFamily.rowID(key: try key(dimensions), day: instant / day)
    if isAdded {
      append(&changes[family.rawValue][row, default: Change()].added)
    } else {
      append(&changes[family.rawValue][row, default: Change()].removed)
    }
    pending += 4
  }

  private func key(_ dimensions: CellDimensions) throws -> Int32 {
    if let lastKey, lastKey.dimensions == dimensions { return lastKey.id }
    if let id = keys[dimensions] {
      lastKey = (dimensions, id)
      return id
    }
    let id = Int32(keys.count + 1)
    if !isOverlay {
      insertKey.bind(1, id)
      dimensions.bind(to: insertKey, 2)
      try insertKey.run()
    }
    keys[dimensions] = id
    return id
  }

  /// Writes what is pending; a cell without units has no row.
  func flush() throws {
    for family in CellFamily.allCases {
      let rows = changes[family.rawValue]
      changes[family.rawValue] = [:]
      for (row, change) in rows.sorted(by: { $0.key < $1.key }) { try write(change, family, row) }
    }
    pending = 0
    if isOverlay { return }
    for (app, lengths) in lengths {
      for (length, count) in lengths where count != 0 {
        addLength.bind(1, app)
        addLength.bind(2, length)
        addLength.bind(3, Int64(count))
        try addLength.run()
      }
    }
    try dropLengths.run()
    lengths.removeAll(keepingCapacity: true)
  }

  private func write(_ change: Change, _ family: CellFamily, _ row: Int64) throws {
    let layout = family.layout
    var added = layout.sorted(change.added)
    var removed = layout.sorted(change.removed)
    layout.cancel(&added, &removed)
    if added.isEmpty && removed.isEmpty { return }
    var units = try units(family, row)
    if !removed.isEmpty {
      guard let left = layout.subtract(removed, from: units) else {
        throw DatabaseError(
          resultCode: .SQLITE_CORRUPT, message: "\(family.table) lacks units that the facts have; run doctor")
      }
      units = left
    }
    units = layout.merge(units, added)
    if isOverlay {
      overlaid[family.rawValue][row] = layout.encode(units)
    } else if units.isEmpty {
      delete[family.rawValue].bind(1, row)
      try delete[family.rawValue].run()
    } else {
      let replace = replace[family.rawValue]
      try layout.encode(units).withUnsafeBytes { bytes in
        replace.bind(1, row)
        replace.bindBlob(2, bytes)
        try replace.run()
      }
    }
  }

  /// The units of a row as it is, in order.
  private func units(_ family: CellFamily, _ row: Int64) throws -> [Int64] {
    if let bytes = overlaid[family.rawValue][row] { return bytes.withUnsafeBytes { family.layout.decode($0) } }
    let select = select[family.rawValue]
    select.bind(1, row)
    defer { select.reset() }
    return try select.step() ? family.layout.decode(select.bytes(0)) : []
  }
}
