/// Fits a table's columns into a width: narrows gaps, shortens marks, wraps words, folds columns, moves bounds below
/// their rate, and at last leaves out columns from the right.
struct SummaryLayout {
  struct Laid {
    var column: SummaryTable.Column
    var width = 0
    /// Of the text before the bounds.
    var textWidth = 0
    var boundsWidth = 0
    /// As the column says, found once for all its lines.
    var isLeftAligned = false

    var hasBounds: Bool { boundsWidth > 0 }
  }

  private(set) var columns: [Laid] = []
  private(set) var hasShortMarks = false
  private(set) var innerGap = 2
  private(set) var hasBoundsBelow = false
  /// The columns left out for lack of room, from left to right.
  private(set) var droppedHeadings: [String] = []
  var droppedCount: Int { droppedHeadings.count }

  static let gap = 2
  private static let leastWords = 10

  /// - Parameters:
  ///   - width: `nil` without limit.
  ///   - cutsNames: Whether names give way, which only a terminal's do.
  init(_ table: SummaryTable, width: Int?, cutsNames: Bool) {
    var shown = table.columns
    layOut(shown)
    guard let width else { return }
    if totalWidth > width {
      innerGap = 1
      layOut(shown)
    }
    if totalWidth > width {
      hasShortMarks = true
      layOut(shown)
    }
    if totalWidth > width { narrowWords(to: width) }
    if totalWidth > width, let folded = table.folded {
      shown = folded.into(shown)
      layOut(shown)
    }
    if totalWidth > width, columns.contains(where: \.hasBounds) {
      hasBoundsBelow = true
      layOut(shown)
      if totalWidth > width { narrowWords(to: width) }
    }
    if totalWidth > width, cutsNames {
      narrowNames(to: width)
      shown = columns.map(\.column)
    }
    while totalWidth > width,
      let last = columns.indices.last(where: { isDroppable($0) && columns[$0].column.isFirstToGo })
        ?? columns.indices.last(where: { isDroppable($0) && !columns[$0].column.isAsked })
        ?? columns.indices.last(where: isDroppable)
    {
      droppedHeadings.insert(columns.remove(at: last).column.heading, at: 0)
    }
    // The remaining columns may have room for bounds beside the rate again.
    if hasBoundsBelow, droppedCount > 0 {
      let kept = columns
      hasBoundsBelow = false
      layOut(kept.map(\.column))
      if totalWidth > width {
        hasBoundsBelow = true
        columns = kept
      }
    }
  }

  /// Whether a column may be left out: not the names, a picture with its numbers, and the first numbers.
  private func isDroppable(_ place: Int) -> Bool {
    let column = columns[place].column
    if column.isKey || column.isPicture { return false }
    if place + 1 < columns.count, columns[place + 1].column.isPicture { return false }
    return columns.count { !$0.column.isKey && !$0.column.isPicture } > 1
  }

  var totalWidth: Int { columns.reduce(0) { $0 + $1.width } + Self.gap * max(0, columns.count - 1) }

  /// Numbers whose bounds stand below them are aligned as numbers are.
  func isLeftAligned(_ laid: Laid) -> Bool {
    laid.isLeftAligned && !(hasBoundsBelow && laid.hasBounds)
  }

  private mutating func layOut(_ shown: [SummaryTable.Column]) {
    columns = shown.map { column in
      let text = column.cells.map { displayWidth(textOf($0)) }.max() ?? 0
      let bounds = column.cells.map { displayWidth($0.bounds) }.max() ?? 0
      let cells = bounds == 0 || hasBoundsBelow ? max(text, bounds) : text + innerGap + bounds
      return Laid(
        column: column, width: max(cells, displayWidth(headingOf(column))), textWidth: text, boundsWidth: bounds,
        isLeftAligned: column.isLeftAligned)
    }
  }

  func headingOf(_ column: SummaryTable.Column) -> String {
    hasShortMarks ? column.shortHeading ?? column.heading : column.heading
  }

  /// A cell's text with its mark.
  func textOf(_ cell: SummaryTable.Cell) -> String {
    let mark = hasShortMarks ? cell.shortMark : cell.mark
    return (cell.text ?? (cell.bounds.isEmpty ? undefinedMark : "")) + (mark.isEmpty ? "" : "  \(mark)")
  }

  /// Columns of words wrap, the widest first.
  private mutating func narrowWords(to width: Int) {
    while totalWidth > width {
      let words = columns.indices.filter { columns[$0].column.isText }
      guard
        let widest = words.filter({ columns[$0].width > leastWidth(columns[$0].column) })
          .max(by: { columns[$0].width < columns[$1].width })
      else { return }
      columns[widest].width -= 1
    }
  }

  private func leastWidth(_ column: SummaryTable.Column) -> Int {
    let words = column.cells.flatMap { unbroken($0.text ?? "").split(separator: " ").map { displayWidth(String($0)) } }
    return max(Self.leastWords, words.max() ?? 0, displayWidth(headingOf(column)))
  }

  private mutating func narrowNames(to width: Int) {
    let least = 12
    let others = columns.filter { !$0.column.isKey }.first.map { $0.width + Self.gap } ?? 0
    while columns.filter(\.column.isKey).reduce(0, { $0 + $1.width + Self.gap }) + others > width {
      let names = columns.indices.filter { columns[$0].column.isKey && columns[$0].width > least }
      guard let widest = names.max(by: { columns[$0].width < columns[$1].width }) else { return }
      columns[widest].width -= 1
      let limit = columns[widest].width
      for place in columns[widest].column.cells.indices {
        columns[widest].column.cells[place].text = columns[widest].column.cells[place].text.map {
          cutInMiddle($0, to: limit)
        }
      }
    }
  }
}

/// Returns a text whose pairs of numbers, such as `88 to 63`, do not wrap: their spaces are no-break spaces.
func unbroken(_ text: String) -> String {
  text.replacing(#/(?<before>[0-9%]) (?<word>to|and) (?=[−+0-9])/#) { "\($0.before)\u{A0}\($0.word)\u{A0}" }
}

/// A name of at most so many columns, with `…` where its middle is left out.
func cutInMiddle(_ text: String, to width: Int) -> String {
  guard displayWidth(text) > width, width > 2 else { return text }
  var (head, tail) = ("", "")
  var (left, right) = (text[...], text[...])
  var used = 1
  while true {
    guard let first = left.popFirst(), used + displayWidth(String(first)) <= width else { break }
    head.append(first)
    used += displayWidth(String(first))
    guard let last = right.popLast(), used + displayWidth(String(last)) <= width else { break }
    tail = String(last) + tail
    used += displayWidth(String(last))
  }
  return "\(head)…\(tail)"
}
