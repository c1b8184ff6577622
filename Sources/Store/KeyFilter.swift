/// Says of most keys that are not stored that they are not, without a look into the store: a Bloom filter (Bloom 1970)
/// whose bits for one key lie in one line of the processor's cache (Putze, Sanders and Singler 2007).
///
/// The room is fixed: 32 MB, so that the memory of an ingest does not grow with the store. With 5.6 M keys one in
/// 100,000 that are not stored is let through, with 56 M about one in eight; those are looked up.
struct KeyFilter {
  private static let lines = 1 << 19
  private static let words = 8

  private var bits = [UInt64](repeating: 0, count: lines * words)

  /// The line and the four bits of a hash, whose bits are random.
  @inline(__always)
  private static func place(_ hash: UInt64) -> (line: Int, UInt64, UInt64, UInt64, UInt64) {
    // The stored prefix is what is left of a hash: the bits are drawn from it alone.
    let mixed = KeyBlock.prefix(hash) &* 0x9E37_79B9_7F4A_7C15
    return (
      Int(truncatingIfNeeded: mixed >> 45) * words, mixed & 511, mixed >> 9 & 511, mixed >> 18 & 511, mixed >> 27 & 511
    )
  }

  mutating func insert(_ hash: UInt64) {
    let (line, a, b, c, d) = Self.place(hash)
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
    let (line, a, b, c, d) = Self.place(hash)
    return bits.withUnsafeBufferPointer { bits in
      @inline(__always)
      func isSet(_ bit: UInt64) -> Bool { bits[line + Int(bit >> 6)] & (1 << (bit & 63)) != 0 }
      return isSet(a) && isSet(b) && isSet(c) && isSet(d)
    }
  }
}
