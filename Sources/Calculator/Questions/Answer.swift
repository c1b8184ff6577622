/// The answer to a question: as text for people and as JSON for programs.
public struct Answer: Sendable {
  /// The question, with the given numbers.
  public var title: String
  /// Rows of cells, aligned within their block.
  var blocks: [AlignedBlock]
  /// The meaning of the numbers, in a sentence or two.
  public var reading: String
  /// The values by name, for programs.
  var fields: Values

  /// Returns lines of at most `width` columns, broken at spaces; the last one ends with a newline.
  public func text(width: Int = 80) -> String {
    ([title] + blocks.map(\.text) + [wrapped(reading, width: width)]).joined(separator: "\n\n") + "\n"
  }

  /// One line, including its newline.
  public var json: String {
    fields.with(["reading": reading]).json.text + "\n"
  }
}

/// Rows of aligned cells: the first column and words to the left, numbers to the right.
struct AlignedBlock: Sendable {
  enum Alignment: Sendable {
    case left
    case right
  }

  /// One alignment per column; further columns are aligned left.
  var alignments: [Alignment]
  var rows: [[String]]

  var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      // A row that ends before this column needs no room in it.
      rows.filter { $0.count > column }.map { $0[column].count }.max() ?? 0
    }
    let lines = rows.map { row -> String in
      let cells = row.enumerated().map { column, cell in
        let gap = String(repeating: " ", count: widths[column] - cell.count)
        return column < alignments.count && alignments[column] == .right ? gap + cell : cell + gap
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
    return lines.joined(separator: "\n")
  }
}

private func wrapped(_ text: String, width: Int) -> String {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = ""
    }
    line += (line.isEmpty ? "" : " ") + word
  }
  return (lines + [line]).joined(separator: "\n")
}
