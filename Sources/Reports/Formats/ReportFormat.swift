public import Metrics

/// A format that a report can be written in.
public enum ReportFormat: String, CaseIterable, Sendable {
  case table
  case csv
  case json
  case markdown
  case html
}

/// A report as text that ends in a newline; the same bytes for the same report and options, on every machine.
///
/// - Throws: ``UnknownColumn`` when the options name a column that the report does not have.
public func render(
  _ report: Report, as format: ReportFormat, options: RenderOptions = RenderOptions()
) throws(UnknownColumn) -> String {
  switch format {
  case .table: return try tableText(report, options)
  case .markdown: return try markdownText(report, options)
  case .html: return try htmlText(report, options)
  case .csv, .json: break
  }
  var shown = report
  if let sort = options.sort { shown.rows = try sorted(report, by: sort) }
  if let limit = options.limit, limit < shown.rows.count { shown.rows.removeSubrange(limit...) }
  shown = try shown.selecting(options.columns)
  return format == .json ? jsonText(shown) : csvText(shown, isSpreadsheetSafe: options.isSpreadsheetSafe)
}
