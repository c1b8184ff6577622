internal import EventModel

/// A page of a column below compression, as Parquet's DataPageHeader has it: definition levels behind their length, then
/// values in PLAIN encoding.
///
/// Source: apache/parquet-format, README.md ("Data Pages") and Encodings.md ("Plain", "Run Length Encoding").
enum ParquetPage {
  /// Appends a page.
  ///
  /// - Parameters:
  ///   - presence: A byte a row, 1 where it has a value; `nil` where every row has one.
  ///   - values: Those that are there: texts behind their length (32 bits), integers of 64 bits, flags in a byte each.
  static func append(
    rowCount: Int, presence: UnsafeRawBufferPointer?, values: UnsafeRawBufferPointer, _ type: WorkerProtocol.ColumnType,
    to page: inout [UInt8]
  ) {
    // Levels are 1 where there is a value, as RLE with bit width 1.
    var levels: [UInt8] = []
    if let presence {
      let packed = bits(presence)
      Varint.append(UInt64(packed.count) << 1 | 1, to: &levels)
      levels += packed
    } else {
      Varint.append(UInt64(rowCount) << 1, to: &levels)
      levels.append(1)
    }
    page.reserveCapacity(page.count + levels.count + values.count + 4)
    PlainValue.append(UInt32(levels.count), to: &page)
    page += levels
    if type == .flag { page += bits(values) } else { page.append(contentsOf: values) }
  }

  /// What stands before a page in a file.
  static func header(rowCount: Int, plainBytes: Int, packedBytes: Int) -> [UInt8] {
    ThriftStruct {
      $0.add(1, int32: 0)  // DATA_PAGE
      $0.add(2, int32: plainBytes)
      $0.add(3, int32: packedBytes)
      $0.add(
        5,
        ThriftStruct {
          $0.add(1, int32: rowCount)
          $0.add(2, int32: 0)  // PLAIN
          $0.add(3, int32: 3)  // RLE
          $0.add(4, int32: 3)
        })
    }.bytes
  }

  /// Where the parts of a page lie that ``append(rowCount:presence:values:_:to:)`` has made.
  struct Parts {
    /// A bit a row, the first lowest; `nil` where every row has a value.
    var presence: Int?
    /// Where values begin.
    var values: Int

    /// - Returns: `nil` for what is no such page of so many rows.
    init?(_ page: UnsafeRawBufferPointer, rowCount: Int) {
      guard page.count >= 4 else { return nil }
      let count = Int(PlainValue.read(UInt32.self, page, at: 0))
      guard count <= page.count - 4 else { return nil }
      values = 4 + count
      let levels = UnsafeRawBufferPointer(rebasing: page[4..<values])
      var place = 0
      let header = Varint.next(levels, &place)
      if header & 1 == 0 {
        guard header >> 1 == UInt64(rowCount), place + 1 == levels.count, levels[place] == 1 else { return nil }
      } else {
        guard header >> 1 == UInt64(levels.count - place), levels.count - place == (rowCount + 7) / 8 else {
          return nil
        }
        presence = 4 + place
      }
    }
  }

  /// Bytes that are 0 or 1 as bits, the first lowest.
  private static func bits(_ flags: UnsafeRawBufferPointer) -> [UInt8] {
    var packed = [UInt8](repeating: 0, count: (flags.count + 7) / 8)
    for (index, flag) in flags.enumerated() where flag != 0 { packed[index / 8] |= 1 << UInt8(index % 8) }
    return packed
  }
}
