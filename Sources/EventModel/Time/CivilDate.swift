/// A day of the proleptic Gregorian calendar in UTC.
public struct CivilDate: Hashable, Comparable, Sendable {
  public var year: Int
  /// 1–12.
  public var month: Int
  /// 1–31.
  public var day: Int

  /// Creates a date without checking it; see ``isValid``.
  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the day that is `days` after 1970-01-01.
  ///
  /// Source: H. Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`. Years are counted from
  /// March, so that the leap day is the last one and month lengths follow 153 · m / 5.
  public init(daysSince1970 days: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01 to this day, negative before it; Hinnant's `days_from_civil`.
  public var daysSince1970: Int {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Whether the day exists in the calendar.
  public var isValid: Bool {
    (1...12).contains(month) && day >= 1 && day <= Self.dayCount(year: year, month: month)
  }

  /// Returns the number of days of a month from 1 to 12.
  public static func dayCount(year: Int, month: Int) -> Int {
    if month == 2 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return isLeap ? 29 : 28
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
  }

  /// Returns the day `months` calendar months later (earlier if negative), limited to that month's last day.
  public func addingMonths(_ months: Int) -> CivilDate {
    let monthCount = year * 12 + (month - 1) + months
    let newYear = monthCount >= 0 ? monthCount / 12 : (monthCount - 11) / 12
    let newMonth = monthCount - newYear * 12 + 1
    return CivilDate(
      year: newYear, month: newMonth, day: min(day, Self.dayCount(year: newYear, month: newMonth)))
  }

  /// Returns the Monday of a day's week; both in days since 1970-01-01, a Thursday.
  public static func monday(ofDay days: Int) -> Int { days - ((days - 4) % 7 + 7) % 7 }

  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// Reads a day such as `2026-03-01`; `nil` for any other form, and for a day that does not exist.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { $0 &- 0x30 <= 9 } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard isValid else { return nil }
  }

  /// The form `2026-03-01`.
  public var description: String {
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}
