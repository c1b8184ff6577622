internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// Compares the last two full weeks of each app, and compares the changes with chance variation from week to week.
///
/// Every number comes from another report by week. Only the choice of the weeks is defined here.
public enum Changes {
  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    var weekly = options.split(by: [.week])
    weekly.unit = .user
    let query = try ReportQuery(snapshot, weekly, defaultBy: [.week])
    let series = try WeeklyReports(snapshot, weekly).series
    var found: [(series: WeeklySeries, weeks: (before: Int, last: Int), change: WeeklyChange)] = []
    for app in query.apps {
      let own = series.filter { $0.app.utf8.elementsEqual(app.name.utf8) }
      guard let range = weeks(query, app, own) else { continue }
      for series in own {
        let settled = settledByGrace(series, query, app)
        guard let pair = settled.newestPair(in: range), let before = series.value(pair.before),
          let last = series.value(pair.last), let change = WeeklyChange(from: before, to: last)
        else { continue }
        found.append((series, pair, change))
      }
    }
    let adjusted = Adjustment.holm.adjusted(found.map(\.change.p))
    // Orders by z, largest first, because p of very large ones is 0.
    let order = found.indices.sorted { left, right in
      let (a, b) = (abs(found[left].change.z), abs(found[right].change.z))
      return a == b ? left < right : a > b
    }
    var rows = order.enumerated().map { rank, place -> [ReportValue] in
      let (series, weeks, change) = found[place]
      return [series.app, series.report, series.number, series.unit].map { .text($0) }
        + [weeks.before, weeks.last].map { .text(CivilDate(daysSince1970: $0).description) }
        + [change.before, change.last, change.last - change.before, change.low, change.high].map {
          value($0, series.unit)
        }
        + [.probability(change.p), .probability(adjusted[place]), .count(rank + 1)]
    }
    rows.sort { precedesInBytes($0.prefix(4).map(\.keyText), $1.prefix(4).map(\.keyText)) }
    return query.report("changes", title: "What changed most", definition: definition, columns: columns, rows: rows)
  }

  private static let definition = [
    "Each app's last full week, Monday to Sunday, is compared with the week before. A week is full if at most 6 h "
      + "of it are missing. The first week of the data is compared with nothing",
    "Some numbers of the last week can still change: trials are open (2.5), users are too recent to count (3.3), ages are "
      + "not reached (6.2), or grace is not over (2.8). For these, the newest two weeks in a row without such "
      + "numbers are compared",
    "change_low, change_high: 95% bounds. Shares use Miettinen–Nurminen, counts are Poisson numbers, and money is "
      + "Poisson numbers of each plan's payments and refunds at the plan's mean amount",
    "p: probability that chance alone changes one number this much. p_adjusted: corrected for all numbers here "
      + "together (Holm). rank: 1 is the change that chance explains least",
    "Chance does not cover weekends, campaigns and releases: a change is a question, not an answer",
  ]

  private static let columns =
    ["app", "report", "number", "unit"].map { ReportColumn($0, .key) }
    + ["week_before", "week"].map { ReportColumn($0, .text) }
    + ["before", "last", "change", "change_low", "change_high", "p", "p_adjusted"].map { ReportColumn($0, .number) }
    + [ReportColumn("rank", .count)]

  /// - Parameter amount: Micro-units for money.
  private static func value(_ amount: Double, _ unit: String) -> ReportValue {
    switch unit {
    case "share": .rate(amount)
    case "count": amount == amount.rounded() ? .count(Int(amount)) : .number(amount)
    default: .estimate(amount, currency: unit)
    }
  }

  /// Returns the Mondays of the full weeks, except the first week of the data, which may start on any day.
  private static func weeks(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ series: [WeeklySeries]
  ) -> ClosedRange<Int>? {
    guard let first = series.flatMap(\.weeks.keys).min() else { return nil }
    var end = CoveredDays.daysOver(at: query.localTime.local(query.asOf(of: app)))
    if let to = query.options.to { end = min(end, to.daysSince1970) }
    let last = CivilDate.monday(ofDay: end) - 7
    return first + 7 <= last ? first + 7...last : nil
  }

  /// Returns the series with churn settled only once the grace period after an end is over; the
  /// weekly rows do not show this.
  private static func settledByGrace(
    _ series: WeeklySeries, _ query: ReportQuery, _ app: StoreSnapshot.App
  ) -> WeeklySeries {
    guard series.number == "churn_rate" else { return series }
    let known = query.localTime.local(query.asOf(of: app)) - query.options.grace + CoveredDays.slack
    var series = series
    series.isSettled = { week in Int64(week + 7) * day <= known }
    return series
  }
}
