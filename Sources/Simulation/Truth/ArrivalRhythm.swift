internal import EventModel

/// Arrival times of n users: even over the days except for a weekly and a daily rhythm, in the order of their index.
struct ArrivalRhythm {
  /// From Monday.
  static let weekdayWeights = [0.95, 0.92, 0.93, 0.95, 1.00, 1.15, 1.10]
  /// By hour of the day, UTC.
  static let hourWeights: [Double] = [
    2, 1, 1, 1, 1, 2, 3, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 7, 8, 8, 8, 7, 5, 3,
  ]

  private let start: Milliseconds
  /// Weight of the days before each day; the last entry is the total.
  private let before: [Double]
  private let hoursBefore: [Double]

  init(firstDay: CivilDate, days: Int) {
    start = Milliseconds(firstDay)
    let weekday = firstDay.daysSince1970 - CivilDate.monday(ofDay: firstDay.daysSince1970)
    var total = 0.0
    var before = [0.0]
    for day in 0..<days {
      total += Self.weekdayWeights[(weekday + day) % 7]
      before.append(total)
    }
    self.before = before
    hoursBefore = Self.hourWeights.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1) }
  }

  /// Returns the arrival of a user, in the half-open span of the days.
  func arrival(of index: Int, among count: Int) -> Milliseconds {
    let days = Self.place((Double(index) + 0.5) / Double(count), in: before)
    let hours = Self.place(days.fraction, in: hoursBefore)
    let withinHour = Int64(hours.fraction * Double(Int64.hour))
    return start + Int64(days.position) * .day + Int64(hours.position) * .hour + min(withinHour, .hour - 1)
  }

  /// Returns the step in which a fraction of the total weight falls, and the fraction within that step.
  private static func place(_ fraction: Double, in before: [Double]) -> (position: Int, fraction: Double) {
    let weight = fraction * before[before.count - 1]
    var (low, high) = (0, before.count - 2)
    while low < high {
      let middle = (low + high + 1) / 2
      if before[middle] <= weight { low = middle } else { high = middle - 1 }
    }
    return (low, min(max(0, (weight - before[low]) / (before[low + 1] - before[low])), 1 - 0x1p-53))
  }
}
