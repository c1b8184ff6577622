import Metrics

/// What stands above a page's tables: names with values.
func htmlFacts(_ facts: [ReadableHeader.Fact]) -> [String] {
  guard !facts.isEmpty else { return [] }
  return ["<dl>"]
    + facts.map { fact in
      // A value without a name is one more of the fact before.
      (fact.name.isEmpty ? "" : "<dt>\(htmlEscaped(fact.name))</dt>") + "<dd><bdi>\(htmlEscaped(fact.value))</bdi></dd>"
    } + ["</dl>"]
}

/// A report below its heading: facts, definition, tables and how many of the rows they have.
///
/// - Parameters:
///   - rowCount: Rows that there are, shown or not.
///   - link: Where a number of a shown row leads to.
func htmlBody(
  _ report: Report, facts: [ReadableHeader.Fact], definition: [String], rowCount: Int, sort: String?,
  link: (Int, String) -> String? = { _, _ in nil }
) -> [String] {
  var lines = htmlFacts(facts)
  if !definition.isEmpty {
    lines += [#"<ul class="definition">"#] + definition.map { "<li>\(htmlEscaped($0))</li>" } + ["</ul>"]
  }
  if !report.rows.isEmpty { lines += htmlTables(report, id: htmlEscaped(report.name), link: link) }
  if let note = rowNote(shown: report.rows.count, of: rowCount, sort: sort) {
    lines.append("<p>\(htmlEscaped(note))</p>")
  }
  return lines
}

/// How to read tables with such columns; nothing where they have no rates.
func htmlLegend(_ columns: [ReportColumn]) -> [String] {
  let isEstimated = zip(columns, columns.dropFirst()).contains { $0.kind == .money && $1.kind == .low }
  let amounts = isEstimated ? "Expected amounts: the 95% interval first, the estimate in round brackets. " : ""
  guard columns.contains(where: { $0.kind == .rate }) else {
    return isEstimated ? [#"<p class="legend">\#(amounts)A dash is a value that is not defined.</p>"#] : []
  }
  let isBounded = zip(columns, columns.dropFirst()).contains { $0.kind == .rate && $1.kind == .low }
  let brackets = (isBounded ? "After a rate: its 95% interval. " : "") + amounts
  return [
    #"<p class="legend">\#(brackets)A bar begins at 0 and has room up to the percent under its column’s name; a line on "#
      + "it is the interval. A dash is a value that is not defined.</p>"
  ]
}
