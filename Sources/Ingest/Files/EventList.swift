internal import Basics

/// Turns a JSON list of events into lines in place, wherever its bytes are cut: the n-th event becomes the n-th line.
struct EventList {
  private var depth = 0
  /// Whether the list has begun and not ended.
  private(set) var isOpen = false
  private var strings = JSONStringScanner()

  /// Returns the names of the first object of a JSON list of objects; empty for other text.
  static func names(in text: UnsafeRawBufferPointer) -> [String] {
    guard text.first == UInt8(ascii: "["), let start = text.firstIndex(of: UInt8(ascii: "{")),
      text[1..<start].allSatisfy({ $0 <= 0x20 })
    else { return [] }
    return JSONExtent.names(of: UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  /// Returns whether the text starts a JSON list of events.
  static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
    Set(names(in: text)).isSuperset(of: UnknownFile.required)
  }

  /// Ends each event with a line feed instead of its comma; blanks out the list's first bracket and other line feeds.
  mutating func split(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    for place in bytes.indices {
      let byte = bytes[place]
      if strings.isOfString(byte) { continue }
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if depth > 0 || byte == UInt8(ascii: "{") {
          depth += 1
        } else {
          isOpen = true
          bytes[place] = UInt8(ascii: " ")
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth > 0 {
          depth -= 1
        } else {
          isOpen = false
          bytes[place] = UInt8(ascii: "\n")
        }
      case UInt8(ascii: ","):
        if depth == 0 { bytes[place] = UInt8(ascii: "\n") }
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): bytes[place] = UInt8(ascii: " ")
      default: break
      }
    }
  }
}
