internal import Basics
internal import Parquet

/// Reads the rows of a pack, for selected columns.
struct RowPackReader {
  private struct Column {
    /// The offset of the presence bits, one per row; `nil` if every row has a value.
    var presence: Int?
    /// The offset of the next value, and the end of the values.
    var next: Int
    var end: Int
    var isText: Bool
    var width: Int
  }

  /// The decompressed bytes, to which the ranges of ``cells`` refer.
  let bytes: [UInt8]
  let rowCount: Int
  /// The number of rows read.
  private(set) var row = 0
  /// The values of the current row; `nil` for NULL and for columns that are not selected.
  private(set) var cells: [Range<Int>?]
  private var columns: [Column]
  private let wanted: [Int]

  /// - Parameter wanted: The columns to read into ``cells``; `nil` for all.
  /// - Throws: ``WorkerFault`` if the pack does not have such columns.
  init(
    _ pack: RowPack, _ types: [WorkerProtocol.ColumnType], _ zstd: ZstdFrame, wanted: [Int]? = nil
  ) throws {
    let wanted = wanted ?? Array(types.indices)
    self.wanted = wanted
    rowCount = pack.rowCount
    cells = Array(repeating: nil, count: types.count)
    let pages = wanted.map { pack.columns[$0].frame }
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
          // Expands flags to one byte each, so that they have ranges like other values.
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

  /// Moves to the next row.
  ///
  /// - Returns: `false` after the last one.
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

  func integer(_ column: Int) throws -> Int64 {
    guard let cell = cells[column], cell.count == 8 else { throw RowPack.fault }
    return bytes.withUnsafeBytes { PlainValue.read(Int64.self, $0, at: cell.lowerBound) }
  }

  /// Returns a column that must not be NULL.
  func required(_ column: Int) throws -> Range<Int> {
    guard let cell = cells[column] else { throw RowPack.fault }
    return cell
  }
}
