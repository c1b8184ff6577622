internal import Basics
internal import EventModel

/// Writes rows as an Apache Parquet file (format 2.10): nullable columns, version 1 pages (DataPageHeader) in PLAIN
/// encoding, compressed by zstd.
///
/// Source: apache/parquet-format, README.md, Encodings.md and parquet.thrift.
final class ParquetWriter {
  static let magic = Array("PAR1".utf8)
  /// The rows that end a row group, and the bytes of values that end a page.
  private static let groupRows = 1 << 16
  private static let pageBytes = 1 << 20

  /// The part of a column written in the current row group.
  private struct Chunk {
    var type: WorkerProtocol.ColumnType
    // The current page.
    var presence: [UInt8] = []
    var values: [UInt8] = []
    // Finished pages as stored, and their values for the footer.
    var pages: [UInt8] = []
    var pageRows = 0
    var plainBytes = 0
    var nulls = 0
    /// For integers.
    var least = Int64.max
    var most = Int64.min

    /// Adds a compressed page.
    mutating func add(_ frame: UnsafeRawBufferPointer, rowCount: Int, plainBytes: Int) {
      let header = ParquetPage.header(rowCount: rowCount, plainBytes: plainBytes, packedBytes: frame.count)
      pages += header
      pages.append(contentsOf: frame)
      self.plainBytes += header.count + plainBytes
      pageRows += rowCount
    }

    mutating func note(_ number: Int64) {
      least = min(least, number)
      most = max(most, number)
    }
  }

  private let names: [String]
  private var chunks: [Chunk]
  private let zstd: ZstdFrame
  private var bytes = ParquetWriter.magic
  private var groups = ThriftList()
  private var groupRowCount = 0
  /// A buffer for the page being built.
  private var page: [UInt8] = []
  private(set) var rowCount = 0

  init(_ columns: [(name: String, type: WorkerProtocol.ColumnType)], _ zstd: ZstdFrame) {
    names = columns.map(\.name)
    chunks = columns.map { Chunk(type: $0.type) }
    self.zstd = zstd
  }

  /// Bytes of the file so far; an estimate for the pages that are not compressed yet.
  var byteCount: Int { chunks.reduce(bytes.count) { $0 + $1.pages.count + $1.values.count / 8 } }

  /// Adds a value to a column: a text, an integer of 64 bits, or a byte that is 0 or 1; `nil` for NULL.
  func append(_ column: Int, _ value: UnsafeRawBufferPointer?) throws {
    chunks[column].presence.append(value == nil ? 0 : 1)
    guard let value else {
      chunks[column].nulls += 1
      return
    }
    switch chunks[column].type {
    case .text:
      PlainValue.append(UInt32(value.count), to: &chunks[column].values)
      chunks[column].values.append(contentsOf: value)
    case .integer:
      chunks[column].values.append(contentsOf: value)
      chunks[column].note(PlainValue.read(Int64.self, value, at: 0))
    case .flag: chunks[column].values.append(value[0])
    }
    if chunks[column].values.count >= Self.pageBytes { try endPage(column) }
  }

  func append(_ column: Int, _ number: Int64) throws {
    try withUnsafeBytes(of: number.littleEndian) { try append(column, $0) }
  }

  /// Adds all rows of a pack, whose columns are pages already.
  ///
  /// - Parameter columns: The columns of the pack that go into the file.
  func append(_ pack: RowPack, _ columns: [Int]) throws {
    for (index, column) in columns.enumerated() {
      try endPage(index)
      let page = pack.columns[column]
      chunks[index].add(
        UnsafeRawBufferPointer(rebasing: pack.bytes[page.frame]), rowCount: pack.rowCount, plainBytes: page.plainBytes)
      chunks[index].nulls += page.nulls
      chunks[index].least = min(chunks[index].least, page.least)
      chunks[index].most = max(chunks[index].most, page.most)
    }
    rowCount += pack.rowCount
    groupRowCount += pack.rowCount
    if groupRowCount >= Self.groupRows { try endGroup() }
  }

  /// Ends a row; every column must have a value or NULL.
  func endRow() throws {
    rowCount += 1
    groupRowCount += 1
    if groupRowCount >= Self.groupRows { try endGroup() }
  }

  /// Ends the file and returns it; nothing can be added afterwards.
  func finish() throws -> [UInt8] {
    if groupRowCount > 0 { try endGroup() }
    var schema = ThriftList()
    schema.append(
      ThriftStruct {
        $0.add(4, text: "rows")
        $0.add(5, int32: names.count)
      })
    for (name, chunk) in zip(names, chunks) {
      schema.append(
        ThriftStruct {
          $0.add(1, int32: Self.physicalType(chunk.type))
          $0.add(3, int32: 1)  // OPTIONAL
          $0.add(4, text: name)
          if chunk.type == .text {
            $0.add(6, int32: 0)  // UTF8
            $0.add(10, ThriftStruct { $0.add(1, ThriftStruct { _ in }) })  // STRING
          }
        })
    }
    let footer = ThriftStruct {
      $0.add(1, int32: 1)
      $0.add(2, schema)
      $0.add(3, int64: Int64(rowCount))
      $0.add(4, groups)
      $0.add(6, text: "tollgate \(programVersion)")
    }.bytes
    bytes += footer
    PlainValue.append(UInt32(footer.count), to: &bytes)
    bytes += Self.magic
    return bytes
  }

  private static func physicalType(_ type: WorkerProtocol.ColumnType) -> Int {
    switch type {
    case .text: 6  // BYTE_ARRAY
    case .integer: 2  // INT64
    case .flag: 0  // BOOLEAN
    }
  }

  private func endPage(_ column: Int) throws {
    if chunks[column].presence.isEmpty { return }
    page.removeAll(keepingCapacity: true)
    let rowCount = chunks[column].presence.count
    chunks[column].presence.withUnsafeBytes { presence in
      chunks[column].values.withUnsafeBytes { values in
        ParquetPage.append(
          rowCount: rowCount, presence: presence.contains(0) ? presence : nil, values: values, chunks[column].type,
          to: &page)
      }
    }
    let frame = try page.withUnsafeBytes { try zstd.frame(of: $0) }
    frame.withUnsafeBytes { chunks[column].add($0, rowCount: rowCount, plainBytes: page.count) }
    chunks[column].presence.removeAll(keepingCapacity: true)
    chunks[column].values.removeAll(keepingCapacity: true)
  }

  private func endGroup() throws {
    var columns = ThriftList()
    var plainBytes = 0
    for index in chunks.indices {
      try endPage(index)
      let chunk = chunks[index]
      let place = Int64(bytes.count)
      bytes += chunk.pages
      plainBytes += chunk.plainBytes
      var encodings = ThriftList(of: .int32)
      encodings.append(int32: 0)  // PLAIN
      encodings.append(int32: 3)  // RLE
      var path = ThriftList(of: .binary)
      path.append(text: names[index])
      let facts = ThriftStruct {
        $0.add(1, int32: Self.physicalType(chunk.type))
        $0.add(2, encodings)
        $0.add(3, path)
        $0.add(4, int32: 6)  // ZSTD
        $0.add(5, int64: Int64(chunk.pageRows))
        $0.add(6, int64: Int64(chunk.plainBytes))
        $0.add(7, int64: Int64(chunk.pages.count))
        $0.add(9, int64: place)
        $0.add(
          12,
          ThriftStruct {
            $0.add(3, int64: Int64(chunk.nulls))
            if chunk.least <= chunk.most {
              $0.add(5, plain: chunk.most)
              $0.add(6, plain: chunk.least)
            }
          })
      }
      columns.append(
        ThriftStruct {
          $0.add(2, int64: 0)
          $0.add(3, facts)
        })
      chunks[index] = Chunk(type: chunk.type)
    }
    groups.append(
      ThriftStruct {
        $0.add(1, columns)
        $0.add(2, int64: Int64(plainBytes))
        $0.add(3, int64: Int64(groupRowCount))
      })
    groupRowCount = 0
  }
}
