/// The change that is to be explained: `why REPORT --column NAME --compare SIDE`.
public struct DriverQuestion: Sendable {
  /// The values that `--level` takes, the default first.
  public static let levels = ["0.05", "0.01", "0.1", "0.001"]

  public var column: String
  /// The dimensions of the search; empty for those that a unit has before its outcome.
  public internal(set) var cuts: [Dimension] = []
  /// The largest p of the whole search that a driver may have.
  public internal(set) var level = 0.05

  /// Options that name files which the report reads, such as an experiment's plan, for commands that explain a row.
  public var files: [String] = []

  /// Notes on days, of which those within either side are named.
  public var notes: [DayNote] = []

  public init(column: String) { self.column = column }

  /// Sets ``cuts`` as `--cut` names them.
  ///
  /// - Returns: `false` for a period, which the two sides of a comparison do not share.
  /// - Throws: ``ReportError`` for a name that is not a dimension.
  public mutating func cut(_ text: String) throws -> Bool {
    cuts = try Dimension.list(text)
    return !cuts.contains(where: \.isPeriod)
  }

  /// Sets ``level``.
  ///
  /// - Returns: `false` for other text than ``levels``.
  public mutating func level(_ text: String) -> Bool {
    guard Self.levels.contains(text), let level = Double(text) else { return false }
    self.level = level
    return true
  }
}

extension ReportRequest {
  /// The column whose change is explained if none is named: of checkout, the share who reached the last step that
  /// counts.
  public var driverColumn: String {
    guard kind == .paths, let step = options.lastStep else { return kind.driverColumn }
    return kind.driverColumns.first { $0.identifier == "\(step)_rate" }?.identifier ?? kind.driverColumn
  }
}

extension ReportKind {
  /// The report's name as a command has it.
  public var words: String { self == .experiment ? "\(name) NAME" : name }

  /// Whether the report has shares of counts, whose changes can be split by segment. Those of value are the funnel's.
  public var hasDrivers: Bool {
    [.revenue, .mrr, .experiment].contains(self)
      || self != .value && options.contains { $0.name == "compare" } && columns.contains(where: \.isPlainRatio)
  }

  /// The shares that a table shows and whose changes can be split.
  public var driverColumns: [ColumnInfo] {
    if self == .revenue { return columns.filter { ["gross", "revenue"].contains($0.identifier) } }
    if self == .mrr { return columns.filter { $0.identifier == driverColumn } }
    return hasDrivers ? columns.filter { $0.isCore && $0.isPlainRatio } : []
  }

  /// The column whose change is explained if none is named.
  public var driverColumn: String {
    if self == .revenue { return DriverMoney.Column.revenue.rawValue }
    if self == .mrr { return "mrr" }
    let names = driverColumns.map(\.identifier)
    return names.first { $0 == "paid_rate" } ?? names.first ?? ""
  }
}
