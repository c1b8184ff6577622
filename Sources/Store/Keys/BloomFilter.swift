/// A Bloom filter over the stored keys (Bloom 1970), which rules out most keys that are not stored without reading the
/// store. The bits for one key are in one line of the processor's cache (Putze, Sanders and Singler 2007).
///
/// A key that is not stored passes once in 100,000 times with 48 bits per key, and once in 40 with nine. Each key that
/// passes is looked up, and each look-up reads a block; with fewer bits, every batch would read all blocks.
struct BloomFilter {
  private static let words = 8

  private let lines: Int
  /// The number of keys that there is room for.
  private let capacity: Int
  /// The shift that leaves a line's number from 64 bits.
  private let shift: UInt64
  private var bits: [UInt64]
  private var count = 0

  /// - Parameters:
  ///   - roomyBytes: The initial size, a power of two, with 48 bits per key; with more keys, four times as much and then
  ///     twice as much again, with nine bits per key or more.
  ///   - keyCount: The number of keys to make room for.
  init(roomyBytes: Int, keyCount: Int) {
    var lines = roomyBytes / 64
    var capacity = lines * 512 / 48
    while capacity < keyCount {
      lines *= lines == roomyBytes / 64 ? 4 : 2
      capacity = lines * 512 / 9
    }
    (self.lines, self.capacity) = (lines, capacity)
    shift = UInt64(64 - lines.trailingZeroBitCount)
    bits = [UInt64](repeating: 0, count: lines * Self.words)
  }

  /// Returns whether the filter would be too full with this many more keys.
  func isFull(with more: Int) -> Bool { count + more > capacity }

  /// Returns the line and the four bits for a hash, whose bits are random.
  @inline(__always)
  private func place(_ hash: UInt64) -> (line: Int, UInt64, UInt64, UInt64, UInt64) {
    // Only the prefix of a hash is stored, so the bits depend on the prefix alone.
    let mixed = KeyBlock.prefix(hash) &* 0x9E37_79B9_7F4A_7C15
    return (
      Int(truncatingIfNeeded: mixed >> shift) * Self.words, mixed & 511, mixed >> 9 & 511, mixed >> 18 & 511,
      mixed >> 27 & 511
    )
  }

  mutating func insert(_ hash: UInt64) {
    let (line, a, b, c, d) = place(hash)
    count += 1
    bits.withUnsafeMutableBufferPointer { bits in
      @inline(__always)
      func set(_ bit: UInt64) { bits[line + Int(bit >> 6)] |= 1 << (bit & 63) }
      set(a)
      set(b)
      set(c)
      set(d)
    }
  }

  /// Returns whether the key may be stored; `false` is certain.
  @inline(__always)
  func mayContain(_ hash: UInt64) -> Bool {
    let (line, a, b, c, d) = place(hash)
    return bits.withUnsafeBufferPointer { bits in
      @inline(__always)
      func isSet(_ bit: UInt64) -> Bool { bits[line + Int(bit >> 6)] & (1 << (bit & 63)) != 0 }
      return isSet(a) && isSet(b) && isSet(c) && isSet(d)
    }
  }
}
