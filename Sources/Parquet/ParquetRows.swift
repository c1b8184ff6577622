/// Reads the rows of a Parquet file as lines of JSON objects, a page of each column at a time.
///
/// NULL is absent; numbers and decimals have all their digits; instants and days are texts.
public final class ParquetRows {
  private static let blockBytes = 64 << 10

  private let footer: ParquetFooter
  private let schema: ParquetSchema
  private let source: ParquetPageSource
  private let columns: UnsafeMutableBufferPointer<ParquetColumnReader>
  private var writer: RowWriter
  private var group = 0
  private var rowsLeft = 0
  /// The part of the writer's lines that was read.
  private var place = 0

  /// Reads the footer.
  public init(_ input: ParquetInput, _ options: ParquetOptions = ParquetOptions()) throws(ParquetFailure) {
    let footer = try ParquetFooter(input)
    let schema = try ParquetSchema(footer, options)
    let source = ParquetPageSource(input, end: footer.start, memoryBytes: options.memoryBytes)
    self.footer = footer
    self.schema = schema
    self.source = source
    let leaves = schema.leaves
    columns = .allocate(capacity: leaves.count)
    for index in leaves.indices { columns.initializeElement(at: index, to: ParquetColumnReader(leaves[index], source)) }
    writer = RowWriter(schema, columns, options)
  }

  deinit {
    for column in columns { column.deallocate() }
    columns.deinitialize()
    columns.deallocate()
    writer.deallocate()
  }

  /// The names of the table's columns.
  public var names: [String] { schema.names }

  /// Writes the next bytes of the lines and returns their number; 0 only at the end.
  public func read(into room: UnsafeMutableRawBufferPointer) throws(ParquetFailure) -> Int {
    if place == writer.lines.count {
      writer.removeLines()
      place = 0
      while writer.lines.count < Self.blockBytes {
        if rowsLeft == 0 {
          guard try beginGroup() else { break }
          continue
        }
        rowsLeft -= try writer.write(atMost: rowsLeft, until: Self.blockBytes)
        if rowsLeft == 0 { try writer.endGroup() }
      }
    }
    let count = min(room.count, writer.lines.count - place)
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: writer.lines.bytes[place..<place + count]))
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
}
