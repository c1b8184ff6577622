/// Active persons of one row by day and status, from their days.
struct ActivityCounts {
  /// Days of each window: a day, a week, a month.
  static let windows = [1, 7, 30]

  /// By status, then window, then day from the first one.
  private(set) var counts: [[[Int]]]

  /// - Parameters:
  ///   - persons: Each one's active days from 0, ascending, with the status at the last activity of the day.
  ///   - days: How many days there are.
  init(persons: some Sequence<[(day: Int, status: Int)]>, days: Int) {
    let statuses = PersonStatus.Status.allCases.count
    var changes = [[[Int]]](
      repeating: [[Int]](repeating: [Int](repeating: 0, count: days + 1), count: Self.windows.count), count: statuses)
    for list in persons {
      for (place, active) in list.enumerated() {
        // Until the window leaves the day behind, or a later one says what the person is.
        let next = place + 1 < list.count ? list[place + 1].day : days
        for (window, length) in Self.windows.enumerated() {
          changes[active.status][window][active.day] += 1
          changes[active.status][window][min(active.day + length, next, days)] -= 1
        }
      }
    }
    counts = changes.map { ofStatus in
      ofStatus.map { changes in
        var sum = 0
        return changes.dropLast().map { change in
          sum += change
          return sum
        }
      }
    }
  }

  /// Σ of the daily active over some days.
  func daily(_ status: Int, _ days: Range<Int>) -> Int { counts[status][0][days].reduce(0, +) }

  /// Active in the window that ends with a day.
  func active(_ status: Int, window: Int, on day: Int) -> Int { counts[status][window][day] }
}
