extension Instant {
  /// Reads an instant by the grammar of RFC 3339, section 5.6, with its offset: `2026-03-01T09:30:00.5+01:00`.
  ///
  /// `T` and `Z` may be lower-case; the fraction has 1 to 9 digits, of which those past the millisecond are cut
  /// off. `nil` for anything else: a day the calendar does not have, a leap second, a missing offset.
  public init?(rfc3339 bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    guard count >= 20, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    var isWrong = false

    @inline(__always) func digit(_ offset: Int) -> Int {
      let value = base[offset] &- 0x30
      isWrong = isWrong || value > 9
      return Int(value)
    }
    @inline(__always) func pair(_ offset: Int) -> Int { digit(offset) &* 10 &+ digit(offset &+ 1) }

    let date = CivilDate(year: pair(0) &* 100 &+ pair(2), month: pair(5), day: pair(8))
    let hour = pair(11)
    let minute = pair(14)
    let second = pair(17)
    guard !isWrong, base[4] == UInt8(ascii: "-"), base[7] == UInt8(ascii: "-"), base[10] | 0x20 == UInt8(ascii: "t"),
      base[13] == UInt8(ascii: ":"), base[16] == UInt8(ascii: ":"), hour < 24, minute < 60, second < 60, date.isValid
    else { return nil }

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
      let hours = pair(offset + 1)
      let minutes = pair(offset + 4)
      guard !isWrong, hours < 24, minutes < 60 else { return nil }
      minutesEast = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    default: return nil
    }
    let minutes = (date.daysSince1970 &* 24 &+ hour) &* 60 &+ minute &- minutesEast
    self.init(millisecondsSince1970: Int64((minutes &* 60 &+ second) &* 1_000 &+ milliseconds))
  }

  /// The same for a text at hand.
  public init?(rfc3339 text: String) {
    var text = text
    guard let instant = text.withUTF8({ Instant(rfc3339: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = instant
  }
}

extension Instant: CustomStringConvertible {
  /// In UTC with milliseconds: `2026-03-01T00:00:00.000Z`.
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
