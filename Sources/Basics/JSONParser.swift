/// The error for text that is not JSON, with the position of the error and what was expected there.
public struct JSONSyntaxError: Error, CustomStringConvertible {
  /// The position of the byte, from 1.
  public var byte: Int
  public var expected: String

  public var description: String { "byte \(byte): not JSON; expected \(expected)" }
}

extension JSONNode {
  /// Reads one JSON value (RFC 8259) from UTF-8 text, with optional white space around it and at most 64 levels of
  /// nesting.
  public init(reading text: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    var parser = JSONParser(bytes: text)
    self = try parser.document()
  }

  /// Reads one JSON value; `nil` if ``init(reading:)`` throws.
  public init?(parsing text: UnsafeRawBufferPointer) {
    guard let value = try? JSONNode(reading: text) else { return nil }
    self = value
  }

  /// Reads one JSON value from an array of bytes; `nil` if ``init(reading:)`` throws.
  public init?(parsing text: [UInt8]) {
    guard let value = text.withUnsafeBytes({ JSONNode(parsing: $0) }) else { return nil }
    self = value
  }
}

private struct JSONParser {
  private static let deepest = 64

  let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var depth = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func document() throws(JSONSyntaxError) -> JSONNode {
    let value = try value()
    skipSpace()
    guard place == bytes.count else { throw failure("the end") }
    return value
  }

  private func failure(_ expected: String) -> JSONSyntaxError { JSONSyntaxError(byte: place + 1, expected: expected) }

  private mutating func skipSpace() {
    while place < bytes.count {
      switch bytes[place] {
      case 0x20, 0x09, 0x0A, 0x0D: place += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard place < bytes.count, bytes[place] == byte else { return false }
    place += 1
    return true
  }

  private mutating func take(word: String, as value: JSONNode) throws(JSONSyntaxError) -> JSONNode {
    let end = place + word.utf8.count
    guard end <= bytes.count, bytes[place..<end].elementsEqual(word.utf8) else { throw failure("a value") }
    place = end
    return value
  }

  private mutating func value() throws(JSONSyntaxError) -> JSONNode {
    skipSpace()
    guard depth < Self.deepest else { throw failure("at most \(Self.deepest) levels") }
    guard place < bytes.count else { throw failure("a value") }
    depth += 1
    defer { depth -= 1 }
    switch bytes[place] {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try take(word: "true", as: .bool(true))
    case UInt8(ascii: "f"): return try take(word: "false", as: .bool(false))
    case UInt8(ascii: "n"): return try take(word: "null", as: .null)
    default: return try number()
    }
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONNode {
    place += 1
    var members: [JSONMember] = []
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw failure("a name in quotes") }
      let name = try string()
      guard take(UInt8(ascii: ":")) else { throw failure("a colon") }
      members.append(JSONMember(name, try value()))
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw failure("a comma or }") }
    return .object(members)
  }

  private mutating func array() throws(JSONSyntaxError) -> JSONNode {
    place += 1
    var elements: [JSONNode] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw failure("a comma or ]") }
    return .array(elements)
  }

  /// Reads a number by the grammar of RFC 8259, section 6.
  private mutating func number() throws(JSONSyntaxError) -> JSONNode {
    let start = place
    if place < bytes.count, bytes[place] == UInt8(ascii: "-") { place += 1 }
    if place < bytes.count, bytes[place] == UInt8(ascii: "0") { place += 1 } else { try digits("a value") }
    if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
      place += 1
      try digits("a digit")
    }
    if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
      place += 1
      if place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") { place += 1 }
      try digits("a digit")
    }
    return .number(String(decoding: bytes[start..<place], as: UTF8.self))
  }

  /// Skips one or more digits.
  private mutating func digits(_ expected: String) throws(JSONSyntaxError) {
    let start = place
    while place < bytes.count, bytes[place] &- 0x30 <= 9 { place += 1 }
    guard place > start else { throw failure(expected) }
  }

  /// Returns whether a byte stands for itself in a string.
  private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    place += 1
    var text: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw failure("UTF-8") }
        place += 1
        return text
      case UInt8(ascii: "\\"):
        place += 1
        try appendEscape(to: &text)
      case 0..<0x20: throw failure("a string without control characters")
      default:
        let start = place
        repeat { place += 1 } while place < bytes.count && isPlain(bytes[place])
        text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
      }
    }
    throw failure("a closing quote")
  }

  private mutating func appendEscape(to text: inout [UInt8]) throws(JSONSyntaxError) {
    guard place < bytes.count else { throw failure("an escape") }
    let byte = bytes[place]
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "u"):
      place += 1
      var units = [try codeUnit()]
      if UTF16.isLeadSurrogate(units[0]), place + 1 < bytes.count, bytes[place] == UInt8(ascii: "\\"),
        bytes[place + 1] == UInt8(ascii: "u")
      {
        place += 2
        units.append(try codeUnit())
      }
      // A lone surrogate becomes U+FFFD.
      text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
      return
    default: throw failure("an escape")
    }
    place += 1
  }

  private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
    guard place + 4 <= bytes.count else { throw failure("four hexadecimal digits") }
    var unit: UInt16 = 0
    for byte in bytes[place..<place + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
    }
    place += 4
    return unit
  }
}
