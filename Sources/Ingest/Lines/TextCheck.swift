internal import Foundation

/// Checks whether bytes are valid text for an event line.
enum TextCheck {
  /// Returns whether all bytes are ASCII other than NUL, which settles both checks below for most lines.
  ///
  /// `(w − 0x01…01) | w` has a high bit set exactly if there is another byte: NUL borrows, a byte from 0x81 on keeps
  /// its own high bit, and 0x80 shows in `w`.
  @inline(__always)
  static func isPlain(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    var marks: UInt64 = 0
    var offset = 0
    while offset &+ 32 <= count {
      for step in 0..<4 {
        let word = ByteWord.load(bytes + offset + step &* 8)
        marks |= (word &- ByteWord.ones) | word
      }
      offset &+= 32
    }
    while offset &+ 8 <= count {
      let word = ByteWord.load(bytes + offset)
      marks |= (word &- ByteWord.ones) | word
      offset &+= 8
    }
    while offset < count {
      marks |= UInt64((bytes[offset] &- 1) | bytes[offset])
      offset &+= 1
    }
    return marks & ByteWord.highBits == 0
  }

  static func hasNul(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    memchr(bytes, 0, count) != nil
  }

  /// Returns whether a backslash escape in the bytes stands for NUL.
  static func hasNulEscape(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    var offset = 0
    while offset < count {
      guard let found = memchr(bytes + offset, 0x5C, count - offset) else { return false }
      let backslash = UnsafeRawPointer(bytes).distance(to: found)
      if count - backslash >= 6, memcmp(bytes + backslash, "\\u0000", 6) == 0 { return true }
      offset = backslash + 2
    }
    return false
  }

  /// Returns whether the bytes are UTF-8 by table 3-7 of the Unicode Standard: no overlong forms, no surrogates,
  /// nothing past U+10FFFF.
  static func isUTF8(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    var offset = 0
    while offset < count {
      if offset + 8 <= count && ByteWord.load(bytes + offset) & ByteWord.highBits == 0 {
        offset += 8
        continue
      }
      let lead = bytes[offset]
      if lead < 0x80 {
        offset += 1
        continue
      }
      let length: Int
      var second: ClosedRange<UInt8> = 0x80...0xBF
      switch lead {
      case 0xC2...0xDF: length = 2
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: length = 3
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      case 0xF1...0xF3: length = 4
      default: return false
      }
      guard offset + length <= count, second.contains(bytes[offset + 1]) else { return false }
      for place in stride(from: 2, to: length, by: 1) where bytes[offset + place] & 0xC0 != 0x80 { return false }
      offset += length
    }
    return true
  }
}
