internal import Lifecycle
public import Store

/// Explains the numbers of one row of `experiments`: the users exposed to an experiment, as
/// `PersonUnits.completeExposures` has them.
///
/// Belongs to one snapshot and one thread.
public final class ExperimentListExplainer: RowExplainer {
  static let columns = ["persons", "crossed", "even_split_p"]

  private let explained: ExplainedRow

  /// - Parameter cell: `app` and `experiment` of a row.
  /// - Throws: ``ExplanationError`` for a row that the report does not have.
  public init(_ snapshot: StoreSnapshot, _ options: ReportOptions, cell: [(name: String, value: String)]) throws {
    explained = try ExplainedRow(.experiments, snapshot, options, cell: cell)
  }

  public func explanation(
    of column: String, offset: Int = 0, limit: Int? = nil, user: String? = nil
  ) throws -> Explanation {
    let place = try explained.report.place(ofNumber: column)
    guard Self.columns.contains(column) else {
      throw ExplanationError.refused(column, "is not a sum over users; explain the column persons to list them")
    }
    if explained.row[place].isEmpty { throw ExplanationError.undefined(column) }
    let query = explained.query
    guard let experiment = query.facts.number(ofName: explained.text("experiment")).map({ NameID($0) }) else {
      throw ExplanationError.noRow(explained.cell, rows: explained.report.rows.count)
    }
    let (isOfCrossed, isOfSplit) = (column == "crossed", column == "even_split_p")
    let (one, several) = ("users who saw one variant", "users who saw two variants or more")
    var list = PersonList()
    try ExperimentList.forEachPerson(query, of: experiment) { person, variants in
      let isCrossed = variants > 1
      list.entries.append(
        PersonList.Entry(
          person: person, amount: Explanation.Amount(count: isCrossed == isOfCrossed ? 1 : 0), of: nil,
          reasons: [isCrossed ? several : one]))
    }
    let others = Explanation.Amount(count: list.entries.count { $0.amount.isZero })
    return try explained.explanation(
      of: column, counting: isOfCrossed ? "crossed" : "persons", list, rules: "8.1",
      rule: isOfSplit
        ? "χ² of these users against even shares of the variants"
        : isOfCrossed ? several : "users by their first exposure or paywall view that carries the experiment",
      counts: [
        Explanation.Count(place: .counted, reason: isOfCrossed ? several : one, amount: list.total),
        Explanation.Count(place: .leftOut, reason: isOfCrossed ? one : several, amount: others),
      ], isEstimate: isOfSplit, offset: offset, limit: limit, user: user
    ) { history in
      var roles = EventRoles(history, topics: [], attribution: .last)
      roles.sights = history.facts.sights(query.facts, of: experiment)
      return roles.events()
    }
  }
}
