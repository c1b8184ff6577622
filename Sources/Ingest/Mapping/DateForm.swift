internal import Basics
internal import EventModel
internal import Foundation

/// The order of day, month and year in dates of numbers.
enum DateForm: Sendable {
  case dayFirst
  case monthFirst
  /// Numbers are days since 30 December 1899, as spreadsheets store times.
  case spreadsheet
  /// Letters `y M d H h m s S a` stand for their parts; all others for themselves.
  case pattern(String)

  init?(_ text: String) {
    switch text {
    case "day-first": self = .dayFirst
    case "month-first": self = .monthFirst
    case "spreadsheet": self = .spreadsheet
    default:
      guard text.contains("y"), text.contains("M"), text.contains("d"),
        text.allSatisfy({ !$0.isLetter || "yMdHhmsSaT".contains($0) })
      else { return nil }
      self = .pattern(text)
    }
  }

  /// Returns the instant, in UTC if it has no offset; `nil` for a text in another form.
  func instant(_ text: String) -> (milliseconds: Int64, hasOffset: Bool)? {
    var scan = TimeScan(text)
    switch self {
    case .dayFirst, .monthFirst:
      guard let first = scan.number(1...2), let separator = scan.one(of: "./-"), let second = scan.number(1...2),
        scan.one(of: separator) != nil, let year = scan.year()
      else { return nil }
      if case .dayFirst = self {
        scan.set(year: year, month: second, day: first)
      } else {
        scan.set(year: year, month: first, day: second)
      }
      guard scan.readTimeOfDay() else { return nil }
    case .spreadsheet:
      // 1927 to 2173.
      guard let days = Double(text.replacing(",", with: ".")), (10_000..<100_000).contains(days) else { return nil }
      return (Int64((days * Double(Instant.millisecondsPerDay)).rounded()) - 2_209_161_600_000, false)
    case .pattern(let pattern):
      guard scan.read(pattern) else { return nil }
    }
    return scan.instant
  }

  /// Returns the instant of a text whose form leaves no doubt about day, month and year, in UTC if it has no offset: that
  /// of ``VendorTime``; `Mar 1, 2026 2:05 PM`, `1 March 2026`, `1-Mar-26`, `Sun, 01 Mar 2026 14:05:09 +0000` (RFC 2822);
  /// `2026/03/01 14:05:09`, `2026.03.01`, `2026-03-01T14:05`, `20260301T140509Z`.
  static func instant(ofOneReading text: String) -> (milliseconds: Int64, hasOffset: Bool)? {
    if let time = VendorTime.instant(text) { return time }
    var scan = TimeScan(text)
    if scan.readDayWithMonthName(), scan.readTimeOfDay(), let time = scan.instant { return time }
    scan = TimeScan(text)
    return scan.readYearFirst() ? scan.instant : nil
  }

  /// Returns whether a text is a time without a day, such as `14:05:09` or `2:05 PM`.
  static func isTimeOfDay(_ text: String) -> Bool {
    var scan = TimeScan(text)
    return text.contains(":") && scan.readTimeOfDay()
  }

  /// Whether it may read numbers.
  var isOfNumbers: Bool {
    switch self {
    case .spreadsheet, .pattern: true
    case .dayFirst, .monthFirst: false
    }
  }
}

extension JSONNode {
  /// The instant in milliseconds of a list such as `[2026, 3, 1, 14, 5, 9, 120000000]`, as Java's libraries write times: year,
  /// month, day, hour, minute, second and nanosecond in UTC; `nil` for another value.
  var instantOfParts: Int64? {
    guard let elements, (3...7).contains(elements.count) else { return nil }
    let parts = elements.compactMap(\.integer)
    guard parts.count == elements.count, (2_008...2_100).contains(parts[0]), parts.allSatisfy({ $0 >= 0 }) else {
      return nil
    }
    func part(_ place: Int) -> Int { place < parts.count ? Int(truncatingIfNeeded: parts[place]) : 0 }
    let day = CivilDate(year: part(0), month: part(1), day: part(2))
    guard day.isValid, part(3) < 24, part(4) < 60, part(5) < 60, part(6) < 1_000_000_000 else { return nil }
    let seconds = day.daysSince1970 * 86_400 + part(3) * 3_600 + part(4) * 60 + part(5)
    return Int64(seconds * 1_000 + part(6) / 1_000_000)
  }
}

/// Reads the parts of a date and time from a text.
private struct TimeScan {
  private var rest: Substring.UTF8View
  private var day = CivilDate(year: 0, month: 1, day: 1)
  private var hour = 0
  private var minute = 0
  private var second = 0
  private var millisecond = 0
  private var isAfternoon: Bool?
  private var offsetMinutes: Int?
  private var zone: LocalZone?

  init(_ text: String) { rest = Self.plain(text)[...].utf8 }

  /// Words for the halves of a day, and spaces that are not ASCII.
  private static let written = [
    ("오전", "AM"), ("오후", "PM"), ("午前", "AM"), ("午後", "PM"), ("上午", "AM"), ("下午", "PM"), ("\u{A0}", " "),
    ("\u{202F}", " "), ("a. m.", "AM"), ("p. m.", "PM"), ("a.m.", "AM"), ("p.m.", "PM"),
  ]

  private static func plain(_ text: String) -> String {
    if text.utf8.last != UInt8(ascii: "."), text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    return written.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  mutating func set(year: Int, month: Int, day: Int) { self.day = CivilDate(year: year, month: month, day: day) }

  mutating func number(_ lengths: ClosedRange<Int>) -> Int? {
    var number = 0
    var count = 0
    while count < lengths.upperBound, let byte = rest.first, byte &- 0x30 < 10 {
      number = number * 10 + Int(byte - 0x30)
      count += 1
      rest = rest.dropFirst()
    }
    return count >= lengths.lowerBound ? number : nil
  }

  /// Reads a year of four digits, or of two in 1970–2069.
  mutating func year() -> Int? {
    let before = rest.count
    guard let year = number(2...4) else { return nil }
    switch before - rest.count {
    case 2: return year < 70 ? 2_000 + year : 1_900 + year
    case 4: return year
    default: return nil
    }
  }

  mutating func one(of characters: String) -> String? {
    guard let byte = rest.first, characters.utf8.contains(byte) else { return nil }
    rest = rest.dropFirst()
    return String(UnicodeScalar(byte))
  }

  /// The letters of ASCII that follow.
  private var letters: String { String(decoding: rest.prefix { ($0 | 0x20) &- 0x61 < 26 }, as: UTF8.self) }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]

  /// Reads a month's English name, whole or its first three or four letters.
  private mutating func monthName() -> Int? {
    let name = letters.lowercased()
    guard
      let month = Self.months.firstIndex(where: { $0 == name || (3...4).contains(name.count) && $0.hasPrefix(name) })
    else { return nil }
    rest = rest.dropFirst(name.count)
    return month + 1
  }

  private mutating func skipSeparators() { while one(of: " ,.-/") != nil {} }

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// Skips a weekday's English name, whole or its first three letters.
  private mutating func skipWeekday() {
    let name = letters.lowercased()
    guard Self.weekdays.contains(where: { $0 == name || name.count == 3 && $0.hasPrefix(name) }) else { return }
    rest = rest.dropFirst(name.count)
    skipSeparators()
  }

  /// Reads a day and time that begin with the year, to the end of the text.
  mutating func readYearFirst() -> Bool {
    guard let year = number(4...4) else { return false }
    if let separator = one(of: "/.-") {
      guard let month = number(1...2), one(of: separator) != nil, let day = number(1...2) else { return false }
      set(year: year, month: month, day: day)
      return readTimeOfDay()
    }
    guard let month = number(2...2), let day = number(2...2), one(of: "T") != nil, let hour = number(2...2),
      let minute = number(2...2), let second = number(2...2)
    else { return false }
    set(year: year, month: month, day: day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
    return readOffset() && rest.isEmpty
  }

  mutating func readDayWithMonthName() -> Bool {
    skipWeekday()
    var month = monthName()
    skipSeparators()
    guard let day = number(1...2) else { return false }
    skipSeparators()
    if month == nil { month = monthName() }
    skipSeparators()
    guard let month, let year = year() else { return false }
    set(year: year, month: month, day: day)
    // The logs of web servers have a colon between day and time.
    _ = one(of: ":")
    return true
  }

  /// Reads up to three digits of a second's fraction and skips the others.
  private mutating func fraction() -> Bool {
    var factor = 100
    var count = 0
    while let byte = rest.first, byte &- 0x30 < 10 {
      millisecond += Int(byte - 0x30) * factor
      factor /= 10
      count += 1
      rest = rest.dropFirst()
    }
    return (1...9).contains(count)
  }

  /// Reads `14:05`, `2:05:09.5 PM +02:00`, or nothing, to the end of the text.
  mutating func readTimeOfDay() -> Bool {
    while one(of: " T,") != nil {}
    if rest.isEmpty { return true }
    // Of `오후 2:05`, the half comes first.
    readHalf()
    while one(of: " ") != nil {}
    guard let hour = number(1...2), one(of: ":.") != nil, let minute = number(2...2) else { return false }
    (self.hour, self.minute) = (hour, minute)
    if one(of: ":.") != nil {
      guard let second = number(2...2) else { return false }
      self.second = second
      if one(of: ".,") != nil { guard fraction() else { return false } }
    }
    while one(of: " ") != nil {}
    readHalf()
    while one(of: " ") != nil {}
    return readOffset() && rest.isEmpty
  }

  private mutating func readHalf() {
    guard let letter = rest.first.map({ $0 | 0x20 }), letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p"),
      let next = rest.dropFirst().first, next | 0x20 == UInt8(ascii: "m"), letters.utf8.count == 2
    else { return }
    isAfternoon = letter == UInt8(ascii: "p")
    rest = rest.dropFirst(2)
  }

  /// Minutes from UTC of zones by their letters: those of RFC 2822, and those that mean one zone in Europe and Japan.
  private static let zones: [String: Int] = [
    "Z": 0, "UTC": 0, "UT": 0, "GMT": 0, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360,
    "PST": -480, "PDT": -420, "WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180,
    "JST": 540,
  ]

  private mutating func zoneName() -> String {
    let name = letters
    rest = rest.dropFirst(name.count)
    return name.uppercased()
  }

  /// Reads `Z`, `+02:00`, `EST`, `GMT+0100 (Irish Standard Time)`, `+0000 UTC`, `Europe/Berlin`, `-300` (minutes), `3600`
  /// (seconds) or nothing.
  private mutating func readOffset() -> Bool {
    if !letters.isEmpty, rest.contains(UInt8(ascii: "/")) {
      zone = LocalZone(String(decoding: rest, as: UTF8.self))
      rest = rest.suffix(0)
      return zone != nil
    }
    let name = zoneName()
    if !name.isEmpty {
      guard let minutes = Self.zones[name] else { return false }
      offsetMinutes = minutes
    }
    let sign = one(of: "+-")
    if sign != nil || rest.first.map({ $0 &- 0x30 < 10 }) == true {
      guard let minutes = readDistance(isSigned: sign != nil) else { return false }
      offsetMinutes = (offsetMinutes ?? 0) + minutes * (sign == "-" ? -1 : 1)
      if one(of: " ") != nil { _ = zoneName() }
    }
    if rest.first == UInt8(ascii: "("), rest.last == UInt8(ascii: ")") { rest = rest.suffix(0) }
    return true
  }

  /// Reads hours and minutes as `02:00`, `0200` and `02`, or minutes or seconds alone, as a database has them.
  ///
  /// - Returns: Minutes, 14 hours at most.
  private mutating func readDistance(isSigned: Bool) -> Int? {
    let digits = rest.prefix { $0 &- 0x30 < 10 }.count
    guard let number = number(1...5) else { return nil }
    var minutes: Int?
    switch digits {
    case 1, 2:
      let part = one(of: ":") == nil ? 0 : self.number(2...2)
      minutes = isSigned && number <= 14 ? part.map { number * 60 + $0 } : number
    case 4 where isSigned && number <= 1_400: minutes = number / 100 * 60 + number % 100
    case 3: minutes = number
    default: minutes = number % 60 == 0 ? number / 60 : nil
    }
    return minutes.flatMap { $0 <= 14 * 60 && $0 % 15 == 0 ? $0 : nil }
  }

  private mutating func take(_ part: WritableKeyPath<Self, Int>, _ lengths: ClosedRange<Int>) -> Bool {
    guard let number = number(lengths) else { return false }
    self[keyPath: part] = number
    return true
  }

  mutating func read(_ pattern: String) -> Bool {
    var letters = pattern[...]
    while let letter = letters.first {
      let count = letters.prefix { $0 == letter }.count
      letters = letters.dropFirst(count)
      let lengths = count == 1 ? 1...2 : count...count
      switch letter {
      case "y":
        guard let year = year() else { return false }
        day.year = year
      case "M": guard take(\.day.month, lengths) else { return false }
      case "d": guard take(\.day.day, lengths) else { return false }
      case "H", "h": guard take(\.hour, lengths) else { return false }
      case "m": guard take(\.minute, lengths) else { return false }
      case "s": guard take(\.second, lengths) else { return false }
      case "S": guard fraction() else { return false }
      case "a": readHalf()
      default:
        for byte in String(repeating: letter, count: count).utf8 {
          guard rest.first == byte else { return false }
          rest = rest.dropFirst()
        }
      }
    }
    return readOffset() && rest.isEmpty
  }

  var instant: (milliseconds: Int64, hasOffset: Bool)? {
    var hour = hour
    if let isAfternoon {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (isAfternoon ? 12 : 0)
    }
    guard day.isValid, hour < 24, minute < 60, second < 60 else { return nil }
    let seconds = day.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - (offsetMinutes ?? 0) * 60
    let local = Int64(seconds) * 1_000 + Int64(millisecond)
    return (zone?.instant(ofLocal: local) ?? local, offsetMinutes != nil || zone != nil)
  }
}
