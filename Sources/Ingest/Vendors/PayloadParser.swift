extension PayloadValue {
  /// Reads one JSON value (RFC 8259) from UTF-8 text, with white space around it.
  ///
  /// - Returns: `nil` if the text is not JSON, or is nested more than 64 deep.
  init?(parsing text: UnsafeRawBufferPointer) {
    var parser = PayloadParser(bytes: text)
    guard let value = parser.document() else { return nil }
    self = value
  }

  /// Reads one JSON value from an array of bytes.
  init?(parsing text: [UInt8]) {
    guard let value = text.withUnsafeBytes({ PayloadValue(parsing: $0) }) else { return nil }
    self = value
  }
}

private struct PayloadParser {
  private static let deepest = 64

  let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var depth = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func document() -> PayloadValue? {
    guard let value = value() else { return nil }
    skipSpace()
    return place == bytes.count ? value : nil
  }

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

  private mutating func take(word: String, as value: PayloadValue) -> PayloadValue? {
    let end = place + word.utf8.count
    guard end <= bytes.count, bytes[place..<end].elementsEqual(word.utf8) else { return nil }
    place = end
    return value
  }

  private mutating func value() -> PayloadValue? {
    skipSpace()
    guard place < bytes.count, depth < Self.deepest else { return nil }
    depth += 1
    defer { depth -= 1 }
    switch bytes[place] {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return take(word: "true", as: .bool(true))
    case UInt8(ascii: "f"): return take(word: "false", as: .bool(false))
    case UInt8(ascii: "n"): return take(word: "null", as: .null)
    default: return number()
    }
  }

  private mutating func object() -> PayloadValue? {
    place += 1
    var members: [PayloadMember] = []
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      guard place < bytes.count, bytes[place] == UInt8(ascii: "\""), let name = string(), take(UInt8(ascii: ":")),
        let value = value()
      else { return nil }
      members.append(PayloadMember(name, value))
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) ? .object(members) : nil
  }

  private mutating func array() -> PayloadValue? {
    place += 1
    var elements: [PayloadValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat {
      guard let value = value() else { return nil }
      elements.append(value)
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]")) ? .array(elements) : nil
  }

  /// Reads a number by RFC 8259, section 6.
  private mutating func number() -> PayloadValue? {
    let start = place
    func digit() -> Bool { place < bytes.count && bytes[place] &- 0x30 <= 9 }
    if place < bytes.count, bytes[place] == UInt8(ascii: "-") { place += 1 }
    guard digit() else { return nil }
    if bytes[place] == UInt8(ascii: "0") {
      place += 1
    } else {
      while digit() { place += 1 }
    }
    if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
      place += 1
      guard digit() else { return nil }
      while digit() { place += 1 }
    }
    if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
      place += 1
      if place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") { place += 1 }
      guard digit() else { return nil }
      while digit() { place += 1 }
    }
    return .number(String(decoding: bytes[start..<place], as: UTF8.self))
  }

  private mutating func string() -> String? {
    place += 1
    var text: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"): guard appendEscape(to: &text) else { return nil }
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func appendEscape(to text: inout [UInt8]) -> Bool {
    guard place < bytes.count else { return false }
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "u"):
      guard let first = codeUnit() else { return false }
      var units = [first]
      if UTF16.isLeadSurrogate(first), place + 1 < bytes.count, bytes[place] == UInt8(ascii: "\\"),
        bytes[place + 1] == UInt8(ascii: "u")
      {
        place += 2
        guard let second = codeUnit() else { return false }
        units.append(second)
      }
      // A lone surrogate becomes U+FFFD.
      text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
    default: return false
    }
    return true
  }

  private mutating func codeUnit() -> UInt16? {
    guard place + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[place..<place + 4] {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      unit = unit << 4 | UInt16(digit)
    }
    place += 4
    return unit
  }
}
