internal import EventModel

/// Reads the rows of a pack, of those columns that are wanted.
struct RowPackReader {
  private struct Column {
    /// Where presence lies, a bit a row; `nil` where every row has a value.
    var presence: Int?
    /// Where the next value begins, and the values end.
    var next: Int
    var end: Int
    var isText: Bool
    var width: Int
  }

  /// What lies below zstd; ranges of ``cells`` are of it.
  let bytes: [UInt8]
  let rowCount: Int
  /// Rows read.
  private(set) var row = 0
  /// The values of the row at hand; `nil` for NULL, and of columns that are not wanted.
  private(set) var cells: [Range<Int>?]
  private var columns: [Column]
  private let wanted: [Int]

  /// - Parameter wanted: The columns whose values ``cells`` has; `nil` for all.
  /// - Throws: ``WorkerFault`` for what is no pack of such columns.
  init(
    _ pack: RowPack, _ types: [WorkerProtocol.ColumnType], _ zstd: ZstdFrame, wanted: [Int]? = nil
  ) throws {
    let wanted = wanted ?? Array(types.indices)
    self.wanted = wanted
    rowCount = pack.rowCount
    cells = Array(repeating: nil, count: types.count)
    let pages = wanted.map { UnsafeRawBufferPointer(rebasing: pack.bytes[pack.columns[$0].frame]) }
    let counts = try pages.map { try ZstdFrame.byteCount(of: $0) }
    let flagBytes = wanted.count { types[$0] == .flag } * rowCount
    let rowCount = rowCount
    var columns: [Column] = []
    bytes = try [UInt8](unsafeUninitializedCapacity: counts.reduce(flagBytes, +)) { bytes, filled in
      let buffer = UnsafeMutableRawBufferPointer(bytes)
      for (place, index) in wanted.enumerated() {
        let page = filled..<filled + counts[place]
        try zstd.read(pages[place], into: UnsafeMutableRawBufferPointer(rebasing: buffer[page]))
        guard let parts = ParquetPage.Parts(UnsafeRawBufferPointer(rebasing: buffer[page]), rowCount: rowCount) else {
          throw RowPack.fault
        }
        filled = page.upperBound
        var values = page.lowerBound + parts.values
        if types[index] == .flag {
          // A byte each, so that they are cells as others are.
          let flags = values..<page.upperBound
          values = filled
          for flag in 0..<min(rowCount, flags.count * 8) {
            buffer[filled] = buffer[flags.lowerBound + flag / 8] >> UInt8(flag % 8) & 1
            filled += 1
          }
        }
        columns.append(
          Column(
            presence: parts.presence.map { page.lowerBound + $0 }, next: values, end: filled,
            isText: types[index] == .text, width: types[index] == .flag ? 1 : 8))
      }
    }
    self.columns = columns
  }

  /// Moves on to the next row.
  ///
  /// - Returns: `false` behind the last one.
  mutating func next() throws -> Bool {
    if row == rowCount { return false }
    try bytes.withUnsafeBytes { bytes in
      for (place, index) in wanted.enumerated() {
        if let presence = columns[place].presence, bytes[presence + row >> 3] >> UInt8(row & 7) & 1 == 0 {
          cells[index] = nil
          continue
        }
        var start = columns[place].next
        var count = columns[place].width
        if columns[place].isText {
          guard start + 4 <= columns[place].end else { throw RowPack.fault }
          count = Int(PlainValue.read(UInt32.self, bytes, at: start))
          start += 4
        }
        guard start + count <= columns[place].end else { throw RowPack.fault }
        cells[index] = start..<start + count
        columns[place].next = start + count
      }
    }
    row += 1
    return true
  }

  /// A cell of the row at hand as an integer.
  func integer(_ column: Int) throws -> Int64 {
    guard let cell = cells[column], cell.count == 8 else { throw RowPack.fault }
    return bytes.withUnsafeBytes { PlainValue.read(Int64.self, $0, at: cell.lowerBound) }
  }

  /// A cell that must not be NULL.
  func required(_ column: Int) throws -> Range<Int> {
    guard let cell = cells[column] else { throw RowPack.fault }
    return cell
  }
}
