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

  /// Reads the numbers at places of a text.
  ///
  /// - Returns: Whether the text has all of these numbers.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, places: Range<Int>, into values: UnsafeMutableBufferPointer<Int64>
  ) -> Bool {
    guard let start = bytes.baseAddress else { return places.isEmpty }
    let end = bytes.count
    var offset = 0
    var place = 0
    while place < places.lowerBound {
      guard offset < end else { return false }
      let lead = start.load(fromByteOffset: offset, as: UInt8.self)
      offset += lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      place += 1
    }
    for index in 0..<places.count {
      guard offset < end else { return false }
      let lead = UInt32(start.load(fromByteOffset: offset, as: UInt8.self))
      if lead < 0x80 {
        values[index] = Int64(lead) - 1
        offset += 1
        continue
      }
      let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      guard offset + length <= end else { return false }
      @inline(__always)
      func tail(_ byte: Int) -> UInt32 { UInt32(start.load(fromByteOffset: offset + byte, as: UInt8.self)) & 0x3F }
      switch length {
      case 2: values[index] = Int64((lead & 0x1F) << 6 | tail(1)) - 1
      case 3: values[index] = Int64((lead & 0x0F) << 12 | tail(1) << 6 | tail(2)) - 1
      default: values[index] = Int64((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)) - 1 - gap
      }
      offset += length
    }
    return true
  }
}
