extension Instant {
  /// Reads an instant with its offset by the grammar of RFC 3339, section 5.6: `2026-03-01T09:30:00.5+01:00`.
  ///
  /// `T` and `Z` may be lower-case; the fraction has 1 to 9 digits, and those after the millisecond are cut off. `nil`
  /// for anything else, such as a day that does not exist, a leap second or a missing offset.
  public init?(rfc3339 bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    guard count >= 20, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }

    // Checks eight characters at once: XOR with the pattern leaves the values of digits, and 0 for a correct separator.
    // Adding 0x76 to a digit and 0x7F to a separator sets the high bit of each wrong character.
    let yearMonth = bytes.loadUnaligned(as: UInt64.self).littleEndian ^ 0x2D30_302D_3030_3030  // 0000-00-
    let dayTime =
      (bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian | 0x20_0000)
      ^ 0x3030_3A30_3074_3030  // 00t00:00
    let wrong =
      (yearMonth &+ 0x7F76_767F_7676_7676) | yearMonth | (dayTime &+ 0x7676_7F76_767F_7676) | dayTime
    let secondTens = base[17] &- 0x30
    let secondOnes = base[18] &- 0x30
    guard wrong & 0x8080_8080_8080_8080 == 0, base[16] == UInt8(ascii: ":"), secondTens < 6, secondOnes < 10 else {
      return nil
    }
    // Each byte times ten plus the next gives the two digits of every pair.
    let datePairs = yearMonth &* 10 &+ yearMonth &>> 8
    let timePairs = dayTime &* 10 &+ dayTime &>> 8
    let date = CivilDate(
      year: Int(datePairs & 0xFF) &* 100 &+ Int(datePairs &>> 16 & 0xFF), month: Int(datePairs &>> 40 & 0xFF),
      day: Int(timePairs & 0xFF))
    let hour = Int(timePairs &>> 24 & 0xFF)
    let minute = Int(timePairs &>> 48 & 0xFF)
    let second = Int(secondTens) &* 10 &+ Int(secondOnes)
    guard hour < 24, minute < 60, date.isValid else { return nil }

    var offset = 19
    var milliseconds = 0
    if base[offset] == UInt8(ascii: ".") {
      offset &+= 1
      let start = offset
      var weight = 100
      while offset < count {
        let value = base[offset] &- 0x30
        if value > 9 { break }
        milliseconds &+= Int(value) &* weight
        weight /= 10
        offset &+= 1
      }
      guard (1...9).contains(offset - start) else { return nil }
    }

    var minutesEast = 0
    guard offset < count else { return nil }
    switch base[offset] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      guard offset + 1 == count else { return nil }
    case let sign where sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"):
      guard offset + 6 == count, base[offset + 3] == UInt8(ascii: ":") else { return nil }
      let digits = [1, 2, 4, 5].map { base[offset + $0] &- 0x30 }
      let hours = Int(digits[0]) * 10 + Int(digits[1])
      let minutes = Int(digits[2]) * 10 + Int(digits[3])
      guard digits.allSatisfy({ $0 <= 9 }), hours < 24, minutes < 60 else { return nil }
      minutesEast = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    default: return nil
    }
    let minutes = (date.daysSince1970 &* 24 &+ hour) &* 60 &+ minute &- minutesEast
    self.init(millisecondsSince1970: Int64((minutes &* 60 &+ second) &* 1_000 &+ milliseconds))
  }

  /// Reads an instant from a string; `nil` unless it is RFC 3339 with an offset.
  public init?(rfc3339 text: String) {
    var text = text
    guard let instant = text.withUTF8({ Instant(rfc3339: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = instant
  }
}

extension Instant: CustomStringConvertible {
  /// The instant in UTC with milliseconds: `2026-03-01T00:00:00.000Z`.
  public var description: String {
    let (day, time) = dayAndTime
    let date = CivilDate(daysSince1970: Int(day))
    var text: [UInt8] = []
    text.reserveCapacity(24)
    func append(_ value: Int, digits: Int, then separator: Character) {
      let written = String(abs(value)).utf8
      if value < 0 { text.append(UInt8(ascii: "-")) }
      for _ in 0..<max(0, digits - written.count) { text.append(UInt8(ascii: "0")) }
      text.append(contentsOf: written)
      text.append(contentsOf: separator.utf8)
    }
    append(date.year, digits: 4, then: "-")
    append(date.month, digits: 2, then: "-")
    append(date.day, digits: 2, then: "T")
    append(Int(time / 3_600_000), digits: 2, then: ":")
    append(Int(time / 60_000 % 60), digits: 2, then: ":")
    append(Int(time / 1_000 % 60), digits: 2, then: ".")
    append(Int(time % 1_000), digits: 3, then: "Z")
    return String(decoding: text, as: UTF8.self)
  }
}
