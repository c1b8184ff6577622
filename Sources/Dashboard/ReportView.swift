public import Metrics

/// A page of the dashboard: a report, or where one of its numbers comes from.
public struct ReportView: Sendable {
  let kind: ReportKind
  /// Whether the view explains one number of the report.
  var isExplanation = false

  /// In the order of the menu.
  public static let all = ReportKind.all.filter(\.isServed).map { ReportView(kind: $0) }

  public static func named(_ name: String) -> ReportView? { all.first { $0.name == name } }

  /// The name in addresses.
  public var name: String { isExplanation ? "\(kind.name)/explain" : kind.name }
  var title: String { isExplanation ? "\(kind.title): one number" : kind.title }
  var group: ReportKind.Group { kind.group }

  var summary: String {
    isExplanation
      ? "The rule, who counts and who does not, and the users with the events that decided." : kind.question
  }

  public var parameters: [ReportOption] { isExplanation ? kind.optionsOfExplanation : kind.options }

  func has(_ parameter: String) -> Bool { parameters.contains { $0.name == parameter } }

  /// Whether its page compares days: with a table, or with a line in a chart over time.
  var canCompare: Bool { !isExplanation && (has("compare") || kind.hasChartOverTime) }

  /// The report whose number it explains.
  var explained: ReportView? { isExplanation ? ReportView(kind: kind) : nil }

  /// The page that explains one of its numbers; `nil` where users do not add up to its numbers.
  var explanation: ReportView? {
    // An experiment is explained by the command line, which knows its plan.
    !isExplanation && kind.isExplainable && kind != .experiment ? ReportView(kind: kind, isExplanation: true) : nil
  }

  /// The address of its page.
  var path: String { "/reports/\(name)" }
  /// The address of its table, for programs.
  var apiPath: String { "/api/v1/\(name)" }
}
