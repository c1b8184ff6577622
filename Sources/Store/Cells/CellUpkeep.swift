internal import GRDB
internal import Lifecycle

/// Keeps the cells what a rebuild from all facts would give: what a person put into them before a commit is taken away, and
/// what the person puts into them now is added.
final class CellUpkeep {
  private let db: Database
  private let reader: FactReader
  private let writer: CellWriter

  /// - Parameter origins: Of the store.
  init(_ db: Database, origins: OriginNumbers) throws {
    self.db = db
    reader = try FactReader(db, schema: "main", origins: origins)
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
    _ db: Database, _ plan: RefoldPlan, _ refold: Refold, _ dictionaries: EventDictionaries
  ) throws -> CellOverlay {
    let origins = try OriginNumbers(db, schema: "main")
    let overlay = try CellWriter(db, schema: "main", isOverlay: true)
    let stored = try FactReader(db, schema: "main", origins: origins)
    for person in plan.stale.users { try overlay.remove(stored.units(of: person)) }
    var units = PersonUnits()
    try refold.forEachPerson(plan, dictionaries) { _, app, facts, _ in
      units.set(facts, app: app, origins)
      try overlay.add(units)
    }
    try overlay.flush()
    return CellOverlay(cells: overlay, origins: origins)
  }

  /// Makes the cells of all facts, where there are none.
  ///
  /// - Parameter schema: Of facts and cells.
  static func build(_ db: Database, schema: String) throws {
    let origins = try OriginNumbers(db, schema: schema)
    let writer = try CellWriter(db, schema: schema)
    try FactReader(db, schema: schema, origins: origins).forEachPerson { _, units in try writer.add(units) }
    try writer.flush()
  }
}

/// Cells that differ from the stored ones, with the origins of both.
struct CellOverlay {
  let cells: CellWriter
  let origins: OriginNumbers
}
