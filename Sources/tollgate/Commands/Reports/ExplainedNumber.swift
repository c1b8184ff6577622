import ArgumentParser
import Metrics
import Reports

/// The number of a report that `explain` is asked for, and which of the persons behind it.
struct ExplainedNumber {
  var cell: [CellArgument]
  /// Each a key column whose value is taken whole.
  var keys: [String]
  var column: String
  var offset: Int
  var limit: Int?

  /// The key columns with their values.
  ///
  /// - Parameter dimensions: Of the report's rows.
  func keys(by dimensions: [Dimension]) throws -> [(name: String, value: String)] {
    let all = try cell.flatMap(\.keys) + keys.map { try CellArgument.whole($0, by: dimensions) }
    for (place, key) in all.enumerated() where all[..<place].contains(where: { $0.name == key.name }) {
      throw UsageError("--\(cell.isEmpty ? "key" : "cell") names \(key.name) twice")
    }
    return all
  }

  func explained(by explainer: some RowExplainer) throws -> FinishedReport {
    .explanation(try explainer.explanation(of: column, offset: offset, limit: limit))
  }
}

/// A command whose numbers `explain` takes apart.
protocol ExplainableCommand: ReportingCommand {
  func explaining(_ number: ExplainedNumber) throws -> ReportMaker
}

extension CellReportCommand {
  /// Without `--by`, rows are by the dimensions that the cell names.
  func explaining(_ number: ExplainedNumber) throws -> ReportMaker {
    var options = try options()
    let keys = try number.keys(by: options.by ?? [])
    if arguments.by == nil { options.by = keys.compactMap { try? Dimension(name: $0.name) } }
    return { [options] snapshot in
      try number.explained(by: Explainer(snapshot, report: Self.cellReport, options: options, cell: keys))
    }
  }
}

extension ExperimentCommand: ExplainableCommand {
  /// Who counts of a variant's persons.
  func explaining(_ number: ExplainedNumber) throws -> ReportMaker {
    let options = try arguments.reportOptions()
    if let by = options.by?.first {
      throw UsageError("--by is \(by.name), but an experiment is explained variant by variant; --where says of whom")
    }
    let wanted = try wanted()
    let keys = try number.keys(by: [])
    return { snapshot in
      try namingPlan {
        try number.explained(by: ExperimentExplainer(snapshot, options, wanted, cell: keys))
      }
    }
  }
}

extension ExperimentsCommand: ExplainableCommand {
  func explaining(_ number: ExplainedNumber) throws -> ReportMaker {
    let options = try arguments.reportOptions()
    let keys = try number.keys(by: [])
    return { snapshot in
      try number.explained(by: ExperimentListExplainer(snapshot, options, cell: keys))
    }
  }
}

extension HealthCommand: ExplainableCommand {
  func explaining(_ number: ExplainedNumber) throws -> ReportMaker {
    let options = options
    let keys = try number.keys(by: [])
    return { snapshot in
      try number.explained(by: HealthExplainer(snapshot, options, cell: keys))
    }
  }
}
