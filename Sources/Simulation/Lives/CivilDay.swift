/// A day of the Gregorian calendar in UTC, such as 2026-03-01.
public struct CivilDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Days since 1970-01-01.
  public var daysSinceEpoch: Int

  public init(daysSinceEpoch: Int) {
    self.daysSinceEpoch = daysSinceEpoch
  }

  /// Creates the day of a year, month (1–12) and day of the month; a day past the end of the month falls in the next
  /// one.
  ///
  /// Source: H. Hinnant, "chrono-compatible low-level date algorithms", `days_from_civil`.
  public init(year: Int, month: Int, day: Int) {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    daysSinceEpoch = era * 146_097 + dayOfEra - 719_468
  }

  /// Reads `YYYY-MM-DD`; `nil` for anything else and for days that do not exist.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2d || (0x30...0x39).contains($0) }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard day >= 1, self.day == day else { return nil }
  }

  /// Source: `civil_from_days`; see ``init(year:month:day:)``.
  private var parts: (year: Int, month: Int, day: Int) {
    let shifted = daysSinceEpoch + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  public var year: Int { parts.year }
  public var month: Int { parts.month }
  public var day: Int { parts.day }

  /// 0 for Monday to 6 for Sunday.
  public var weekday: Int {
    let fromMonday = (daysSinceEpoch + 3) % 7
    return fromMonday < 0 ? fromMonday + 7 : fromMonday
  }

  public var description: String {
    let (year, month, day) = parts
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  public static func < (left: CivilDay, right: CivilDay) -> Bool {
    left.daysSinceEpoch < right.daysSinceEpoch
  }

  /// Returns the same day `months` months later, limited to that month's last day.
  func advanced(months: Int) -> CivilDay {
    let (year, month, day) = parts
    let count = year * 12 + month - 1 + months
    let first = CivilDay(year: count / 12, month: count % 12 + 1, day: 1)
    let next = CivilDay(year: (count + 1) / 12, month: (count + 1) % 12 + 1, day: 1)
    let length = next.daysSinceEpoch - first.daysSinceEpoch
    return CivilDay(daysSinceEpoch: first.daysSinceEpoch + min(day, length) - 1)
  }
}
