/// The answer to a question asked in plain arguments: for a person, and for a program.
public struct Answer: Sendable {
  /// What was asked, with the numbers given.
  public var title: String
  /// Rows of cells, aligned within their block.
  var blocks: [AlignedBlock]
  /// What it means, in a sentence or two.
  public var reading: String
  /// By name, for a program.
  var fields: [String: JSONValue]

  /// Lines of at most `width` columns where they can be broken, the last one ended.
  public func text(width: Int = 80) -> String {
    ([title] + blocks.map(\.text) + [wrapped(reading, width: width)]).joined(separator: "\n\n") + "\n"
  }

  /// One line, its end included.
  public var json: String {
    JSONValue.object(fields.merging(["reading": .string(reading)]) { one, _ in one }).text + "\n"
  }
}

/// Rows whose cells stand under each other: the first column to the left, numbers to the right, words to the left.
struct AlignedBlock: Sendable {
  enum Alignment: Sendable {
    case left
    case right
  }

  /// One per column; columns beyond stand left.
  var alignments: [Alignment]
  var rows: [[String]]

  var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      // A row that ends here needs no room in this column.
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
