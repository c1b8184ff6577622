import Metrics

/// A report's rows as tables, in as many as keep each readable on a wide screen and on paper, keys at the left of each.
///
/// - Parameters:
///   - id: What the captions' ids begin with.
///   - link: Where a number of a row, by the name of its column, leads to.
/// - Returns: Lines of markup; each table scrolls inside its own box, which the keyboard reaches.
func htmlTables(_ report: Report, id: String, link: (Int, String) -> String? = { _, _ in nil }) -> [String] {
  let table = ReadableTable(report)
  let layout = TableLayout(table, width: htmlTableWidth)
  let dimensions = table.keys.map(\.name).joined(separator: ", ")
  return layout.blocks.enumerated().flatMap { place, block in
    let part = layout.blocks.count == 1 ? "" : ", table \(place + 1) of \(layout.blocks.count)"
    let caption = "\(report.name)\(dimensions.isEmpty ? "" : " by \(dimensions)")\(part)"
    return htmlTable(
      keys: table.keys, values: block.map(\.column), caption: htmlEscaped(caption), id: "\(id)-table-\(place + 1)",
      link: link)
  }
}

/// Characters, as in a terminal: about what 1,280 pixels and a landscape page have room for.
private let htmlTableWidth = 154

/// All columns as one table, however wide.
func htmlTable(
  keys: [ReadableTable.Column], values: [ReadableTable.Column], caption: String, id: String,
  link: (Int, String) -> String? = { _, _ in nil }
) -> [String] {
  let columns = keys + values
  let ends = columns.map { column in
    // Without a rate above 0 there is nothing to draw.
    column.shares.contains { $0 ?? 0 > 0 } && column.kind == .rate ? axisEnd(column.shares, column.bounds) : nil
  }
  let intervalWidths = columns.map { $0.cells.map(\.interval.count).max() ?? 0 }
  var lines = [
    #"<div class="scroll" role="group" aria-labelledby="\#(id)" tabindex="0">"#,
    #"<table class="first-\#(firstKeyWidth(keys))">"#,
    #"<caption id="\#(id)"><span>\#(caption)</span></caption>"#, "<thead>", "<tr>",
  ]
  for (column, end) in zip(columns, ends) {
    let kind = column.kind == .key ? #" class="key""# : column.kind == .text ? #" class="text""# : ""
    let axis = end.map { " <small>0–\($0.text)</small>" } ?? ""
    lines.append(#"<th scope="col"\#(kind)>\#(htmlColumnName(column.name))\#(axis)</th>"#)
  }
  lines += ["</tr>", "</thead>", "<tbody>"]
  for row in 0..<(columns.first?.cells.count ?? 0) {
    // A line sets the rows of one app, or of one variant, off from those before.
    let isFirst = keys.count > 1 && row > 0 && keys[0].cells[row].text != keys[0].cells[row - 1].text
    let cells = columns.indices.map { place in
      htmlCell(columns[place], row, end: ends[place]?.share, intervalWidth: intervalWidths[place], link: link)
    }
    lines.append((isFirst ? #"<tr class="first">"# : "<tr>") + cells.joined() + "</tr>")
  }
  return lines + ["</tbody>", "</table>", "</div>"]
}

/// How wide first key columns can be, in rem.
let firstKeyWidths = 0...15

/// How wide the first key column is, in rem, so that the second can stay beside it while the others scroll; one of
/// ``firstKeyWidths``.
private func firstKeyWidth(_ keys: [ReadableTable.Column]) -> Int {
  guard let first = keys.first else { return 0 }
  let longest = ([first.name] + first.cells.map { $0.text ?? "" }).map(displayWidth).max() ?? 0
  // A character of bold text is up to 0.6 rem wide, and there is the cell's padding.
  return min(max(longest, 4), 22) * 6 / 10 + 2
}

/// - Parameters:
///   - end: Where the column's axis ends; `nil` for columns without bars.
///   - intervalWidth: Characters of the column's longest bounds.
private func htmlCell(
  _ column: ReadableTable.Column, _ row: Int, end: Double?, intervalWidth: Int, link: (Int, String) -> String?
) -> String {
  let cell = column.cells[row]
  guard let text = cell.text else { return #"<td><span title="undefined">\#(undefinedMark)</span></td>"# }
  // A name in Arabic or Hebrew is of its own direction and leaves its neighbours theirs.
  if column.kind == .key { return #"<th scope="row" class="key"><bdi>\#(htmlEscaped(text))</bdi></th>"# }
  if column.kind == .text { return #"<td class="text"><bdi>\#(htmlEscaped(text))</bdi></td>"# }
  // Blanks as wide as a digit keep the rates under each other.
  let blanks = String(repeating: "\u{2007}", count: intervalWidth - cell.interval.count)
  let interval = cell.interval.isEmpty ? "" : " <small>\(blanks)\(cell.interval)</small>"
  let bar = end.map { rateBar(column.shares[row], column.bounds[row], end: $0) } ?? ""
  let number = link(row, column.name).map { #"<a href="\#(htmlEscaped($0))">\#(text)</a>"# } ?? text
  return bar.isEmpty ? "<td>\(number)\(interval)</td>" : #"<td class="rate">\#(number)\#(interval)\#(bar)</td>"#
}
