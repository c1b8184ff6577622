internal import GRDB
internal import Lifecycle

/// Keeps the cells what a rebuild from all facts would give: what a person put into them before a commit is taken away, and
/// what the person puts into them now is added.
final class CellUpkeep {
  private let db: Database
  private let reader: FactReader
  private let writer: CellWriter
  private var units = PersonUnits()

  init(_ db: Database) throws {
    self.db = db
    reader = try FactReader(db, schema: "main")
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
  func add(_ facts: PersonFacts, app: NameID) throws {
    units.set(facts, app: app)
    if !units.isEmpty { try writer.add(units) }
  }

  /// Writes the cells, inside the commit's transaction.
  func finish() throws {
    try writer.flush()
    try KeptReports.forget(db)
  }

  /// The cells without the persons whose stored facts do not hold, which `temp.refolded` lists, and with what they were
  /// folded to instead.
  static func overlay(_ db: Database) throws -> CellWriter {
    let overlay = try CellWriter(db, schema: "main", isOverlay: true)
    let stored = try FactReader(db, schema: "main")
    for person in try Int32.fetchAll(db, sql: "SELECT person FROM temp.refolded") {
      try overlay.remove(stored.units(of: person))
    }
    try FactReader(db, schema: "temp").forEachPerson { try overlay.add($1) }
    try overlay.flush()
    return overlay
  }

  /// Makes the cells of all facts, where there are none.
  ///
  /// - Parameter schema: Of facts and cells.
  static func build(_ db: Database, schema: String) throws {
    let writer = try CellWriter(db, schema: schema)
    try FactReader(db, schema: schema).forEachPerson { try writer.add($1) }
    try writer.flush()
  }
}
