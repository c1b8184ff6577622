import EventModel
import Metrics

/// Returns the words for a label that is no day and no period.
func labelWords(_ label: String, of name: String) -> String {
  if ["predicted_status", "reason"].contains(name) { return label.replacing("_", with: " ") }
  return label == "(unattributed)" ? "no paywall known" : label
}

/// Names and times as people write them.
extension TableBuilder {
  /// The app that a row is of; `nil` if rows are not by app.
  func app(of row: [ReportValue]) -> Report.AppInstant? {
    places["app"].flatMap { row[$0].textValue }.flatMap { apps[$0] }
  }

  /// Whether users of the row's app were exposed in the last week of the data.
  func isRunning(_ last: String, _ row: [ReportValue]) -> Bool {
    guard let asOf = app(of: row)?.asOf, let day = CivilDate(String(last.prefix(10)))
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
    case "day", "week", "first_day", "last_day": return CivilDate(label).map { shortDayText($0) } ?? label
    case "first_exposure", "last_exposure":
      return CivilDate(String(label.prefix(10))).map { shortDayText($0) } ?? label
    case "hours_before_end":
      return label.hasSuffix("+")
        ? "\(label.dropLast()) hours or more before the end"
        : "\(label.split(separator: "-").joined(separator: " to ")) hours before the end"
    default: return labelWords(label, of: name)
    }
  }

  /// An effect such as `+11.0 pp (+5.4 to +16.5)` with its bounds apart.
  func effectCell(_ label: String) -> SummaryTable.Cell {
    guard label.hasSuffix(")"), let open = label.firstRange(of: " (") else {
      return SummaryTable.Cell(text: label == undefinedMark ? nil : text(label))
    }
    return SummaryTable.Cell(
      text: text(String(label[..<open.lowerBound])), bounds: text(String(label[open.upperBound...].dropLast())))
  }

  /// Returns whether the column is the first key after the app, in a line that is the total of a named app.
  func appIsNamed(_ line: TableLine, before place: Int) -> Bool {
    guard !isOneApp, let app = places["app"], line.values[app].textValue?.isEmpty == false else { return false }
    let firstBehind = report.columns.indices.first { $0 > app && report.columns[$0].kind == .key }
    return firstBehind == place
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
    if areAllRecent { return ("", "") }
    let recent = places["immature"].map { count(row, $0) } ?? 0
    guard recent > 0 else { return isTooRecent(row) ? ("too recent", "recent") : ("", "") }
    guard isTooRecent(row) || isPeriod && usersPlace != nil else { return ("", "") }
    return ("\(countText(recent)) too recent", "\(countText(recent)) recent")
  }

  /// Whether a row is of a period that is not over, or whose users still have time.
  func isOpen(_ row: [ReportValue]) -> Bool {
    guard let place = keyPlaces.first(where: { isPeriod(report.columns[$0].name) }), case .text(let label) = row[place],
      let period = Dimension.period(report.columns[place].name), let start = period.firstDay(ofPeriod: label)
    else { return false }
    if (places["immature"].map { count(row, $0) } ?? 0) > 0 || openTrials(row) > 0 { return true }
    return app(of: row).flatMap(report.coveredDays).map { period.next(start).daysSince1970 > $0.whole.upperBound }
      ?? false
  }

  /// A sentence on periods without a row, such as `No viewers on 6 days: 21 Feb to 26 Feb.`; `nil` if each has one.
  var gaps: String? {
    guard let place = keyPlaces.first(where: { isPeriod(report.columns[$0].name) }),
      let period = Dimension.period(report.columns[place].name), report.asOf.count <= Report.mostAnsweredApps
    else { return nil }
    var parts: [String] = []
    var count = 0
    for app in report.asOf {
      let own = rows.filter { row in places["app"].map { row[$0] == .text(app.app) } ?? true }
      let known = Set(own.compactMap { $0[place].textValue.flatMap(period.firstDay(ofPeriod:))?.daysSince1970 })
      guard let data = report.days(of: app), let first = known.min() else { continue }
      var missing: [Range<Int>] = []
      var start = parameter("from").flatMap(CivilDate.init).map(period.first) ?? CivilDate(daysSince1970: first)
      while start.daysSince1970 < data.upperBound {
        let next = period.next(start)
        let days = max(start.daysSince1970, data.lowerBound)..<min(next.daysSince1970, data.upperBound)
        if !known.contains(start.daysSince1970) {
          count += 1
          if let last = missing.last, last.upperBound == days.lowerBound {
            missing[missing.count - 1] = last.lowerBound..<days.upperBound
          } else {
            missing.append(days)
          }
        }
        start = next
      }
      if missing.isEmpty { continue }
      let names = missing.suffix(3).map { shortDays($0, hasYear: data.count > 365) }
      let list = listText(names) + (missing.count > 3 ? " (\(counted(missing.count - 3, "earlier gap")))" : "")
      parts.append(isOneApp ? list : "\(text(app.app)) \(list)")
    }
    if parts.isEmpty { return nil }
    let rest = parts.count > 3 ? "; and of \(parts.count - 3) more apps" : ""
    return "No \(unitName) \(period == .day ? "on" : "in") \(counted(count, period.name)): "
      + parts.prefix(3).joined(separator: "; ") + "\(rest)."
  }

  /// A word for whatever rows count, such as `viewers`.
  private var unitName: String {
    let column = ["users", "trials", "payments"].first { places[$0] != nil && look.core?.first?.name == $0 }
    let unit = column.map { look.heading(of: $0) } ?? "numbers"
    return rows.count < report.rows.count ? "\(unit) in \(currency ?? "")" : unit
  }

  /// Trials of a row that can still come to pay.
  private func openTrials(_ row: [ReportValue]) -> Int {
    guard report.name == "trials", let all = places["trials"], let over = places["matured"] else { return 0 }
    return count(row, all) - count(row, over)
  }

  /// Returns whether a row has units, none of which has been observed for long enough for a number.
  func isNotYet(_ name: String, _ row: [ReportValue]) -> Bool {
    if areAllRecent { return true }
    func counts(_ column: String) -> Int { places[column].map { count(row, $0) } ?? 0 }
    switch report.name {
    case "saves": return name.hasPrefix("saved_") && name.hasSuffix("_rate") && counts("cancellations") > 0
    case "winback": return name.hasPrefix("came_back_") && name.hasSuffix("_rate") && counts("churned") > 0
    case "recovery": return name.hasPrefix("recovered_") && name.hasSuffix("_rate") && counts("charges") > 0
    case "trials": return name == "trial_to_paid_rate" && counts("trials") > 0 && counts("matured") == 0
    default: break
    }
    guard let followed = followedColumn(name), counts(followed) == 0 else { return false }
    let units = report.name == "ltv" ? "persons_7" : report.name == "refunds" ? "payments" : "subscriptions"
    return places[units] == nil || counts(units) > 0
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

/// The mark of a number that the row's units are too recent for.
let notYet = "not yet"

/// The least number of users or subscriptions followed to an age; ages with fewer are not shown.
let fewestFollowed = 10

extension ReportValue {
  var textValue: String? { if case .text(let text) = self { text } else { nil } }

  /// The parts of a text that semicolons part.
  var parts: [String] { (textValue ?? "").split(separator: ";").map { String($0.drop { $0 == " " }) } }

  /// An amount with the other sign; anything else as it is.
  var negated: ReportValue {
    switch self {
    case .money(let amount?, let currency): .money(-amount, currency: currency)
    case .estimate(let amount?, let currency): .estimate(-amount, currency: currency)
    default: self
    }
  }
}
