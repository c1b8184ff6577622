internal import Basics
internal import EventModel
internal import Foundation

extension ColumnBytes {
  @inline(__always)
  mutating func append(ascii text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(decimal number: UInt64) {
    if number < 10 { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { digits in
      var place = digits.count
      var rest = number
      while rest > 0 {
        place &-= 1
        digits[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[place...]))
    }
  }

  /// Appends a floating-point number, whole ones without a decimal point.
  mutating func append(real text: String) {
    var text = text
    text.withUTF8 { bytes in
      let isWhole = bytes.count > 2 && bytes[bytes.count - 1] == 0x30 && bytes[bytes.count - 2] == UInt8(ascii: ".")
      append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<(bytes.count - (isWhole ? 2 : 0))]))
    }
  }

  /// Appends a decimal without zeros at its end.
  mutating func append(digits: String, isNegative: Bool, scale: Int) {
    var digits = Array(digits.utf8)
    if digits.count <= scale {
      digits.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: scale + 1 - digits.count), at: 0)
    }
    var end = digits.count
    let point = digits.count - scale
    while end > point && digits[end - 1] == UInt8(ascii: "0") { end -= 1 }
    if isNegative && digits.contains(where: { $0 != UInt8(ascii: "0") }) { append(ascii: "-") }
    digits.withUnsafeBytes { digits in
      append(UnsafeRawBufferPointer(rebasing: digits[..<point]))
      if end > point {
        append(ascii: ".")
        append(UnsafeRawBufferPointer(rebasing: digits[point..<end]))
      }
    }
  }

  /// Appends a decimal whose whole number is in two's complement; one longer than `limit` bytes as base64.
  mutating func append(bigEndian bytes: UnsafeRawBufferPointer, scale: Int, limit: Int) {
    guard bytes.count <= limit else { return appendBase64(bytes) }
    let isNegative = (bytes.first ?? 0) >= 0x80
    var limbs = [UInt32](repeating: isNegative ? .max : 0, count: (bytes.count + 3) / 4)
    for (offset, byte) in bytes.reversed().enumerated() {
      let shift = UInt32(offset % 4 * 8)
      limbs[offset / 4] = limbs[offset / 4] & ~(0xFF << shift) | UInt32(byte) << shift
    }
    if isNegative {
      var carry: UInt64 = 1
      for index in limbs.indices {
        let sum = UInt64(~limbs[index]) + carry
        limbs[index] = UInt32(truncatingIfNeeded: sum)
        carry = sum >> 32
      }
    }
    var groups: [String] = []
    while let top = limbs.last {
      if top == 0 {
        limbs.removeLast()
        continue
      }
      var rest: UInt64 = 0
      for index in limbs.indices.reversed() {
        let value = rest << 32 | UInt64(limbs[index])
        limbs[index] = UInt32(value / 1_000_000_000)
        rest = value % 1_000_000_000
      }
      groups.append(String(rest))
    }
    var digits = groups.last ?? "0"
    for group in groups.dropLast().reversed() {
      digits += String(repeating: "0", count: 9 - group.utf8.count) + group
    }
    append(digits: digits, isNegative: isNegative, scale: scale)
  }

  /// Appends a number in as many digits as `width`, or more.
  @inline(__always)
  private mutating func append(padded number: Int, width: Int) {
    if number < 0 { append(ascii: "-") }
    let magnitude = number.magnitude
    var limit: UInt = 10
    for _ in 1..<width {
      if magnitude < limit { append(ascii: "0") }
      limit &*= 10
    }
    append(decimal: UInt64(magnitude))
  }

  /// Appends `2026-03-01`.
  mutating func append(day: Int) {
    let date = CivilDate(daysSince1970: day)
    // Leading zeros: one for each power of ten that the number does not reach.
    append(padded: date.year, width: 4)
    append(ascii: "-")
    append(padded: date.month, width: 2)
    append(ascii: "-")
    append(padded: date.day, width: 2)
  }

  /// Appends an instant as a text.
  ///
  /// - Parameter first: The day that its units count from, in days since 1970.
  mutating func append(instant units: Int64, since first: Int = 0, unitsPerSecond: Int64, isUTC: Bool) {
    let unitsPerDay = unitsPerSecond * 86_400
    let day = units >= 0 ? units / unitsPerDay : (units + 1) / unitsPerDay - 1
    append(ascii: "\"")
    append(day: first + Int(day))
    append(ascii: "T")
    append(timeOfDay: units &- day &* unitsPerDay, unitsPerSecond: unitsPerSecond)
    append(ascii: isUTC ? "Z\"" : "\"")
  }

  /// Appends `09:30:00`, or with a fraction in three, six or nine digits where there is one.
  mutating func append(timeOfDay units: Int64, unitsPerSecond: Int64) {
    let seconds = Int(units / unitsPerSecond)
    append(padded: seconds / 3_600, width: 2)
    append(ascii: ":")
    append(padded: seconds / 60 % 60, width: 2)
    append(ascii: ":")
    append(padded: seconds % 60, width: 2)
    var fraction = Int(units % unitsPerSecond)
    if fraction <= 0 { return }
    var width = unitsPerSecond == 1_000 ? 3 : unitsPerSecond == 1_000_000 ? 6 : 9
    while width > 3 && fraction % 1_000 == 0 {
      fraction /= 1_000
      width -= 3
    }
    append(ascii: ".")
    append(padded: fraction, width: width)
  }

  /// Appends UTF-8 as a JSON text, and other bytes as base64 behind `base64:`.
  @inline(__always)
  mutating func append(quoted bytes: UnsafeRawBufferPointer) {
    var place = 0
    while place &+ 8 <= bytes.count {
      let word = EightBytes(bytes, at: place)
      if word.contains(0x22) || word.contains(0x5C) || word.containsLess(than: 0x20) || word.hasHighBit {
        return appendCarefully(quoted: bytes)
      }
      place &+= 8
    }
    while place < bytes.count {
      let byte = bytes[place]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x80 { return appendCarefully(quoted: bytes) }
      place &+= 1
    }
    reserve(bytes.count &+ 2)
    append(UInt8(ascii: "\""))
    append(bytes)
    append(UInt8(ascii: "\""))
  }

  @inline(never)
  private mutating func appendCarefully(quoted bytes: UnsafeRawBufferPointer) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return appendBase64(bytes) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 16)
    JSONText.append(quoted: bytes, to: &text)
    text.withUnsafeBytes { append($0) }
  }

  /// Appends bytes as a text in base64 (RFC 4648, section 4).
  private mutating func appendBase64(_ bytes: UnsafeRawBufferPointer) {
    append(ascii: "\"base64:")
    Data(bytes).base64EncodedData().withUnsafeBytes { append($0) }
    append(ascii: "\"")
  }
}
