public import Metrics

/// A page or table of the dashboard: a report, where one of its numbers comes from, or where one changed.
public struct ReportView: Sendable {
  let kind: ReportKind
  var aspect = ReportRequest.Aspect.report

  /// In the order of the menu.
  public static let all = ReportKind.all.filter { $0 != .replay }.map { ReportView(kind: $0) }

  public static func named(_ name: String) -> ReportView? { all.first { $0.name == name } }

  /// The name in addresses.
  public var name: String {
    switch aspect {
    case .report: kind.name
    case .explanation: "\(kind.name)/explain"
    case .drivers: "\(kind.name)/why"
    }
  }

  var title: String { aspect == .explanation ? "\(kind.title): one number" : kind.title }
  var group: ReportKind.Group { kind.group }

  var summary: String {
    switch aspect {
    case .report: kind.question
    case .explanation: "The rule, who counts and who does not, and the users with the events that decided."
    case .drivers: "Where a share changed, and whether chance alone can explain it."
    }
  }

  public var parameters: [ReportOption] { kind.options(of: aspect) }

  func has(_ parameter: String) -> Bool { parameters.contains { $0.name == parameter } }

  /// Returns a message with the labels of the page's form in place of the command line's options.
  func inWords(_ message: String) -> String {
    message.replacing(#/--([a-z-]+)/#) { match in
      let name = match.1 == "cell" ? "key" : match.1
      return parameters.first { $0.name == name }.map { "“\($0.label)”" } ?? String(match.0)
    }
  }

  /// Whether a page of it takes an item of another page's address: a filter or a comparison of values only where the report
  /// has the dimension.
  func accepts(_ item: ViewQuery.Item) -> Bool {
    switch item.name {
    case "where":
      if CohortFilter(item.value) != nil { return has("where") && kind != .reconcile }
      return item.filteredDimension.map { kind.filters(by: $0) } ?? false
    case "compare":
      if Overview.Comparison(rawValue: item.value) != nil { return canCompare }
      return has("compare")
        && (!item.value.contains("=") || item.filteredDimension.map { kind.filters(by: $0) } ?? false)
    case let name: return has(name) || (has("from") && PageDays.parameters.contains(name))
    }
  }

  /// Whether its page compares days: with a table, or with a line in a chart over time.
  var canCompare: Bool { aspect == .report && (has("compare") || kind.hasChartOverTime) }

  /// The report whose number it explains.
  var explained: ReportView? { aspect == .explanation ? ReportView(kind: kind) : nil }

  /// The page that explains one of its numbers; `nil` where users do not add up to its numbers.
  var explanation: ReportView? {
    // An experiment is explained by the command line, which knows its plan.
    aspect == .report && kind.isExplainable && kind != .experiment ? ReportView(kind: kind, aspect: .explanation) : nil
  }

  /// The table of where one of its shares changed; `nil` where it has none.
  var drivers: ReportView? {
    aspect == .report && kind.hasDrivers ? ReportView(kind: kind, aspect: .drivers) : nil
  }

  /// The address of its page.
  var path: String { "/reports/\(name)" }
  /// The address of its table, for programs.
  var apiPath: String { "/api/v1/\(name)" }
}
