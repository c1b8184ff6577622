/// Gives each distinct row of a small table a number, in order of first sight, from 0.
public struct RowInterner<Row: Hashable & Sendable>: Sendable {
  /// The distinct rows; a row's number is its place.
  @inlinable public var rows: [Row] { storedRows }
  @usableFromInline var storedRows: [Row] = []
  @usableFromInline var numbers: [Row: UInt32] = [:]
  /// The row asked for last: files repeat rows in runs.
  @usableFromInline var last: (row: Row, number: UInt32)?

  public init() {}

  /// Returns the number of the row, adding it when it is new.
  @inlinable
  public mutating func intern(_ row: Row) -> UInt32 {
    if let last, last.row == row { return last.number }
    let number: UInt32
    if let known = numbers[row] {
      number = known
    } else {
      number = UInt32(storedRows.count)
      storedRows.append(row)
      numbers[row] = number
    }
    last = (row, number)
    return number
  }

  /// Forgets the rows from number `newCount` on, as if they had never been seen.
  public mutating func shrink(to newCount: Int) {
    for row in storedRows[newCount...] { numbers[row] = nil }
    storedRows.removeSubrange(newCount...)
    last = nil
  }
}
