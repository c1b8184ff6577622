import Metrics

/// One report as a page of its own.
///
/// - Parameter rowCount: Rows that there are, shown or not.
func htmlText(_ report: Report, rowCount: Int, _ options: RenderOptions) -> String {
  let header = ReadableHeader(report)
  return htmlDocument(
    title: header.title,
    body: ["<main>", "<h1>\(htmlEscaped(header.title))</h1>"]
      + htmlBody(report, facts: header.facts, definition: header.definition, rowCount: rowCount, sort: options.sort)
      + htmlLegend(report.columns) + ["</main>"])
}
