/// Writes JSON in a canonical form, so that equal contents give equal text: UTF-8, no spaces, minimal escaping.
public enum JSONText {
  /// Appends the bytes in quotes. It escapes only `"`, `\` and control characters, the latter as `\b`, `\f`, `\n`,
  /// `\r`, `\t` or `\u00XX` with lower-case digits.
  public static func append(quoted bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    EightBytes.append(
      bytes, to: &text, hasSpecial: { $0.contains(0x22) || $0.contains(0x5C) || $0.containsLess(than: 0x20) },
      isSpecial: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }, escape: { append(escaped: $0, to: &$1) })
    text.append(UInt8(ascii: "\""))
  }

  public static func append(quoted string: String, to text: inout [UInt8]) {
    var string = string
    string.withUTF8 { append(quoted: UnsafeRawBufferPointer($0), to: &text) }
  }

  public static func quoted(_ string: String) -> String {
    var text: [UInt8] = []
    append(quoted: string, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads a string written by ``append(quoted:to:)``.
  ///
  /// - Parameter start: The offset of the opening quote.
  /// - Returns: The offset after the closing quote; `nil` if there is no such string.
  public static func read(
    quotedFrom start: Int, of bytes: UnsafeRawBufferPointer, into text: inout [UInt8]
  ) -> Int? {
    var offset = start + 1
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") { return offset + 1 }
      if byte != UInt8(ascii: "\\") {
        text.append(byte)
        offset += 1
        continue
      }
      guard offset + 1 < bytes.count else { return nil }
      offset += 2
      switch bytes[offset - 1] {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        guard offset + 4 <= bytes.count,
          let code = UInt8(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { return nil }
        text.append(code)
        offset += 4
      case let other: text.append(other)
      }
    }
    return nil
  }

  /// Appends a number; whole numbers have no decimal point, so `10` and `10.0` give equal text.
  public static func append(_ number: Double, to text: inout [UInt8]) {
    if let whole = Int64(exactly: number), abs(number) < 1e15 {
      text.append(contentsOf: String(whole).utf8)
    } else {
      text.append(contentsOf: number.description.utf8)
    }
  }

  private static func append(escaped byte: UInt8, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: text.append(byte)
    case 0x08: text.append(UInt8(ascii: "b"))
    case 0x0C: text.append(UInt8(ascii: "f"))
    case 0x0A: text.append(UInt8(ascii: "n"))
    case 0x0D: text.append(UInt8(ascii: "r"))
    case 0x09: text.append(UInt8(ascii: "t"))
    default:
      let digits = Array("0123456789abcdef".utf8)
      text.append(contentsOf: [
        UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"), digits[Int(byte >> 4)], digits[Int(byte & 15)],
      ])
    }
  }
}
