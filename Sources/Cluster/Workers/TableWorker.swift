internal import Basics
internal import Parquet

/// Writes packs as Parquet files: the rows of a table, an app and a month in as few files as their size allows.
public enum TableWorker {
  /// The bytes at which a file is ended: it is one row in Spark, which copies it.
  private static let fileBytes = 16 << 20
  /// The rows at which a pack's pages are used as they are: many small pages are slow to read.
  private static let pageRows = 256

  private struct Place: Equatable {
    var table: String
    var app: [UInt8]
    var month: String
    var part: Int64
  }

  public static func run(_ input: RowInput, _ output: RowOutput) throws {
    let zstd = ZstdFrame(level: 1)
    var place: Place?
    var file: ParquetWriter?
    func end() throws {
      guard let ended = file, let place, ended.rowCount > 0 else { return }
      output.begin(.parquet)
      output.append(place.table, place.app, place.month, ended.rowCount)
      // The writer of the file adds these last four bytes.
      var bytes = try ended.finish()
      bytes.removeLast(ParquetWriter.magic.count)
      output.append(Base64.text(of: bytes))
      try output.endRow()
      file = nil
    }
    while try input.next(columns: WorkerInput.tableColumns) {
      let next = Place(
        table: try input.required(input.text(0), 0), app: try input.required(input.bytes(1), 1),
        month: try input.required(input.text(2), 2), part: try input.required(input.integer(3), 3))
      if next != place {
        try end()
        place = next
        file = nil
      }
      guard let layout = WorkerProtocol.Tag(rawValue: next.table).flatMap({ PackLayout.all[$0] }) else {
        throw WorkerFault(.data, "row \(input.count): \(next.table) is not a table")
      }
      let before = try input.required(input.integer(4), 4)
      let dropped = try DroppedRows(input.text(5), row: input.count)
      let columns = columns(of: layout)
      let line = columns.firstIndex { layout.names[$0] == "line" }
      let writer = file ?? ParquetWriter(columns.map { (layout.names[$0], layout.types[$0]) }, zstd)
      file = writer
      try input.base64(6).withUnsafeBytes { bytes in
        let pack = try RowPack(bytes, columnCount: layout.types.count)
        if dropped.isEmpty && (before == 0 || line == nil) && pack.rowCount >= pageRows {
          try writer.append(pages: columns.map { pack.columns[$0] }, rowCount: pack.rowCount)
        } else {
          var rows = try RowPackReader(pack, layout.types, zstd, wanted: columns)
          while try rows.next() {
            if !dropped.contains(rows.row - 1) { try append(rows, columns, line: line, before, to: writer) }
          }
        }
      }
      if let writer = file, writer.byteCount >= fileBytes { try end() }
    }
    try end()
    try output.end(input)
  }

  /// Adds the current row; its line number is offset by `before`.
  private static func append(
    _ rows: RowPackReader, _ columns: [Int], line: Int?, _ before: Int64, to writer: ParquetWriter
  ) throws {
    try rows.bytes.withUnsafeBytes { bytes in
      for (index, column) in columns.enumerated() {
        if index == line {
          try writer.append(index, rows.integer(column) + before)
        } else {
          try writer.append(index, rows.cells[column].map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        }
      }
    }
    try writer.endRow()
  }

  /// Returns the columns of packs that files have too.
  private static func columns(of layout: PackLayout) -> [Int] {
    layout.names.indices.filter { layout.names[$0] != "block" }
  }
}
