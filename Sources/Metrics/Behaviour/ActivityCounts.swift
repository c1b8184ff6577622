/// Active users of one row by day and status, counted from each user's active days.
struct ActivityCounts {
  /// Lengths of the windows in days: a day, a week, a month.
  static let windows = [1, 7, 30]

  /// The change in active users from the previous day, by status, then window, then day from the first one.
  private var changes: [[[Int]]]
  private let days: Int

  init(days: Int) {
    let none = [Int](repeating: 0, count: days + 1)
    changes = PersonStatus.Status.allCases.map { _ in Self.windows.map { _ in none } }
    self.days = days
  }

  /// Adds a user by the active days, from 0 and ascending, each with the status at its last activity.
  mutating func add(_ list: [(day: Int, status: Int)]) {
    for (place, active) in list.enumerated() {
      // A day counts until its window has passed, or until a later activity sets the status.
      let next = place + 1 < list.count ? list[place + 1].day : days
      for (window, length) in Self.windows.enumerated() {
        changes[active.status][window][active.day] += 1
        changes[active.status][window][min(active.day + length, next)] -= 1
      }
    }
  }

  /// Users active in the window that ends with each day, by status, then window, then day.
  var counts: [[[Int]]] {
    changes.map { ofStatus in
      ofStatus.map { changes in
        var sum = 0
        return changes.dropLast().map { change in
          sum += change
          return sum
        }
      }
    }
  }
}
