/// One line of `health`: how often something is the case, and what that does to the reports.
struct HealthCheck {
  /// Whether a reader should worry.
  enum Severity: String {
    case ok
    case notice
    case warning
  }

  /// ``Health/allApps`` for what is of no single one.
  var app: String
  var name: String
  var cases: Int
  /// How many cases there could be; `nil` where nobody can say.
  var of: Int?
  var severity: Severity
  /// The commands whose numbers it changes.
  var affects: [String]
  /// A sentence.
  var meaning: String

  /// - Parameter share: Of more cases than this it is a warning, of fewer a notice, of none all is well; without a number
  ///   that could be, of any.
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
