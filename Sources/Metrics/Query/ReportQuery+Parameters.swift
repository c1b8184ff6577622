internal import EventModel
internal import Lifecycle
internal import Store

extension ReportQuery {
  /// Returns a report with this query's apps and parameters.
  ///
  /// - Parameters:
  ///   - readsEvents: Whether the report also reads raw events, which may have been pruned.
  ///   - notes: Anything else that the report depends on, by app.
  ///   - own: The parameters of this report besides the common ones.
  func report(
    _ name: String, title: String, definition: [String], own: [Report.Parameter] = [],
    readsEvents: Bool = false, notes: (StoreSnapshot.App) -> [String] = { _ in [] }, columns: [ReportColumn],
    rows: [[ReportValue]], totals: [[ReportValue]] = []
  ) -> Report {
    // Only the order of rows and colours rests on it, which names give as well.
    let order = by.contains(.variant) ? (try? facts.variantOrder()) ?? [:] : [:]
    let places = columns.indices.filter { options.showsBasis || !columns[$0].isBasis }
    func shown(_ rows: [[ReportValue]]) -> [[ReportValue]] {
      places.count == columns.count ? rows : rows.map { row in places.map { row[$0] } }
    }
    var report = Report(
      name: name, title: title, definition: definition + [options.currencyNote].compactMap { $0 },
      parameters: parameters(
        own + [rateUse.sentence.map { Report.Parameter(name: "rates", value: $0) }].compactMap(\.self)),
      asOf: apps.map { app in
        var instant = Report.AppInstant(app: app.name, asOf: asOf(of: app), notes: [], firstDay: app.firstDay)
        instant.notes = notes(app) + cohortNotes(from: options.from) + lateNotes(app)
        instant.variants = order[app.id] ?? []
        if readsEvents, let before = app.prunedBefore {
          let minute = String(Self.instant(before).prefix(16)).replacing("T", with: " ")
          instant.notes.append("\(Report.AppInstant.pruned) \(minute) UTC, so earlier counts are too low")
        }
        return instant
      }, columns: places.map { columns[$0] }, rows: shown(rows), totals: shown(totals))
    report.keepsCurrencies = options.isNative && options.missingRates.isEmpty
    report.missingRates = options.missingRates
    return report
  }

  /// Returns a report whose rows are sums.
  func report<Sums>(
    _ name: String, title: String, definition: [String], own: [Report.Parameter] = [], readsEvents: Bool = false,
    notes: (StoreSnapshot.App) -> [String] = { _ in [] }, columns: [SumsColumn<Sums>], rows: SumsRows<Sums>,
    totals: [SumsRows<Sums>.Row] = []
  ) -> Report {
    report(
      name, title: title, definition: definition, own: own, readsEvents: readsEvents, notes: notes,
      columns: rows.keys.map { ReportColumn($0, .key) } + columns.flatMap(\.columns), rows: rows.values(columns),
      totals: SumsRows(keys: rows.keys, rows: totals).values(columns))
  }

  /// Warns where the as-of is a day or more after an app's newest event: users are then taken to have done nothing since.
  private func lateNotes(_ app: StoreSnapshot.App) -> [String] {
    guard let newest = app.newestAsOf, asOf(of: app) >= newest + day else { return [] }
    let last = CivilDate(daysSince1970: Int((newest - 1) / day))
    return ["\(Report.AppInstant.ends) on \(last): later days count as days on which nothing happened"]
  }

  /// Warns where membership in a cohort depends on what users did after they were counted (definitions 16.5).
  ///
  /// - Parameter day: The first day that they are counted on; `nil` for every day.
  func cohortNotes(from day: CivilDate?) -> [String] {
    cohorts.filter { $0.looksAhead(of: day) }.map { cohort in
      "\(Report.looksAhead(cohort.name)): its members are chosen by what they did later, so its rates do not predict what other users will do"
    }
  }

  /// Days from a first impression, or from another entry, until the user has matured.
  var horizonParameter: Report.Parameter {
    Report.Parameter(
      name: "horizon_days", value: options.horizon.map(Self.days) ?? "7 + trial length + grace of each app")
  }

  /// Returns the horizon in days, by app if it differs between apps.
  ///
  /// - Parameter horizons: Horizons in ms by the app's number.
  func horizonParameter(_ horizons: [NameID: Int64]) -> Report.Parameter {
    let days = apps.map { (app: $0.name, days: Self.days(horizons[$0.id] ?? 0)) }
    guard let first = days.first, options.horizon == nil else { return horizonParameter }
    return Report.Parameter(
      name: "horizon_days",
      value: days.allSatisfy { $0.days == first.days }
        ? first.days : days.map { "\($0.app) \($0.days)" }.joined(separator: ", "))
  }

  /// The horizon of an app, in ms by the app's number, as a note.
  func horizonNotes(_ app: StoreSnapshot.App, _ horizons: [NameID: Int64]) -> [String] {
    ["horizon \(Self.days(horizons[app.id] ?? 0)) d"]
  }

  private func parameters(_ own: [Report.Parameter]) -> [Report.Parameter] {
    let filters = options.filters.map(\.description) + options.cohorts.map(\.description)
    return [
      Report.Parameter(name: "app", value: options.apps.isEmpty ? "all" : options.apps.joined(separator: ",")),
      Report.Parameter(name: "from", value: options.from?.description ?? "first day"),
      Report.Parameter(name: "to", value: options.to?.description ?? "as-of"),
      Report.Parameter(name: "timezone", value: options.timeZone),
      Report.Parameter(name: "as_of", value: options.asOfText),
      Report.Parameter(name: "grace_days", value: Self.days(options.grace)),
      Report.Parameter(name: "attribution", value: options.attribution.rawValue),
    ] + own + [
      Report.Parameter(name: "by", value: by.isEmpty ? "none" : by.map(\.name).joined(separator: ",")),
      Report.Parameter(name: "where", value: filters.isEmpty ? "none" : filters.joined(separator: " ")),
    ]
  }

  /// Returns milliseconds as days, as short as exact.
  static func days(_ milliseconds: Int64) -> String {
    milliseconds % day == 0 ? String(milliseconds / day) : "\(Double(milliseconds) / Double(day))"
  }

  /// Returns an instant in the form `2026-03-01T00:00:00.000Z`.
  static func instant(_ milliseconds: Int64) -> String {
    Instant(millisecondsSince1970: milliseconds).description
  }
}

extension Report {
  /// Warnings of cohorts that look ahead, each once, without a full stop.
  public var cohortNotes: [String] {
    let marked = asOf.flatMap(\.notes).filter { $0.hasPrefix("cohort ") && $0.contains(" looks ahead: ") }
    return Set(marked).sorted(by: precedesInBytes)
  }

  fileprivate static func looksAhead(_ cohort: String) -> String { "cohort \(cohort) looks ahead" }

  /// Whether membership in a cohort of the report depends on what users did after they were counted.
  public func looksAhead(_ cohort: String) -> Bool {
    cohortNotes.contains { $0.hasPrefix("\(Self.looksAhead(cohort)):") }
  }
}

extension ReportOptions {
  /// The as-of as a parameter, such as `a=2026-03-01T00:00:00.000Z` for that of one app.
  var asOfText: String {
    if let asOf { return ReportQuery.instant(asOf) }
    if asOfs.isEmpty { return "newest event of each app" }
    return asOfs.sorted { precedesInBytes($0.key, $1.key) }.map { "\($0.key)=\(ReportQuery.instant($0.value))" }
      .joined(separator: ",")
  }
}
