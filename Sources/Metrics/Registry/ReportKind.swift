public import Store

/// A report as a value: its name, the question it answers, its columns, and what it reads from a store.
public struct ReportKind: Sendable {
  /// The part of the menu that a report belongs to.
  public enum Group: String, CaseIterable, Sendable {
    case paywalls = "Paywalls"
    case experiments = "Experiments"
    case money = "Money"
    case behaviour = "Behaviour"
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
  /// ``columns``, and those that they are computed from and that are not printed, by name.
  let columnsByName: [String: ColumnInfo]
  /// Further sentences about its options and rows, for help.
  public let details: String
  /// Commands that show it, without the program's name.
  public let examples: [String]
  /// The options, in the order of help and forms.
  public let options: [ReportOption]
  /// The reasons why the report does not accept some common options, by name.
  let refusals: [String: String]
  /// The charts above its table, in order.
  public let charts: [ReportChart]
  /// The parts of a store that the report reads, the smallest first: cells if they can answer, else the last.
  let reads: [ReportNeed]
  /// The topics of a user's events that decide; none where users do not add up to the report's numbers.
  let topics: Set<EventTopic>
  /// Makes the one table that the report is; `nil` where it is something else.
  let table: (@Sendable (StoreSnapshot, ReportOptions) throws -> Report)?
  /// Makes a report that is not one table.
  let make: (@Sendable (StoreSnapshot, ReportRequest) throws -> FinishedReport)?

  /// - Parameters:
  ///   - options: All options; without them the common ones that are not refused, and `own`.
  ///   - table: Makes the table that the report is, instead of `make`.
  init(
    _ name: String, _ title: String, _ question: String, _ group: Group, by: [Dimension] = [], details: String = "",
    examples: [String] = [], options: [ReportOption]? = nil, own: [ReportOption] = [],
    refusing refusals: [String: String] = [:], reads: [ReportNeed], topics: Set<EventTopic> = [], columns: [ColumnInfo],
    charts: [ReportChart] = [],
    table: (@Sendable (StoreSnapshot, ReportOptions) throws -> Report)? = nil,
    make: (@Sendable (StoreSnapshot, ReportRequest) throws -> FinishedReport)? = nil
  ) {
    self.name = name
    self.title = title
    self.question = question
    self.group = group
    self.details = details
    self.examples = examples
    self.options =
      options ?? (ReportOption.common(by: by, of: name) + own + ReportOption.rows).filter { refusals[$0.name] == nil }
    self.refusals = refusals
    self.charts = charts
    self.reads = reads
    self.table = table
    self.make = make
    defaultBy = by
    self.topics = topics
    let all = topics.isEmpty ? columns.ofNoUsers : columns
    self.columns = all.filter { !$0.isBasis }
    columnsByName = Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }
  }

  /// Returns the report of one table, from the store's cache or newly computed.
  public func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    if let report = try ReportCache.cached(name, for: self, snapshot, options) { return report }
    guard let table else { throw OptionError("\(name) is not a table") }
    return try table(snapshot, options)
  }

  /// The report without options, if it is cached in the store.
  public func cached(_ snapshot: StoreSnapshot) throws -> Report? {
    try ReportCache.cached(name, for: self, snapshot, ReportRequest(self).options)
  }

  /// Returns the description of a column that the report prints, or `nil` for one that it does not have.
  public func info(of column: ReportColumn) -> ColumnInfo? {
    described(column).flatMap { $0.isBasis ? nil : $0 }
  }

  /// Returns the description of a column, also of one that is not printed; bounds have that of the rate.
  func described(_ column: ReportColumn) -> ColumnInfo? {
    var name = column.name
    if column.kind == .low || column.kind == .high, let end = name.lastIndex(of: "_") { name = String(name[..<end]) }
    if let info = columnsByName[name] { return info }
    if let (pattern, number) = ColumnInfo.pattern(of: name), let info = columnsByName[pattern] {
      return info.filled(number)
    }
    if self == .paths, column.kind != .key, let info = ColumnInfo.step(name) { return info }
    guard column.kind == .key else { return nil }
    return name == "app" ? .app : .dimension(name)
  }

  public static func named(_ name: String) -> ReportKind? { byName[name] }

  /// The kind of a finished report; some have two names.
  public static func of(_ report: Report) -> ReportKind? { named(report.name) ?? named(otherNames[report.name] ?? "") }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  private static let otherNames = [
    "value_pairs": "value", "cadence_gaps": "cadence", "retention_cohorts": "retention", "bridge": "reconcile",
    "backtest": "ltv", "backtest_model": "ltv", "backtest_ages": "ltv", "backtest_newest": "ltv", "backtest_now": "ltv",
  ]

  /// Every report, in the order of the menu.
  public static let all: [ReportKind] = [
    .funnel, .paths, .trials, .savings, .cancellations, .value, .revenue, .mrr, .subscriptions, .retention, .ltv,
    .refunds, .recovery, .saves, .winback, .payback,
    .cadence, .gates, .nudges, .activity, .experiments, .experiment, .replay, .health, .quarantine, .rates, .reconcile,
  ]

  /// The reports whose rows can be taken apart by user and compared with those of another store.
  public static let explained = all.filter(\.isOfUsers)

  /// Whether users add up to the report's numbers.
  var isOfUsers: Bool { !topics.isEmpty }

  /// Whether a number of the report can be explained.
  public var isExplainable: Bool { isOfUsers || self == .experiment || self == .experiments || self == .health }

  /// Whether a chart of the report has a line or bars over time.
  public var hasChartOverTime: Bool {
    charts.contains { chart in
      switch chart {
      case .steps, .byPeriod: true
      case .path, .intervals, .movement, .survival, .value, .bridge: false
      }
    }
  }
}

extension ReportKind: Hashable {
  public static func == (left: ReportKind, right: ReportKind) -> Bool { left.name == right.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
