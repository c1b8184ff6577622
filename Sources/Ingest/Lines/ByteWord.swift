/// Eight bytes examined at once.
///
/// Everything here reads up to 32 bytes past the bytes it is asked about: buffers of the decoder end in
/// ``LineBuffer/padding`` readable bytes.
enum ByteWord {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highBits: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }

  /// Two bytes, the first in the low half.
  @inline(__always)
  static func loadPair(_ bytes: UnsafePointer<UInt8>) -> UInt16 {
    UInt16(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt16.self))
  }

  /// `:"` and `,"` as ``loadPair(_:)`` gives them: what stands between tokens where nobody put spaces.
  static let colonQuote: UInt16 = 0x223A
  static let commaQuote: UInt16 = 0x222C
  /// `{"`, with which a line begins.
  static let braceQuote: UInt16 = 0x227B

  /// The high bit of each byte that a plain run of a JSON string cannot hold: `"`, `\` or a control character.
  ///
  /// Exact for the lowest such byte; a borrow can mark higher ones wrongly.
  @inline(__always)
  static func stringStops(_ word: UInt64) -> UInt64 {
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return
      (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
      | ((word &- 0x2020_2020_2020_2020) & ~word)) & highBits
  }

  /// The same, and of each byte that is no ASCII; as exact.
  @inline(__always)
  static func asciiStops(_ word: UInt64) -> UInt64 {
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return
      (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | (word &- 0x2020_2020_2020_2020) | word)
      & highBits
  }

  /// The place of the lowest marked byte.
  @inline(__always)
  static func first(_ marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }

  /// Ones in the lowest `count` bytes; `count` is at most 8.
  @inline(__always)
  static func mask(_ count: Int) -> UInt64 { count >= 8 ? .max : (1 &<< UInt64(count &* 8)) &- 1 }

  /// The first up to 24 bytes as three words, zero past `count`.
  @inline(__always)
  static func words(_ bytes: UnsafePointer<UInt8>, count: Int) -> (UInt64, UInt64, UInt64) {
    if count <= 8 { return (load(bytes) & mask(count), 0, 0) }
    if count <= 16 { return (load(bytes), load(bytes + 8) & mask(count &- 8), 0) }
    return (load(bytes), load(bytes + 8), load(bytes + 16) & mask(count &- 16))
  }

  /// Sixteen bytes at once.
  @inline(__always)
  private static func vector(_ bytes: UnsafePointer<UInt8>) -> SIMD16<UInt8> {
    UnsafeRawPointer(bytes).loadUnaligned(as: SIMD16<UInt8>.self)
  }

  @inline(__always)
  private static func isZero(_ vector: SIMD16<UInt8>) -> Bool {
    let halves = unsafeBitCast(vector, to: SIMD2<UInt64>.self)
    return halves[0] | halves[1] == 0
  }

  /// Whether `count` bytes are the same; none behind them are read where there are 16 or more.
  @inline(__always)
  static func areEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, count: Int) -> Bool {
    if count >= 16 {
      // The last step overlaps the one before.
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

  /// Whether 16 or more bytes are ASCII that a plain run of a JSON string can hold.
  @inline(__always)
  static func areASCII(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    // As in `asciiStops`, two words at once; masks of vectors are slower here.
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
