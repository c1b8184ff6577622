internal import EventModel
internal import Lifecycle
public import Store

/// Takes the numbers of one row of `experiments` apart: who was exposed to an experiment (definitions 8.1).
///
/// Belongs to one snapshot and one thread.
public final class ExperimentListExplainer {
  static let columns = ["persons", "crossed", "even_split_p"]

  private let base: Report
  private let row: [ReportValue]
  private let query: ReportQuery

  /// - Parameter cell: `app` and `experiment` of a row.
  /// - Throws: ``ExplanationError`` for a row that the report does not have.
  public init(_ snapshot: StoreSnapshot, _ options: ReportOptions, cell: [(name: String, value: String)]) throws {
    base = try PreparedReport.experiments.report(snapshot, options)
    row = try base.row(of: cell)
    var options = options
    options.by = []
    options.apps = base.cell(of: row).filter { $0.name == "app" }.map(\.value)
    query = try ReportQuery(snapshot, options, defaultBy: [])
  }

  /// Explains one number of the row.
  ///
  /// - Parameters:
  ///   - column: `persons`, `crossed` or `even_split_p`.
  ///   - offset: Persons before the page.
  ///   - limit: Persons of the page; `nil` for all.
  /// - Throws: ``ExplanationError``.
  public func explanation(of column: String, offset: Int = 0, limit: Int? = nil) throws -> Explanation {
    let place = try base.place(ofNumber: column)
    guard Self.columns.contains(column) else {
      throw ExplanationError.refused(column, "is no sum over persons; persons lists them with their first sights")
    }
    if row[place].isEmpty { throw ExplanationError.undefined(column) }
    let cell = base.cell(of: row)
    let name = cell.first { $0.name == "experiment" }?.value ?? ""
    guard let experiment = query.facts.number(ofName: name).map({ NameID($0) }) else {
      throw ExplanationError.noRow(cell, rows: base.rows.count)
    }
    let texts = (
      persons: "persons who met one variant", crossed: "crossed: persons who met two variants or more"
    )
    var list = PersonList()
    var counts = (persons: 0, crossed: 0)
    try ExperimentList.forEachPerson(query, of: experiment) { person, variants in
      let isCrossed = variants > 1
      if isCrossed { counts.crossed += 1 } else { counts.persons += 1 }
      list.entries.append(
        PersonList.Entry(
          person: person, amount: Explanation.Amount(count: isCrossed == (column == "crossed") ? 1 : 0), of: nil,
          reasons: [isCrossed ? texts.crossed : texts.persons]))
    }
    let listed = column == "crossed" ? counts.crossed : counts.persons
    let number = base.columns.firstIndex { $0.name == (column == "crossed" ? "crossed" : "persons") }.map { row[$0] }
    guard case .count(listed)? = number else {
      throw ExplanationError.disagrees(
        column: column, cell: number.map { "\($0)" } ?? "", listed: "\(list.total.millionths / 1_000_000)")
    }
    let parts = [(texts.persons, counts.persons), (texts.crossed, counts.crossed)]
    let page = try list.page(query.facts, offset: offset, limit: limit) { history in
      var roles = EventRoles(history, topics: [], attribution: .last)
      roles.sights = history.facts.sights(query.facts, of: experiment)
      return roles.events()
    }
    let isOfSplit = column == "even_split_p"
    return Explanation(
      report: base.name, column: column, cell: cell, value: row[place], kind: base.columns[place].kind,
      rules: isOfSplit ? "8.1, 8.5" : "8.1",
      rule: isOfSplit
        ? "χ² of these persons against even shares of the variants"
        : column == "crossed"
          ? texts.crossed : "persons by their first exposure or impression that carries the experiment",
      parameters: base.parameters, asOf: base.asOf.filter { $0.app == cell[0].value }, total: list.total, of: nil,
      isEstimate: isOfSplit,
      counts: (column == "crossed" ? parts.reversed() : parts).enumerated().map { place, part in
        Explanation.Count(
          place: place == 0 ? .counted : .leftOut, reason: part.0, amount: Explanation.Amount(count: part.1))
      }, persons: page.persons, personCount: list.entries.count, offset: page.first,
      rounding: Explanation.Amount(count: 0))
  }
}
