public import EventModel
public import Store

/// A number of a report that messages and alarms report, for all users of each app (definitions 16).
public struct WatchedNumber: Sendable {
  /// The name in messages.
  public let name: String
  /// The report's name, such as `funnel`.
  public var reportName: String { request.kind.name }
  let request: ReportRequest
  let column: String

  /// - Throws: ``OptionError`` for a report without `--compare`, or with rows.
  public init(name: String, _ request: ReportRequest, column: String) throws {
    guard request.kind.options.contains(where: { $0.name == "compare" }) else {
      throw OptionError(
        "\(request.kind.name) cannot be compared with the days before, and a message compares its numbers with them")
    }
    guard request.comparison == nil, request.options.by ?? [] == [] else {
      throw OptionError("a message has one number for each app: leave out --by and --compare")
    }
    (self.name, self.column) = (name, column)
    var own = request
    own.options.by = []
    self.request = own
  }

  /// Checks that the report has the column as a number.
  ///
  /// - Throws: ``OptionError``.
  public func check(_ snapshot: StoreSnapshot) throws { _ = try place(in: request.kind.report(snapshot, options())) }

  /// The days of a message: the newest full period of an app whose units are all settled.
  public struct Period: Sendable {
    public var app: String
    public var from: CivilDate
    public var to: CivilDate

    /// - Parameters:
    ///   - from: The first day.
    ///   - to: The day after the last.
    public init(app: String, from: CivilDate, to: CivilDate) { (self.app, self.from, self.to) = (app, from, to) }
  }

  /// Returns the parameters of the report's page that shows the number on the days of a period: all its options.
  public func parameters(on period: Period) -> [(String, String)] {
    var parameters = [("app", period.app), ("from", "\(period.from)"), ("to", "\(period.to)")]
    let others = request.kind.options.map(\.name).filter { !["app", "from", "to", "last"].contains($0) }
    for item in request.given where others.contains(item.option) {
      parameters += item.texts.map { (item.option, $0) }
    }
    return parameters
  }

  /// Returns the number on the days of a period against those before (definitions 9).
  public func compared(_ snapshot: StoreSnapshot, _ period: Period) throws -> Report? {
    var asked = request
    asked.options = options(period)
    asked.comparison = try ComparedWith("previous")
    guard var report = try asked.table(snapshot), let place = report.place("column") else { return nil }
    report.rows.removeAll { $0[place] != .text(column) }
    return report
  }

  /// Returns the segment that most explains a change of the number on the days of a period; `nil` where none stands out
  /// (definitions 10).
  public func driver(_ snapshot: StoreSnapshot, _ period: Period) throws -> String? {
    guard request.kind.hasDrivers else { return nil }
    var asked = request
    asked.options = options(period)
    asked.comparison = try ComparedWith("previous")
    asked.drivers = DriverQuestion(column: column)
    guard let report = try? asked.table(snapshot),
      let verdict = report.place("verdict"), let segment = report.place("segment")
    else { return nil }
    return report.rows.first { $0[verdict] == .text("driver") }?[segment].keyText
  }

  func options(_ period: Period? = nil) -> ReportOptions {
    var options = request.options
    if let period { (options.apps, options.from, options.to) = ([period.app], period.from, period.to) }
    return options
  }

  private func place(in report: Report) throws -> Int {
    guard let place = report.columns.firstIndex(where: { $0.name == column && $0.kind != .key && $0.kind != .text })
    else {
      let names = report.columns.filter { $0.kind != .key && $0.kind != .text }.map(\.name)
      throw OptionError("column is \(column), but must be one of \(names.joined(separator: ", "))")
    }
    return place
  }

  // MARK: - Days

  public struct DayValue: Sendable, Equatable {
    /// Days since 1970.
    public var day: Int
    /// Of a share its numerator; else the number, in whole units of its currency for money.
    public var met: Double
    /// The denominator of a share; `nil` for counts and amounts.
    public var of: Double?
    /// Payments behind an amount; `nil` where the report has none.
    public var events: Double?
  }

  /// The settled days of an app, in order.
  public struct Series: Sendable {
    public var app: String
    public var days: [DayValue]
    /// Why the number has no such days; `nil` for an app that it says nothing of.
    public var reason: String?
  }

  /// Returns the instant just after the newest event of the apps; `nil` without events.
  public func newestAsOf(_ snapshot: StoreSnapshot) throws -> Int64? {
    try ReportQuery(snapshot, request.options, by: request.kind).apps.compactMap(\.newestAsOf).max()
  }

  /// Returns each app's settled days; a day without a row counts as 0, unless the number is a share.
  ///
  /// - Parameter asOf: An instant of the past, in ms; an app whose events end before is read as of its own end.
  public func settledDays(_ snapshot: StoreSnapshot, asOf: Int64? = nil) throws -> [Series] {
    var options = options()
    if let asOf {
      options.asOf = nil
      // For all apps, so that numbers of the same apps share what they read.
      for app in try snapshot.apps() {
        options.asOfs[app.name] = min(asOf, app.newestAsOf ?? asOf)
      }
    }
    let query = try ReportQuery(snapshot, options, by: request.kind)
    func none(_ reason: String) -> [Series] { query.apps.map { Series(app: $0.name, days: [], reason: reason) } }
    options.by = [.day]
    let report = try request.kind.report(snapshot, options)
    let place = try place(in: report)
    var share: (met: Int, of: Int)?
    if case .ratio(let met, let units)? = request.kind.sum(of: report.columns[place]) {
      guard let met = report.place(met), let units = report.place(units) else {
        return none("the counts behind it are not known")
      }
      share = (met, units)
    }
    guard let dayPlace = report.place("day"), share != nil || report.columns[place].kind != .rate else {
      return none("the counts behind it are not known")
    }
    var values: [String: [Int: DayValue]] = [:]
    var open: [String: Set<Int>] = [:]
    for row in report.rows {
      guard let date = CivilDate(row[dayPlace].keyText) else { continue }
      let app = row[0].keyText
      if !report.isSettled(row) { open[app, default: []].insert(date.daysSince1970) }
      let known = values[app]?[date.daysSince1970]
      // Amounts in several currencies are not added up; counts are.
      let isCount = report.columns[place].kind == .count
      if known != nil, !isCount { return none("it is in several currencies: give --currency") }
      values[app, default: [:]][date.daysSince1970] = DayValue(
        day: date.daysSince1970, met: (row[share?.met ?? place].quantityInUnits ?? 0) + (known?.met ?? 0),
        of: share.map { row[$0.of].quantityInUnits ?? 0 },
        events: report.columns[place].kind == .money
          ? report.place("payments").flatMap { row[$0].quantityInUnits } : nil)
    }
    return query.apps.map { app in
      let first = Int(query.localTime.day(of: app.firstDay))
      let end = Int(query.localTime.day(of: query.asOf(of: app) - 1 - age))
      let settled = (first..<max(first, end)).filter { !(open[app.name]?.contains($0) ?? false) }
      let known = values[app.name] ?? [:]
      return Series(
        app: app.name,
        days: settled.compactMap { day in
          known[day] ?? (share == nil ? DayValue(day: day, met: 0, of: nil, events: 0) : nil)
        }, reason: known.isEmpty ? nil : Self.unsettled)
    }
  }
}
