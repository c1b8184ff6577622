import Metrics

/// A report's rows as one table of a page: bounds beside their rate, columns without any value left out and named.
struct HTMLTable {
  /// Where something of the table leads to; `nil` for nowhere.
  struct Links {
    /// The number of a row, by the name of its column.
    var cell: (_ row: Int, _ column: String) -> String? = { _, _ in nil }
    /// The row itself, from its first key.
    var row: (_ row: Int) -> String? = { _ in nil }
    /// The same table by a column, and whether it is so now: `ascending` or `descending`.
    var sorted: (_ column: String) -> (address: String, order: String?)? = { _ in nil }
  }

  private let report: Report
  private let columns: [ReadableTable.Column]
  /// Names of the columns that no row has a value in.
  let emptyColumns: [String]
  private let links: Links
  /// Of the element, for the search field.
  private let id: String?
  private let caption: String

  /// - Parameter id: Unique on the page; `nil` for none.
  init(_ report: Report, caption: String, id: String? = nil, links: Links = Links()) {
    (self.report, self.caption, self.id, self.links) = (report, caption, id, links)
    let table = ReadableTable(report)
    func isEmpty(_ column: ReadableTable.Column) -> Bool {
      column.kind != .key && !column.cells.isEmpty && column.cells.allSatisfy { $0.text == nil }
    }
    let all = table.keys + table.groups.joined()
    columns = all.filter { !isEmpty($0) }
    emptyColumns = all.filter(isEmpty).map(\.name)
  }

  var markup: Markup {
    let anchor: Markup = id.map { " id=\"\($0)\"" } ?? ""
    let heads = columns.map(head)
    let rows = report.rows.indices.map { row -> Markup in
      "<tr>\(columns.enumerated().map { cell($1, row, isFirst: $0 == 0) })</tr>\n"
    }
    return """
      <div class="scroll" tabindex="0" role="group" aria-label="\(caption)"><table\(anchor) data-sort>\
      <thead><tr>\(heads)</tr></thead><tbody>
      \(rows)</tbody></table></div>

      """
  }

  /// Says which columns are left out; empty where none is.
  var note: String {
    emptyColumns.isEmpty ? "" : "Without a value yet: \(emptyColumns.map(columnHeading).joined(separator: ", "))."
  }

  private func head(_ column: ReadableTable.Column) -> Markup {
    let look: Markup = column.isLeftAligned ? #" class="t""# : ""
    let name = columnHeading(column.name)
    guard let sorted = links.sorted(column.name) else { return "<th scope=\"col\"\(look) data-k><bdi>\(name)</bdi></th>" }
    let order: Markup = sorted.order.map { " aria-sort=\"\($0)\"" } ?? ""
    return """
      <th scope="col"\(look) data-k\(order)><a href="\(sorted.address)"><bdi>\(name)</bdi></a></th>
      """
  }

  private func cell(_ column: ReadableTable.Column, _ row: Int, isFirst: Bool) -> Markup {
    let cell = column.cells[row]
    if column.kind == .key {
      let name: Markup = "<bdi>\(trusted(cell.text ?? ""))</bdi>"
      return "<th scope=\"row\">\(isFirst ? linked(name, to: links.row(row)) : name)</th>"
    }
    guard let text = cell.text else { return "<td>\(undefinedMark)</td>" }
    if column.kind == .text { return "<td class=\"t\"><bdi>\(trusted(text))</bdi></td>" }
    let number = linked("\(text.replacing("-", with: "−"))", to: links.cell(row, column.name))
    let interval: Markup = cell.interval.isEmpty ? "" : " <small>\(spelled(cell.interval))</small>"
    return "<td class=\"nw\"\(sortValue(row, column.name))>\(number)\(interval)</td>"
  }

  /// ``ReadableTable`` has shown what is hidden already.
  private func trusted(_ text: String) -> Markup { Markup(trusted: htmlLiteral(text)) }

  /// An interval with "to": `[10.1–14.8]` is `10.1 to 14.8`.
  private func spelled(_ interval: String) -> String {
    interval.replacing("[", with: "").replacing("]", with: "").replacing("–", with: " to ").replacing("-", with: "−")
  }

  private func sortValue(_ row: Int, _ name: String) -> Markup {
    guard let place = report.columns.firstIndex(where: { $0.name == name }) else { return "" }
    let number: Double? =
      switch report.rows[row][place] {
      case .count(let count): Double(count)
      case .rate(let share): share
      case .money(let amount, _): amount.map { Double($0) / 1e6 }
      case .estimate(let amount, _): amount.map { $0 / 1e6 }
      case .number(let number): number
      case .percent(let percent): percent.map(Double.init)
      case .probability(let chance): chance
      case .text: nil
      }
    guard let number, number.isFinite else { return "" }
    return " data-v=\"\(String(number))\""
  }
}

/// What stands above a column: its name as words.
func columnHeading(_ name: String) -> String {
  name.hasPrefix("property:") ? name : name.replacing("_", with: " ").capitalizedFirst
}

/// What stands above a page's tables: names with values.
func htmlFacts(_ facts: [ReadableHeader.Fact]) -> Markup {
  if facts.isEmpty { return "" }
  // A value without a name is one more of the fact before.
  let items = facts.map { fact -> Markup in
    let name: Markup = fact.name.isEmpty ? "" : "<dt>\(fact.name)</dt>"
    return "\(name)<dd><bdi>\(fact.value)</bdi></dd>"
  }
  return "<dl class=\"params\">\(items)</dl>\n"
}
