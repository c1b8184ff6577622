import Metrics

/// A heading, a table as GitHub reads it with the columns, numbers and sentences of ``tableText(_:_:)``, and on request what
/// they are of and what they mean.
///
/// - Throws: ``UnknownColumn`` when the options name a column that is not there.
func markdownText(_ report: Report, _ options: RenderOptions) throws(UnknownColumn) -> String {
  let table = try SummaryTable(report, options, showing: markdownEscaped)
  var sections = [["## \(table.title)"], [table.chosen].compactMap(\.self)]
  if !table.columns.isEmpty { sections.append(tableLines(table)) }
  sections.append(table.notes.map { "- \($0.text)" })
  if options.showsNotes {
    let header = ReadableHeader(report)
    sections.append(factLines(header))
    sections.append(header.definition.map { "- \(markdownEscaped($0))" })
  }
  return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

private func tableLines(_ table: SummaryTable) -> [String] {
  let rows = (0..<table.lineCount).map { row in
    table.columns.map { column in
      let cell = column.cells[row]
      let number = cell.text ?? (cell.bounds.isEmpty ? undefinedMark : "")
      let text = [number, cell.mark, cell.bounds].filter { !$0.isEmpty }.joined(separator: " ")
      return row < table.totalStart || text.isEmpty ? text : "**\(text)**"
    }
  }
  return tableLines(table.columns.map { ($0.heading, $0.isKey || $0.isText) }, rows)
}

private func tableLines(_ columns: [(name: String, isLeftAligned: Bool)], _ rows: [[String]]) -> [String] {
  ([columns.map(\.name), columns.map { $0.isLeftAligned ? ":---" : "---:" }] + rows).map {
    "| \($0.joined(separator: " | ")) |"
  }
}

func factLines(_ header: ReadableHeader) -> [String] {
  header.facts.map { fact in
    (fact.name.isEmpty ? "  - " : "- **\(fact.name)**: ") + markdownEscaped(fact.value)
  }
}

/// The table of a section of an experiment.
func tableLines(_ report: Report) -> [String] {
  let table = SectionTable(report, showing: markdownEscaped)
  let columns = table.keys + table.values
  let rows = report.rows.indices.map { row in columns.map { $0.cells[row] ?? undefinedMark } }
  return tableLines(columns.map { ($0.name, $0.isLeftAligned) }, rows)
}

/// A text of any origin as literal text inside one table cell: line breaks become `<br>`, active characters are
/// escaped; underscores inside a word are not active and stay.
func markdownEscaped(_ text: String) -> String {
  text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    .map { escapedLine(visible(String($0))) }.joined(separator: "<br>")
}

private func escapedLine(_ line: String) -> String {
  var escaped = ""
  var before: Character = " "
  var rest = line[...]
  while let character = rest.popFirst() {
    switch character {
    case "\\", "`", "*", "[", "]", "<", ">", "|", "~", "&", "$": escaped.append("\\")
    case "_" where !before.isWordPart || rest.first?.isWordPart != true: escaped.append("\\")
    default: break
    }
    escaped.append(character)
    before = character
  }
  return escaped
}

extension Character {
  fileprivate var isWordPart: Bool { isLetter || isNumber }
}
