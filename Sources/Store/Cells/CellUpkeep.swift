internal import GRDB
internal import Lifecycle

/// Keeps the cells equal to a rebuild from all facts: each commit removes the previous units of the persons it touches
/// and adds their new ones.
final class CellUpkeep {
  private let db: Database
  private let reader: FactReader
  let writer: CellWriter

  init(_ db: Database, cellKeys: CellKeyNumbers) throws {
    self.db = db
    reader = try FactReader(db, schema: "main", cellKeys: cellKeys)
    writer = try CellWriter(db, schema: "main")
  }

  /// Removes the units of persons whose stored facts are about to be deleted.
  ///
  /// - Parameter persons: In ascending order.
  func remove(persons: [Int32]) throws {
    guard let first = persons.first, let last = persons.last else { return }
    if Int(last) - Int(first) < persons.count * 8 {
      // Most persons of the range are wanted, so one walk is cheaper than a seek for each.
      var next = 0
      try reader.forEachPerson(in: first...last, inParts: true) { person, units in
        while next < persons.count, persons[next] < person { next += 1 }
        if next < persons.count, persons[next] == person { try writer.remove(units) }
      }
    } else {
      for person in persons { try writer.remove(reader.units(of: person)) }
    }
  }

  /// Writes the changed cells, inside the commit's transaction.
  func finish() throws {
    try writer.flush()
    try CachedReports.clear(db)
  }

  /// Returns the cells with the units of persons whose stored facts do not hold replaced by their recomputed units.
  static func overlay(
    _ db: Database, _ plan: RecomputePlan, _ recompute: Recompute, _ dictionaries: EventDictionaries
  ) throws -> CellOverlay {
    let cellKeys = try CellKeyNumbers(db, schema: "main")
    let overlay = try CellWriter(db, schema: "main", isOverlay: true)
    let stored = try FactReader(db, schema: "main", cellKeys: cellKeys)
    for person in plan.stale { try overlay.remove(stored.units(of: person)) }
    var units = PersonUnits()
    try recompute.forEachPerson(plan, dictionaries) { _, app, facts, _ in
      units.set(facts, app: app, cellKeys)
      try overlay.add(units)
    }
    try overlay.flush()
    return CellOverlay(cells: overlay, cellKeys: cellKeys)
  }
}

/// The cells that differ from the stored ones, with the cell keys of both.
struct CellOverlay {
  let cells: CellWriter
  let cellKeys: CellKeyNumbers
}
