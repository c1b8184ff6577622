internal import GRDB
internal import Lifecycle

/// Reads stored facts back as what they put into cells: the inverse of ``FactRows``, as far as cells go.
final class FactReader {
  private let db: Database
  private let schema: String
  private let statements: [SQLiteStatement]
  private let origins: OriginNumbers
  private var units = PersonUnits()

  /// The columns of a spell fact that ``PurchaseUnit`` reads.
  private static let purchaseColumns =
    "start, cover_end, grace_end, first_cancelled_at, is_off_35, is_off_95, is_off_370, first_refunded_at, "
    + "has_offer_type, reason, currency, price, payments"

  /// The person first, an origin last; of a unit with several contexts the first.
  private static let queries = [
    (table: "entry", columns: "ts, \(Origin.columns)", condition: "1 = 1"),
    (
      table: "trial", columns: "start, trial_end, deadline, converted_at, is_cancelled, \(Origin.columns)",
      condition: "credit = 0"
    ),
    (table: "conversion", columns: "ts, trial_start, conversion_trial_kind", condition: "credit = 0"),
    (
      table: "spell", columns: "\(purchaseColumns), \(Origin.columns)",
      condition: "credit = 0 AND is_purchase = 1"
    ),
  ]

  /// - Parameters:
  ///   - schema: `main`, or `temp` for facts that last as long as the connection.
  ///   - origins: Those that units get numbers of, whatever the schema's own.
  init(_ db: Database, schema: String, origins: OriginNumbers) throws {
    self.db = db
    self.origins = origins
    self.schema = schema
    statements = try Self.queries.map {
      try SQLiteStatement(
        db, "SELECT person, \($0.columns) FROM \(schema).\($0.table)_fact WHERE person = ? AND \($0.condition)")
    }
  }

  /// What a person's facts put into cells; of a person without facts nothing.
  func units(of person: Int32) throws -> PersonUnits {
    units.removeAll()
    for (index, statement) in statements.enumerated() {
      statement.bind(1, person)
      defer { statement.reset() }
      while try statement.step() { append(statement, ofQuery: index) }
    }
    units.complete()
    return units
  }

  /// Calls `body` with what each person's facts put into cells, in order of the persons.
  func forEachPerson(
    in range: ClosedRange<Int32> = 0...Int32.max, _ body: (_ person: Int32, PersonUnits) throws -> Void
  ) throws {
    let cursors = try Self.queries.map {
      try SQLiteStatement(
        db,
        "SELECT person, \($0.columns) FROM \(schema).\($0.table)_fact "
          + "WHERE \($0.condition) AND person BETWEEN \(range.lowerBound) AND \(range.upperBound) ORDER BY person")
    }
    var persons = try cursors.map { try $0.step() ? $0.int32(0) : Int32.max }
    while let person = persons.min(), person != .max {
      units.removeAll()
      for index in cursors.indices {
        while persons[index] == person {
          append(cursors[index], ofQuery: index)
          persons[index] = try cursors[index].step() ? cursors[index].int32(0) : Int32.max
        }
      }
      units.complete()
      try body(person, units)
    }
  }

  private func append(_ row: SQLiteStatement, ofQuery index: Int) {
    switch index {
    case 0: units.entry = (EntryUnit(ts: row.int64(1)), origins.number(of: Origin(row, 2)))
    case 1:
      let unit = TrialUnit(
        start: row.int64(1), end: row.int64(2), deadline: row.int64(3), convertedAt: row.optionalInt64(4),
        isCancelled: row.int64(5) != 0)
      let origin = Origin(row, 6)
      let isIntroductory = origin.trialKind == TrialKind.introductory.rawValue
      units.trials.append((unit, origins.number(of: origin), origin.app, isIntroductory))
    case 2:
      let isIntroductory = row.int64(3) == Int64(TrialKind.introductory.rawValue)
      units.conversions.append(
        PersonUnits.Conversion(ts: row.int64(1), introductoryStart: isIntroductory ? row.optionalInt64(2) : nil))
    default: units.purchases.append((PurchaseUnit(row, 1), origins.number(of: Origin(row, 14))))
    }
  }
}
