/// Operations on eight bytes at once.
///
/// All functions may read up to 32 bytes past the given bytes, so the decoder's buffers end in ``LineBuffer/padding``
/// readable bytes.
enum ByteWord {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highBits: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }

  /// Loads two bytes, the first in the low half.
  @inline(__always)
  static func loadPair(_ bytes: UnsafePointer<UInt8>) -> UInt16 {
    UInt16(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt16.self))
  }

  /// `:"` and `,"` in the form of ``loadPair(_:)``: the bytes between tokens without spaces.
  static let colonQuote: UInt16 = 0x223A
  static let commaQuote: UInt16 = 0x222C
  /// `{"`, the start of a line.
  static let braceQuote: UInt16 = 0x227B

  /// Marks the high bit of each byte that ends a plain run of a JSON string: `"`, `\` or a control character.
  ///
  /// Exact for the lowest such byte; a borrow can wrongly mark higher ones.
  @inline(__always)
  static func stringStops(_ word: UInt64) -> UInt64 {
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return
      (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
      | ((word &- 0x2020_2020_2020_2020) & ~word)) & highBits
  }

  /// Marks the bytes of ``stringStops(_:)`` and those that are not ASCII; equally exact.
  @inline(__always)
  static func asciiStops(_ word: UInt64) -> UInt64 {
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return
      (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | (word &- 0x2020_2020_2020_2020) | word)
      & highBits
  }

  /// Returns the index of the lowest marked byte.
  @inline(__always)
  static func first(_ marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }

  /// Returns ones in the lowest `count` bytes, at most 8.
  @inline(__always)
  static func mask(_ count: Int) -> UInt64 { count >= 8 ? .max : (1 &<< UInt64(count &* 8)) &- 1 }

  /// Returns the first up to 24 bytes as three words, zero past `count`.
  @inline(__always)
  static func words(_ bytes: UnsafePointer<UInt8>, count: Int) -> (UInt64, UInt64, UInt64) {
    if count <= 8 { return (load(bytes) & mask(count), 0, 0) }
    if count <= 16 { return (load(bytes), load(bytes + 8) & mask(count &- 8), 0) }
    return (load(bytes), load(bytes + 8), load(bytes + 16) & mask(count &- 16))
  }

  /// Loads sixteen bytes.
  @inline(__always)
  private static func vector(_ bytes: UnsafePointer<UInt8>) -> SIMD16<UInt8> {
    UnsafeRawPointer(bytes).loadUnaligned(as: SIMD16<UInt8>.self)
  }

  @inline(__always)
  private static func isZero(_ vector: SIMD16<UInt8>) -> Bool {
    let halves = unsafeBitCast(vector, to: SIMD2<UInt64>.self)
    return halves[0] | halves[1] == 0
  }

  /// Returns whether `count` bytes are equal; reads none past them if there are 16 or more.
  @inline(__always)
  static func areEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, count: Int) -> Bool {
    if count >= 16 {
      // The last step overlaps the previous one.
      var differences = vector(a + (count &- 16)) ^ vector(b + (count &- 16))
      if !isZero(differences) { return false }
      var offset = 0
      while offset &+ 16 < count {
        differences |= vector(a + offset) ^ vector(b + offset)
        offset &+= 16
      }
      return isZero(differences)
    }
    if count > 8 && load(a) != load(b) { return false }
    let last = count > 8 ? 8 : 0
    return (load(a + last) ^ load(b + last)) & mask(count &- last) == 0
  }

  /// Returns whether 16 or more bytes are ASCII of a plain run of a JSON string.
  @inline(__always)
  static func areASCII(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    // As in `asciiStops`, but two words at once; vector masks are slower here.
    var marks = SIMD2<UInt64>(repeating: 0)
    func mark(_ bytes: UnsafePointer<UInt8>) {
      let words = UnsafeRawPointer(bytes).loadUnaligned(as: SIMD2<UInt64>.self)
      let quotes = words ^ 0x2222_2222_2222_2222
      let backslashes = words ^ 0x5C5C_5C5C_5C5C_5C5C
      marks |= (quotes &- ones) & ~quotes
      marks |= (backslashes &- ones) & ~backslashes
      marks |= (words &- 0x2020_2020_2020_2020) | words
    }
    var offset = 0
    while offset &+ 16 < count {
      mark(bytes + offset)
      offset &+= 16
    }
    mark(bytes + (count &- 16))
    return (marks[0] | marks[1]) & highBits == 0
  }
}
