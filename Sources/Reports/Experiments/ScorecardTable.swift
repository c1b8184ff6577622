import EventModel
import Metrics

/// The scorecard as terminal lines; cells wrap at spaces and are never cut.
struct ScorecardTable {
  private let scorecard: Scorecard
  private let width: Int
  private let style: TerminalStyle

  init(_ scorecard: Scorecard, width: Int, _ style: TerminalStyle) {
    var scorecard = scorecard
    if width < Self.narrow, scorecard.isReadable, scorecard.arms.count == 2 {
      // Metrics that are neither good nor bad, and not shown to differ, are left to `--all`.
      scorecard.rows.removeAll { $0.arrow.isEmpty && $0.role == .secondary && $0.cells.first?.reading != "differs" }
    }
    (self.scorecard, self.width, self.style) = (scorecard, width, style)
  }

  var lines: [String] {
    let treatments = scorecard.arms.count - 1
    if treatments < 2 || !scorecard.isReadable { return oneTreatment }
    return treatments < 3 ? twoTreatments : manyTreatments
  }

  private struct Column {
    var head: String
    var cells: [String]
    var isLeft: Bool
    var width = 0
  }

  private func roleName(_ row: Int) -> String {
    let rows = scorecard.rows
    if row > 0, rows[row - 1].role == rows[row].role { return "" }
    switch rows[row].role {
    case .goal: return "goal"
    case .money: return "money"
    case .longTerm: return "later"
    case .guardrail: return "guard"
    case .secondary: return "also"
    }
  }

  /// Whether names are short, to spare lines.
  private var isNarrow: Bool { width < Self.narrow }

  private static let narrow = 100

  private var names: [String] {
    scorecard.rows.map { row in
      let name = isNarrow ? row.shortName : row.name
      return row.arrow.isEmpty ? name : "\(name) \(row.arrow)"
    }
  }

  /// Returns a value without its currency, which the difference or the short name shows.
  private func amount(_ row: Scorecard.Row, _ place: Int) -> String { withoutCurrency(row.values[place], row) }

  private func change(_ cell: Scorecard.Cell, _ row: Scorecard.Row) -> String {
    isNarrow ? withoutCurrency(cell.change, row) : cell.change
  }

  /// The heading of differences without units, such as `difference, pp or USD`; a money metric's short name has its currency.
  private var narrowHead: String {
    var units: [String] = []
    for row in scorecard.rows {
      switch row.unit {
      case .share where !units.contains("pp"): units.append("pp")
      case .money(let currency) where !units.contains(currency): units.append(currency)
      default: break
      }
    }
    return (["difference"] + (units.isEmpty ? [] : [units.joined(separator: " or ")])).joined(separator: ", ")
  }

  private func withoutCurrency(_ text: String, _ row: Scorecard.Row) -> String {
    guard case .money(let currency) = row.unit else { return text }
    return text.replacing(" \(currency)", with: "")
  }

  private var leadingColumns: [Column] {
    [
      Column(head: "", cells: scorecard.rows.indices.map(roleName), isLeft: true),
      Column(head: "metric", cells: names, isLeft: true),
    ]
  }

  /// The lines for one treatment: values, difference, reading, and a bar if there is space.
  private var oneTreatment: [String] {
    let rows = scorecard.rows
    var columns = leadingColumns
    for (place, arm) in scorecard.arms.enumerated() {
      columns.append(Column(head: arm, cells: rows.map { amount($0, place) }, isLeft: false))
    }
    if scorecard.isReadable, scorecard.arms.count > 1 {
      let cells = rows.map { $0.cells.first }
      let changes = rows.map { row in row.cells.first.map { change($0, row) } ?? undefinedMark }
      columns.append(
        isNarrow
          ? Column(head: narrowHead, cells: changes.map { $0.replacing(" pp", with: "") }, isLeft: true)
          : Column(head: "difference", cells: changes, isLeft: true))
      columns.append(Column(head: "", cells: cells.map { $0?.reading ?? "" }, isLeft: true))
      let barWidth = 21
      let natural = columns.reduce(0) { $0 + naturalWidth($1) + 2 } + barWidth
      if natural <= width {
        let bars = rows.map { row in
          row.cells.first.map {
            differenceBar($0, reach: scorecard.reach(row), margin: row.margin, width: barWidth)
          } ?? ""
        }
        columns.insert(
          Column(head: "", cells: bars, isLeft: true), at: columns.count - 1)
      }
    }
    let values = 2..<2 + scorecard.arms.count
    let (name, difference, reading) = (1, values.upperBound, columns.count - 1)
    return laidOut(
      &columns,
      // Ranges of values first.
      narrowing: values.map { ($0, 7) }
        + [(reading, 9), (name, 18), (difference, 21), (reading, 7), (name, 12), (difference, 14)])
  }

  /// The lines for two treatments: each value with its reading, then the difference.
  private var twoTreatments: [String] {
    let rows = scorecard.rows
    let control = rows.map { isNarrow ? amount($0, 0) : $0.values[0] }
    var columns = leadingColumns + [Column(head: scorecard.arms[0], cells: control, isLeft: false)]
    for (place, treatment) in scorecard.arms.dropFirst().enumerated() {
      let cells = rows.map { row -> String in
        let amount = isNarrow ? amount(row, place + 1) : row.values[place + 1]
        guard row.cells.indices.contains(place) else { return amount }
        let cell = row.cells[place]
        let value = "\(amount) \(cell.reading)"
        return cell.change == undefinedMark ? value : "\(value)\n\(change(cell, row))"
      }
      columns.append(Column(head: treatment, cells: cells, isLeft: true))
    }
    return laidOut(&columns, narrowing: [(1, 12)] + (3..<columns.count).map { ($0, 16) })
  }

  /// The lines for many treatments: one per variant with its own interval. With more than three treatments, other metrics
  /// than goal, money and value only count the variants that show nothing.
  private var manyTreatments: [String] {
    var lines: [[String]] = []
    for (place, row) in scorecard.rows.enumerated() {
      var own = comparedLines(row)
      own[0][0] = roleName(place)
      // The lines below the first have room for the rest of a long name.
      for (line, part) in nameParts(row).enumerated() {
        if line == own.count { own.append(["", "", "", "", "", ""]) }
        own[line][1] = part
      }
      lines += own
    }
    var columns = ["", "metric", "variant", "", "difference", ""].enumerated().map { place, head in
      Column(head: head, cells: lines.map { $0[place] }, isLeft: place != 3)
    }
    return laidOut(&columns, narrowing: [(1, 18), (4, 23), (2, 12), (5, 10), (1, 12), (4, 14)])
  }

  /// Returns control's line and those of the treatments, without names of metrics.
  private func comparedLines(_ row: Scorecard.Row) -> [[String]] {
    let control = ["", "", scorecard.arms[0], amount(row, 0), ""]
    if row.cells.allSatisfy({ $0.change == undefinedMark }), Set(row.cells.map(\.reading)).count == 1 {
      return [control + [row.cells[0].reading]]
    }
    let isExpanded = scorecard.arms.count <= 4 || row.role == .goal || row.role == .money || row.role == .longTerm
    let named = row.cells.indices.filter { isExpanded || row.cells[$0].tone != .calm }
    var lines = [control + [""]]
    for treatment in named {
      let cell = row.cells[treatment]
      lines.append(["", "", scorecard.arms[treatment + 1], amount(row, treatment + 1), change(cell, row), cell.reading])
    }
    let rest = row.cells.indices.filter { !named.contains($0) }.map { row.cells[$0].reading }
    var seen: Set<String> = []
    for reading in rest where seen.insert(reading).inserted {
      let count = rest.count { $0 == reading }
      lines.append(["", "", counted(count, count == row.cells.count ? "variant" : "other"), "", "", reading])
    }
    return lines
  }

  /// Returns a metric's name in lines; on narrow screens short ones, the arrow in the last.
  private func nameParts(_ row: Scorecard.Row) -> [String] {
    var parts = isNarrow ? wrapped(row.shortName, to: 12) : [row.name]
    if !row.arrow.isEmpty, let last = parts.popLast() { parts.append("\(last) \(row.arrow)") }
    return parts
  }

  private func naturalWidth(_ column: Column) -> Int {
    ([column.head] + column.cells.flatMap { $0.split(separator: "\n").map(String.init) }).map(displayWidth).max() ?? 0
  }

  /// Narrows the wrappable columns in turn until all fit.
  ///
  /// - Parameter narrowing: Places of columns with their least widths, in order of narrowing.
  private func laidOut(_ columns: inout [Column], narrowing: [(place: Int, least: Int)]) -> [String] {
    for place in columns.indices { columns[place].width = naturalWidth(columns[place]) }
    func whole(_ columns: [Column]) -> Int {
      columns.reduce(0) { $0 + $1.width } + max(0, columns.count * 2 - 3)
    }
    for (place, least) in narrowing where columns.indices.contains(place) && whole(columns) > width {
      let words = ([columns[place].head] + columns[place].cells).flatMap { cell in
        cell.split(separator: "\n").flatMap { wrapped(String($0), to: 1) }
      }
      let longest = words.map(displayWidth).max() ?? 0
      let cut = min(whole(columns) - width, max(0, columns[place].width - max(least, longest)))
      columns[place].width -= cut
    }
    var lines = merged(columns.map { wrapped($0.head, to: $0.width) }, columns).map(style.bold)
    lines.append(
      style.dim(String(repeating: "─", count: min(width, whole(columns)))))
    for row in columns[0].cells.indices {
      let cells = columns.map { column in
        column.cells[row].contains { "├●│".contains($0) }
          ? [column.cells[row]]
          : column.cells[row].split(separator: "\n").flatMap { wrapped(String($0), to: column.width) }
      }
      lines += merged(cells, columns)
    }
    return lines
  }

  /// Merges cells of several lines side by side.
  private func merged(_ cells: [[String]], _ columns: [Column]) -> [String] {
    (0..<(cells.map(\.count).max() ?? 0)).map { line in
      var text = ""
      for (place, column) in columns.enumerated() {
        let cell = cells[place].indices.contains(line) ? cells[place][line] : ""
        text +=
          (place == 0 ? "" : place == 1 ? " " : "  ") + padded(cell, to: column.width, isLeftAligned: column.isLeft)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
  }
}
