/// One row of a query on facts; valid until the next one.
public struct FactRow {
  let statement: SQLiteStatement
  let entries: StoredEntries.Greatest

  public subscript(column: Int) -> Int64 { statement.int64(Int32(column)) }

  /// Returns the number of a dictionary's entry.
  public func int32(_ column: Int) -> Int32 { statement.int32(Int32(column)) }

  /// Returns the number of a person.
  ///
  /// - Throws: `DatabaseError` if the store has no user of that number.
  public func person(_ column: Int) throws -> Int32 {
    let number = self[column]
    guard number > 0, number <= Int64(entries.user) else { throw StoredDamage.lacks(number, of: "user", had: "a fact") }
    return Int32(number)
  }

  /// Returns the number of a client.
  ///
  /// - Throws: `DatabaseError` if the store has none of that number.
  public func client(_ column: Int) throws -> Int32 {
    let number = self[column]
    guard number >= 0, number <= Int64(entries.client) else {
      throw StoredDamage.lacks(number, of: "client", had: "a fact")
    }
    return Int32(number)
  }

  /// Returns an instant that an event can have.
  ///
  /// - Throws: `DatabaseError` for another one.
  public func instant(_ column: Int) throws -> Int64 {
    let instant = self[column]
    guard StoredRange.instants.contains(instant) else { throw StoredDamage.error("a fact has no instant of an event") }
    return instant
  }

  public func optional(_ column: Int) -> Int64? { statement.optionalInt64(Int32(column)) }

  public func int(_ column: Int) -> Int { Int(statement.int64(Int32(column))) }

  /// Returns the bytes of a blob; valid until the next row.
  public func bytes(_ column: Int) -> UnsafeRawBufferPointer { statement.bytes(Int32(column)) }
}
