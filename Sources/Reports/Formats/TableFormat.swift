import Metrics

/// A report for a terminal: header, the columns in as many blocks as the width asks for, pictures if wanted.
///
/// - Parameter rowCount: Rows that there are, shown or not.
func tableText(_ report: Report, rowCount: Int, _ options: RenderOptions) -> String {
  let style = TerminalStyle(isColored: options.isColored)
  let width = max(options.width, 20)
  var sections = [headerLines(ReadableHeader(report), width: width, style)]
  if !report.rows.isEmpty {
    let table = ReadableTable(report)
    let layout = TableLayout(table, width: width)
    sections += layout.blocks.map { blockLines(layout.keys + $0, style) }
    if options.isPlotted {
      sections += amountPlots(report, width: width, style) + plots(table, keys: layout.keys, width: width, style)
    }
  }
  if let note = rowNote(shown: report.rows.count, of: rowCount, sort: options.sort) {
    sections.append(wrapped(note, to: width))
  }
  return sections.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

func headerLines(_ header: ReadableHeader, width: Int, _ style: TerminalStyle) -> [String] {
  var lines = wrapped(header.title, to: width).map(style.bold)
  let nameWidth = (header.facts.map { displayWidth($0.name) }.max() ?? 0) + 2
  for fact in header.facts {
    for (place, line) in wrapped(fact.value, to: max(width - nameWidth, 10)).enumerated() {
      lines.append(padded(place == 0 ? fact.name : "", to: nameWidth, isLeftAligned: true) + line)
    }
  }
  if !header.definition.isEmpty { lines.append("") }
  for sentence in header.definition {
    for (place, line) in wrapped(sentence, to: max(width - 2, 10)).enumerated() {
      lines.append((place == 0 ? "" : "  ") + style.dim(line))
    }
  }
  return lines
}

func blockLines(_ columns: [TableColumn], _ style: TerminalStyle) -> [String] {
  let depth = columns.map(\.header.count).max() ?? 0
  let headers = (0..<depth).map { line in
    columns.map { column in
      // Names stand on the rule under them.
      let place = line - (depth - column.header.count)
      let text = place < 0 ? "" : column.header[place]
      return column.padding(text, style.bold(text))
    }
  }
  let rule = columns.map { style.dim(String(repeating: "─", count: $0.width)) }
  let rows = (0..<(columns.first?.column.cells.count ?? 0)).map { row in columns.map { $0.cell(row, style) } }
  return (headers + [rule] + rows).map(joinedLine)
}

private func joinedLine(_ cells: [String]) -> String {
  var line = cells.joined(separator: columnGap)
  while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
  return line
}

extension TableColumn {
  /// Fills a text that may hold escape sequences, `plain` without them.
  fileprivate func padding(_ plain: String, _ styled: String) -> String {
    let blanks = String(repeating: " ", count: max(0, width - displayWidth(plain)))
    return column.isLeftAligned ? styled + blanks : blanks + styled
  }

  fileprivate func cell(_ row: Int, _ style: TerminalStyle) -> String {
    let cell = column.cells[row]
    guard var text = cell.text else {
      // Undefined rates stand under the rates, not under their bounds.
      let behind = String(repeating: " ", count: column.isLeftAligned ? 0 : intervalWidth)
      return padding(undefinedMark + behind, style.dim(undefinedMark) + behind)
    }
    if column.isLeftAligned { text = truncated(text, to: width) }
    guard intervalWidth > 0 else { return padding(text, text) }
    let blanks = String(repeating: " ", count: intervalWidth - displayWidth(cell.interval))
    return padding(text + blanks + cell.interval, text + blanks + style.dim(cell.interval))
  }
}
