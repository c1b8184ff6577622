import EventModel
import Metrics

/// A report's rows as one table of a page: the columns, totals and sentences of ``SummaryTable``.
struct HTMLTable {
  /// Where something of the table leads to; `nil` for nowhere.
  struct Links {
    /// The number of a row.
    var cell: FinishedReport.CellLink?
    /// The row itself, from its first key.
    var row: ((_ row: [ReportValue], _ report: Report) -> String?)?
    /// A link that sorts the table by a column, and the current order: `ascending` or `descending`.
    var sorted: ((_ column: String) -> (address: String, order: String?))?
  }

  private var table: SummaryTable
  private let links: Links
  /// The id of the element, for the search field.
  private let id: String?
  /// The column that a row's link is on: the experiment, or else the first.
  private var linkedColumn: String? {
    (table.columns.first { $0.isKey && $0.name == "experiment" } ?? table.columns.first)?.name
  }
  /// The table's name for screen readers.
  var caption: String

  /// - Parameter id: Unique on the page; `nil` for none.
  /// - Throws: ``UnknownColumn`` when the options name a column that is not there.
  init(
    _ report: Report, _ options: RenderOptions, caption: String = "", id: String? = nil, links: Links = Links()
  ) throws(UnknownColumn) {
    (self.caption, self.id, self.links) = (caption, id, links)
    var options = options
    options.isForPage = true
    table = try SummaryTable(report, options)
  }

  /// The currency of its money.
  var currency: String? { table.currency }

  /// Rows that there would be without a limit.
  var wholeCount: Int { table.rowCount }

  /// Rows that the table shows, without totals.
  var rowCount: Int { table.lines.prefix(table.totalStart).count { !$0.isTotal } }

  /// Whether a cell beside the keys has something to read.
  var isKnown: Bool {
    let values = table.columns.filter { !$0.isKey }
    return values.isEmpty || values.contains { $0.cells.contains { $0.text?.isEmpty == false || !$0.bounds.isEmpty } }
  }

  /// The most characters in each column, added up.
  var characters: Int {
    table.columns.reduce(0) { sum, column in
      let cells = column.cells.map { cell in
        displayWidth([cell.text ?? "", cell.bounds, cell.mark].filter { !$0.isEmpty }.joined(separator: " "))
      }
      return sum + max(displayWidth(column.heading), cells.max() ?? 0)
    }
  }

  /// The headings of the keys, such as `month` and `plan`.
  var keyHeadings: [String] {
    table.columns.filter { $0.isKey && !["", "app", "currency"].contains($0.name) }.map(\.heading)
  }

  /// A table of texts that no options concern.
  ///
  /// - Parameter limit: Rows at most; a sentence says how many there are.
  static func markup(_ report: Report, caption: String, limit: Int = .max) -> Markup {
    var options = RenderOptions()
    if limit < report.rows.count { options.limit = limit }
    guard let table = try? HTMLTable(report, options, caption: caption) else { return "" }
    let notes = limit < report.rows.count ? table.notes.map { "<p class=\"note\">\($0)</p>\n" as Markup } : []
    return "\(table.markup)\(notes)"
  }

  var markup: Markup {
    let anchor: Markup = id.map { " id=\"\($0)\"" } ?? ""
    // So that it has room on a phone.
    let look: Markup = table.columns.count > 4 ? " class=\"dense\"" : ""
    let heads = table.columns.map(head)
    let foot: Markup =
      table.totalStart < table.lineCount ? "<tfoot>\(lines(table.totalStart..<table.lineCount))</tfoot>" : ""
    return """
      <div class="scroll" tabindex="0" role="group" aria-label="\(caption)"><table\(anchor)\(look) data-sort>\
      <thead><tr>\(heads)</tr></thead><tbody>
      \(lines(0..<table.totalStart))</tbody>\(foot)</table></div>

      """
  }

  /// The sentences below the table.
  var notes: [String] { table.notes.map(\.text) }

  /// The id of the first row of a finding, that links of the overview lead to.
  static func anchor(ofFinding finding: String) -> String {
    let words = finding.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return "finding-\(words.joined(separator: "-"))"
  }

  private func lines(_ range: Range<Int>) -> [Markup] {
    var seen: Set<String> = []
    let finding = table.report.name == "health" ? table.report.columns.firstIndex { $0.name == "check" } : nil
    return range.map { line in
      let anchor = finding.flatMap { table.lines[line].values[$0].textValue }.map(Self.anchor)
      let mark: Markup = anchor.flatMap { seen.insert($0).inserted ? " id=\"\($0)\"" : nil } ?? ""
      let isTotal = table.lines[line].isTotal
      let cells = table.columns.enumerated().map { cell($1, line, isFirst: $0 == 0, isTotal: isTotal) }
      return "<tr\(mark)\(isTotal && range.lowerBound == 0 ? #" class="sum""# : "" as Markup)>\(cells)</tr>\n"
    }
  }

  private func head(_ column: SummaryTable.Column) -> Markup {
    let look: Markup = column.isKey || column.isText ? #" class="t""# : ""
    let name = column.heading.capitalizedFirst
    guard let sorted = links.sorted?(column.name), !column.name.isEmpty else {
      return "<th scope=\"col\"\(look) data-k><bdi>\(trusted(name))</bdi></th>"
    }
    let order: Markup = sorted.order.map { " aria-sort=\"\($0)\"" } ?? ""
    return """
      <th scope="col"\(look) data-k\(order)><a href="\(sorted.address)"><bdi>\(trusted(name))</bdi></a></th>
      """
  }

  private func cell(_ column: SummaryTable.Column, _ line: Int, isFirst: Bool, isTotal: Bool) -> Markup {
    let cell = column.cells[line]
    let row = table.lines[line].values
    let mark: Markup = cell.mark.isEmpty ? "" : " <small>\(cell.mark)</small>"
    let ofRow = column.name == linkedColumn && !isTotal ? links.row?(row, table.report) : nil
    if column.isKey {
      // Of a total, what it is not of.
      if !isFirst, cell.text ?? "" == "" { return "<td></td>" }
      let name: Markup = "<bdi>\(trusted(cell.text ?? ""))</bdi>"
      return "<th scope=\"row\">\(linked(name, to: ofRow))\(mark)</th>"
    }
    guard let text = cell.text else {
      let bounds: Markup = cell.bounds.isEmpty ? "" : " <small>\(cell.bounds)</small>"
      return cell.bounds.isEmpty ? "<td class=\"nw\">\(undefinedMark)</td>" : "<td class=\"nw\">\(bounds)</td>"
    }
    let place = table.report.columns.firstIndex { $0.name == column.name }
    if column.isText {
      let day = column.name.hasSuffix("_day") ? place.flatMap { row[$0].textValue }.flatMap { CivilDate($0) } : nil
      let value: Markup = day.map { " data-v=\"\(String($0.daysSince1970))\"" } ?? ""
      // A few words stay in one line on a phone.
      let isRange = place.map { table.report.columns[$0].kind == .rate } ?? false
      let line: Markup = isRange || displayWidth(text) <= 16 ? " nw" : ""
      let tone: Markup = column.name == "severity" ? (text == "warning" ? " warn" : text == "error" ? " bad" : "") : ""
      return "<td class=\"t\(tone)\(line)\"\(value)>\(linked("<bdi>\(trusted(text))</bdi>", to: ofRow))\(mark)</td>"
    }
    let isKnown = !isTotal && place.map { row[$0].storedText != nil } ?? false
    let address = isKnown ? place.flatMap { links.cell?(table.report.columns[$0], row, table.report) } : nil
    let tone: Markup = cell.isBetter.map { " class=\"\($0 ? "good" : "bad")\"" } ?? ""
    let number: Markup =
      tone.isEmpty
      ? cell.isOpen ? "<span class=\"muted\">\(trusted(text))</span>" : trusted(text)
      : "<b\(tone)>\(trusted(text))</b>"
    // In one line of their own on a phone.
    let small = [cell.bounds, payers(column, row) ?? ""].filter { !$0.isEmpty }.joined(separator: " · ")
    let bounds: Markup = small.isEmpty ? "" : " <small>\(small)</small>"
    let value = place.map { sortValue(row[$0]) } ?? ""
    return "<td class=\"nw\"\(value)>\(linked(number, to: address))\(bounds)\(mark)</td>"
  }

  /// The users behind the share that the funnel ends with.
  private func payers(_ column: SummaryTable.Column, _ row: [ReportValue]) -> String? {
    guard table.report.name == "funnel", column.name == "paid_rate",
      !table.columns.contains(where: { $0.name == "paid_users" }),
      let place = table.report.columns.firstIndex(where: { $0.name == "paid_users" }),
      case .count(let count) = row[place],
      table.report.columns.firstIndex(where: { $0.name == "paid_rate" }).map({ row[$0].share != nil }) ?? false
    else { return nil }
    return countText(count)
  }

  /// ``SummaryTable`` has shown what is hidden already.
  private func trusted(_ text: String) -> Markup { Markup(trusted: htmlLiteral(text)) }

  private func sortValue(_ value: ReportValue) -> Markup {
    guard let number = value.quantityInUnits, number.isFinite else { return "" }
    // Seven digits, by which a script sorts as well.
    return " data-v=\"\(String(Float(number)))\""
  }
}

func columnWords(_ name: String) -> String { name.hasPrefix("property:") ? name : name.replacing("_", with: " ") }

/// The heading of a column: its name as words.
func columnHeading(_ name: String) -> String {
  name.hasPrefix("property:") ? name : columnWords(name).capitalizedFirst
}

/// The list of names and values above a page's tables.
func htmlFacts(_ facts: [ReadableHeader.Fact]) -> Markup {
  if facts.isEmpty { return "" }
  // A value without a name is one more of the fact before.
  let items = facts.map { fact -> Markup in
    let name: Markup = fact.name.isEmpty ? "" : "<dt>\(fact.name)</dt>"
    return "\(name)<dd><bdi>\(fact.value)</bdi></dd>"
  }
  return "<dl class=\"params\">\(items)</dl>\n"
}
