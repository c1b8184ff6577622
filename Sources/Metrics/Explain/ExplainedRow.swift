internal import Store

/// A row of a report that always has one row for each item of an app, with the data behind it.
struct ExplainedRow {
  let report: Report
  let row: [ReportValue]
  /// A query for the row's app.
  let query: ReportQuery

  /// - Parameter cell: Key columns with the values of the row.
  /// - Throws: ``ExplanationError`` for a row that the report does not have.
  init(
    _ report: ReportKind, _ snapshot: StoreSnapshot, _ options: ReportOptions,
    cell: [(name: String, value: String)]
  ) throws {
    self.report = try report.report(snapshot, options)
    row = try self.report.row(of: cell, others: nil)
    var options = options.split(by: [])
    let app = self.report.value("app", in: row)?.keyText ?? ""
    options.apps = app == Health.allApps ? [] : [app]
    query = try ReportQuery(snapshot, options, defaultBy: [])
  }

  var cell: [(name: String, value: String)] { report.cell(of: row) }

  func text(_ column: String) -> String { report.value(column, in: row)?.keyText ?? "" }

  func count(_ column: String) -> Int? {
    if case .count(let count)? = report.value(column, in: row) { count } else { nil }
  }

  /// Returns the explanation of a number of the row.
  ///
  /// - Parameters:
  ///   - counted: The column that the users add up to.
  ///   - denominator: The divisor of the total, if any.
  ///   - events: Returns the events to show for a user.
  /// - Throws: ``ExplanationError`` if the users do not add up to the row's value in a column.
  func explanation(
    of column: String, counting counted: String, _ list: PersonList, rules: String, rule: String,
    counts: [Explanation.Count], denominator: Explanation.Amount? = nil, isEstimate: Bool = false, offset: Int,
    limit: Int?, user: String?, events: (PersonHistory) -> [PersonHistory.Event]
  ) throws -> Explanation {
    let place = try report.place(ofNumber: column)
    let total = list.total
    let number = count(counted)
    guard number.map(Explanation.Amount.init(count:)) == total else {
      throw ExplanationError.disagrees(
        column: column, cell: number.map(String.init) ?? "", listed: "\(total.millionths / 1_000_000)")
    }
    let page = try list.page(query.facts, offset: offset, limit: limit, user: user, events: events)
    return Explanation(
      report: report.name, column: column, cell: cell, value: row[place], kind: report.columns[place].kind,
      rules: rules, rule: rule, parameters: report.parameters,
      asOf: report.asOf.filter { $0.app == text("app") }, total: total, of: denominator, isEstimate: isEstimate,
      counts: counts, persons: page.persons, personCount: list.entries.count, offset: page.first, rounding: .zero)
  }
}
