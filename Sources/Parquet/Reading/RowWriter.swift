internal import Basics

/// Writes the rows of a row group as lines of JSON objects.
///
/// Its creator must deallocate it.
struct RowWriter {
  private let columns: UnsafeMutableBufferPointer<ParquetColumnReader>
  private let members: [ParquetSchema.Member]
  private let paths: [String]
  /// The column of each member of a row; -1 for one that is nested.
  private let flat: UnsafeMutableBufferPointer<Int>
  private let extras: [UInt8]
  private let rowBytes: Int
  private(set) var lines = ColumnBytes()
  private var rowStart = 0

  init(_ schema: ParquetSchema, _ columns: UnsafeMutableBufferPointer<ParquetColumnReader>, _ options: ParquetOptions) {
    self.columns = columns
    members = schema.members
    paths = schema.leaves.map(\.path)
    rowBytes = options.rowBytes
    flat = .allocate(capacity: schema.members.count)
    _ = flat.initialize(
      from: schema.members.map { member in
        if case .leaf(let leaf) = member.node.kind { leaf } else { -1 }
      })
    var extras: [UInt8] = []
    for (name, value) in options.extras where !schema.names.contains(name) {
      extras.append(UInt8(ascii: ","))
      JSONText.append(quoted: name, to: &extras)
      extras.append(UInt8(ascii: ":"))
      JSONText.append(quoted: value, to: &extras)
    }
    self.extras = extras
  }

  func deallocate() {
    flat.deallocate()
    lines.deallocate()
  }

  mutating func removeLines() { lines.removeAll() }

  /// Writes rows until there are so many bytes, and returns the number of rows.
  mutating func write(atMost count: Int, until byteCount: Int) throws(ParquetFailure) -> Int {
    var done = 0
    while done < count && lines.count < byteCount {
      try writeRow()
      done += 1
    }
    return done
  }

  /// Checks that all columns end where the rows do.
  func endGroup() throws(ParquetFailure) {
    for index in columns.indices where try columns[index].hasEntry() { throw unequal(index) }
  }

  private func unequal(_ column: Int) -> ParquetFailure {
    .damaged("column \(paths[column]) has another number of rows")
  }

  private mutating func writeRow() throws(ParquetFailure) {
    rowStart = lines.count
    lines.append(UInt8(ascii: "{"))
    var isFirst = true
    for index in flat.indices {
      let leaf = flat[index]
      if leaf < 0 {
        let member = members[index]
        if try write(member.node, lead: member.lead, isFirst: isFirst) { isFirst = false }
        for column in member.node.leaves {
          if try columns[column].hasEntry() && columns[column].repetition != 0 { throw unequal(column) }
        }
        continue
      }
      guard try columns[leaf].hasEntry() else { throw unequal(leaf) }
      if columns[leaf].definition == columns[leaf].mostDefinition {
        let value = try columns[leaf].value()
        if value.count > 0 {
          if !isFirst { lines.append(UInt8(ascii: ",")) }
          isFirst = false
          lines.append(value)
        }
      }
      columns[leaf].advance()
    }
    if !extras.isEmpty {
      extras.withUnsafeBytes { lines.append(UnsafeRawBufferPointer(rebasing: $0[(isFirst ? 1 : 0)...])) }
    }
    limitRow()
    lines.append(UInt8(ascii: "}"))
    lines.append(UInt8(ascii: "\n"))
  }

  /// Cuts a row that is too long, so that what it holds takes no memory.
  @inline(__always)
  private mutating func limitRow() {
    if lines.count - rowStart > rowBytes { lines.removeAll(from: rowStart + rowBytes) }
  }

  /// Writes a value with all below it.
  ///
  /// - Parameter lead: The name of an object's member.
  /// - Returns: `false` if there is nothing to write.
  private mutating func write(_ node: ParquetSchema.Node, lead: [UInt8], isFirst: Bool) throws(ParquetFailure) -> Bool {
    let first = node.leaves.lowerBound
    guard try columns[first].hasEntry() else { throw unequal(first) }
    if case .leaf = node.kind {
      var isWritten = false
      if columns[first].definition == columns[first].mostDefinition {
        let value = try columns[first].value()
        isWritten = value.count > 0
        if isWritten {
          if !isFirst { lines.append(UInt8(ascii: ",")) }
          lines.append(value)
        }
      }
      columns[first].advance()
      return isWritten
    }
    if columns[first].definition < node.present {
      try skip(node.leaves)
      return false
    }
    if !isFirst { lines.append(UInt8(ascii: ",")) }
    lead.withUnsafeBytes { lines.append($0) }
    switch node.kind {
    case .leaf: break
    case .object(let members):
      lines.append(UInt8(ascii: "{"))
      var isFirst = true
      for member in members {
        if try write(member.node, lead: member.lead, isFirst: isFirst) { isFirst = false }
      }
      lines.append(UInt8(ascii: "}"))
    case .list(let element, let levels):
      lines.append(UInt8(ascii: "["))
      if try hasElement(node, levels) {
        repeat {
          if try !write(element, lead: [], isFirst: true) { lines.append(ascii: "null") }
        } while try hasNext(node, levels)
      }
      lines.append(UInt8(ascii: "]"))
    case .map(let key, let value, let levels):
      lines.append(UInt8(ascii: "{"))
      if try hasElement(node, levels) {
        repeat {
          guard try columns[key].hasEntry(), columns[key].definition == columns[key].mostDefinition else {
            throw unequal(key)
          }
          lines.append(try columns[key].value())
          columns[key].advance()
          lines.append(UInt8(ascii: ":"))
          var isWritten = false
          if let value { isWritten = try write(value, lead: [], isFirst: true) }
          if !isWritten { lines.append(ascii: "null") }
        } while try hasNext(node, levels)
      }
      lines.append(UInt8(ascii: "}"))
    }
    return true
  }

  /// Returns whether a list or map has an element; moves behind an empty one.
  private func hasElement(
    _ node: ParquetSchema.Node, _ levels: ParquetSchema.Repetition
  ) throws(ParquetFailure) -> Bool {
    if columns[node.leaves.lowerBound].definition >= levels.definition { return true }
    try skip(node.leaves)
    return false
  }

  /// Returns whether another element follows, behind a comma then.
  private mutating func hasNext(
    _ node: ParquetSchema.Node, _ levels: ParquetSchema.Repetition
  ) throws(ParquetFailure) -> Bool {
    limitRow()
    let first = node.leaves.lowerBound
    guard try columns[first].hasEntry(), columns[first].repetition >= levels.repetition else { return false }
    lines.append(UInt8(ascii: ","))
    return true
  }

  /// Moves the columns below a NULL or an empty list to their next entries.
  private func skip(_ leaves: Range<Int>) throws(ParquetFailure) {
    for column in leaves {
      guard try columns[column].hasEntry() else { throw unequal(column) }
      guard columns[column].definition < columns[column].mostDefinition else {
        throw .damaged("column \(paths[column]) has a value in nothing")
      }
      columns[column].advance()
    }
  }
}
