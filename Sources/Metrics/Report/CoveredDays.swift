internal import Lifecycle

/// Days of data. Of the newest one, events may still be missing.
public struct CoveredDays: Sendable, Hashable {
  /// The time before midnight at which a day may end, because a day of files ends with its last event.
  static let slack = 6 * 3_600_000 as Int64

  /// The days that are over, since 1970.
  public var whole: Range<Int>
  /// The hours, rounded up, that the data have of the day after these; 0 where they have nothing of it.
  public var hours = 0

  public init(whole: Range<Int>) { self.whole = whole }

  /// - Parameters:
  ///   - days: The days with data, since 1970.
  ///   - end: The local time up to which there are data, in milliseconds since 1970.
  public init(_ days: Range<Int>, until end: Int64) {
    let over = min(days.upperBound, Self.daysOver(at: end))
    whole = min(days.lowerBound, over)..<over
    // An as-of is a millisecond after the newest event.
    if over < days.upperBound { hours = max(1, Int((end - Int64(over) * day + 3_599_998) / 3_600_000)) }
  }

  /// Returns the number of days since 1970 that are over at a local time.
  static func daysOver(at local: Int64) -> Int { Int((local + slack) / day) }

  /// Returns whether days begin so soon after the data that no monthly subscription of before could have ended in them.
  public static func arePoorInRenewals(from first: Int, since begin: Int) -> Bool { first < begin + 31 }

  /// Returns how much of a period the data cover, in days, or in hours for a day; `nil` for all or nothing of it. Of a
  /// period that has only begun, its first day counts.
  ///
  /// - Parameter period: Days since 1970.
  public func part(of period: Range<Int>) -> (covered: Int, whole: Int, unit: Unit)? {
    let end = whole.upperBound + (hours > 0 ? 1 : 0)
    guard period.lowerBound < end, period.upperBound > whole.lowerBound else { return nil }
    let days = period.clamped(to: whole).count
    if days == period.count { return nil }
    return period.count == 1 ? (hours, 24, .hour) : (max(1, days), period.count, .day)
  }

  public enum Unit: String, Sendable {
    case day
    case hour
  }
}
