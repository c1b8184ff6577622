internal import Lifecycle
public import Store

/// The four reports with no option given, which are asked for again and again: their rows are kept in the store until
/// the next commit.
public enum StandardReports {
  static let all: [ExplainableReport] = [.funnel, .trials, .savings, .cancellations]

  /// Keeps the reports of a store as it is now, where cells answer them; where only facts do they are not worth the wait.
  public static func keep(in store: Store) throws {
    try store.keepReports { snapshot in
      let query = try ReportQuery(snapshot, ReportOptions(), defaultBy: [])
      guard try query.facts.cells() != nil else { return [] }
      return try all.map { ($0.rawValue, KeptRows.encode(try $0.made(snapshot, ReportOptions()))) }
    }
  }

  /// The names of kept reports that are not what cells answer; empty when all agree.
  public static func differences(_ snapshot: StoreSnapshot) throws -> [String] {
    var options = ReportOptions()
    options.readsKeptRows = false
    return try all.compactMap { standard in
      guard let kept = try snapshot.keptReport(standard.rawValue) else { return nil }
      return kept == KeptRows.encode(try standard.made(snapshot, options)) ? nil : standard.rawValue
    }
  }
}

extension ReportQuery {
  /// The kept rows of a report, if they are what is asked for.
  ///
  /// - Parameters:
  ///   - defaultBy: The report's own dimensions.
  ///   - columns: All of the report's; rows of others, kept by another version, are left alone.
  func keptRows(_ name: String, defaultBy: [Dimension], columns: [ReportColumn]) throws -> [[ReportValue]]? {
    var plain = ReportOptions()
    plain.apps = options.apps
    plain.by = options.by
    guard options == plain, options.by == nil || options.by == defaultBy,
      let bytes = try keptReport(name), let rows = KeptRows.decode(bytes, columns: columns)
    else { return nil }
    let names = Set(apps.map { ReportValue.text($0.name) })
    return rows.filter { row in row.first.map(names.contains) ?? false }
  }
}
