internal import Basics

/// The encoding of a column of ids. If all of them are UUIDs in lower case, it is a blob of 16 bytes each, with zeros
/// for an absent one; otherwise a JSON array of texts and plain numbers, with `null` for an absent one.
enum IDColumn {
  /// Returns the SQL expression for the n-th id of a column.
  static func sql(_ column: String, _ place: String) -> String {
    let hex = "lower(hex(substr(\(column), 16 * \(place) - 15, 16)))"
    return """
      CASE typeof(\(column))
        WHEN 'blob' THEN nullif(substr(\(hex), 1, 8) || '-' || substr(\(hex), 9, 4) || '-' || substr(\(hex), 13, 4)
          || '-' || substr(\(hex), 17, 4) || '-' || substr(\(hex), 21), '00000000-0000-0000-0000-000000000000')
        WHEN 'text' THEN CAST(json_extract(\(column), '$[' || (\(place) - 1) || ']') AS TEXT)
      END
      """
  }

  /// Returns the encoded column and whether it is text; empty if all ids are absent.
  static func encode(
    count: Int, _ id: (_ place: Int) -> RowID, text: UnsafeRawBufferPointer
  ) -> (bytes: [UInt8], isText: Bool) {
    var isAbsent = true
    var isBlob = true
    for place in 0..<count {
      let id = id(place)
      switch id.form {
      case .absent: continue
      case .uuid: isBlob = isBlob && (id.first | id.second) != 0
      case .text: isBlob = false
      }
      isAbsent = false
    }
    if isAbsent { return ([], false) }
    var column: [UInt8] = []
    if isBlob {
      column.reserveCapacity(count * 16)
      for place in 0..<count {
        let id = id(place)
        withUnsafeBytes(of: (id.first.bigEndian, id.second.bigEndian)) { column.append(contentsOf: $0) }
      }
      return (column, false)
    }
    column.reserveCapacity(count * 24)
    column.append(UInt8(ascii: "["))
    for place in 0..<count {
      if place > 0 { column.append(UInt8(ascii: ",")) }
      let id = id(place)
      if id.form == .absent {
        column.append(contentsOf: "null".utf8)
      } else if id.form == .uuid {
        id.text(in: text).withUnsafeBytes { JSONText.append(quoted: $0, to: &column) }
      } else if CodedText.integer(id.bytes(in: text)) != nil {
        column.append(contentsOf: id.bytes(in: text))
      } else {
        JSONText.append(quoted: id.bytes(in: text), to: &column)
      }
    }
    column.append(UInt8(ascii: "]"))
    return (column, true)
  }

  /// Reads the ids at places of a column and appends their texts to `text`.
  ///
  /// - Returns: Whether the column has all of these ids.
  static func decode(
    _ column: UnsafeRawBufferPointer, isText: Bool, places: Range<Int>, text: inout [UInt8],
    _ found: (_ place: Int, RowID) -> Void
  ) -> Bool {
    if column.isEmpty { return true }
    if !isText {
      guard column.count >= places.upperBound * 16 else { return false }
      for place in places {
        let first = UInt64(bigEndian: column.loadUnaligned(fromByteOffset: place * 16, as: UInt64.self))
        let second = UInt64(bigEndian: column.loadUnaligned(fromByteOffset: place * 16 + 8, as: UInt64.self))
        if first | second != 0 { found(place, RowID(first: first, second: second, form: .uuid)) }
      }
      return true
    }
    // Starts after the opening bracket.
    var offset = 1
    for place in 0..<places.upperBound {
      guard offset < column.count else { return false }
      if column[offset] == UInt8(ascii: "n") {
        offset += 5
        continue
      }
      let start = text.count
      guard let end = readText(column, from: offset, into: &text) else { return false }
      offset = end + 1
      if place < places.lowerBound {
        text.removeSubrange(start...)
      } else {
        let id = text.withUnsafeBytes { RowID(UnsafeRawBufferPointer(rebasing: $0[start...]), at: start) }
        found(place, id)
      }
    }
    return true
  }

  /// Reads a JSON string or number written by ``encode(count:_:text:)`` and returns the offset after it.
  private static func readText(_ column: UnsafeRawBufferPointer, from start: Int, into text: inout [UInt8]) -> Int? {
    var offset = start
    if column[offset] != UInt8(ascii: "\"") {
      while offset < column.count, column[offset] &- 0x30 <= 9 { offset += 1 }
      text.append(contentsOf: column[start..<offset])
      return offset > start ? offset : nil
    }
    return JSONText.read(quotedFrom: start, of: column, into: &text)
  }
}
