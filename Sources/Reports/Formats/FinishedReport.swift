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
      case .table: return explanationText(explanation, options)
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
      for report in reports { texts.append(try render(report, as: format, options: options)) }
      return texts.joined(separator: "\n")
    }
  }

  /// The address of what is behind a number: of its column, its row and their report.
  public typealias CellLink = (_ column: ReportColumn, _ row: [ReportValue], _ report: Report) -> String?

  /// An explanation as tables; others as they are.
  private var tables: FinishedReport {
    guard case .explanation(let explanation) = self else { return self }
    return .tables([explanationTable(explanation), explanationRows(explanation)])
  }

  /// Rows of all tables; of readouts those of the long form.
  public var rowCount: Int {
    switch self {
    case .tables(let reports): reports.map(\.rows.count).reduce(0, +)
    case .readout(let report): experimentRows(report).rows.count
    case .explanation(let explanation): explanation.persons.count
    }
  }

  /// What its numbers must not be read without, a sentence each; people's formats have it above the table.
  public var warnings: [String] {
    let instants: [Report.AppInstant]
    switch self {
    case .tables(let reports): instants = reports.flatMap(\.asOf)
    case .readout(let report): instants = report.asOf
    case .explanation: return []
    }
    var seen: Set<String> = []
    return instants.flatMap { app in app.warnings.map { "\(app.app): \($0)" } }.filter { seen.insert($0).inserted }
  }

  /// The instant of each app that the numbers are of.
  public var asOf: [String: String] {
    let instants: [Report.AppInstant] =
      switch self {
      case .tables(let reports): reports.first?.asOf ?? []
      case .readout(let report): report.asOf
      case .explanation(let explanation): explanation.asOf
      }
    return Dictionary(instants.map { ($0.app, instantText($0.asOf)) }) { first, _ in first }
  }

  /// Lines of markup for a page that has ``ReportMarkup/style`` and a heading of its own.
  ///
  /// - Parameters:
  ///   - rowLimit: Rows of a table at most; a note tells how many there are.
  ///   - isBrief: Whether tables stand without what they are of and what their columns mean.
  ///   - link: Where the number of a row leads to, by the row's key columns and its own.
  /// - Throws: ``UnknownColumn`` when the options sort by a column that is not there.
  public func markup(
    rowLimit: Int, options: RenderOptions, isBrief: Bool = false, link: CellLink? = nil
  ) throws(UnknownColumn) -> String {
    switch self {
    case .readout(let report): return experimentMarkup(report).joined(separator: "\n")
    case .explanation(let explanation): return explanationMarkup(explanation).joined(separator: "\n")
    case .tables(let reports):
      var lines: [String] = []
      for report in reports {
        var shown = report
        if let sort = options.sort { shown.rows = try sorted(report, by: sort) }
        shown.rows = Array(shown.rows.prefix(min(rowLimit, options.limit ?? .max)))
        let header = ReadableHeader(report)
        if reports.count > 1 { lines.append("<h2>\(htmlEscaped(report.title))</h2>") }
        lines += htmlBody(
          shown, facts: isBrief ? [] : header.facts, definition: isBrief ? [] : header.definition,
          rowCount: report.rows.count, sort: options.sort, link: shown.links(link))
      }
      if !isBrief { lines += htmlLegend(reports.flatMap(\.columns)) }
      return lines.joined(separator: "\n")
    }
  }
}

extension Report {
  /// Links of rows by their place.
  fileprivate func links(_ link: FinishedReport.CellLink?) -> (Int, String) -> String? {
    guard let link else { return { _, _ in nil } }
    let named = Dictionary(columns.map { ($0.name, $0) }) { first, _ in first }
    return { row, name in named[name].flatMap { link($0, rows[row], self) } }
  }
}
