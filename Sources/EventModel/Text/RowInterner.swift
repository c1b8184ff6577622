/// Numbers the distinct rows of a small table from 0, in the order in which they are first added.
public struct RowInterner<Row: Hashable & Sendable>: Sendable {
  /// The distinct rows; the index of a row is its number.
  @inlinable public var rows: [Row] { storedRows }
  @usableFromInline var storedRows: [Row] = []
  /// A hash table with open addressing and linear probing of 1 + the number of a row; 0 is a free slot. A dictionary
  /// would hold all rows again.
  @usableFromInline var slots = [UInt32](repeating: 0, count: 16)
  /// The row looked up last, because files repeat rows in runs.
  @usableFromInline var last: (row: Row, number: UInt32)?

  public init() {}

  /// Returns the number of the row; adds it if it is new.
  @inlinable
  public mutating func intern(_ row: Row) -> UInt32 {
    if let last, last.row == row { return last.number }
    var slot = row.hashValue & (slots.count - 1)
    while slots[slot] != 0 {
      let number = slots[slot] - 1
      if storedRows[Int(number)] == row {
        last = (row, number)
        return number
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    let number = UInt32(storedRows.count)
    storedRows.append(row)
    slots[slot] = number + 1
    if storedRows.count * 2 > slots.count { index(slotCount: slots.count * 2) }
    last = (row, number)
    return number
  }

  /// Removes the rows from number `newCount` on.
  public mutating func shrink(to newCount: Int) {
    if newCount == storedRows.count { return }
    storedRows.removeSubrange(newCount...)
    index(slotCount: slots.count)
    last = nil
  }

  @inlinable
  mutating func index(slotCount: Int) {
    slots = [UInt32](repeating: 0, count: slotCount)
    for (number, row) in storedRows.enumerated() {
      var slot = row.hashValue & (slotCount - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
      slots[slot] = UInt32(number + 1)
    }
  }
}
