/// The lines before the header of a table: `sep=;` of spreadsheets, remarks that begin with `#`, and titles.
enum TableStart {
  /// Returns the place of the first line that is neither blank nor of these.
  static func place(in text: UnsafeRawBufferPointer) -> Int {
    let start = remarksEnd(in: text)
    return start + titlesEnd(in: UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  /// Returns whether a text begins with a header of names in braces, such as `{created_at},{event}`.
  static func isBraced(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.first == UInt8(ascii: "{"), let close = text.prefix(100).firstIndex(of: UInt8(ascii: "}")), close > 1,
      close + 1 < text.count
    else { return false }
    return text[1..<close].allSatisfy {
      ($0 | 0x20) &- UInt8(ascii: "a") < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "_")
    }
      && CSVLayout.delimiters.contains(text[close + 1])
  }

  /// The number of lines that are looked at for titles.
  private static let titleLineCount = 30

  /// Returns the place of the header of a table below lines of one or two cells, as reports have them; 0 without such
  /// lines. The table has at least four columns.
  private static func titlesEnd(in text: UnsafeRawBufferPointer) -> Int {
    var lines: [(start: Int, line: UnsafeRawBufferPointer)] = []
    var start = 0
    while lines.count < titleLineCount, start < text.count, let end = text[start...].firstIndex(of: 0x0A) {
      lines.append((start, UnsafeRawBufferPointer(rebasing: text[start..<end])))
      start = end + 1
    }
    for delimiter in CSVLayout.delimiters {
      let counts = lines.map { line in line.line.count { $0 == delimiter } }
      // The table has as many cells in most lines.
      let usual = Dictionary(grouping: counts) { $0 }.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
      guard let usual, usual.key >= 3, usual.value.count * 2 > lines.count else { continue }
      for (place, line) in lines.enumerated() {
        let cells = CSVLayout.cells(of: Array(line.line), delimiter: delimiter) ?? []
        let filled = cells.map { CSVLayout.trimmed(String(decoding: $0, as: UTF8.self)) }.filter {
          !$0.isEmpty && $0 != "\r"
        }
        if filled.count <= 2, filled.count * 2 < usual.key + 1 { continue }
        let isHeader =
          cells.count == usual.key + 1 && filled.count * 2 > cells.count
          && filled.allSatisfy { Double($0) == nil && DateForm.instant(ofOneReading: $0) == nil }
        return place > 0 && isHeader ? line.start : 0
      }
    }
    return 0
  }

  private static func remarksEnd(in text: UnsafeRawBufferPointer) -> Int {
    var place = 0
    while place < text.count {
      if text[place] <= 0x20 {
        place += 1
        continue
      }
      let end = text[place...].firstIndex(of: 0x0A) ?? text.count
      let line = text[place..<end]
      let following = text[min(end + 1, text.count)...].prefix { $0 != 0x0A }
      guard isSeparatorLine(line) || isRemark(line, before: following) else { return place }
      place = end
    }
    return place
  }

  private static func isSeparatorLine(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    line.count <= 6 && line.starts(with: "sep=".utf8)
  }

  /// A line with as many cells as the next one is a header, even if its first name begins with `#`.
  private static func isRemark(
    _ line: Slice<UnsafeRawBufferPointer>, before following: Slice<UnsafeRawBufferPointer>
  ) -> Bool {
    line.first == UInt8(ascii: "#")
      && !CSVLayout.delimiters.contains { delimiter in
        let count = line.count { $0 == delimiter }
        return count > 0 && count == following.count { $0 == delimiter }
      }
  }
}
