import EventModel
import Metrics

extension Report {
  /// Returns how much of a period the data cover; `nil` for all of it.
  ///
  /// - Parameters:
  ///   - label: The period, such as `2026-03`.
  ///   - name: The dimension, such as `month`.
  ///   - app: The app whose data count.
  func coverage(
    _ label: String, of name: String, in app: AppInstant?
  ) -> (covered: Int, whole: Int, unit: CoveredDays.Unit)? {
    guard let period = Dimension.period(name), let start = period.firstDay(ofPeriod: label), let app else { return nil }
    return coveredDays(of: app)?.part(of: start.daysSince1970..<period.next(start).daysSince1970)
  }

  /// The apps by name, for a table of as many rows as apps.
  var appsByName: [String: AppInstant] { Dictionary(asOf.map { ($0.app, $0) }) { first, _ in first } }

  /// The app of the report, if it is of one.
  var onlyApp: AppInstant? { asOf.count == 1 ? asOf[0] : nil }

  /// The days of an app's data that the report is of, in days since 1970; `nil` where the first is not known.
  func days(of app: AppInstant) -> Range<Int>? {
    guard let firstInstant = app.firstDay else { return nil }
    let zone = parameter("timezone") ?? "UTC"
    var from = localDay(firstInstant, zone: zone).daysSince1970
    var end = localDay(app.asOf - 1, zone: zone).daysSince1970 + 1
    if let asked = parameter("from").flatMap(CivilDate.init) { from = max(from, asked.daysSince1970) }
    if let asked = parameter("to").flatMap(CivilDate.init) { end = min(end, asked.daysSince1970) }
    return from..<max(from, end)
  }

  /// Returns these days with how much the data have of the newest.
  func coveredDays(of app: AppInstant) -> CoveredDays? {
    days(of: app).map { CoveredDays($0, until: localTime(app.asOf, zone: parameter("timezone") ?? "UTC")) }
  }

  /// The report with the columns asked for: those named beside the keys, all without some, or `all` with whether each
  /// period is complete.
  ///
  /// - Throws: ``UnknownColumn`` for a name that is not a column.
  func selecting(_ list: String?) throws(UnknownColumn) -> Report {
    guard let list else { return self }
    if list == "all" { return withCompleteness }
    let names = list.split(separator: ",").map(String.init)
    let plain = names.map { $0.hasPrefix("+") || $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
    for name in plain where !columns.contains(where: { $0.name == name }) {
      throw UnknownColumn(
        option: "--columns", column: name, columns: columns.map(\.name), headed: column(headed: name))
    }
    let taken = Set(zip(names, plain).filter { $0.0.hasPrefix("-") }.map(\.1))
    let places: [Int]
    if names.contains(where: { $0.hasPrefix("+") || $0.hasPrefix("-") }) {
      places = columns.indices.filter { !taken.contains(columns[$0].name) }
    } else {
      let keys = columns.indices.filter { columns[$0].kind == .key && !plain.contains(columns[$0].name) }
      places = keys + plain.compactMap { place($0) }
    }
    var report = self
    report.columns = places.map { columns[$0] }
    report.rows = rows.map { row in places.map { row[$0] } }
    return report
  }

  private var withCompleteness: Report {
    guard let period = columns.firstIndex(where: { $0.kind == .key && Dimension.period($0.name) != nil })
    else { return self }
    let app = place("app")
    let apps = appsByName
    var report = self
    report.columns.append(ReportColumn("complete", .text))
    report.rows = rows.map { row in
      let part = coverage(
        row[period].textValue ?? "", of: columns[period].name,
        in: app.flatMap { apps[row[$0].textValue ?? ""] } ?? onlyApp)
      return row + [.text(part == nil ? "yes" : "no")]
    }
    return report
  }
}
