internal import EventModel

/// The spacing of the days from which a backtest looks ahead.
public enum OriginStep: String, CaseIterable, Sendable {
  case month
  case week

  private var period: Dimension { self == .month ? .month : .week }

  /// Returns the first days of periods, UTC midnights in ms, from the first that is not before an instant to the last
  /// that is not after another.
  func origins(from start: Int64, to end: Int64) -> [Int64] {
    var day = period.first(of: Instant(millisecondsSince1970: start).date)
    var origins: [Int64] = []
    while case let origin = Instant(startOf: day).millisecondsSince1970, origin <= end {
      if origin >= start { origins.append(origin) }
      day = period.next(day)
    }
    return origins
  }

  /// Returns the origin a number of steps after another.
  func origin(_ steps: Int, after origin: Int64) -> Int64 {
    var day = Instant(millisecondsSince1970: origin).date
    for _ in 0..<steps { day = period.next(day) }
    return Instant(startOf: day).millisecondsSince1970
  }

  func origin(before origin: Int64) -> Int64 {
    let day = period.first(of: Instant(millisecondsSince1970: origin - 1).date)
    return Instant(startOf: day).millisecondsSince1970
  }
}
