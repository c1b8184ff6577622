/// Milliseconds since 1970-01-01T00:00:00Z, as in event files.
typealias Instant = Int64

extension Int64 {
  static let second: Int64 = 1_000
  static let minute: Int64 = 60_000
  static let hour: Int64 = 3_600_000
  static let day: Int64 = 86_400_000
}

extension Instant {
  /// Midnight UTC at the start of a day.
  init(_ day: CivilDay) {
    self = Int64(day.daysSinceEpoch) * .day
  }

  /// The UTC day of an instant from 1970 on.
  var civilDay: CivilDay {
    CivilDay(daysSinceEpoch: Int(self / .day))
  }

  /// Returns the same time of day `months` calendar months later, with the day limited to the month's last day.
  func advanced(months: Int) -> Instant {
    Instant(civilDay.advanced(months: months)) + self % .day
  }
}
