/// Numbers the distinct rows of a small table from 0, in the order in which they are first added.
public struct RowInterner<Row: Hashable & Sendable>: Sendable {
  /// The distinct rows; the index of a row is its number.
  @inlinable public var rows: [Row] { storedRows }
  @usableFromInline var storedRows: [Row] = []
  @usableFromInline var numbers: [Row: UInt32] = [:]
  /// The row looked up last, because files repeat rows in runs.
  @usableFromInline var last: (row: Row, number: UInt32)?

  public init() {}

  /// Returns the number of the row; adds it if it is new.
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

  /// Removes the rows from number `newCount` on.
  public mutating func shrink(to newCount: Int) {
    for row in storedRows[newCount...] { numbers[row] = nil }
    storedRows.removeSubrange(newCount...)
    last = nil
  }
}
