internal import EventModel
internal import GRDB
public import Lifecycle

/// What a unit's row points to: app, context, and the dimensions of its own event that few values have (definitions
/// 2.11). The units of a cell have it in common, too.
public struct Segment: Hashable, Sendable {
  public var app: NameID
  public var context: Context
  /// -1 for none, else the plan's raw value.
  public var plan: Int8 = -1
  public var isFamilyTier = false
  /// Raw value of ``TrialKind``.
  public var trialKind: UInt8 = 0

  /// A segment without dimensions of an event.
  public init(app: NameID, context: Context) { self.init(app: app, context: context, nil) }

  init(app: NameID, context: Context, _ dimensions: UnitDimensions?) {
    self.app = app
    self.context = context
    if let dimensions {
      plan = dimensions.plan.map { Int8($0.rawValue) } ?? -1
      isFamilyTier = dimensions.isFamilyTier
      trialKind = dimensions.trialKind.rawValue
    }
  }

  /// What an exposure has: the variant, and no paywall.
  init(app: NameID, _ exposure: ExposureFact) {
    self.init(
      app: app,
      context: Context(experiment: exposure.experiment, variant: exposure.variant, paywall: 0, entryPoint: 0))
  }

  /// Reads the columns of ``columns`` from one on.
  init(_ row: SQLiteStatement, _ first: Int32) {
    app = row.int32(first)
    context = Context(
      experiment: row.int32(first + 1), variant: row.int32(first + 2), paywall: row.int32(first + 3),
      entryPoint: row.int32(first + 4))
    plan = row.isNull(first + 5) ? -1 : Int8(truncatingIfNeeded: row.int64(first + 5))
    isFamilyTier = row.int64(first + 6) != 0
    trialKind = UInt8(truncatingIfNeeded: row.int64(first + 7))
  }

  static let columns = "app, experiment, variant, paywall, entry_point, plan, is_family_tier, trial_kind"

  fileprivate func bind(to statement: SQLiteStatement, _ first: Int32) {
    statement.bind(first, app)
    statement.bind(first + 1, context.experiment)
    statement.bind(first + 2, context.variant)
    statement.bind(first + 3, context.paywall)
    statement.bind(first + 4, context.entryPoint)
    statement.bind(first + 5, plan < 0 ? nil : Int64(plan))
    statement.bind(first + 6, Int64(isFamilyTier ? 1 : 0))
    statement.bind(first + 7, Int64(trialKind))
  }

  /// Everything, in three words instead of eight.
  @inline(__always)
  private var words: (UInt64, UInt64, UInt64) {
    func word(_ high: Int32, _ low: Int32) -> UInt64 {
      UInt64(UInt32(bitPattern: high)) << 32 | UInt64(UInt32(bitPattern: low))
    }
    return (
      word(app, context.experiment), word(context.variant, context.paywall),
      word(context.entryPoint, Int32(plan) << 16 | Int32(trialKind) << 1 | (isFamilyTier ? 1 : 0))
    )
  }

  public func hash(into hasher: inout Hasher) {
    let words = words
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
  }

  /// A hash that takes less time than it spreads well.
  @inline(__always)
  fileprivate var quickHash: UInt64 {
    let words = words
    return (words.0 &* 0xA076_1D64_78BD_642F) ^ (words.1 &* 0xE703_7ED1_A0B4_28DB) ^ words.2
  }
}

/// Numbers segments from 1, in order of first sight; the table is written by ``FactWriter``.
///
/// Used by one thread at a time: by the one that folds, while there is one, and only by it.
final class SegmentNumbers: @unchecked Sendable {
  @exclusivity(unchecked) private var interner = RowInterner<Segment>()
  /// Each unit is asked for, by what writes facts, cells and money in turn.
  @exclusivity(unchecked) private var recent = RecentSlots<Segment>()

  var segments: [Segment] { interner.rows }

  /// None.
  init() {}

  /// The segments of a schema's table.
  init(_ db: Database, schema: String) throws {
    let row = try SQLiteStatement(db, "SELECT \(Segment.columns) FROM \(schema).origin ORDER BY id")
    var last: Int32 = 0
    while try row.step() {
      last += 1
      guard number(of: Segment(row, 0)) == last else { throw StoredDamage.error("origin has a row twice") }
    }
  }

  func number(of segment: Segment) -> Int32 {
    let hash = segment.quickHash
    if let number = recent.slot(of: segment, hash: hash) { return Int32(truncatingIfNeeded: number) }
    let number = Int32(interner.intern(segment) + 1)
    recent.note(Int(number), of: segment, hash: hash)
    return number
  }

  func has(_ number: Int32) -> Bool { number > 0 && Int(number) <= interner.rows.count }

  func segment(_ number: Int32) -> Segment { interner.rows[Int(number) - 1] }
}

/// The table of segments, which gains rows and never loses one.
struct SegmentTable {
  private let insert: SQLiteStatement

  init(_ db: Database, schema: String) throws {
    insert = try SQLiteStatement(db, "INSERT INTO \(schema).origin VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
  }

  func add(_ segment: Segment, number: Int32) throws {
    insert.bind(1, number)
    segment.bind(to: insert, 2)
    try insert.run()
  }
}
