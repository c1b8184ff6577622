internal import EventModel

/// A cache of the numbers of recent short names, so that most need no hashing and no probing.
///
/// For up to 32 bytes, four overlapping words and the length identify a name exactly.
struct NameCache: ~Copyable {
  private struct Entry {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var count: UInt32 = 0
    var number: UInt32 = 0
  }

  private static let longestName = 32
  private static let slotCount = 2_048
  private let slots: UnsafeMutablePointer<Entry>

  init() {
    slots = UnsafeMutablePointer<Entry>.allocate(capacity: Self.slotCount)
    slots.initialize(repeating: Entry(), count: Self.slotCount)
  }

  deinit { slots.deallocate() }

  mutating func removeAll() {
    slots.update(repeating: Entry(), count: Self.slotCount)
  }

  /// Returns the number of a name of at least one byte in `names`; adds it if it is new.
  @inline(__always)
  mutating func number(_ bytes: UnsafePointer<UInt8>, count: Int, in names: inout ByteInterner) -> UInt32 {
    if count > Self.longestName { return names.intern(UnsafeRawBufferPointer(start: bytes, count: count)) }
    let words: (UInt64, UInt64, UInt64, UInt64)
    if count <= 8 {
      words = (ByteWord.load(bytes) & ByteWord.mask(count), 0, 0, 0)
    } else if count <= 16 {
      words = (ByteWord.load(bytes), ByteWord.load(bytes + (count &- 8)), 0, 0)
    } else {
      words = (
        ByteWord.load(bytes), ByteWord.load(bytes + 8), ByteWord.load(bytes + (count &- 16)),
        ByteWord.load(bytes + (count &- 8))
      )
    }
    return number(words, count: count) { names.intern(UnsafeRawBufferPointer(start: bytes, count: count)) }
  }

  /// Returns the number of a name of at most 8 bytes, given as a word with the first byte lowest and zeros after the
  /// last.
  @inline(__always)
  mutating func number(_ name: UInt64, count: Int, in names: inout ByteInterner) -> UInt32 {
    number((name, 0, 0, 0), count: count) {
      withUnsafeBytes(of: name.littleEndian) { names.intern(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  @inline(__always)
  private mutating func number(
    _ words: (UInt64, UInt64, UInt64, UInt64), count: Int, orElse intern: () -> UInt32
  ) -> UInt32 {
    let folded = (words.0 &+ words.2) ^ ((words.1 &+ words.3) &* 0xE703_7ED1_A0B4_28DB)
    let slot = slots + Int(truncatingIfNeeded: (folded &* 0x9E37_79B9_7F4A_7C15) &>> 53)
    let differences =
      (slot.pointee.words.0 ^ words.0) | (slot.pointee.words.1 ^ words.1) | (slot.pointee.words.2 ^ words.2)
      | (slot.pointee.words.3 ^ words.3)
    if differences == 0 && Int(slot.pointee.count) == count { return slot.pointee.number }
    let number = intern()
    slot.pointee = Entry(words: words, count: UInt32(count), number: number)
    return number
  }
}
