internal import EventModel
internal import GRDB
public import Lifecycle

/// The app, the context and the dimensions with few values from a unit's own event (definitions 2.11). Rows of facts
/// refer to it by number, and the units of a cell share it.
public struct CellKey: Equatable, Sendable {
  public var app: NameID
  public var context: Context
  /// The plan's raw value; -1 for none.
  public var plan: Int8 = -1
  public var isFamilyTier = false
  /// The raw value of ``TrialKind``.
  public var trialKind: UInt8 = 0
  public var offer = Offer()

  /// Creates the cell key of a unit, or one without dimensions from an event.
  public init(app: NameID, context: Context, _ dimensions: UnitDimensions? = nil) {
    self.app = app
    self.context = context
    if let dimensions {
      plan = dimensions.plan.map { Int8($0.rawValue) } ?? -1
      isFamilyTier = dimensions.isFamilyTier
      trialKind = dimensions.trialKind.rawValue
      offer = dimensions.offer
    }
  }

  /// Creates the cell key of an exposure: the variant, without a paywall.
  init(app: NameID, _ exposure: ExposureFact) {
    self.init(
      app: app,
      context: Context(experiment: exposure.experiment, variant: exposure.variant, paywall: 0, entryPoint: 0))
  }

  /// Reads ``columns`` from a row.
  init(_ row: SQLiteStatement) {
    app = row.int32(0)
    context = Context(
      experiment: row.int32(1), variant: row.int32(2), paywall: row.int32(3), entryPoint: row.int32(4))
    plan = row.isNull(5) ? -1 : Int8(truncatingIfNeeded: row.int64(5))
    isFamilyTier = row.int64(6) != 0
    trialKind = UInt8(truncatingIfNeeded: row.int64(7))
    offer = Offer(product: row.int32(8), offering: row.int32(9), type: row.int32(10), code: row.int32(11))
  }

  static let columns = (["app"] + FactTable.context + FactTable.units).joined(separator: ", ")

  /// A fast hash; distribution matters less here.
  @inline(__always)
  fileprivate var quickHash: UInt64 {
    func word(_ high: Int32, _ low: Int32) -> UInt64 {
      UInt64(UInt32(bitPattern: high)) << 32 | UInt64(UInt32(bitPattern: low))
    }
    let own = word(context.entryPoint, Int32(plan) << 16 | Int32(trialKind) << 1 | (isFamilyTier ? 1 : 0))
    return (word(app, context.experiment) &* 0xA076_1D64_78BD_642F)
      ^ (word(context.variant, context.paywall) &* 0xE703_7ED1_A0B4_28DB) ^ own
      ^ (word(offer.product, offer.offering) &* 0x8EBC_6AF0_9C88_C6E3)
      ^ (word(offer.type, offer.code) &* 0x5899_65CC_7537_4CC3)
  }
}

/// Numbers cell keys from 1, in the order of first appearance; ``FactWriter`` writes the table.
///
/// Only one thread may use it at a time: the folding thread while there is one.
final class CellKeyNumbers: @unchecked Sendable {
  @exclusivity(unchecked) private var interner = RowInterner<CellKey>()

  var cellKeys: [CellKey] { interner.rows }

  /// Creates an empty list.
  init() {}

  /// Creates a list that begins as another, for another thread.
  init(copying other: CellKeyNumbers) { interner = other.interner }

  /// Reads the cell keys from a schema's table.
  init(_ db: Database, schema: String) throws {
    let row = try SQLiteStatement(db, "SELECT \(CellKey.columns) FROM \(schema).origin ORDER BY id")
    while try row.step() {
      let known = interner.rows.count
      guard number(of: CellKey(row)) == known + 1 else { throw StoredDamage.error("origin has a row twice") }
    }
  }

  func number(of cellKey: CellKey) -> Int32 {
    Int32(interner.intern(cellKey, hash: cellKey.quickHash) + 1)
  }

  /// Adds the cell keys that a copy has beyond those that it began with.
  ///
  /// - Parameter known: Their number when the copy was made.
  /// - Returns: A function from the copy's numbers to these; `nil` where both have the same.
  func adopt(_ copy: CellKeyNumbers, after known: Int) -> ((Int32) -> Int32)? {
    let own = copy.cellKeys.dropFirst(known).map(number)
    if own.isEmpty { return nil }
    return { Int($0) > known ? own[Int($0) - known - 1] : $0 }
  }

  func has(_ number: Int32) -> Bool { number > 0 && Int(number) <= interner.rows.count }

  func cellKey(_ number: Int32) -> CellKey { interner.rows[Int(number) - 1] }
}

/// Writes the table of cell keys, to which rows are only ever added.
struct CellKeyTable {
  private let insert: SQLiteStatement

  init(_ db: Database, schema: String) throws {
    insert = try SQLiteStatement(db, "INSERT INTO \(schema).origin VALUES (?\(String(repeating: ", ?", count: 12)))")
  }

  func add(_ cellKey: CellKey, number: Int32) throws {
    try insert.run(
      binding: number, cellKey.app, cellKey.context.experiment, cellKey.context.variant, cellKey.context.paywall,
      cellKey.context.entryPoint, cellKey.plan < 0 ? nil : Int64(cellKey.plan), Int64(cellKey.isFamilyTier ? 1 : 0),
      Int64(cellKey.trialKind), cellKey.offer.product, cellKey.offer.offering, cellKey.offer.type, cellKey.offer.code)
  }
}
