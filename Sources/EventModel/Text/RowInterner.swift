/// Numbers the distinct rows of a table from 0, in the order in which they are first added.
///
/// The caller may give a hash that it has anyway: to hash a row of ``TermsNames`` takes longer than to decode its line.
public struct RowInterner<Row: Equatable & Sendable>: Sendable {
  /// The distinct rows; the index of a row is its number.
  @inlinable public var rows: [Row] { storedRows }
  @usableFromInline var storedRows: [Row] = []
  /// A part of the hash of each row, so that growing does not read the rows again.
  @usableFromInline var hashes: [UInt32] = []
  /// A hash table with open addressing and linear probing of 1 + the number of a row; 0 is a free slot. A dictionary
  /// would hold all rows again.
  @usableFromInline var slots = [UInt32](repeating: 0, count: 256)

  public init() {}

  /// Returns the number of the row; adds it if it is new.
  ///
  /// - Parameter hash: Any function of the row. An equal row with another hash is added again.
  @inlinable @inline(__always)
  public mutating func intern(_ row: Row, hash: UInt64) -> UInt32 {
    // Every bit of the hash reaches the low bits of one half of the product.
    let product = hash.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let hash = UInt32(truncatingIfNeeded: product.high ^ product.low)
    var slot = Int(hash) & (slots.count &- 1)
    while slots[slot] != 0 {
      let number = slots[slot] &- 1
      if hashes[Int(number)] == hash && storedRows[Int(number)] == row { return number }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    let number = UInt32(storedRows.count)
    storedRows.append(row)
    hashes.append(hash)
    slots[slot] = number + 1
    if storedRows.count * 2 > slots.count { index(slotCount: slots.count * 2) }
    return number
  }

  /// Removes the rows from number `newCount` on.
  public mutating func shrink(to newCount: Int) {
    if newCount == storedRows.count { return }
    storedRows.removeSubrange(newCount...)
    hashes.removeSubrange(newCount...)
    index(slotCount: slots.count)
  }

  /// Removes all rows and keeps their memory.
  public mutating func removeAll() {
    if storedRows.isEmpty { return }
    storedRows.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    for slot in slots.indices { slots[slot] = 0 }
  }

  @usableFromInline
  mutating func index(slotCount: Int) {
    slots = [UInt32](repeating: 0, count: slotCount)
    for (number, hash) in hashes.enumerated() {
      var slot = Int(hash) & (slotCount - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
      slots[slot] = UInt32(number + 1)
    }
  }
}

extension RowInterner where Row: Hashable {
  /// Returns the number of the row; adds it if it is new.
  @inlinable
  public mutating func intern(_ row: Row) -> UInt32 { intern(row, hash: UInt64(bitPattern: Int64(row.hashValue))) }
}
