internal import EventModel

/// A page of a column before compression, for Parquet's DataPageHeader: definition levels after their length, then
/// values in PLAIN encoding.
///
/// Source: apache/parquet-format, README.md ("Data Pages") and Encodings.md ("Plain", "Run Length Encoding").
public enum ParquetPage {
  /// Appends a page.
  ///
  /// - Parameters:
  ///   - presence: A byte per row, 1 if it has a value; `nil` if every row has one.
  ///   - values: The existing values: texts after their length (32 bits), integers of 64 bits, flags in a byte each.
  public static func append(
    rowCount: Int, presence: UnsafeRawBufferPointer?, values: UnsafeRawBufferPointer, _ type: ParquetType,
    to page: inout [UInt8]
  ) {
    page.reserveCapacity(page.count + rowCount / 8 + values.count + 16)
    appendLevels(rowCount: rowCount, presence: presence, to: &page)
    if type == .flag { page += bits(values) } else { page.append(contentsOf: values) }
  }

  /// Appends a page whose values are indices of a dictionary with `dictionaryCount` entries.
  static func append(
    rowCount: Int, presence: UnsafeRawBufferPointer?, indices: [UInt32], dictionaryCount: Int, to page: inout [UInt8]
  ) {
    appendLevels(rowCount: rowCount, presence: presence, to: &page)
    let width = max(1, HybridReader.width(dictionaryCount - 1))
    page.append(UInt8(width))
    // One run of packed groups of eight.
    let groups = (indices.count + 7) / 8
    Varint.append(UInt64(groups) << 1 | 1, to: &page)
    var word: UInt64 = 0
    var bitCount = 0
    for place in 0..<groups * 8 {
      word |= UInt64(place < indices.count ? indices[place] : 0) << UInt64(bitCount)
      bitCount += width
      while bitCount >= 8 {
        page.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
        bitCount -= 8
      }
    }
  }

  /// Appends levels after their length: 1 for existing values, in RLE with bit width 1.
  private static func appendLevels(rowCount: Int, presence: UnsafeRawBufferPointer?, to page: inout [UInt8]) {
    var levels: [UInt8] = []
    if let presence {
      let packed = bits(presence)
      Varint.append(UInt64(packed.count) << 1 | 1, to: &levels)
      levels += packed
    } else {
      Varint.append(UInt64(rowCount) << 1, to: &levels)
      levels.append(1)
    }
    PlainValue.append(UInt32(levels.count), to: &page)
    page += levels
  }

  static func dictionaryHeader(count: Int, plainBytes: Int, packedBytes: Int) -> [UInt8] {
    ThriftStruct {
      $0.add(1, int32: 2)  // DICTIONARY_PAGE
      $0.add(2, int32: plainBytes)
      $0.add(3, int32: packedBytes)
      $0.add(
        7,
        ThriftStruct {
          $0.add(1, int32: count)
          $0.add(2, int32: 0)  // PLAIN
        })
    }.bytes
  }

  /// Returns the header of a page in a file.
  ///
  /// - Parameter hasIndices: Whether values are indices of a dictionary.
  static func header(rowCount: Int, plainBytes: Int, packedBytes: Int, hasIndices: Bool = false) -> [UInt8] {
    ThriftStruct {
      $0.add(1, int32: 0)  // DATA_PAGE
      $0.add(2, int32: plainBytes)
      $0.add(3, int32: packedBytes)
      $0.add(
        5,
        ThriftStruct {
          $0.add(1, int32: rowCount)
          $0.add(2, int32: hasIndices ? 8 : 0)  // RLE_DICTIONARY, PLAIN
          $0.add(3, int32: 3)  // RLE
          $0.add(4, int32: 3)
        })
    }.bytes
  }

  /// The offsets of the parts of a page from ``append(rowCount:presence:values:_:to:)``.
  public struct Parts {
    /// One bit per row, the first lowest; `nil` if every row has a value.
    public var presence: Int?
    /// The offset of the first value.
    public var values: Int

    /// - Returns: `nil` if this is not such a page with `rowCount` rows.
    public init?(_ page: UnsafeRawBufferPointer, rowCount: Int) {
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

  /// Packs bytes that are 0 or 1 into bits, the first lowest.
  private static func bits(_ flags: UnsafeRawBufferPointer) -> [UInt8] {
    var packed = [UInt8](repeating: 0, count: (flags.count + 7) / 8)
    for (index, flag) in flags.enumerated() where flag != 0 { packed[index / 8] |= 1 << UInt8(index % 8) }
    return packed
  }
}
