public import Lifecycle

/// What the units of a cell have in common besides their UTC day (definitions 2.11).
public struct CellDimensions: Hashable, Sendable {
  public var app: NameID
  public var context: Context
  /// -1 for none, else the plan's raw value.
  public var plan: Int8
  public var isFamilyTier: Bool
  /// Raw value of ``TrialKind``.
  public var trialKind: UInt8

  init(app: NameID, context: Context, _ dimensions: UnitDimensions) {
    self.app = app
    self.context = context
    plan = dimensions.plan.map { Int8($0.rawValue) } ?? -1
    isFamilyTier = dimensions.isFamilyTier
    trialKind = dimensions.trialKind.rawValue
  }

  /// Reads the columns of ``columns`` from one on.
  init(_ row: SQLiteStatement, _ first: Int32) {
    app = row.int32(first)
    context = Context(
      experiment: row.int32(first + 1), variant: row.int32(first + 2), paywall: row.int32(first + 3),
      entryPoint: row.int32(first + 4))
    plan = row.isNull(first + 5) ? -1 : Int8(row.int64(first + 5))
    isFamilyTier = row.int64(first + 6) != 0
    trialKind = UInt8(row.int64(first + 7))
  }

  static let columns = "app, experiment, variant, paywall, entry_point, plan, is_family_tier, trial_kind"

  func bind(to statement: SQLiteStatement, _ first: Int32) {
    statement.bind(first, app)
    statement.bind(first + 1, context.experiment)
    statement.bind(first + 2, context.variant)
    statement.bind(first + 3, context.paywall)
    statement.bind(first + 4, context.entryPoint)
    statement.bind(first + 5, Int64(plan))
    statement.bind(first + 6, Int64(isFamilyTier ? 1 : 0))
    statement.bind(first + 7, Int64(trialKind))
  }

  // Four words instead of nine: the dictionary of keys is asked for every unit.
  public func hash(into hasher: inout Hasher) {
    func word(_ high: Int32, _ low: Int32) -> UInt64 {
      UInt64(UInt32(bitPattern: high)) << 32 | UInt64(UInt32(bitPattern: low))
    }
    hasher.combine(word(app, context.experiment))
    hasher.combine(word(context.variant, context.paywall))
    hasher.combine(word(context.entryPoint, Int32(plan) << 16 | Int32(trialKind) << 1 | (isFamilyTier ? 1 : 0)))
  }
}
