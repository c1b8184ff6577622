/// A moment in milliseconds, the resolution of events.
public struct Instant: Hashable, Comparable, Sendable {
  public var millisecondsSince1970: Int64

  /// Computed, so that other modules see its value.
  @inlinable public static var millisecondsPerDay: Int64 { 86_400_000 }

  /// 2008-01-01T00:00:00Z: no event's `ts` is earlier.
  public static let firstOfEvents = Instant(millisecondsSince1970: 1_199_145_600_000)
  /// 2100-01-01T00:00:00Z: every event's `ts` is earlier.
  public static let endOfEvents = Instant(millisecondsSince1970: 4_102_444_800_000)
  /// 0000-01-01T00:00:00Z, the earliest that RFC 3339 can write.
  public static let first = Instant(millisecondsSince1970: -62_167_219_200_000)
  /// 10000-01-01T00:00:00Z, the first that RFC 3339 cannot write.
  public static let end = Instant(millisecondsSince1970: 253_402_300_800_000)

  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// Midnight UTC at the start of a day.
  public init(startOf date: CivilDate) {
    self.init(millisecondsSince1970: Int64(date.daysSince1970) * Self.millisecondsPerDay)
  }

  /// Whether an event can have this time: 2008-01-01 ≤ ts < 2100-01-01.
  public var isInRangeOfEvents: Bool { self >= .firstOfEvents && self < .endOfEvents }

  /// The day in UTC.
  public var date: CivilDate { CivilDate(daysSince1970: Int(dayAndTime.day)) }

  /// Returns the same time of day in UTC `months` calendar months later, with the day limited to the month's last day:
  /// January 31 plus one month is February 28 or 29.
  public func addingMonths(_ months: Int) -> Instant {
    let (day, time) = dayAndTime
    let moved = CivilDate(daysSince1970: Int(day)).addingMonths(months)
    return Instant(millisecondsSince1970: Int64(moved.daysSince1970) * Self.millisecondsPerDay + time)
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// Whole days since 1970-01-01, rounded down, and the milliseconds within the day.
  var dayAndTime: (day: Int64, time: Int64) {
    var (day, time) = millisecondsSince1970.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
    if time < 0 {
      day -= 1
      time += Self.millisecondsPerDay
    }
    return (day, time)
  }
}
