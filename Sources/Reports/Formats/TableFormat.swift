import Metrics

/// Returns a report for a terminal: title, table with totals, notes; on request, its parameters and definitions.
///
/// - Throws: ``UnknownColumn`` when the options name a column that is not there.
func tableText(_ report: Report, _ options: RenderOptions) throws(UnknownColumn) -> String {
  let style = TerminalStyle(isColored: options.isColored)
  let table = try SummaryTable(report, options)
  // The text of a line is never cut.
  let hasRaw = report.name == "quarantine" && (options.showsRaw || options.isByLine)
  let width = hasRaw ? nil : options.width.map { max($0, 20) }
  func lines(_ text: String) -> [String] { width.map { wrapped(text, to: $0) } ?? [text] }

  var text = lines(table.title).map(style.bold)
  if let chosen = table.chosen { text += lines(chosen) }
  var notes = table.notes
  if !table.columns.isEmpty {
    let layout = SummaryLayout(table, width: width, cutsNames: options.isTerminal)
    text += summaryLines(table, layout, style, pageHeight: options.height)
    if layout.droppedCount > 0 {
      notes.removeAll { note in layout.droppedHeadings.contains { note.text.hasPrefix("\($0): ") } }
      let columns = layout.droppedCount == 1 ? "1 more column" : "\(layout.droppedCount) more columns"
      if options.columns == nil {
        notes.append(SummaryTable.Note(text: "\(columns): --width 0, or a wider window."))
      } else {
        // They were asked for.
        let names = listText(layout.droppedHeadings)
        notes.insert(SummaryTable.Note(text: "No room for \(names): --width 0, or a wider window."), at: 0)
      }
    }
  }
  text += notes.flatMap { note in lines(note.text).map { style.tone($0, isBetter: note.isBetter) } }
  if options.showsNotes {
    var header = ReadableHeader(report)
    header.title = ""
    text += [""] + headerLines(header, width: width ?? .max, style).drop(while: \.isEmpty)
  }
  return text.joined(separator: "\n") + "\n"
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
  return lines + header.definition.flatMap { wrapped($0, to: max(width - 2, 10), behind: "", style.dim) }
}

/// - Parameter pageHeight: Lines of a page that the table is read in: a longer one has its totals first.
private func summaryLines(
  _ table: SummaryTable, _ layout: SummaryLayout, _ style: TerminalStyle, pageHeight: Int?
) -> [String] {
  let heading = joinedLine(
    layout.columns.map { laid in
      padded(layout.headingOf(laid.column), style.bold, to: laid.width, isLeftAligned: layout.isLeftAligned(laid))
    })
  let rule = style.dim(String(repeating: "─", count: layout.totalWidth))
  func lines(_ range: Range<Int>) -> [String] { range.flatMap { lineTexts($0, layout, style) } }
  let body = lines(0..<table.totalStart)
  let totals = lines(table.totalStart..<table.lineCount)
  if totals.isEmpty { return [heading] + body }
  // On the first page of many.
  if let pageHeight, body.count + totals.count > pageHeight { return [heading] + totals + [rule] + body }
  return [heading] + body + [rule] + totals
}

/// Returns a row of the table as one line, or as several if words wrap or bounds are below.
private func lineTexts(_ line: Int, _ layout: SummaryLayout, _ style: TerminalStyle) -> [String] {
  let cells = layout.columns.map { laid -> [String] in
    let cell = laid.column.cells[line]
    let text = layout.textOf(cell)
    let emphasis = cell.text == nil ? style.dim : { style.tone($0, isBetter: cell.isBetter) }
    if laid.column.isText {
      return wrapped(unbroken(text), to: laid.width).map {
        padded($0.replacing("\u{A0}", with: " "), emphasis, to: laid.width, isLeftAligned: true)
      }
    }
    if laid.column.isKey || !laid.hasBounds {
      return [padded(text, emphasis, to: laid.width, isLeftAligned: laid.isLeftAligned)]
    }
    if layout.hasBoundsBelow {
      // Bounds without a number stand in its place.
      return (text.isEmpty ? [] : [padded(text, emphasis, to: laid.width, isLeftAligned: false)])
        + (cell.bounds.isEmpty ? [] : [padded(cell.bounds, style.dim, to: laid.width, isLeftAligned: false)])
    }
    let value = padded(text, emphasis, to: laid.textWidth, isLeftAligned: false)
    let bounds = padded(cell.bounds, style.dim, to: laid.boundsWidth, isLeftAligned: false)
    let used = laid.textWidth + layout.innerGap + laid.boundsWidth
    return [
      value + String(repeating: " ", count: layout.innerGap) + bounds
        + String(repeating: " ", count: max(0, laid.width - used))
    ]
  }
  return (0..<(cells.map(\.count).max() ?? 1)).map { row in
    joinedLine(
      zip(cells, layout.columns).map { lines, laid in
        row < lines.count ? lines[row] : String(repeating: " ", count: laid.width)
      })
  }
}

// MARK: Sections of an experiment

func blockLines(_ columns: [TableColumn], _ style: TerminalStyle) -> [String] {
  let depth = columns.map(\.header.count).max() ?? 0
  let headers = (0..<depth).map { line in
    columns.map { column in
      // Names stand on the rule under them.
      let place = line - (depth - column.header.count)
      let text = place < 0 ? "" : column.header[place]
      return padded(text, style.bold, to: column.width, isLeftAligned: column.column.isLeftAligned)
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
  fileprivate func cell(_ row: Int, _ style: TerminalStyle) -> String {
    let isLeft = column.isLeftAligned
    guard let text = column.cells[row] else {
      return padded(undefinedMark, style.dim, to: width, isLeftAligned: isLeft)
    }
    return padded(isLeft ? truncated(text, to: width) : text, to: width, isLeftAligned: isLeft)
  }
}
