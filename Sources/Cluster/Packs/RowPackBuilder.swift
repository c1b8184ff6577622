internal import Basics
internal import Parquet

/// Builds a pack: rows of a table as one value of compressed columns, which Spark stores and shuffles as it is.
///
/// The columns are those of the table without the app (``PackLayout``). A pack has the number of rows (32 bits), then
/// for each column: the number of NULLs (32 bits), the least and the most integer (64 bits each), the bytes of its page
/// before and after compression (32 bits each); then the pages (``ParquetPage``), each a zstd frame. All integers are
/// little-endian.
///
/// A value of this type is a reference without reference counting, because a row adds some twenty values: its creator
/// must deallocate it.
struct RowPackBuilder {
  private struct Column {
    var type: WorkerProtocol.ColumnType
    /// A byte per row, from the first missing value on.
    var presence = ColumnBytes()
    var isAllPresent = true
    var values = ColumnBytes()
  }

  private struct State {
    /// The column of the next value.
    var next = 0
    var rowCount = 0
    var byteCount = 0
  }

  private let columns: UnsafeMutableBufferPointer<Column>
  private let state: UnsafeMutablePointer<State>

  init(_ types: [WorkerProtocol.ColumnType]) {
    columns = .allocate(capacity: types.count)
    _ = columns.initialize(from: types.map { Column(type: $0) })
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  func deallocate() {
    for column in columns {
      column.presence.deallocate()
      column.values.deallocate()
    }
    columns.deinitialize()
    columns.deallocate()
    state.deallocate()
  }

  var rowCount: Int { state.pointee.rowCount }
  /// Bytes of all values, plus 4 for each.
  var byteCount: Int { state.pointee.byteCount }

  /// Returns the column of the next value and moves on to the following one.
  @inline(__always)
  private func column() -> UnsafeMutablePointer<Column> {
    let place = state.pointee.next
    precondition(place < columns.count, "a row of a pack has more columns than its table")
    state.pointee.next = place + 1
    return columns.baseAddress! + place
  }

  func appendNull() {
    let column = column()
    if column.pointee.isAllPresent {
      column.pointee.isAllPresent = false
      column.pointee.presence.append(1, count: rowCount)
    }
    column.pointee.presence.append(0 as UInt8)
  }

  /// Adds the next column's value: the bytes of a text, the eight of an integer, little-endian, or the one of a flag.
  func append(_ value: UnsafeRawBufferPointer) {
    let column = column()
    if !column.pointee.isAllPresent { column.pointee.presence.append(1 as UInt8) }
    if column.pointee.type == .text { column.pointee.values.append(UInt32(value.count)) }
    column.pointee.values.append(value)
    state.pointee.byteCount += value.count + 4
  }

  func append(_ number: Int64) {
    let column = column()
    precondition(column.pointee.type == .integer)
    if !column.pointee.isAllPresent { column.pointee.presence.append(1 as UInt8) }
    column.pointee.values.append(number)
    state.pointee.byteCount += 12
  }

  func append(_ flag: Bool) {
    let column = column()
    precondition(column.pointee.type == .flag)
    if !column.pointee.isAllPresent { column.pointee.presence.append(1 as UInt8) }
    column.pointee.values.append(flag ? 1 : 0 as UInt8)
    state.pointee.byteCount += 5
  }

  /// Ends a row; every column must have a value or NULL.
  func endRow() {
    precondition(state.pointee.next == columns.count, "a row of a pack has other columns than its table")
    state.pointee.next = 0
    state.pointee.rowCount += 1
  }

  /// Returns the values of a column of integers without NULLs.
  func integers(_ column: Int) -> [Int64] {
    precondition(columns[column].type == .integer && columns[column].isAllPresent)
    return columns[column].values.bytes.withMemoryRebound(to: Int64.self) { $0.map { Int64(littleEndian: $0) } }
  }

  /// Returns the pack; nothing can be added afterwards.
  func pack(_ zstd: ZstdFrame) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var frames: [UInt8] = []
    var page: [UInt8] = []
    PlainValue.append(UInt32(rowCount), to: &bytes)
    for column in columns {
      page.removeAll(keepingCapacity: true)
      ParquetPage.append(
        rowCount: rowCount, presence: column.isAllPresent ? nil : column.presence.bytes, values: column.values.bytes,
        column.type, to: &page)
      let frame = try page.withUnsafeBytes { try zstd.frame(of: $0) }
      let nulls = column.isAllPresent ? 0 : column.presence.bytes.reduce(0) { $0 + ($1 == 0 ? 1 : 0) }
      var (least, most) = (Int64.max, Int64.min)
      if column.type == .integer {
        column.values.bytes.withMemoryRebound(to: Int64.self) { numbers in
          for number in numbers {
            least = min(least, Int64(littleEndian: number))
            most = max(most, Int64(littleEndian: number))
          }
        }
      }
      PlainValue.append(UInt32(nulls), to: &bytes)
      PlainValue.append(least, to: &bytes)
      PlainValue.append(most, to: &bytes)
      PlainValue.append(UInt32(page.count), to: &bytes)
      PlainValue.append(UInt32(frame.count), to: &bytes)
      frames += frame
    }
    return bytes + frames
  }
}
