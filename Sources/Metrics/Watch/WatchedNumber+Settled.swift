internal import EventModel
internal import Lifecycle
public import Store

/// The newest days on which a number is known (implements definitions 16.1).
extension WatchedNumber {
  /// An app of which the number is not there.
  public struct Missing: Sendable {
    public var app: String
    public var reason: String
    /// The first day, since 1970, on which the data will have it; `nil` if that is not known.
    public var from: Int?
  }

  static let unsettled = "every day is too recent"
  private static let weeks = 13

  /// Whether the number names its apps, so that messages mention each of them.
  public var isOfNamedApps: Bool { !request.options.apps.isEmpty }

  /// Returns each app's newest full week, from a Monday, whose users have all settled.
  public func settledWeeks(_ snapshot: StoreSnapshot) throws -> (found: [Period], missing: [Missing]) {
    let query = try ReportQuery(snapshot, request.options, by: request.kind)
    var found: [Period] = []
    var missing: [Missing] = []
    for app in query.apps {
      let first = CivilDate.monday(ofDay: Int(query.localTime.day(of: app.firstDay)) + 6)
      if let days = try settledWeek(app, from: first, query, snapshot) {
        found.append(Period(app: app.name, from: days.from, to: days.to))
      } else if let one = try self.missing(
        app, "every week is too recent", first: first, days: 7, query, snapshot)
      {
        missing.append(one)
      }
    }
    return (found, missing)
  }

  /// - Parameter first: The first Monday of the app.
  private func settledWeek(
    _ app: StoreSnapshot.App, from first: Int, _ query: ReportQuery, _ snapshot: StoreSnapshot
  ) throws -> (from: CivilDate, to: CivilDate)? {
    if age == 0 { return try SettledWeek(request, app: app.name, snapshot).days }
    let end = CivilDate.monday(ofDay: Int(query.localTime.day(of: query.asOf(of: app) - 1 - age)))
    if end - 14 < first { return nil }
    return (from: CivilDate(daysSince1970: end - 7), to: CivilDate(daysSince1970: end))
  }

  /// Returns each app's newest day whose users have all settled.
  public func newestSettledDays(_ snapshot: StoreSnapshot) throws -> (found: [Period], missing: [Missing]) {
    let query = try ReportQuery(snapshot, request.options, by: request.kind)
    let all = try settledDays(snapshot)
    var found: [Period] = []
    var missing: [Missing] = []
    for app in query.apps {
      guard let series = all.first(where: { $0.app == app.name }) else { continue }
      if let last = series.days.last(where: { $0.of.map { $0 > 0 } ?? true })?.day {
        found.append(
          Period(app: app.name, from: CivilDate(daysSince1970: last), to: CivilDate(daysSince1970: last + 1)))
      } else if let reason = series.reason, reason != Self.unsettled {
        missing.append(Missing(app: app.name, reason: "not known, \(reason)"))
      } else {
        let first = Int(query.localTime.day(of: app.firstDay))
        if let one = try self.missing(app, Self.unsettled, first: first, days: 1, query, snapshot) {
          missing.append(one)
        }
      }
    }
    return (found, missing)
  }

  /// - Parameters:
  ///   - first: The first day of the first full period.
  ///   - days: The length of a period. Two are compared.
  /// - Returns: `nil` for an app that is not named and has nothing that the report counts.
  private func missing(
    _ app: StoreSnapshot.App, _ reason: String, first: Int, days: Int, _ query: ReportQuery, _ snapshot: StoreSnapshot
  ) throws -> Missing? {
    var options = options()
    let last = Int(query.localTime.day(of: query.asOf(of: app) - 1))
    (options.apps, options.by, options.to) = ([app.name], [], nil)
    options.from = CivilDate(daysSince1970: last - 7 * Self.weeks)
    if try request.kind.report(snapshot, options).rows.isEmpty {
      return isOfNamedApps ? Missing(app: app.name, reason: "not known, the last \(Self.weeks) weeks have none") : nil
    }
    let from = try wait(app, query).map { first + 2 * days + Int(($0 + day - 1) / day) }
    return Missing(app: app.name, reason: "not known yet, \(reason)", from: from.map { max($0, last + 1) })
  }

  /// How long after a unit began the number counts it, in ms; `nil` where that differs by unit.
  private func wait(_ app: StoreSnapshot.App, _ query: ReportQuery) throws -> Int64? {
    if age > 0 { return age }
    switch request.kind {
    case .funnel: return try Funnel.horizons(query)[app.id]
    case .trials: return try Funnel.horizons(query)[app.id].map { $0 - FoldOptions.attributionWindow }
    default: return nil
    }
  }

  /// The age at which the column counts a unit, in ms, such as 95 d of `cancelled_95_rate`; 0 for other columns.
  var age: Int64 {
    if request.kind == .paths || request.options.isByPeriod { return 0 }
    return column.split(separator: "_").lazy.compactMap { Int64($0) }.first.map { $0 * day } ?? 0
  }
}
