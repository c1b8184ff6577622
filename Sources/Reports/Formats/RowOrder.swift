public import Basics
import Metrics

/// An error for an option that names no column of the report.
public struct UnknownColumn: ReadableError, Hashable {
  public var option = "--sort"
  public var column: String
  /// Those that the report has, in its order.
  public var columns: [String]
  /// The column that a table heads so; `nil` for other words.
  public var headed: String?

  public var description: String {
    let form = option == "--sort" ? ", with or without :desc" : ""
    return "\(option) is \(visible(column)), but must be one of these\(form): "
      + columns.map(visible).joined(separator: ", ") + visible(hint)
  }

  private var hint: String {
    if let headed { return "; did you mean \(headed)?" }
    if option == "--sort", let colon = column.lastIndex(of: ":"), columns.contains(String(column[..<colon])) {
      return "; did you mean \(column[..<colon]):desc?"
    }
    return NearName.hint(column, in: columns)
  }
}

extension Report {
  /// Returns the column that a table heads with these words, such as `users` for `viewers`.
  func column(headed words: some StringProtocol) -> String? {
    let look = ReportLook(self)
    return columns.first { look.heading(of: $0.name).lowercased() == words.lowercased() }?.name
  }
}

/// The rows by one column's values: undefined ones last in either direction, ties in the order they had.
func sorted(_ report: Report, by sort: String) throws(UnknownColumn) -> [[ReportValue]] {
  let (column, isDescending) = try sortColumn(sort, of: report)
  let order = report.rows.indices.sorted { left, right in
    let (first, second) = (report.rows[left][column], report.rows[right][column])
    switch (first.isUndefined, second.isUndefined) {
    case (false, true): return true
    case (true, false): return false
    case (true, true): return left < right
    case (false, false): break
    }
    if first.precedes(second) { return !isDescending }
    if second.precedes(first) { return isDescending }
    return left < right
  }
  return order.map { report.rows[$0] }
}

/// A column whose name ends in `:desc`, such as one of `property:desc`, is meant before a direction is.
private func sortColumn(
  _ sort: String, of report: Report
) throws(UnknownColumn) -> (column: Int, isDescending: Bool) {
  let columns = report.columns.map(\.name)
  if let column = columns.firstIndex(of: sort) { return (column, false) }
  for (suffix, isDescending) in [(":desc", true), (":asc", false)] where sort.hasSuffix(suffix) {
    let name = String(sort.dropLast(suffix.count))
    if let column = columns.firstIndex(of: name) { return (column, isDescending) }
    throw UnknownColumn(column: name, columns: columns, headed: report.column(headed: name))
  }
  throw UnknownColumn(column: sort, columns: columns, headed: report.column(headed: sort))
}

extension ReportValue {
  /// Whether CSV leaves the value empty.
  fileprivate var isUndefined: Bool {
    if case .text = self { false } else { quantity?.isFinite != true }
  }

  /// Texts by their bytes, numbers by their value, amounts by their currency first.
  fileprivate func precedes(_ other: ReportValue) -> Bool {
    switch (self, other) {
    case (.text(let left), .text(let right)): precedesInBytes(left, right)
    case (.money(let left?, let currency), .money(let right?, let other)):
      currency == other ? left < right : precedesInBytes(currency, other)
    default: (quantity ?? .infinity) < (other.quantity ?? .infinity)
    }
  }
}
