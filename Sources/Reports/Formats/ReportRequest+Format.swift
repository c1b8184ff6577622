import Basics
public import Metrics
public import Store

extension ReportRequest {
  /// Makes the report as it is printed: tables have more than their CSV where that does not answer the question.
  ///
  /// - Parameter columns: The value of `--columns`.
  public func printed(_ snapshot: StoreSnapshot, columns: String? = nil) throws -> FinishedReport {
    let asked = try resolved(snapshot)
    guard isForPeople, explained == nil, sort == nil else { return try asked.run(snapshot) }
    switch kind {
    case .mrr where columns ?? "all" == "all" && (options.by ?? kind.defaultBy).contains(where: \.isPeriod):
      var request = asked
      request.options.showsMovement = true
      return try request.run(snapshot)
    case .ltv where columns != nil && options.backtest != nil:
      // The two tables have different columns; the one that CSV has has all of them.
      var request = asked
      request.isForPeople = false
      return try request.run(snapshot)
    case .experiments:
      guard let list = try asked.table(snapshot) else { return .tables([]) }
      return .tables([experimentOverview(list, try asked.readouts(list, snapshot))])
    default: return try asked.run(snapshot)
    }
  }

  /// Every experiment of a list read out but those of many variants, whose comparisons take long.
  private func readouts(_ list: Report, _ snapshot: StoreSnapshot) throws -> [ExperimentReport] {
    do {
      let large = Set(try ExperimentList.tooLarge(snapshot, options))
      let names = list.rows.compactMap { $0[1].textValue }.inGroups(by: \.self).map(\.key)
      return try names.filter { !large.contains($0) }.map { name in
        var wanted = experiment
        wanted.experiment = name
        return try Experiments.report(snapshot, options, wanted)
      }
    } catch ExperimentError.unsupportedDimension {
      return []
    }
  }
}
