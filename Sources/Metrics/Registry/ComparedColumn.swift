/// The number of a report by which its days are compared with days before.
public struct ComparedColumn: Sendable {
  /// The first of these that the report has is compared; `survival_*` stands for the first of all ages.
  let columns: [String]
  /// Whether more of it is better; `nil` where neither is.
  public let isMoreBetter: Bool?

  init(_ columns: String..., isMoreBetter: Bool? = true) {
    (self.columns, self.isMoreBetter) = (columns, isMoreBetter)
  }
}

extension Report {
  /// The column by which days are compared with days before; `nil` for reports without one.
  public var comparedColumn: String? {
    ReportKind.of(self)?.compared?.columns.lazy.compactMap { name in
      columns.first { $0.name == name || ColumnInfo.pattern(of: $0.name)?.pattern == name }?.name
    }.first
  }
}
