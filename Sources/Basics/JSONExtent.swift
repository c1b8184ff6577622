/// Tells the bytes of JSON strings from those between them, one byte at a time.
public struct JSONStringScanner {
  /// Whether a string has begun and not ended.
  public private(set) var isInString = false
  private var isEscaped = false

  public init() {}

  /// Takes the next byte; returns whether it comes after the opening quote of a string, up to the closing quote.
  @inline(__always)
  public mutating func isOfString(_ byte: UInt8) -> Bool {
    guard isInString else {
      isInString = byte == UInt8(ascii: "\"")
      return false
    }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
    return true
  }
}

/// Finds the ends of JSON values without parsing them.
public enum JSONExtent {
  /// Returns the position after the object or array at `start`.
  ///
  /// - Returns: `nil` if it does not end before `end`.
  public static func end(
    of start: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8>? {
    var strings = JSONStringScanner()
    var place = start
    var depth = 0
    while place < end {
      let byte = place.pointee
      place += 1
      if strings.isOfString(byte) { continue }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return place }
      default: break
      }
    }
    return nil
  }

  /// Returns the names of an object's own members in their order, as far as the bytes go.
  ///
  /// - Parameter text: Starts with `{`.
  public static func names(of text: UnsafeRawBufferPointer) -> [String] {
    var strings = JSONStringScanner()
    var names: [String] = []
    var name: [UInt8] = []
    var depth = 0
    for byte in text {
      if strings.isOfString(byte) {
        if strings.isInString { name.append(byte) }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): name = []
      case UInt8(ascii: ":") where depth == 1: names.append(String(decoding: name, as: UTF8.self))
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return names }
      default: break
      }
    }
    return names
  }
}
