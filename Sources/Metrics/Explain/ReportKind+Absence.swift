/// Why no row of a report has a number in a column.
public enum Absence: Sendable {
  /// All units that would count are too recent.
  case tooRecent
  case noDenominator
  /// Neither; the number itself cannot be estimated.
  case other
}

extension ReportKind {
  /// Returns why the numbers of a column are missing.
  ///
  /// - Parameter report: A table of this report.
  /// - Returns: `nil` for columns without a rule.
  public func absence(of name: String, in report: Report) -> Absence? {
    guard let column = report.columns.first(where: { $0.name == name }), let sum = sum(of: column) else { return nil }
    let rows = report.rows.filter { report.value(name, in: $0)?.isEmpty ?? false }
    func units(_ columns: [String]) -> Int {
      rows.reduce(0) { sum, row in sum + columns.reduce(0) { $0 + (report.count($1, in: row) ?? 0) } }
    }
    let whole: String
    switch sum {
    case .ratio(_, let column), .rate(_, let column), .mean(let column): whole = column
    // Of survival at an age, those observed for so long.
    case .estimate(let units): whole = followed(column) ?? units
    case .units, .refused: return .other
    }
    if units([whole]) > 0 { return .other }
    let others = report.columns.first { $0.name == whole }.flatMap(described).map(others) ?? []
    func left(_ isTooRecent: Bool) -> Int {
      others.filter { $0.isTooRecent == isTooRecent }.reduce(0) { $0 + units($1.columns) - units($1.less) }
    }
    // A count at an age, such as persons_365, has no column of those who are younger.
    let hasYoung = others.contains(where: \.isTooRecent) ? left(true) > 0 : ColumnInfo.pattern(of: whole) != nil
    return hasYoung && left(false) == 0 ? .tooRecent : .noDenominator
  }
}
