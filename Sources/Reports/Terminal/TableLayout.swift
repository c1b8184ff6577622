/// The gap between two columns of a table.
let columnGap = "  "

/// One column with the place that it takes.
struct TableColumn {
  var column: SectionTable.Column
  /// The name, broken after underscores where the cells are narrower.
  var header: [String]
  var width: Int

  init(_ column: SectionTable.Column) {
    self.column = column
    let text = column.cells.map { displayWidth($0 ?? undefinedMark) }.max() ?? 0
    header = Self.broken(column.name, to: text)
    width = max(text, header.map(displayWidth).max() ?? 0)
  }

  /// Names stay whole words: the longest may be wider.
  private static func broken(_ name: String, to width: Int) -> [String] {
    var words: [String] = [""]
    for character in name {
      words[words.count - 1].append(character)
      if character == "_" { words.append("") }
    }
    words.removeAll(where: \.isEmpty)
    let width = max(width, words.map(displayWidth).max() ?? 0)
    return words.reduce(into: []) { lines, word in
      if let line = lines.last, displayWidth(line) + displayWidth(word) <= width {
        lines[lines.count - 1] += word
      } else {
        lines.append(word)
      }
    }
  }

  fileprivate mutating func narrow(to newWidth: Int) {
    width = newWidth
    header = Self.broken(column.name, to: newWidth).map { truncated($0, to: newWidth) }
  }
}

/// How a table's columns share the width: blocks one under the other, the keys at the left of each.
///
/// Keys give way, longest first, down to a third of the width and 8 columns each, but not to a text that is wider than all of
/// it; numbers are never cut: where even one does not fit, its block is wider.
struct TableLayout {
  var keys: [TableColumn]
  /// Without the keys.
  var blocks: [[TableColumn]]

  init(_ table: SectionTable, width: Int) {
    keys = table.keys.map(TableColumn.init)
    let values = table.values.map(TableColumn.init)
    let widest = values.map(\.width).filter { $0 <= width }.max() ?? 0
    Self.narrow(&keys, to: max(width / 3, width - widest - columnGap.count))

    let room = width - Self.width(keys) - (keys.isEmpty ? 0 : columnGap.count)
    blocks = [[]]
    for value in values {
      if !blocks[blocks.count - 1].isEmpty, Self.width(blocks[blocks.count - 1] + [value]) > room { blocks.append([]) }
      blocks[blocks.count - 1].append(value)
    }
  }

  private static func width(_ columns: [TableColumn]) -> Int {
    columns.reduce(0) { $0 + $1.width } + columnGap.count * max(0, columns.count - 1)
  }

  private static func narrow(_ keys: inout [TableColumn], to limit: Int) {
    let least = 8
    var excess = width(keys) - limit
    while excess > 0, let longest = keys.indices.max(by: { keys[$0].width < keys[$1].width }),
      keys[longest].width > least
    {
      keys[longest].narrow(to: keys[longest].width - 1)
      excess -= 1
    }
  }
}
