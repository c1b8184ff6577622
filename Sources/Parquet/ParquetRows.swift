internal import Basics

/// Reads the rows of a Parquet file as lines of JSON objects, a page of each column at a time.
///
/// NULL is absent; numbers and decimals have all their digits; instants and days are texts.
public final class ParquetRows {
  private static let blockBytes = 64 << 10

  private let footer: ParquetFooter
  private let schema: ParquetSchema
  private let source: PageSource
  private let options: ParquetOptions
  private let columns: UnsafeMutableBufferPointer<ColumnReader>
  /// The column of each member of a row; -1 for one that is nested.
  private let flat: UnsafeMutableBufferPointer<Int>
  private let extras: [UInt8]
  private var group = 0
  private var rowsLeft = 0
  private var lines = ColumnBytes()
  /// The part of ``lines`` that was read.
  private var place = 0
  private var rowStart = 0

  /// Reads the footer.
  public init(_ input: ParquetInput, _ options: ParquetOptions = ParquetOptions()) throws(ParquetFailure) {
    let footer = try ParquetFooter(input)
    let schema = try ParquetSchema(footer, options)
    let source = PageSource(input, end: footer.start, memoryBytes: options.memoryBytes)
    self.footer = footer
    self.schema = schema
    self.source = source
    self.options = options
    let leaves = schema.leaves
    columns = .allocate(capacity: leaves.count)
    for index in leaves.indices { columns.initializeElement(at: index, to: ColumnReader(leaves[index], source)) }
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

  deinit {
    for column in columns { column.deallocate() }
    columns.deinitialize()
    columns.deallocate()
    flat.deallocate()
    lines.deallocate()
  }

  /// The names of the table's columns.
  public var names: [String] { schema.names }

  /// Writes the next bytes of the lines and returns their number; 0 only at the end.
  public func read(into room: UnsafeMutableRawBufferPointer) throws(ParquetFailure) -> Int {
    if place == lines.count {
      lines.removeAll()
      place = 0
      while lines.count < Self.blockBytes {
        if rowsLeft == 0 {
          guard try beginGroup() else { break }
          continue
        }
        try writeRow()
        rowsLeft -= 1
        if rowsLeft == 0 { try endGroup() }
      }
    }
    let count = min(room.count, lines.count - place)
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: lines.bytes[place..<place + count]))
    place += count
    return count
  }

  private func beginGroup() throws(ParquetFailure) -> Bool {
    guard group < footer.groups.count, !columns.isEmpty else { return false }
    let next = footer.groups[group]
    group += 1
    guard next.rowCount >= 0, next.chunks.count == columns.count else {
      throw .damaged("row group \(group) has other columns than the table")
    }
    for index in columns.indices { try columns[index].begin(next.chunks[index], rowCount: next.rowCount) }
    rowsLeft = next.rowCount
    return true
  }

  private func endGroup() throws(ParquetFailure) {
    for index in columns.indices where try columns[index].hasEntry() { throw unequal(index) }
  }

  private func unequal(_ column: Int) -> ParquetFailure {
    .damaged("column \(schema.leaves[column].path) has another number of rows")
  }

  // MARK: Rows

  private func writeRow() throws(ParquetFailure) {
    rowStart = lines.count
    lines.append(UInt8(ascii: "{"))
    var isFirst = true
    for index in flat.indices {
      let leaf = flat[index]
      if leaf < 0 {
        let member = schema.members[index]
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
  private func limitRow() {
    if lines.count - rowStart > options.rowBytes { lines.removeAll(from: rowStart + options.rowBytes) }
  }

  /// Writes a value with all below it.
  ///
  /// - Parameter lead: The name of an object's member.
  /// - Returns: `false` if there is nothing to write.
  private func write(_ node: ParquetSchema.Node, lead: [UInt8], isFirst: Bool) throws(ParquetFailure) -> Bool {
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
      try forEach(node, levels) { () throws(ParquetFailure) in
        if try !write(element, lead: [], isFirst: true) { lines.append(ascii: "null") }
      }
      lines.append(UInt8(ascii: "]"))
    case .map(let key, let value, let levels):
      lines.append(UInt8(ascii: "{"))
      try forEach(node, levels) { () throws(ParquetFailure) in
        guard try columns[key].hasEntry(), columns[key].definition == columns[key].mostDefinition else {
          throw unequal(key)
        }
        lines.append(try columns[key].value())
        columns[key].advance()
        lines.append(UInt8(ascii: ":"))
        let isWritten = try value.map { value throws(ParquetFailure) in try write(value, lead: [], isFirst: true) }
        if isWritten != true { lines.append(ascii: "null") }
      }
      lines.append(UInt8(ascii: "}"))
    }
    return true
  }

  /// Calls `write` for each element of a list or map that is there, with commas in between.
  private func forEach(
    _ node: ParquetSchema.Node, _ levels: ParquetSchema.Repetition, _ write: () throws(ParquetFailure) -> Void
  ) throws(ParquetFailure) {
    let first = node.leaves.lowerBound
    if columns[first].definition < levels.definition { return try skip(node.leaves) }
    var isFirst = true
    repeat {
      if !isFirst { lines.append(UInt8(ascii: ",")) }
      isFirst = false
      try write()
      limitRow()
    } while try columns[first].hasEntry() && columns[first].repetition >= levels.repetition
  }

  /// Moves the columns below a NULL or an empty list to their next entries.
  private func skip(_ leaves: Range<Int>) throws(ParquetFailure) {
    for column in leaves {
      guard try columns[column].hasEntry() else { throw unequal(column) }
      guard columns[column].definition < columns[column].mostDefinition else {
        throw .damaged("column \(schema.leaves[column].path) has a value in nothing")
      }
      columns[column].advance()
    }
  }
}
