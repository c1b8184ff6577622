import Metrics

/// A heading, the facts as a list, a table as GitHub reads it, with numbers as in ``tableText``, and the definitions.
///
/// - Parameter rowCount: Rows that there are, shown or not.
func markdownText(_ report: Report, rowCount: Int, _ options: RenderOptions) -> String {
  let header = ReadableHeader(report)
  var sections = [["## \(markdownEscaped(header.title))"]]
  sections.append(factLines(header))
  if !report.rows.isEmpty { sections.append(tableLines(report)) }
  if let note = rowNote(shown: report.rows.count, of: rowCount, sort: options.sort) {
    sections.append([markdownEscaped(note)])
  }
  sections.append(header.definition.map { "- \(markdownEscaped($0))" })
  return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

func factLines(_ header: ReadableHeader) -> [String] {
  header.facts.map { fact in
    (fact.name.isEmpty ? "  - " : "- **\(fact.name)**: ") + markdownEscaped(fact.value)
  }
}

func tableLines(_ report: Report) -> [String] {
  let table = ReadableTable(report, showing: markdownEscaped)
  let columns = table.keys + table.groups.joined()
  func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
  let names = line(columns.map(\.name))
  let alignment = line(columns.map { $0.isLeftAligned ? ":---" : "---:" })
  let rows = report.rows.indices.map { row in
    line(
      columns.map { column in
        let cell = column.cells[row]
        let text = cell.text ?? undefinedMark
        return cell.interval.isEmpty ? text : "\(text) \(cell.interval)"
      })
  }
  return [names, alignment] + rows
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
