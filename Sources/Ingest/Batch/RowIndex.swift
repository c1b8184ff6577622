internal import EventModel

/// An index of a ``RowInterner`` by a hash that the caller builds while it fills a row.
///
/// A batch has few rows but looks one up for every event. The interner's dictionary would hash a whole row each time,
/// which for ``TermsNames`` costs more than decoding a line.
struct RowIndex: ~Copyable {
  private struct Slot {
    var hash: UInt64 = 0
    /// The row's number plus one; 0 is a free slot. Linear probing.
    var next: UInt32 = 0
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var slotCount = 256
  private var count = 0

  init() {
    slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    slots.initialize(repeating: Slot(), count: slotCount)
  }

  deinit { slots.deallocate() }

  mutating func removeAll() {
    if count == 0 { return }
    slots.update(repeating: Slot(), count: slotCount)
    count = 0
  }

  /// Returns the number of the row in `rows`; adds it if it is new.
  ///
  /// - Parameter hash: Any function of the row with well-distributed low bits. Equal rows with different hashes only
  ///   cost time.
  @inline(__always)
  mutating func number<Row>(_ row: Row, hash: UInt64, in rows: inout RowInterner<Row>) -> UInt32 {
    var place = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
    while slots[place].next != 0 {
      let number = slots[place].next &- 1
      if slots[place].hash == hash && rows.rows[Int(number)] == row { return number }
      place = (place &+ 1) & (slotCount &- 1)
    }
    let number = rows.intern(row)
    slots[place] = Slot(hash: hash, next: number + 1)
    count += 1
    if count * 2 > slotCount { grow() }
    return number
  }

  /// Adds one part of a row to its hash.
  @inline(__always)
  static func fold(_ part: UInt64, into hash: inout UInt64) {
    let product = (hash ^ part).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    hash = product.low ^ product.high
  }

  private mutating func grow() {
    let old = UnsafeBufferPointer(start: slots, count: slotCount)
    slotCount *= 2
    slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    slots.initialize(repeating: Slot(), count: slotCount)
    for slot in old where slot.next != 0 {
      var place = Int(truncatingIfNeeded: slot.hash) & (slotCount - 1)
      while slots[place].next != 0 { place = (place + 1) & (slotCount - 1) }
      slots[place] = slot
    }
    old.deallocate()
  }
}
