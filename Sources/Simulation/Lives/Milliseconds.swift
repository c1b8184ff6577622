internal import EventModel

/// Milliseconds since 1970-01-01T00:00:00Z, as in event files, or of a span of time.
typealias Milliseconds = Int64

extension Milliseconds {
  static let second: Milliseconds = 1_000
  static let minute: Milliseconds = 60_000
  static let hour: Milliseconds = 3_600_000
  static let day = Instant.millisecondsPerDay

  /// Midnight UTC at the start of a day.
  init(_ day: CivilDate) { self = Instant(startOf: day).millisecondsSince1970 }

  /// The time of day is kept, and the day of the month, cut to the month's last.
  func advanced(months: Int) -> Milliseconds {
    Instant(millisecondsSince1970: self).addingMonths(months).millisecondsSince1970
  }
}
