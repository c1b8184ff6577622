/// Finds the ends of JSON values without parsing them.
enum JSONExtent {
  /// Returns the position after the object or array at `start`.
  ///
  /// - Returns: `nil` if it does not end before `end`.
  static func end(of start: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var place = start
    var depth = 0
    var isInString = false
    while place < end {
      let byte = place.pointee
      place += 1
      if isInString {
        if byte == UInt8(ascii: "\\") {
          place += 1
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return place }
      default: break
      }
    }
    return nil
  }

  /// Returns the names of an object's own members, as far as the bytes go.
  ///
  /// - Parameter text: Starts with `{`.
  static func names(of text: UnsafeRawBufferPointer) -> Set<String> { Set(orderedNames(of: text)) }

  /// Returns the names of an object's own members in their order, as far as the bytes go.
  static func orderedNames(of text: UnsafeRawBufferPointer) -> [String] {
    var names: [String] = []
    var depth = 0
    var place = 0
    while place < text.count {
      let byte = text[place]
      place += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return names }
      case UInt8(ascii: "\""):
        let start = place
        while place < text.count, text[place] != UInt8(ascii: "\"") {
          place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < text.count else { return names }
        let name = text[start..<place]
        place += 1
        var next = place
        while next < text.count, text[next] <= 0x20 { next += 1 }
        if depth == 1, next < text.count, text[next] == UInt8(ascii: ":") {
          names.append(String(decoding: name, as: UTF8.self))
        }
      default: break
      }
    }
    return names
  }
}
