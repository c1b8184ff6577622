internal import EventModel

/// One line of `health`: how often a condition holds, and how it affects the reports.
struct HealthCheck {
  enum Severity: String {
    case ok
    case notice
    case warning
  }

  /// The app, or ``Health/allApps`` for checks that do not belong to a single app.
  var app: String
  var name: String
  var cases: Int
  /// The number of possible cases; `nil` if it is unknown.
  var of: Int?
  var severity: Severity
  /// The commands whose numbers are affected.
  var affects: [String]
  /// The meaning, as a sentence.
  var meaning: String
  /// The days of the cases in UTC, ascending, in days since 1970; empty for cases that are not days.
  var days: [Int] = []
  /// Whether some cases are due to chance, such as days without an event of a source that has few.
  var expectsCases = false

  /// ``days`` as `2026-01-18 2026-01-20..2026-01-22`; of more than ten such parts the first ten.
  var daysText: String {
    let parts = daysInRow(days)
    func text(_ day: Int) -> String { CivilDate(daysSince1970: day).description }
    let texts = parts.prefix(10).map { part in
      part.count == 1 ? text(part.lowerBound) : "\(text(part.lowerBound))..\(text(part.upperBound))"
    }
    return (texts + (parts.count > 10 ? ["..."] : [])).joined(separator: " ")
  }

  /// - Parameter share: Above this share of the possible cases the check is a warning, at or below it a notice, and
  ///   without cases ok. If the number of possible cases is unknown, any case is a warning.
  init(
    _ app: String, _ name: String, _ cases: Int, of: Int?, warnAbove share: Double = 0, affects: [String],
    _ meaning: String
  ) {
    self.app = app
    self.name = name
    self.cases = cases
    self.of = of
    self.affects = affects
    self.meaning = meaning
    let isMany = of.map { Double(cases) > share * Double($0) } ?? true
    severity = cases == 0 ? .ok : isMany ? .warning : .notice
  }

  static let all = ["all"]
  static let byContext = [ReportKind.funnel, .trials, .savings, .cancellations, .value].map(\.name)
  static let ofMoney = [ReportKind.revenue, .mrr, .subscriptions, .ltv, .refunds].map(\.name)
}
