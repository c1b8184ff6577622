/// Says of most keys that are not stored that they are not, without a look into the store: a Bloom filter (Bloom 1970)
/// whose bits for one key lie in one line of the processor's cache (Putze, Sanders and Singler 2007).
///
/// A key that is not stored is let through once in 100,000 times where there are 48 bits a key, and once in 40 where there
/// are nine; what is let through is looked up, and each look-up reads a block. Fewer bits would have each batch read all
/// blocks.
struct BloomFilter {
  private static let words = 8
  private static let leastBitsPerKey = 9

  private let lines: Int
  /// What leaves of 64 bits those of a line's number.
  private let shift: UInt64
  private var bits: [UInt64]
  private var count = 0

  /// - Parameters:
  ///   - leastBytes: The room to begin with, a power of two.
  ///   - keyCount: Keys to have room for.
  init(leastBytes: Int, keyCount: Int) {
    var lines = leastBytes / 64
    while lines * 512 < keyCount * Self.leastBitsPerKey { lines *= 2 }
    self.lines = lines
    shift = UInt64(64 - lines.trailingZeroBitCount)
    bits = [UInt64](repeating: 0, count: lines * Self.words)
  }

  /// Whether so many keys more would be too many.
  func isFull(with more: Int) -> Bool { (count + more) * Self.leastBitsPerKey > lines * 512 }

  /// The line and the four bits of a hash, whose bits are random.
  @inline(__always)
  private func place(_ hash: UInt64) -> (line: Int, UInt64, UInt64, UInt64, UInt64) {
    // The stored prefix is what is left of a hash: the bits are drawn from it alone.
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

  /// Whether the key may be stored; `false` is certain.
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
