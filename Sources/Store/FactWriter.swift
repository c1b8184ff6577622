internal import GRDB

/// Writes what the fold makes of persons to the fact tables, of the store or of memory.
final class FactWriter {
  private let deletes: [SQLiteStatement]
  private let origins: OriginTable
  private let inserts: [RowInsert]

  /// - Parameter schema: `main`, or `temp` for facts that last as long as the connection.
  init(_ db: Database, schema: String) throws {
    origins = try OriginTable(db, schema: schema)
    inserts = try FactTable.allCases.map {
      try RowInsert(
        db, into: "\(schema).\($0.rowTable)", columns: $0.columnCount, textColumn: $0.bytesColumn, isBlob: true)
    }
    deletes = try FactTable.allCases.map {
      try SQLiteStatement(db, "DELETE FROM \(schema).\($0.rowTable) WHERE person BETWEEN ? AND ?")
    }
  }

  /// Deletes the facts of persons.
  ///
  /// - Parameter persons: In order.
  func delete(persons: some Collection<Int32>) throws {
    var ranges: [ClosedRange<Int32>] = []
    for person in persons {
      if let last = ranges.last, last.upperBound == person - 1 {
        ranges[ranges.count - 1] = last.lowerBound...person
      } else {
        ranges.append(person...person)
      }
    }
    for statement in deletes {
      for range in ranges {
        statement.bind(1, range.lowerBound)
        statement.bind(2, range.upperBound)
        try statement.run()
      }
    }
  }

  /// Stores rows; those of facts are empty behind it.
  func insert(_ rows: inout FactRows) throws {
    for (number, origin) in rows.origins { try origins.add(origin, number: number) }
    for (index, insert) in inserts.enumerated() { try insert.run(&rows.tables[index]) }
  }
}
