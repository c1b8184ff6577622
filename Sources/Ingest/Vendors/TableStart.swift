/// The lines before the header of a table: `sep=;` of spreadsheets, and remarks that begin with `#`.
enum TableStart {
  /// Returns the place of the first line that is neither blank nor of these.
  static func place(in text: UnsafeRawBufferPointer) -> Int {
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
