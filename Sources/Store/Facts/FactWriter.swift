internal import GRDB

/// Writes the facts of persons to the fact tables, either those of the store or temporary ones.
final class FactWriter {
  private let deletes: [SQLiteStatement]
  /// Queries for the persons that each table has, in order.
  private let lists: [SQLiteStatement]
  private let cellKeys: CellKeyTable
  private let inserts: [RowInsert]

  /// - Parameter schema: `main`, or `temp` for facts that last as long as the connection.
  init(_ db: Database, schema: String) throws {
    cellKeys = try CellKeyTable(db, schema: schema)
    inserts = try FactTable.allCases.map {
      try RowInsert(
        db, into: "\(schema).\($0.rowTable)", columns: $0.columnCount, textColumn: $0.bytesColumn, isBlob: true)
    }
    deletes = try FactTable.allCases.map {
      try SQLiteStatement(db, "DELETE FROM \(schema).\($0.rowTable) WHERE person BETWEEN ? AND ?")
    }
    lists = try FactTable.allCases.map {
      try SQLiteStatement(
        db, "SELECT DISTINCT person FROM \(schema).\($0.rowTable) WHERE person BETWEEN ? AND ? ORDER BY person")
    }
  }

  /// Deletes the facts of persons.
  ///
  /// - Parameter persons: In ascending order.
  func delete(persons: some RandomAccessCollection<Int32>) throws {
    guard let first = persons.first, let last = persons.last else { return }
    let isDense = Int(last) - Int(first) < persons.count * 8
    for (delete, list) in zip(deletes, lists) {
      for range in isDense ? try Self.ranges(of: persons, in: list) : persons.map({ $0...$0 }) {
        try delete.run(binding: range.lowerBound, range.upperBound)
      }
    }
  }

  /// Returns ranges that cover exactly those of the persons that the table has, and no others in it; there are few
  /// ranges if most of the table's persons are to be deleted.
  private static func ranges(
    of persons: some RandomAccessCollection<Int32>, in list: SQLiteStatement
  ) throws -> [ClosedRange<Int32>] {
    guard let first = persons.first, let last = persons.last else { return [] }
    var ranges: [ClosedRange<Int32>] = []
    var rest = persons.makeIterator()
    var next = rest.next()
    var goesOn = false
    list.bind(all: first, last)
    defer { list.reset() }
    while try list.step() {
      let stored = list.int32(0)
      while let person = next, person < stored { next = rest.next() }
      if next != stored {
        goesOn = false
      } else if goesOn {
        ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound...stored
      } else {
        ranges.append(stored...stored)
        goesOn = true
      }
    }
    return ranges
  }

  /// Stores rows; afterwards, the rows of facts are empty.
  func insert(_ rows: inout FactRows) throws {
    for (number, cellKey) in rows.cellKeys { try cellKeys.add(cellKey, number: number) }
    for (index, insert) in inserts.enumerated() { try insert.run(&rows.tables[index]) }
  }
}
