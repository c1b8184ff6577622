/// The encoding of single ids in the store: a UUID in lower case as its 16 bytes, a plain decimal number as an integer,
/// any other text unchanged. The encoding is lossless, and equal texts have equal codes.
enum CodedText {
  /// Returns the SQL expression for the text of a coded column.
  static func sql(_ column: String) -> String {
    let hex = "lower(hex(\(column)))"
    return """
      CASE typeof(\(column))
        WHEN 'blob' THEN substr(\(hex), 1, 8) || '-' || substr(\(hex), 9, 4) || '-' || substr(\(hex), 13, 4)
          || '-' || substr(\(hex), 17, 4) || '-' || substr(\(hex), 21)
        WHEN 'null' THEN NULL
        ELSE CAST(\(column) AS TEXT)
      END
      """
  }

  /// Returns the integer whose decimal text the bytes are, without sign or leading zero; `nil` for any other text.
  @inline(__always)
  static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard bytes.count >= 1, bytes.count <= 18, bytes[0] &- 0x30 <= 9 else { return nil }
    if bytes[0] == 0x30 && bytes.count > 1 { return nil }
    var value: Int64 = 0
    for byte in bytes {
      let digit = byte &- 0x30
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return value
  }

  /// Returns the text of a UUID whose 16 bytes are two big-endian numbers.
  static func uuidText(_ first: UInt64, _ second: UInt64) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for place in 0..<32 {
      if place == 8 || place == 12 || place == 16 || place == 20 { text.append(UInt8(ascii: "-")) }
      let word = place < 16 ? first : second
      text.append(digits[Int(truncatingIfNeeded: word >> UInt64(60 - place % 16 * 4)) & 15])
    }
    return text
  }

  /// Returns the 16 bytes of a UUID in lower case with hyphens, as two words in memory order.
  @inline(__always)
  static func uuid(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
    guard bytes.count == 36, bytes[8] == 0x2D, bytes[13] == 0x2D, bytes[18] == 0x2D, bytes[23] == 0x2D else {
      return nil
    }
    func digits(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    func fourDigits(_ offset: Int) -> UInt64 {
      UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    var wrong: UInt64 = 0
    let first = packed(digits(0), &wrong)
    let second = packed(fourDigits(9) | fourDigits(14) << 32, &wrong)
    let third = packed(fourDigits(19) | fourDigits(24) << 32, &wrong)
    let fourth = packed(digits(28), &wrong)
    if wrong != 0 { return nil }
    return ((first | second << 32).littleEndian, (third | fourth << 32).littleEndian)
  }

  /// Returns the four bytes written as eight hexadecimal digits in lower case, with the first digit in the lowest byte
  /// of `digits`; sets bits of `wrong` if a character is not such a digit.
  @inline(__always)
  private static func packed(_ digits: UInt64, _ wrong: inout UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // A letter has bit 6; its low four bits are 1–6 for `a`–`f`.
    let letters = digits >> 6 & ones
    let values = (digits & (ones &* 0x0F)) &+ letters &* 9
    // The input is valid only if each value is in range and gives the same character when written as a digit again.
    wrong |= digits ^ (values &+ ones &* 0x30 &+ letters &* 0x27)
    wrong |= ((values &+ ones &* 6) >> 4 & ones) ^ letters
    wrong |= values & (ones &* 0xF0)
    let pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
    let quads = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
    return (quads | quads >> 16) & 0xFFFF_FFFF
  }
}
