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
    let text = UnsafeRawBufferPointer(start: start, count: max(0, start.distance(to: end)))
    return scan(text) { _, _, _, _ in }.map { start + $0 }
  }

  /// Returns the names of an object's own members in their order, as far as the bytes go.
  ///
  /// - Parameter text: Starts with `{`.
  public static func names(of text: UnsafeRawBufferPointer) -> [String] {
    var names: [String] = []
    var name: [UInt8] = []
    _ = scan(text) { byte, depth, isOfString, hasEnded in
      if isOfString {
        if !hasEnded { name.append(byte) }
      } else if byte == UInt8(ascii: "\"") {
        name = []
      } else if byte == UInt8(ascii: ":"), depth == 1 {
        names.append(String(decoding: name, as: UTF8.self))
      }
    }
    return names
  }

  /// Calls `visit` with each byte of the object or array that begins a text.
  ///
  /// - Returns: The number of its bytes; `nil` if it does not end.
  @inline(__always)
  private static func scan(
    _ text: UnsafeRawBufferPointer,
    _ visit: (_ byte: UInt8, _ depth: Int, _ isOfString: Bool, _ hasEnded: Bool) -> Void
  ) -> Int? {
    var strings = JSONStringScanner()
    var depth = 0
    for place in text.indices {
      let byte = text[place]
      let isOfString = strings.isOfString(byte)
      visit(byte, depth, isOfString, !strings.isInString)
      if isOfString { continue }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return place + 1 }
      default: break
      }
    }
    return nil
  }
}
