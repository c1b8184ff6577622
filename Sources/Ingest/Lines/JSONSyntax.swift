/// The grammar of RFC 8259 over bytes that are valid UTF-8 and end in a line feed.
///
/// A line feed within a line is neither white space nor part of a string, so it stops every function here and none
/// needs the end of the line. Each function takes a start position and returns the position after what it read, or
/// `nil` if that is not there.
enum JSONSyntax {
  /// The maximum depth of nested objects and arrays.
  static let maximumDepth = 512

  @inline(__always)
  static func skipSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var place = start
    while place.pointee <= 0x20 && (place.pointee == 0x20 || place.pointee == 0x09 || place.pointee == 0x0D) {
      place += 1
    }
    return place
  }

  /// Skips the colon of a member, from the closing quote of its name to its value.
  @inline(__always)
  static func colon(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    if ByteWord.loadPair(start) == ByteWord.colonQuote { return start + 1 }
    let place = skipSpace(start)
    return place.pointee == UInt8(ascii: ":") ? skipSpace(place + 1) : nil
  }

  /// Reads `-`, an integer part without leading zeros, a fraction and an exponent.
  @inline(__always)
  static func number(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var place = start
    if place.pointee == UInt8(ascii: "-") { place += 1 }
    if place.pointee == UInt8(ascii: "0") {
      place += 1
    } else {
      guard let end = digits(place) else { return nil }
      place = end
    }
    if place.pointee == UInt8(ascii: ".") {
      guard let end = digits(place + 1) else { return nil }
      place = end
    }
    if place.pointee | 0x20 == UInt8(ascii: "e") {
      place += 1
      if place.pointee == UInt8(ascii: "-") || place.pointee == UInt8(ascii: "+") { place += 1 }
      guard let end = digits(place) else { return nil }
      place = end
    }
    return place
  }

  /// Reads `true`, `false` or `null`.
  @inline(__always)
  static func word(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    // Little-endian: the first letter is the lowest byte.
    switch UInt32(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)) {
    case 0x6575_7274, 0x6C6C_756E: start + 4
    case 0x736C_6166: start[4] == UInt8(ascii: "e") ? start + 5 : nil
    default: nil
    }
  }

  /// Finds the first byte that ends a plain run of a string: its closing quote, a backslash, or a control character.
  @inline(__always)
  static func endOfPlainRun(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    endOfRun(start, ByteWord.stringStops)
  }

  /// Finds the first byte at which a word stops.
  @inline(__always)
  static func endOfRun(_ start: UnsafePointer<UInt8>, _ stops: (UInt64) -> UInt64) -> UnsafePointer<UInt8> {
    var place = start
    while true {
      // Two words per step: the first stop is selected without a branch that could be mispredicted.
      let near = stops(ByteWord.load(place))
      let far = stops(ByteWord.load(place + 8))
      if near | far != 0 {
        return place + (near != 0 ? ByteWord.first(near) : 8 &+ ByteWord.first(far))
      }
      place += 16
    }
  }

  /// Reads a string, from after its opening quote to after its closing one.
  static func string(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var place = endOfPlainRun(start)
    while place.pointee != UInt8(ascii: "\"") {
      guard place.pointee == UInt8(ascii: "\\"), let (_, end) = escape(place + 1) else { return nil }
      place = endOfPlainRun(end)
    }
    return place + 1
  }

  /// Reads the rest of an escape after its backslash; returns its scalar and the position after it. Surrogates are
  /// valid only in pairs.
  static func escape(_ start: UnsafePointer<UInt8>) -> (scalar: UInt32, end: UnsafePointer<UInt8>)? {
    switch start.pointee {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return (UInt32(start.pointee), start + 1)
    case UInt8(ascii: "b"): return (0x08, start + 1)
    case UInt8(ascii: "f"): return (0x0C, start + 1)
    case UInt8(ascii: "n"): return (0x0A, start + 1)
    case UInt8(ascii: "r"): return (0x0D, start + 1)
    case UInt8(ascii: "t"): return (0x09, start + 1)
    case UInt8(ascii: "u"):
      guard let unit = hexDigits(start + 1) else { return nil }
      if unit & 0xF800 != 0xD800 { return (unit, start + 5) }
      guard unit < 0xDC00, start[5] == UInt8(ascii: "\\"), start[6] == UInt8(ascii: "u"),
        let low = hexDigits(start + 7), low & 0xFC00 == 0xDC00
      else { return nil }
      return (0x1_0000 + (unit & 0x3FF) << 10 + low & 0x3FF, start + 11)
    default: return nil
    }
  }

  /// Reads any value inside `depth` open objects and arrays.
  static func value(_ start: UnsafePointer<UInt8>, depth: Int) -> UnsafePointer<UInt8>? {
    switch start.pointee {
    case UInt8(ascii: "\""): return string(start + 1)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(start)
    case UInt8(ascii: "{"): return members(start + 1, close: UInt8(ascii: "}"), depth: depth + 1)
    case UInt8(ascii: "["): return members(start + 1, close: UInt8(ascii: "]"), depth: depth + 1)
    default: return word(start)
    }
  }

  /// Reads the members of an object or array and its closing bracket.
  private static func members(_ start: UnsafePointer<UInt8>, close: UInt8, depth: Int) -> UnsafePointer<UInt8>? {
    guard depth <= maximumDepth else { return nil }
    var place = skipSpace(start)
    if place.pointee == close { return place + 1 }
    while true {
      if close == UInt8(ascii: "}") {
        guard place.pointee == UInt8(ascii: "\""), let end = string(place + 1) else { return nil }
        place = skipSpace(end)
        guard place.pointee == UInt8(ascii: ":") else { return nil }
        place = skipSpace(place + 1)
      }
      guard let end = value(place, depth: depth) else { return nil }
      place = skipSpace(end)
      if place.pointee == close { return place + 1 }
      guard place.pointee == UInt8(ascii: ",") else { return nil }
      place = skipSpace(place + 1)
    }
  }

  @inline(__always)
  private static func digits(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var place = start
    while place.pointee &- 0x30 <= 9 { place += 1 }
    return place == start ? nil : place
  }

  private static func hexDigits(_ start: UnsafePointer<UInt8>) -> UInt32? {
    var value: UInt32 = 0
    for offset in 0..<4 {
      let byte = start[offset]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        value = value << 4 | UInt32((byte | 0x20) - 0x57)
      default: return nil
      }
    }
    return value
  }
}
