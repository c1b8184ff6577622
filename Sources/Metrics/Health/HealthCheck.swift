/// One line of `health`: how often a condition holds, and how it affects the reports.
struct HealthCheck {
  /// The severity of a check for the reader.
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
