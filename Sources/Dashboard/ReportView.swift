internal import Metrics

/// A report as the dashboard offers it: its place in the menu and what it can be asked for.
public struct ReportView: Sendable {
  public enum Group: String, Sendable, CaseIterable {
    case paywalls = "Paywalls"
    case experiments = "Experiments"
    case money = "Money"
    case behaviour = "Behaviour"
    case data = "Data"
  }

  /// The command's name.
  public var name: String
  /// The words before what `arguments` adds, where it is not the name alone.
  var command: [String]
  var title: String
  var summary: String
  var group: Group
  public var parameters: [ReportParameter]

  init(
    _ name: String, command: [String]? = nil, title: String, summary: String, group: Group,
    parameters: [ReportParameter]
  ) {
    self.name = name
    self.command = command ?? [name]
    self.title = title
    self.summary = summary
    self.group = group
    self.parameters = parameters
  }

  func has(_ parameter: String) -> Bool { parameters.contains { $0.name == parameter } }

  /// The report that it takes a number of apart.
  var explained: ReportView? {
    name.hasSuffix(Self.explanationSuffix) ? Self.named(String(name.dropLast(Self.explanationSuffix.count))) : nil
  }

  private static let explanationSuffix = "/explain"

  /// Where its page is.
  var path: String { "/reports/\(name)" }
  /// Where its table is, for programs.
  var apiPath: String { "/api/v1/\(name)" }

  public static func named(_ name: String) -> ReportView? { byName[name] }

  /// Where one of its numbers comes from; `nil` where persons do not add up to its numbers.
  var explanation: ReportView? {
    guard Explanation.reports.contains(name) else { return nil }
    let others = parameters.filter { !["sort", "limit", "pairs"].contains($0.name) }
    return ReportView(
      name + Self.explanationSuffix, command: ["explain", name], title: "\(title): one number",
      summary: "The rule, what counts and what does not, and the persons with the events that decided.", group: group,
      parameters: [.key, .column, .offset, .persons] + others)
  }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// One thing that a report can be asked for: an option of the command line without its dashes.
public struct ReportParameter: Sendable {
  public enum Kind: Sendable {
    case text(placeholder: String)
    case day
    case instant
    /// A decimal of 0 or more.
    case number(placeholder: String)
    case wholeNumber
    /// One of these; the first without it.
    case choice([String])
    /// There or not.
    case flag
    /// Names of apps.
    case apps
    /// A list of dimensions.
    case dimensions
    /// `DIMENSION=VALUE[,VALUE]`.
    case filters
  }

  public var name: String
  var label: String
  var kind: Kind
  var help: String
  /// Whether it may be given several times.
  var isRepeatable = false
  /// Whether it stands without a name on the command line, and has to be given.
  var isPositional = false
  var isRequired = false

  init(
    _ name: String, _ label: String, _ kind: Kind, help: String, isRepeatable: Bool = false, isPositional: Bool = false,
    isRequired: Bool = false
  ) {
    self.name = name
    self.label = label
    self.kind = kind
    self.help = help
    self.isRepeatable = isRepeatable
    self.isPositional = isPositional
    self.isRequired = isRequired || isPositional
  }
}
