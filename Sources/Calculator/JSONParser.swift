/// An error for text that is not JSON, with its position.
struct JSONSyntaxError: Error, CustomStringConvertible {
  /// The position of the error, from 1.
  var byte: Int
  var expected: String

  var description: String { "byte \(byte): no JSON; expected \(expected)" }
}

extension JSONValue {
  /// Reads one JSON value (RFC 8259) and ignores whitespace around it.
  init(parsing text: some StringProtocol) throws {
    var parser = JSONParser(bytes: Array(text.utf8))
    self = try parser.document()
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  var place = 0
  /// The current nesting depth; limited, because requests are shallow and deep nesting would overflow the stack.
  var depth = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws -> JSONValue {
    let value = try value()
    skipSpace()
    guard place == bytes.count else { throw failure("the end") }
    return value
  }

  private func failure(_ expected: String) -> JSONSyntaxError {
    JSONSyntaxError(byte: place + 1, expected: expected)
  }

  private mutating func skipSpace() {
    while place < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[place]) { place += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard place < bytes.count, bytes[place] == byte else { return false }
    place += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[place...].starts(with: letters) else { return false }
    place += letters.count
    return true
  }

  private mutating func value() throws -> JSONValue {
    depth += 1
    defer { depth -= 1 }
    guard depth < 100 else { throw failure("at most 100 levels") }
    skipSpace()
    guard place < bytes.count else { throw failure("a value") }
    switch bytes[place] {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t") where take(word: "true"): return .bool(true)
    case UInt8(ascii: "f") where take(word: "false"): return .bool(false)
    case UInt8(ascii: "n") where take(word: "null"): return .null
    default: return .number(try number())
    }
  }

  private mutating func object() throws -> JSONValue {
    place += 1
    var fields: [String: JSONValue] = [:]
    if take(UInt8(ascii: "}")) { return .object(fields) }
    repeat {
      skipSpace()
      guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw failure("a name in quotes") }
      let name = try string()
      guard take(UInt8(ascii: ":")) else { throw failure("a colon") }
      fields[name] = try value()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw failure("a comma or }") }
    return .object(fields)
  }

  private mutating func array() throws -> JSONValue {
    place += 1
    var values: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(values) }
    repeat { values.append(try value()) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw failure("a comma or ]") }
    return .array(values)
  }

  private mutating func number() throws -> Double {
    let start = place
    let isPart: (UInt8) -> Bool = { byte in
      (0x30...0x39).contains(byte) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains(byte)
    }
    while place < bytes.count, isPart(bytes[place]) { place += 1 }
    guard place > start, let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)) else {
      place = start
      throw failure("a value")
    }
    return value
  }

  private mutating func string() throws -> String {
    place += 1
    var units: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"): units += try escape()
      case 0..<0x20: throw failure("no control character in a string")
      default: units.append(byte)
      }
    }
    throw failure("a closing quote")
  }

  private mutating func escape() throws -> [UInt8] {
    guard place < bytes.count else { throw failure("an escape") }
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "u"):
      var units = [try codeUnit()]
      if UTF16.isLeadSurrogate(units[0]), bytes[place...].starts(with: Array("\\u".utf8)) {
        place += 2
        units.append(try codeUnit())
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    default: throw failure("an escape")
    }
  }

  private mutating func codeUnit() throws -> UInt16 {
    guard place + 4 <= bytes.count, bytes[place..<place + 4].allSatisfy({ $0 != 0x2b && $0 != 0x2d }),
      let unit = UInt16(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits") }
    place += 4
    return unit
  }
}
