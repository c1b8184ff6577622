internal import Basics
internal import EventModel

/// Reads instants in the forms of exports: `2024-11-15T10:45:36.181000+0000`, `2023-01-01 08:27:06`, `2026-03-01
/// 09:00:00 UTC`, `2026-03-01`. Without an offset they are in UTC.
enum VendorTime {
  /// Returns the instant as RFC 3339 or epoch milliseconds. A text in another form stays as it is, and the event is
  /// then invalid.
  static func native(_ value: JSONNode?) -> JSONNode? {
    guard case .string(let text) = value else { return value }
    return milliseconds(text).map { JSONNode($0) } ?? value
  }

  static func milliseconds(_ value: JSONNode?) -> Int64? {
    switch value {
    case .string(let text): milliseconds(text) ?? value?.integer
    case .number: value?.integer
    default: nil
    }
  }

  static func milliseconds(_ text: String) -> Int64? { instant(text)?.milliseconds }

  /// Returns the instant of seconds since 1970 in milliseconds; `nil` if they are not a whole number above 0, or too
  /// many to be seconds.
  static func milliseconds(seconds: JSONNode?) -> Int64? {
    seconds?.integer.flatMap { $0 > 0 && $0 < 1 << 40 ? $0 * 1_000 : nil }
  }

  /// Returns the instant, in UTC if it has no offset, and whether it has one.
  static func instant(_ text: String) -> (milliseconds: Int64, hasOffset: Bool)? {
    var text = text
    var hasOffset = true
    for zone in [" UTC", " GMT", "Z", "z"] where text.hasSuffix(zone) {
      text.removeLast(zone.count)
      text += "Z"
      break
    }
    var bytes = Array(text.utf8)
    guard bytes.count >= 10 else { return nil }
    if bytes.count == 10 { bytes += Array("T00:00:00".utf8) }
    if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
    // Digits behind a time are an offset, and no part of its fraction.
    if let space = bytes.lastIndex(of: UInt8(ascii: " ")),
      space < 16 || (bytes[(space + 1)...].first ?? 0) &- 0x30 >= 10
    {
      bytes.remove(at: space)
    }
    let signs = [UInt8(ascii: "+"), UInt8(ascii: "-")]
    if let sign = bytes[10...].lastIndex(where: { signs.contains($0) }) {
      switch bytes.count - sign {
      case 3: bytes += Array(":00".utf8)
      case 5: bytes.insert(UInt8(ascii: ":"), at: sign + 3)
      default: break
      }
    } else if bytes.last != UInt8(ascii: "Z") {
      bytes.append(UInt8(ascii: "Z"))
      hasOffset = false
    }
    return bytes.withUnsafeBytes { Instant(rfc3339: $0) }.map { ($0.millisecondsSince1970, hasOffset) }
  }
}
