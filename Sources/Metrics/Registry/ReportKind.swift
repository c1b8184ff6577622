public import Store

/// A report as a value: its name, the question it answers, its columns, and what it reads from a store.
public struct ReportKind: Sendable {
  /// The part of the menu that a report belongs to.
  public enum Group: String, CaseIterable, Sendable {
    case paywalls = "Paywalls"
    case money = "Money"
    case behaviour = "Behaviour"
    case experiments = "Experiments"
    case data = "Data"
  }

  /// The command's name, such as `funnel`.
  public let name: String
  /// The name that people read, such as `Lifetime value`.
  public let title: String
  /// The question that the report answers, as one sentence.
  public let question: String
  public let group: Group
  /// The dimensions of rows without `--by`.
  public let defaultBy: [Dimension]
  /// Every column beyond those of `--by`, in order; bounds of a rate share the rate's description.
  public let columns: [ColumnInfo]
  /// The rules by which users add up to the numbers; `nil` where they do not.
  let explained: ExplainableReport?
  /// The report that ``ReportRequest/run(_:)`` comes to.
  let make: @Sendable (StoreSnapshot, ReportRequest) throws -> FinishedReport

  /// - Parameter report: The table that the report is.
  init(
    _ name: String, _ title: String, _ question: String, _ group: Group, by: [Dimension] = [],
    columns: [ColumnInfo], report: @escaping @Sendable (StoreSnapshot, ReportOptions) throws -> Report
  ) {
    self.init(name, title, question, group, by: by, columns: columns) { .tables([try report($0, $1.options)]) }
  }

  init(
    _ name: String, _ title: String, _ question: String, _ group: Group, by: [Dimension] = [],
    columns: [ColumnInfo], make: @escaping @Sendable (StoreSnapshot, ReportRequest) throws -> FinishedReport
  ) {
    self.name = name
    self.title = title
    self.question = question
    self.group = group
    defaultBy = by
    explained = ExplainableReport(rawValue: name)
    let rules = explained?.rules ?? [:]
    self.columns = columns.map { column in
      guard column.rule.isEmpty, let rule = rules[column.identifier] else { return column }
      var column = column
      column.rule = rule.numbers
      return column
    }
    self.make = make
  }

  /// Returns the description of a column that the report prints, or `nil` for one that it does not have.
  public func info(of column: ReportColumn) -> ColumnInfo? {
    var name = column.name
    if column.kind == .low || column.kind == .high, let end = name.lastIndex(of: "_") { name = String(name[..<end]) }
    if let info = columns.first(where: { $0.identifier == name }) { return info }
    if let (pattern, number) = ColumnInfo.pattern(of: name),
      let info = columns.first(where: { $0.identifier == pattern })
    {
      return info.filled(number)
    }
    guard column.kind == .key else { return nil }
    return name == "app" ? .app : .dimension(name)
  }

  /// The kind of a report with this name.
  public static func named(_ name: String) -> ReportKind? { byName[name] }

  /// The kind of a finished report; some have two names.
  public static func of(_ report: Report) -> ReportKind? { named(report.name) ?? named(otherNames[report.name] ?? "") }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  private static let otherNames = ["value_pairs": "value", "retention_cohorts": "retention"]

  /// Every report, in the order of the menu.
  public static let all: [ReportKind] = [
    .funnel, .trials, .savings, .cancellations, .value, .revenue, .mrr, .subscriptions, .retention, .ltv, .refunds,
    .cadence, .gates, .nudges, .activity, .experiments, .experiment, .replay, .health, .quarantine, .rates, .reconcile,
  ]
}

extension ReportKind: Hashable {
  public static func == (left: ReportKind, right: ReportKind) -> Bool { left.name == right.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
