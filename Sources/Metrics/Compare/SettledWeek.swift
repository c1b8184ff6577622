internal import EventModel
internal import Lifecycle
internal import Store

/// An app's newest full week, from a Monday, whose users have all settled.
struct SettledWeek {
  /// The first day and the day after the last; `nil` if none of the last 13 weeks is.
  private(set) var days: (from: CivilDate, to: CivilDate)?
  /// Whether a shorter horizon lets users of newer days count.
  private let hasShorterHorizon: Bool

  /// - Parameter request: A report; its dimensions and days have no effect.
  init(_ request: ReportRequest, app: String, _ snapshot: StoreSnapshot) throws {
    hasShorterHorizon = [.funnel, .paths].contains(request.kind) && request.options.horizon == nil
    let (kind, options) = Self.counts(request, app: app)
    let query = try ReportQuery(snapshot, options, by: kind)
    guard let own = query.apps.first else { return }
    // Of the last day, its end may be missing.
    let end = CivilDate.monday(ofDay: Int(query.localTime.day(of: query.asOf(of: own) - 1)))
    let weeks = min(13, (Int64(end) * day - own.firstDay) / (7 * day))
    guard weeks > 0 else { return }
    var asked = options
    (asked.by, asked.from) = ([.week], CivilDate(daysSince1970: end - 7 * Int(weeks)))
    asked.to = CivilDate(daysSince1970: end)
    let report = try kind.report(snapshot, asked)
    guard let place = report.place(ofKey: Dimension.week.name) else { return }
    let rows = Dictionary(report.rows.map { ($0[place].keyText, $0) }) { first, _ in first }
    for (label, row) in rows.sorted(by: { precedesInBytes($1.key, $0.key) }) where report.isSettled(row) {
      guard let from = Dimension.week.firstDay(ofPeriod: label) else { continue }
      days = (from, CivilDate(daysSince1970: from.daysSince1970 + 7))
      return
    }
  }

  /// Returns the report that counts an app's users who wait, and its options: of value, the funnel, which counts the same
  /// viewers without an estimate; of cancellations, the trials.
  private static func counts(_ request: ReportRequest, app: String) -> (kind: ReportKind, options: ReportOptions) {
    var options = request.options
    (options.apps, options.by, options.from, options.to) = ([app], [], nil, nil)
    options.showsBasis = true
    if request.kind == .cancellations { return (.trials, options) }
    if request.kind != .value { return (request.kind, options) }
    options.unit = .user
    return (.funnel, options)
  }

  /// Returns a week of an app, or its newest settled week where units of that week still wait and there is one.
  static func days(
    insteadOf week: (from: CivilDate, to: CivilDate), _ request: ReportRequest, app: String, _ snapshot: StoreSnapshot
  ) throws -> (from: CivilDate, to: CivilDate) {
    var (kind, options) = counts(request, app: app)
    guard kind.columns.contains(where: { Report.waiting.contains($0.identifier) }) else { return week }
    (options.from, options.to) = (week.from, week.to)
    let report = try kind.report(snapshot, options)
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

extension ReportKind {
  /// The report's units, and that none of them waits, such as `users all count`.
  var settledUnits: String {
    switch self {
    case .trials, .cancellations: "trials are all over"
    case .recovery: "failed charges all count: each does after \(Recovery.ages.last ?? 0) days"
    case .saves: "cancellations are all decided"
    default: "users all count"
    }
  }
}

extension Report {
  /// The beginning of the sentence on the newest week whose units have all settled.
  public static let newestSettled = "now is the newest full week whose"

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
