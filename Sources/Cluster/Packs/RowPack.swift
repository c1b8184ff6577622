internal import Parquet

/// A pack in memory, with its column headers read and its pages unread.
struct RowPack {
  /// Returns the bytes before the pages: the number of rows, and the header of each column.
  static func headerBytes(columnCount: Int) -> Int { 4 + columnCount * 28 }

  let rowCount: Int
  let columns: [ParquetWriter.Page]

  /// - Parameters:
  ///   - bytes: The output of ``RowPackBuilder``; they must outlive the value.
  ///   - columnCount: The number of columns of the table's packs.
  /// - Throws: ``WorkerFault`` if the bytes are not such a pack.
  init(_ bytes: UnsafeRawBufferPointer, columnCount: Int) throws {
    var place = 0
    func number<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type) throws -> Value {
      guard place + MemoryLayout<Value>.size <= bytes.count else { throw Self.fault }
      defer { place += MemoryLayout<Value>.size }
      return PlainValue.read(Value.self, bytes, at: place)
    }
    rowCount = Int(try number(UInt32.self))
    var columns: [ParquetWriter.Page] = []
    var start = Self.headerBytes(columnCount: columnCount)
    for _ in 0..<columnCount {
      let (nulls, least, most) = try (Int(number(UInt32.self)), number(Int64.self), number(Int64.self))
      let (plainBytes, packedBytes) = try (Int(number(UInt32.self)), Int(number(UInt32.self)))
      guard nulls <= rowCount, packedBytes <= bytes.count - start else { throw Self.fault }
      columns.append(
        ParquetWriter.Page(
          frame: UnsafeRawBufferPointer(rebasing: bytes[start..<start + packedBytes]), plainBytes: plainBytes,
          nulls: nulls, least: least, most: most))
      start += packedBytes
    }
    guard start == bytes.count else { throw Self.fault }
    self.columns = columns
  }

  static var fault: WorkerFault { WorkerFault(.data, "a pack is not laid out as this version does") }
}
