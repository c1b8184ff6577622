internal import Basics
internal import Foundation

/// A JSON Web Signature in compact form (RFC 7515, section 7.1), the App Store's format for notifications, transactions
/// and renewal info.
public struct SignedText {
  var header: JSONNode
  var payload: JSONNode
  /// The signed bytes.
  var signingInput: [UInt8]
  var signature: [UInt8]

  /// - Returns: `nil` unless the text is three parts of base64url, the first two of them JSON objects.
  init?(_ text: String) {
    let parts = Self.trimmed(text.utf8).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.decode(parts[0]), let payload = Self.decode(parts[1]),
      let signature = Self.decode(parts[2]), let headerValue = JSONNode(parsing: header),
      let payloadValue = JSONNode(parsing: payload), headerValue.members != nil, payloadValue.members != nil
    else { return nil }
    self.header = headerValue
    self.payload = payloadValue
    self.signature = signature
    signingInput = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
  }

  /// Returns whether a text looks like a signed one: base64url of `{"`, and two dots.
  static func isOne(_ text: some Collection<UInt8>) -> Bool {
    guard text.starts(with: Array("eyJ".utf8)) else { return false }
    var dots = 0
    for byte in text {
      if byte == UInt8(ascii: ".") { dots += 1 }
      guard byte.isASCIIAlphanumeric || ".-_= \r\n".utf8.contains(byte) else { return false }
    }
    return dots == 2
  }

  static func trimmed(_ text: some Sequence<UInt8>) -> String {
    String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self)
  }

  /// Decodes base64 or base64url, with or without padding.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var base64 = text.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while base64.last == UInt8(ascii: "=") { base64.removeLast() }
    base64 += repeatElement(UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
    return Data(base64Encoded: Data(base64)).map { [UInt8]($0) }
  }
}
