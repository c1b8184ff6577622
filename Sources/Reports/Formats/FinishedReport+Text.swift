import Basics
public import Metrics

extension FinishedReport {
  /// As the command line prints it.
  ///
  /// - Throws: ``UnknownColumn`` when the options sort by a column that is not there.
  public func text(as format: ReportFormat, options: RenderOptions) throws(UnknownColumn) -> String {
    switch self {
    case .readout(let report): return try render(report, as: format, options: options)
    case .explanation(let explanation):
      switch format {
      case .table: return explanationText(explanation.inWordsOfTable, options)
      case .csv: return csvText(explanationRows(explanation), isSpreadsheetSafe: options.isSpreadsheetSafe)
      case .json: return explanationJSON(explanation)
      case .markdown, .html:
        // Persons are limited where they are found.
        var whole = options
        whole.limit = nil
        return try tables.text(as: format, options: whole)
      }
    case .tables(let reports):
      var texts: [String] = []
      for (place, report) in reports.enumerated() {
        do {
          texts.append(try render(report, as: format, options: options))
        } catch {
          if place == 0 { throw error }
          // The columns are of the first table.
          var own = options
          (own.columns, own.sort) = (nil, nil)
          texts.append(try render(report, as: format, options: own))
        }
      }
      return texts.joined(separator: "\n")
    }
  }

  /// A function from the column and row of a number, and their report, to the address of what is behind it.
  public typealias CellLink = (_ column: ReportColumn, _ row: [ReportValue], _ report: Report) -> String?

  /// An explanation as tables; others as they are.
  private var tables: FinishedReport {
    guard case .explanation(let explanation) = self else { return self }
    let readable = explanation.inWordsOfTable
    return .tables([explanationTable(readable), explanationRows(readable)])
  }

  /// Rows of all tables; of readouts those of the long form.
  public var rowCount: Int {
    switch self {
    case .tables(let reports): reports.map(\.rows.count).reduce(0, +)
    case .readout(let report): experimentRows(report).rows.count
    case .explanation(let explanation): explanation.persons.count
    }
  }

  /// Why there are no rows, where options leave none.
  public var emptyNote: String? { firstTable?.emptyNote }

  /// Why there are no rows, for whatever reason; `nil` where there are some.
  public var emptySentence: String? { rowCount == 0 ? firstTable?.emptySentence : nil }

  /// The warnings that its numbers need, a sentence each; formats for people show them above the table.
  public var warnings: [String] {
    let (instants, notes): ([Report.AppInstant], [String]) =
      switch self {
      case .tables(let reports): (reports.flatMap(\.asOf), reports.flatMap(\.notes))
      case .readout(let report): (report.asOf, [])
      case .explanation: ([], [])
      }
    return (instants.flatMap { app in app.warnings.map { "\(app.app): \($0)" } } + notes)
      .inGroups(by: \.self).map(\.key)
  }

  public func parameter(_ name: String) -> String? {
    let parameters =
      switch self {
      case .tables: firstTable?.parameters ?? []
      case .readout(let report): report.parameters
      case .explanation(let explanation): explanation.parameters
      }
    return parameters.first { $0.name == name }?.value
  }
}
