import EventModel
import Metrics

/// Names and times as people write them.
extension TableBuilder {
  /// Whether users of the row's app were exposed in the last week of the data.
  ///
  /// - Parameter last: The last exposure.
  func isRunning(_ last: String, _ row: [ReportValue]) -> Bool {
    let app = places["app"].flatMap { row[$0].textValue }
    guard let asOf = report.asOf.first(where: { $0.app == app })?.asOf, let day = CivilDate(String(last.prefix(10)))
    else { return false }
    return localDay(asOf - 1).daysSince1970 - day.daysSince1970 < 7
  }

  func sinceText(_ from: String) -> String {
    guard let first = CivilDate(String(from.prefix(10))) else { return text("since \(from)") }
    let isPlain = report.asOf.map(\.asOf).max().map { localDay($0 - 1).year == first.year } ?? false
    return "since \(shortDayText(first, hasYear: !isPlain))"
  }

  /// Two instants as days, the year once where it is the same.
  func daysText(_ from: String, _ to: String) -> String {
    guard let first = CivilDate(String(from.prefix(10))), let last = CivilDate(String(to.prefix(10))) else {
      return text("\(from) to \(to)")
    }
    // The title has the year of the newest.
    let isPlain = report.asOf.map(\.asOf).max().map { localDay($0 - 1).year == last.year } ?? false
    return
      "\(shortDayText(first, hasYear: first.year != last.year)) to \(shortDayText(last, hasYear: !isPlain || first.year != last.year))"
  }

  func readableLabel(_ label: String, of name: String) -> String {
    switch name {
    case "month": return CivilDate(label + "-01").map { "\(shortMonthNames[$0.month - 1]) \($0.year)" } ?? label
    case "quarter": return label.split(separator: "-").reversed().joined(separator: " ")
    case "day", "week": return CivilDate(label).map { shortDayText($0) } ?? label
    case "first_exposure", "last_exposure":
      return CivilDate(String(label.prefix(10))).map { shortDayText($0) } ?? label
    case "hours_before_end":
      return label.hasSuffix("+")
        ? "\(label.dropLast()) hours or more before the end"
        : "\(label.split(separator: "-").joined(separator: " to ")) hours before the end"
    case "predicted_status": return label.split(separator: "_").joined(separator: " ")
    default: return label == "(unattributed)" ? "no paywall known" : label
    }
  }

  func localDay(_ instant: Int64) -> CivilDate {
    Reports.localDay(instant, zone: parameter("timezone") ?? "UTC")
  }

  /// Whether nobody of a row counts yet.
  func isTooRecent(_ row: [ReportValue]) -> Bool {
    guard let users = usersPlace, row[users] == .count(0) else { return false }
    // A report without a count of them has rows of users only.
    return places["immature"].map { count(row, $0) > 0 } ?? true
  }

  /// Returns the mark of a row of which nobody counts yet, or of a period of which some do not, long and short; empty
  /// otherwise.
  func recentMark(_ row: [ReportValue], isPeriod: Bool) -> (String, String) {
    if isTooRecent(row) { return ("too recent", "recent") }
    guard isPeriod, usersPlace != nil, let immature = places["immature"] else { return ("", "") }
    let recent = count(row, immature)
    return recent > 0 ? ("\(countText(recent)) too recent", "\(countText(recent)) recent") : ("", "")
  }

  /// The column that counts the users of a row who count, in reports that leave out the most recent ones.
  var usersPlace: Int? {
    switch report.name {
    case "funnel", "paths", "value": places["users"]
    case "cadence", "cadence_gaps": places["persons"]
    case "ltv": places["persons_7"]
    default: nil
    }
  }

  /// Whether there is one row, which no name stands before and so no mark.
  var isUnnamed: Bool {
    rows.count == 1 && keyPlaces.allSatisfy { ["app", "currency"].contains(report.columns[$0].name) }
  }
}
