internal import EventModel

/// Remembers the numbers of rows met lately, ahead of a ``RowInterner``.
///
/// Files mix a few hundred contexts, clients and terms; the caller hashes a row as it fills it, and comparing
/// with the row found settles the rest.
struct RowCache: ~Copyable {
  private struct Entry {
    var hash: UInt64 = 0
    /// Number of the row plus one; 0 is an empty slot.
    var next: UInt32 = 0
  }

  private static let slotCount = 1_024
  private let slots: UnsafeMutablePointer<Entry>

  init() {
    slots = UnsafeMutablePointer<Entry>.allocate(capacity: Self.slotCount)
    slots.initialize(repeating: Entry(), count: Self.slotCount)
  }

  deinit { slots.deallocate() }

  mutating func removeAll() {
    slots.update(repeating: Entry(), count: Self.slotCount)
  }

  /// Returns the number of the row in `rows`, adding it when it is new.
  ///
  /// - Parameter hash: Any function of the row that spreads well in its high bits; equal rows with unequal hashes
  ///   cost time and nothing else.
  @inline(__always)
  mutating func number<Row>(_ row: Row, hash: UInt64, in rows: inout RowInterner<Row>) -> UInt32 {
    let slot = slots + Int(truncatingIfNeeded: hash &>> 54)
    if slot.pointee.hash == hash && slot.pointee.next != 0 {
      let number = slot.pointee.next &- 1
      if rows.rows[Int(number)] == row { return number }
    }
    let number = rows.intern(row)
    slot.pointee = Entry(hash: hash, next: number + 1)
    return number
  }

  /// Takes one more part of a row into its hash.
  @inline(__always)
  static func fold(_ part: UInt64, into hash: inout UInt64) {
    let product = (hash ^ part).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    hash = product.low ^ product.high
  }
}
