internal import EventModel

/// Rows of a table as one compressed value, which Spark stores and shuffles without looking into it.
///
/// Columns are ``WorkerProtocol/packedColumns(of:)``. Below zstd: the number of rows (32 bits), then each column: 1 where
/// every row has a value, else 0 and a byte a row, 1 where it has one; the length of the values (64 bits); the values one
/// behind the other, texts behind their length (32 bits), integers in 64 bits, flags in a byte. All integers are
/// little-endian; values are laid out as Parquet's PLAIN encoding does, but for flags.
struct RowPackBuilder {
  private struct Column {
    var presence: [UInt8] = []
    var isAllPresent = true
    var values: [UInt8] = []
  }

  private let types: [WorkerProtocol.ColumnType]
  private var columns: [Column]
  private(set) var rowCount = 0
  /// Bytes of all values.
  private(set) var byteCount = 0

  init(_ types: [WorkerProtocol.ColumnType]) {
    self.types = types
    columns = Array(repeating: Column(), count: types.count)
  }

  /// Adds a row: of its cells those that are packed, as they are laid out in a pack, but texts without their length.
  mutating func append(_ row: UnsafeRawBufferPointer, _ cells: [Range<Int>?], _ packed: [Int]) {
    for index in columns.indices {
      guard let cell = cells[packed[index]] else {
        columns[index].presence.append(0)
        columns[index].isAllPresent = false
        continue
      }
      columns[index].presence.append(1)
      if types[index] == .text { PlainValue.append(UInt32(cell.count), to: &columns[index].values) }
      columns[index].values.append(contentsOf: UnsafeRawBufferPointer(rebasing: row[cell]))
      byteCount += cell.count + 4
    }
    rowCount += 1
  }

  /// The pack, after which the builder is empty.
  mutating func take(_ zstd: ZstdFrame) throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + columns.count * (rowCount + 9) + 4)
    PlainValue.append(UInt32(rowCount), to: &bytes)
    for index in columns.indices {
      bytes.append(columns[index].isAllPresent ? 1 : 0)
      if !columns[index].isAllPresent { bytes += columns[index].presence }
      PlainValue.append(UInt64(columns[index].values.count), to: &bytes)
      bytes += columns[index].values
      columns[index].presence.removeAll(keepingCapacity: true)
      columns[index].isAllPresent = true
      columns[index].values.removeAll(keepingCapacity: true)
    }
    rowCount = 0
    byteCount = 0
    var packed: [UInt8] = []
    try bytes.withUnsafeBytes { try zstd.append($0, to: &packed) }
    return packed
  }
}

/// Reads the rows of a pack.
struct RowPackReader {
  private struct Column {
    /// Where presence lies; `nil` where every row has a value.
    var presence: Int?
    /// Where all values lie, and the next one begins.
    var values: Range<Int>
    var next: Int
    var isText: Bool
    var width: Int
  }

  /// What lies below zstd; ranges of ``cells`` are of it.
  let bytes: [UInt8]
  let rowCount: Int
  /// Rows read.
  private(set) var row = 0
  /// The values of the row at hand; `nil` for NULL.
  private(set) var cells: [Range<Int>?]
  private var columns: [Column] = []

  init(_ frame: [UInt8], _ types: [WorkerProtocol.ColumnType], _ zstd: ZstdFrame) throws {
    let bytes = try frame.withUnsafeBytes { try zstd.bytes(of: $0) }
    self.bytes = bytes
    cells = Array(repeating: nil, count: types.count)
    var place = 0
    func number<Value: FixedWidthInteger>(_: Value.Type) throws -> Int {
      let size = MemoryLayout<Value>.size
      guard place + size <= bytes.count else { throw Self.fault }
      defer { place += size }
      let value = bytes.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Value.self)) }
      guard let count = Int(exactly: value), count <= bytes.count else { throw Self.fault }
      return count
    }
    let rowCount = try number(UInt32.self)
    self.rowCount = rowCount
    for type in types {
      var column = Column(values: 0..<0, next: 0, isText: type == .text, width: type == .flag ? 1 : 8)
      if try number(UInt8.self) == 0 {
        column.presence = place
        place += rowCount
      }
      let count = try number(UInt64.self)
      guard place + count <= bytes.count else { throw Self.fault }
      column.values = place..<place + count
      column.next = place
      place += count
      columns.append(column)
    }
    guard place == bytes.count else { throw Self.fault }
  }

  /// Moves on to the next row.
  ///
  /// - Returns: `false` behind the last one.
  mutating func next() throws -> Bool {
    if row == rowCount { return false }
    for index in columns.indices {
      if let presence = columns[index].presence, bytes[presence + row] == 0 {
        cells[index] = nil
        continue
      }
      var start = columns[index].next
      var count = columns[index].width
      if columns[index].isText {
        guard start + 4 <= columns[index].values.upperBound else { throw Self.fault }
        count = bytes.withUnsafeBytes {
          Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        }
        start += 4
      }
      guard start + count <= columns[index].values.upperBound else { throw Self.fault }
      cells[index] = start..<start + count
      columns[index].next = start + count
    }
    row += 1
    return true
  }

  /// A whole column: a byte a row, 1 where it has a value, `nil` where all have one; and the values.
  func column(_ index: Int) -> (presence: Range<Int>?, values: Range<Int>) {
    (columns[index].presence.map { $0..<$0 + rowCount }, columns[index].values)
  }

  /// A cell of the row at hand as an integer.
  func integer(_ column: Int) throws -> Int64 {
    guard let cell = cells[column], cell.count == 8 else { throw Self.fault }
    return bytes.withUnsafeBytes {
      Int64(littleEndian: $0.loadUnaligned(fromByteOffset: cell.lowerBound, as: Int64.self))
    }
  }

  /// A cell that must not be NULL.
  func required(_ column: Int) throws -> Range<Int> {
    guard let cell = cells[column] else { throw Self.fault }
    return cell
  }

  private static var fault: WorkerFault { WorkerFault(.data, "a pack is not laid out as this version does") }
}

/// Values as Parquet's PLAIN encoding lays them out.
enum PlainValue {
  static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
