internal import GRDB
internal import Lifecycle

/// What a unit's row points to: app, context, and the dimensions of its own event that few values have.
struct Origin: Hashable {
  var app: NameID
  var context: Context
  /// -1 where absent.
  var plan: Int32 = -1
  var isFamilyTier = false
  var trialKind = TrialKind.none

  init(app: NameID, context: Context, dimensions: UnitDimensions? = nil) {
    self.app = app
    self.context = context
    if let dimensions {
      plan = dimensions.plan.map { Int32($0.rawValue) } ?? -1
      isFamilyTier = dimensions.isFamilyTier
      trialKind = dimensions.trialKind
    }
  }
}

/// Numbers origins, adding new ones to their table.
final class OriginTable {
  @exclusivity(unchecked) private var numbers: [Origin: Int32] = [:]
  @exclusivity(unchecked) private var last: (origin: Origin, number: Int32)?
  private let insert: SQLiteStatement

  init(_ db: Database, schema: String) throws {
    insert = try SQLiteStatement(db, "INSERT INTO \(schema).origin VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let row = try SQLiteStatement(
      db,
      """
      SELECT id, app, experiment, variant, paywall, entry_point, coalesce(plan, -1), is_family_tier, trial_kind
      FROM \(schema).origin
      """)
    while try row.step() {
      var origin = Origin(
        app: row.int32(1),
        context: Context(
          experiment: row.int32(2), variant: row.int32(3), paywall: row.int32(4), entryPoint: row.int32(5)))
      origin.plan = row.int32(6)
      origin.isFamilyTier = row.int32(7) != 0
      origin.trialKind = TrialKind(rawValue: UInt8(row.int32(8))) ?? .none
      numbers[origin] = row.int32(0)
    }
  }

  func number(of origin: Origin) throws -> Int32 {
    // A person's units follow one another, and most are alike.
    if let last, last.origin == origin { return last.number }
    let number = try numbers[origin] ?? add(origin)
    last = (origin, number)
    return number
  }

  private func add(_ origin: Origin) throws -> Int32 {
    let number = Int32(numbers.count + 1)
    numbers[origin] = number
    insert.bind(1, number)
    insert.bind(2, origin.app)
    insert.bind(3, origin.context.experiment)
    insert.bind(4, origin.context.variant)
    insert.bind(5, origin.context.paywall)
    insert.bind(6, origin.context.entryPoint)
    insert.bind(7, origin.plan < 0 ? nil : Int64(origin.plan))
    insert.bind(8, Int64(origin.isFamilyTier ? 1 : 0))
    insert.bind(9, Int64(origin.trialKind.rawValue))
    try insert.run()
    return number
  }
}
