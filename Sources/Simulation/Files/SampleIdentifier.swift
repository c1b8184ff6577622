internal import Basics

/// Generates identifiers that look random and never collide.
///
/// Each is a bijection of a counter under a key, so that 56 million events need no set of used ids.
enum SampleIdentifier {
  private static let hexDigits = Array("0123456789abcdef".utf8)
  private static let base32Digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// Returns a distinct word for each event: up to 2¹⁰ per user and 2⁵⁴ users.
  static func eventWord(key: UInt64, person: Int, serial: Int) -> UInt64 {
    SplitMix64.mixed((UInt64(person) << 10 | UInt64(serial)) ^ key)
  }

  /// Appends a UUID of version 8 (RFC 9562): the word, and the collector's node of 12 hexadecimal digits, as in version
  /// 1.
  static func appendUUID(_ word: UInt64, node: [UInt8], to bytes: inout [UInt8]) {
    var shift: UInt64 = 64
    for position in 0..<16 {
      if position == 8 { bytes.append(0x2d) }
      if position == 12 {
        bytes.append(0x2d)
        bytes.append(0x38)
      }
      if position == 15 {
        bytes.append(0x2d)
        bytes.append(0x38)
      }
      shift -= 4
      bytes.append(hexDigits[Int(word >> shift & 15)])
    }
    bytes.append(0x30)
    bytes.append(0x30)
    bytes.append(0x2d)
    bytes.append(contentsOf: node)
  }

  /// Returns the 12 hexadecimal digits of a node.
  static func node(key: UInt64) -> [UInt8] {
    (0..<12).map { hexDigits[Int(key >> UInt64($0 * 4) & 15)] }
  }

  /// Returns eight digits of Crockford's base 32, distinct for each user below 2⁴⁰.
  static func personCode(key: UInt64, person: Int) -> String {
    let word = scattered(UInt64(person), key: key, bits: 40)
    var digits: [UInt8] = []
    for position in 0..<8 { digits.append(base32Digits[Int(word >> UInt64(35 - 5 * position) & 31)]) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns a number of 15 digits like the App Store's, distinct for up to 256 transactions of each user below 2²⁸.
  static func transaction(key: UInt64, person: Int, serial: Int) -> Int {
    410_000_000_000_000 + Int(scattered(UInt64(person) << 8 | UInt64(serial & 255), key: key, bits: 36))
  }

  /// Returns a bijection of the `bits`-bit numbers: xor, odd multiplication and xor-shift are all invertible.
  private static func scattered(_ number: UInt64, key: UInt64, bits: UInt64) -> UInt64 {
    let mask = (1 << bits) - 1 as UInt64
    var word = (number ^ key) & mask
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93] as [UInt64] {
      word = (word &* factor) & mask
      word ^= word >> (bits / 2)
    }
    return word
  }
}
