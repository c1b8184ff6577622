internal import EventModel
internal import Lifecycle
internal import Store

/// An app's newest full week, from a Monday, whose users have all settled.
struct SettledWeek {
  /// The first day and the day after the last; `nil` if none of the last 13 weeks is.
  private(set) var days: (from: CivilDate, to: CivilDate)?
  /// Whether any of these weeks has users.
  private(set) var hasUsers = false
  /// Whether a shorter horizon lets users of newer days count.
  private let hasShorterHorizon: Bool

  /// - Parameter request: A report; its dimensions and days have no effect.
  init(_ request: ReportRequest, app: String, _ snapshot: StoreSnapshot) throws {
    hasShorterHorizon = [.funnel, .paths].contains(request.kind) && request.options.horizon == nil
    var options = request.options
    (options.apps, options.by, options.from, options.to) = ([app], [], nil, nil)
    options.showsBasis = true
    let query = try ReportQuery(snapshot, options, by: request.kind)
    guard let own = query.apps.first else { return }
    // Of the last day, its end may be missing.
    var end = CivilDate.monday(ofDay: Int(query.localTime.day(of: query.asOf(of: own) - 1)))
    for _ in 0..<13 where days == nil && (end - 7) * Int(day) >= own.firstDay {
      (options.from, options.to) = (CivilDate(daysSince1970: end - 7), CivilDate(daysSince1970: end))
      let report = try request.kind.report(snapshot, options)
      if let row = report.rows.first {
        hasUsers = true
        if let from = options.from, let to = options.to, report.isSettled(row) { days = (from, to) }
      }
      end -= 7
    }
  }

  /// Returns a week of an app, or its newest settled week where units of that week still wait and there is one.
  static func days(
    insteadOf week: (from: CivilDate, to: CivilDate), _ request: ReportRequest, app: String, _ snapshot: StoreSnapshot
  ) throws -> (from: CivilDate, to: CivilDate) {
    // Of value, the users who wait are a basis.
    guard request.kind == .value || request.kind.columns.contains(where: { Report.waiting.contains($0.identifier) })
    else { return week }
    var options = request.options
    (options.apps, options.by, options.from, options.to) = ([app], [], week.from, week.to)
    options.showsBasis = true
    let report = try request.kind.report(snapshot, options)
    guard let row = report.rows.first, !report.isSettled(row) else { return week }
    return try SettledWeek(request, app: app, snapshot).days ?? week
  }

  /// A clause that names the week with its options; `nil` without one.
  var clause: String? {
    days.map {
      "the newest full week that counts starts on \($0.from) (--from \($0.from) --to \($0.to)"
        + (hasShorterHorizon ? "; --horizon 1 also counts newer users, whose open trials then count as not paid)" : ")")
    }
  }
}

extension Report {
  /// The columns that count units whose outcome is not known yet.
  fileprivate static let waiting = ["immature", "open", "pending_renewing", "pending_cancelled"]

  /// Whether no unit of a row is too recent, or open.
  func isSettled(_ row: [ReportValue]) -> Bool {
    zip(columns, row).allSatisfy { column, value in
      guard Self.waiting.contains(column.name) else { return true }
      return if case .count(let units) = value { units == 0 } else { true }
    }
  }
}
