import Basics
import EventModel
import Metrics

/// A report's rows for charts: by column name, grouped by app.
struct ChartTable {
  struct Row {
    var app: String
    /// Values by name of the dimension.
    var keys: [(name: String, value: String)]
    var values: [String: ReportValue]

    func key(_ name: String) -> String? { keys.first { $0.name == name }?.value }

    /// Returns the label that distinguishes the row within its app, without the given dimensions.
    func label(without names: Set<String> = []) -> String {
      keys.filter { !names.contains($0.name) }.map { key in
        Dimension.period(key.name) == nil
          ? labelWords(key.value, of: key.name)
          : ChartPeriod(key.value, of: key.name, data: nil, hasYear: true).title
      }.joined(separator: " · ")
    }

    func share(_ name: String) -> Double? { values[name]?.share }

    /// Returns a name such as `steps · control`; the app alone if rows differ in nothing else.
    func name(isOneApp: Bool, without names: Set<String> = []) -> String {
      let label = self.label(without: names)
      return label.isEmpty ? app : isOneApp ? label : "\(app) · \(label)"
    }

    func bounds(_ name: String) -> ClosedRange<Double>? {
      guard let low = share("\(name)_low"), let high = share("\(name)_high"), low <= high else { return nil }
      return low...high
    }

    func count(_ name: String) -> Int? { if case .count(let count) = values[name] { count } else { nil } }

    /// Returns true if a column of followed users or subscriptions is not there, or has enough of them.
    func isFollowed(_ column: String) -> Bool { (count(column) ?? fewestFollowed) >= fewestFollowed }

    /// Returns a value as a number; money in units of its currency.
    func number(_ name: String) -> Double? {
      switch values[name] {
      case .count(let count): Double(count)
      case .number(let number): number
      case .money(let amount, _): amount.map { Double($0) / 1e6 }
      case .estimate(let amount, _): amount.map { $0 / 1e6 }
      default: nil
      }
    }

    var currency: String? {
      for case .money(_, let currency) in values.values { return currency }
      return nil
    }
  }

  /// The report's.
  let name: String
  /// Control first, what has no paywall last, the others as the report has them.
  let rows: [Row]
  /// Variants by first exposure, of each app.
  private let variants: [String: [String]]
  private let columns: Set<String>
  let columnNames: [String]
  /// The days of each app that the rows are of.
  private let days: [String: CoveredDays]
  var before: (rows: [Row], comparison: ReportComparison)?
  /// Events on days.
  var marks: [TimeMark] = []
  /// All apps of the store, for their colours.
  var apps: [String] = []

  /// The colour of a single series.
  func color(of app: String?) -> Int { appColor(app, among: apps.isEmpty ? Array(appNames) : apps) }
  /// Returns the address of the users of a step from our number to a vendor's.
  var stepLink: ((String) -> String?)?

  /// Returns the periods of an app's rows; `nil` stands for all apps.
  func periods(_ keys: [String], of dimension: String, app: String?) -> [ChartPeriod] {
    var all = days.values.max { ($0.whole.upperBound, $0.hours) < ($1.whole.upperBound, $1.hours) }
    if let last = all?.whole.upperBound, let first = days.values.map(\.whole.lowerBound).min() {
      all?.whole = first..<last
    }
    let years = Set(keys.map { $0.prefix(4) })
    return keys.map {
      ChartPeriod($0, of: dimension, data: app == nil ? all : app.flatMap { days[$0] }, hasYear: years.count > 1)
    }
  }

  /// The most periods of a chart with gaps.
  private static let mostPeriods = 400

  /// Returns the periods of rows in order, with those between that no row has: a gap is drawn as one.
  func keys(of rows: [Row], by dimension: String) -> [String] {
    let keys = Set(rows.compactMap { $0.key(dimension) }).sorted(by: precedesInBytes)
    guard let period = Dimension.period(dimension), let first = keys.first.flatMap(period.firstDay(ofPeriod:)),
      let last = keys.last.flatMap(period.firstDay(ofPeriod:))
    else { return keys }
    var all: [String] = []
    var next = first
    while next.daysSince1970 <= last.daysSince1970, all.count <= Self.mostPeriods {
      all.append(period.label(ofPeriod: next))
      next = period.next(next)
    }
    return all.count <= Self.mostPeriods && keys.allSatisfy(all.contains) ? all : keys
  }

  /// Returns the events in periods of one app; for `nil`, those of all apps.
  ///
  /// - Parameter keys: Of the periods, in order.
  /// - Returns: Places among the periods, whole at their beginning.
  func places(of app: String?, in keys: [String], of period: String) -> [(x: Double, text: String)] {
    guard let period = Dimension.period(period) else { return [] }
    let days = keys.compactMap(period.firstDay(ofPeriod:))
    let starts = days.map(\.daysSince1970)
    guard starts.count == keys.count, let first = starts.first, let last = days.last else { return [] }
    let end = period.next(last).daysSince1970
    let shown = marks.filter { ($0.app == nil || $0.app == app) && $0.day >= first && $0.day < end }
    return shown.compactMap { mark -> (x: Double, text: String)? in
      guard let place = starts.lastIndex(where: { $0 <= mark.day }) else { return nil }
      let start = starts[place]
      let end = place + 1 < starts.count ? starts[place + 1] : end
      let part = Double(mark.day - start) / Double(end - start)
      return (Double(place) + part, mark.text)
    }
  }

  init(_ report: Report) {
    name = report.name
    days = Dictionary(report.asOf.compactMap { app in report.coveredDays(of: app).map { (app.app, $0) } }) { a, _ in a }
    variants = Dictionary(report.asOf.map { ($0.app, $0.variants) }) { first, _ in first }
    let variants = variants
    columnNames = report.columns.map(\.name)
    columns = Set(columnNames)
    let keys = report.columns.indices.filter { report.columns[$0].kind == .key }
    let unknown = report.unknownRates.union(report.unknownCounts)
    let all = report.rows.map { values in
      func text(_ place: Int) -> String { if case .text(let text) = values[place] { text } else { "" } }
      return Row(
        app: keys.first.map(text) ?? "", keys: keys.dropFirst().map { (report.columns[$0].name, text($0)) },
        values: Dictionary(uniqueKeysWithValues: zip(report.columns.map(\.name), values))
          .filter { !unknown.contains($0.key) })
    }
    func place(_ row: Row) -> Int {
      switch row.key("variant") {
      case "control": -1
      case "(unattributed)": .max
      case let name?: variants[row.app]?.firstIndex(of: name) ?? .max - 1
      case nil: 0
      }
    }
    // A stable sort, app by app.
    rows = all.enumerated().sorted { left, right in
      let (a, b) = (place(left.element), place(right.element))
      return left.element.app != right.element.app || a == b ? left.offset < right.offset : a < b
    }.map(\.element)
  }

  /// The order of an app's variants, if rows are split by variant.
  func order(of app: String) -> [String] { rows.first?.key("variant") == nil ? [] : variants[app] ?? [] }

  /// Returns the rows of each app and currency. If rows differ in nothing but the app and have one currency, all apps
  /// are one group, so that they share an axis.
  ///
  /// - Parameters:
  ///   - most: The most apps that may share an axis; `nil` for any number.
  ///   - names: Dimensions that do not make a series of their own, such as the period.
  func groups(joining most: Int?, without names: Set<String>) -> [Group] {
    let isPlain = rows.allSatisfy { $0.keys.allSatisfy { names.contains($0.name) || $0.name == "currency" } }
    if !isOneApp, isPlain, Set(rows.map { $0.key("currency") }).count == 1, most.map({ appNames.count <= $0 }) ?? true {
      return [Group(title: rows[0].key("currency") ?? "", app: nil, rows: rows)]
    }
    return groups.map { Group(title: $0.title, app: $0.rows.first?.app, rows: $0.rows) }
  }

  struct Group {
    var title: String
    /// `nil` for rows of several apps.
    var app: String?
    var rows: [Row]

    /// The name of a row's series.
    func name(of row: Row, without names: Set<String>) -> String { app == nil ? row.app : row.label(without: names) }
  }

  private var appNames: Set<String> { Set(rows.map(\.app)) }

  var isOneApp: Bool { appNames.count == 1 }

  /// Returns the name of a group's app for the end of a title, if the table has several apps and the group one.
  func suffix(_ group: Group) -> String {
    group.app.map { isOneApp ? "" : ": \(group.title.isEmpty ? $0 : group.title)" } ?? ""
  }

  func has(_ column: String) -> Bool { columns.contains(column) }

  /// The rows of each app, and of each currency if rows have one.
  var groups: [(title: String, rows: [Row])] {
    rows.inGroups { row in row.key("currency").map { "\(row.app), \($0)" } ?? row.app }.map { ($0.key, $0.values) }
  }

  /// Returns the rows of the last period of an app, and the period; all rows without periods.
  func newest(_ rows: [Row], of app: String?) -> (rows: [Row], period: ChartPeriod?) {
    guard let period else { return (rows, nil) }
    let last = rows.compactMap { $0.key(period) }.max(by: precedesInBytes)
    return (rows.filter { $0.key(period) == last }, last.flatMap { periods([$0], of: period, app: app).first })
  }

  var period: String? { Dimension.periods.map(\.name).first { name in rows.first?.key(name) != nil } }
}
