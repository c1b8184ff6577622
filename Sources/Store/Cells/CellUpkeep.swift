internal import GRDB
internal import Lifecycle

/// Keeps the cells what a rebuild from all facts would give: what a person put into them before a commit is taken away, and
/// what the person puts into them now is added.
final class CellUpkeep {
  private let db: Database
  private let reader: FactReader
  private let writer: CellWriter

  /// - Parameter segments: Of the store.
  init(_ db: Database, segments: SegmentNumbers) throws {
    self.db = db
    reader = try FactReader(db, schema: "main", segments: segments)
    writer = try CellWriter(db, schema: "main")
  }

  /// Takes away what the stored facts of persons, which are about to be deleted, put into cells.
  ///
  /// - Parameter persons: In order.
  func remove(persons: [Int32]) throws {
    guard let first = persons.first, let last = persons.last else { return }
    if Int(last) - Int(first) < persons.count * 8 {
      // Most persons of the range: one walk is cheaper than a seek for each.
      var next = 0
      try reader.forEachPerson(in: first...last) { person, units in
        while next < persons.count, persons[next] < person { next += 1 }
        if next < persons.count, persons[next] == person { try writer.remove(units) }
      }
    } else {
      for person in persons { try writer.remove(reader.units(of: person)) }
    }
  }

  /// Adds what new facts put into cells.
  func add(_ rows: CellRows) throws { try writer.add(rows) }

  /// Takes away what former facts put into cells.
  func remove(_ rows: CellRows) throws { try writer.remove(rows) }

  /// Writes the cells, inside the commit's transaction.
  func finish() throws {
    try writer.flush()
    try CachedReports.clear(db)
  }

  /// The cells without the persons whose stored facts do not hold, and with what they are folded to instead.
  static func overlay(
    _ db: Database, _ plan: RecomputePlan, _ recompute: Recompute, _ dictionaries: EventDictionaries
  ) throws -> CellOverlay {
    let segments = try SegmentNumbers(db, schema: "main")
    let overlay = try CellWriter(db, schema: "main", isOverlay: true)
    let stored = try FactReader(db, schema: "main", segments: segments)
    for person in plan.stale.users { try overlay.remove(stored.units(of: person)) }
    var units = PersonUnits()
    try recompute.forEachPerson(plan, dictionaries) { _, app, facts, _ in
      units.set(facts, app: app, segments)
      try overlay.add(units)
    }
    try overlay.flush()
    return CellOverlay(cells: overlay, segments: segments)
  }

  /// Makes the cells of all facts, where there are none.
  ///
  /// - Parameter schema: Of facts and cells.
  static func build(_ db: Database, schema: String) throws {
    let segments = try SegmentNumbers(db, schema: schema)
    let writer = try CellWriter(db, schema: schema)
    try FactReader(db, schema: schema, segments: segments).forEachPerson { _, units in try writer.add(units) }
    try writer.flush()
  }
}

/// Cells that differ from the stored ones, with the segments of both.
struct CellOverlay {
  let cells: CellWriter
  let segments: SegmentNumbers
}
