/// Active persons of one row by day and status, from their days.
struct ActivityCounts {
  /// Days of each window: a day, a week, a month.
  static let windows = [1, 7, 30]

  /// By status, then window, then day from the first one: how many more are active than the day before.
  private var changes: [[[Int]]]
  private let days: Int

  /// - Parameter days: How many days there are.
  init(days: Int) {
    let none = [Int](repeating: 0, count: days + 1)
    changes = PersonStatus.Status.allCases.map { _ in Self.windows.map { _ in none } }
    self.days = days
  }

  /// Adds a person by its active days, from 0 and ascending, with the status at the last activity of each.
  mutating func add(_ list: [(day: Int, status: Int)]) {
    for (place, active) in list.enumerated() {
      // Until the window leaves the day behind, or a later one says what the person is.
      let next = place + 1 < list.count ? list[place + 1].day : days
      for (window, length) in Self.windows.enumerated() {
        changes[active.status][window][active.day] += 1
        changes[active.status][window][min(active.day + length, next)] -= 1
      }
    }
  }

  /// By status, then window, then day: who is active in the window that ends with the day.
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
