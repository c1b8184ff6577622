/// The encoding of a column of small numbers as a text with one character per number. The characters' UTF-8 is the
/// variable-length code, and `unicode(substr(column, n, 1))` reads the n-th number in plain SQL.
///
/// A number v has the code point v + 1 up to U+D7FF, and v + 10241 from U+10000 on. The range between them has
/// surrogates and code points that SQLite reads as a different one.
enum ColumnText {
  /// The first number without a character.
  static let limit: Int64 = 0xD7FF + 0x100000
  private static let firstLong: Int64 = 0xD7FF
  private static let gap: Int64 = 0x10000 - 0xD800

  /// Returns the SQL expression for the n-th number of a column; 0 if the column is NULL.
  static func sql(_ column: String, _ place: String) -> String {
    let point = "unicode(substr(\(column), \(place), 1))"
    return "coalesce(\(point) - 1 - (\(point) > 65535) * \(gap), 0)"
  }

  /// Returns the text for numbers in `0..<limit`.
  static func encode(_ values: UnsafeBufferPointer<Int64>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: values.count * 4) { bytes, count in
      var next = bytes.baseAddress
      for value in values {
        let point = UInt32(truncatingIfNeeded: value < firstLong ? value + 1 : value + 1 + gap)
        if point < 0x80 {
          next?[0] = UInt8(truncatingIfNeeded: point)
          next = next?.advanced(by: 1)
        } else if point < 0x800 {
          next?[0] = UInt8(truncatingIfNeeded: 0xC0 | point >> 6)
          next?[1] = UInt8(truncatingIfNeeded: 0x80 | point & 0x3F)
          next = next?.advanced(by: 2)
        } else if point < 0x10000 {
          next?[0] = UInt8(truncatingIfNeeded: 0xE0 | point >> 12)
          next?[1] = UInt8(truncatingIfNeeded: 0x80 | point >> 6 & 0x3F)
          next?[2] = UInt8(truncatingIfNeeded: 0x80 | point & 0x3F)
          next = next?.advanced(by: 3)
        } else {
          next?[0] = UInt8(truncatingIfNeeded: 0xF0 | point >> 18)
          next?[1] = UInt8(truncatingIfNeeded: 0x80 | point >> 12 & 0x3F)
          next?[2] = UInt8(truncatingIfNeeded: 0x80 | point >> 6 & 0x3F)
          next?[3] = UInt8(truncatingIfNeeded: 0x80 | point & 0x3F)
          next = next?.advanced(by: 4)
        }
      }
      count = next.map { bytes.baseAddress?.distance(to: $0) ?? 0 } ?? 0
    }
  }

  /// The first bit of each of eight bytes.
  private static let firstBits: UInt64 = 0x8080_8080_8080_8080

  /// Reads the numbers at places of a text.
  ///
  /// - Returns: Whether the text has all of these numbers.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, places: Range<Int>, into values: UnsafeMutableBufferPointer<Int64>
  ) -> Bool {
    guard let start = bytes.baseAddress else { return places.isEmpty }
    let end = bytes.count
    guard var offset = offset(of: places.lowerBound, in: bytes) else { return false }
    var index = 0
    while index < places.count {
      let portion = min(8, places.count - index)
      // Most columns are of numbers below 127: eight characters of one byte.
      if portion == 8, offset + 8 <= end,
        start.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & firstBits == 0
      {
        for byte in 0..<8 {
          values[index + byte] = Int64(start.load(fromByteOffset: offset + byte, as: UInt8.self)) - 1
        }
        (index, offset) = (index + 8, offset + 8)
        continue
      }
      for _ in 0..<portion {
        guard offset < end else { return false }
        // Lengths change from number to number: no branch depends on them.
        var word: UInt32
        if offset + 4 <= end {
          word = UInt32(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        } else {
          word = 0
          for byte in 0..<end - offset {
            word |= UInt32(start.load(fromByteOffset: offset + byte, as: UInt8.self)) << UInt32(24 - 8 * byte)
          }
        }
        let ones = (~word).leadingZeroBitCount
        let length = max(1, ones)
        guard ones <= 4, offset + length <= end else { return false }
        let lead = word >> 24 & (0x7F >> UInt32(ones))
        let point =
          (lead << 18 | (word >> 16 & 0x3F) << 12 | (word >> 8 & 0x3F) << 6 | word & 0x3F)
          >> UInt32(24 - 6 * length)
        values[index] = Int64(point) - 1 - (length == 4 ? gap : 0)
        index += 1
        offset += length
      }
    }
    return true
  }

  /// Where the character at a place begins; `nil` where the text is shorter.
  private static func offset(of place: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard place > 0, let start = bytes.baseAddress else { return 0 }
    var (offset, left) = (0, place)
    while offset + 8 <= bytes.count {
      let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // Bytes that go on with a character begin with 10.
      let characters = 8 - (word & ~(word << 1) & firstBits).nonzeroBitCount
      if characters > left { break }
      left -= characters
      offset += 8
    }
    while offset < bytes.count {
      if start.load(fromByteOffset: offset, as: UInt8.self) & 0xC0 != 0x80 {
        if left == 0 { return offset }
        left -= 1
      }
      offset += 1
    }
    return left == 0 ? offset : nil
  }
}
