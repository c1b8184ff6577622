public import Basics
internal import EventModel

/// Writes rows as an Apache Parquet file (format 2.10): nullable columns, version 1 pages (DataPageHeader) in PLAIN
/// encoding, or with a dictionary of texts where that was asked for and pays, compressed by zstd.
///
/// Source: apache/parquet-format, README.md, Encodings.md and parquet.thrift.
public final class ParquetWriter {
  public static let magic = Array("PAR1".utf8)
  /// The rows that end a row group, and the bytes of values that end a page.
  private static let groupRows = 1 << 16
  private static let pageBytes = 1 << 20
  /// The texts, and their bytes, above which a dictionary does not pay.
  private static let dictionaryTexts = 1 << 14
  private static let dictionaryBytes = 1 << 19

  /// The texts of a column in the current row group.
  private final class TextDictionary {
    var numbers: [[UInt8]: UInt32] = [:]
    /// In PLAIN encoding.
    var values: [UInt8] = []
    /// Of the values so far.
    var indices: [UInt32] = []
  }

  /// The part of a column written in the current row group.
  private struct Chunk {
    var type: ParquetType
    // The current page.
    var presence: [UInt8] = []
    var values: [UInt8] = []
    /// Holds the values instead, as long as it pays.
    var dictionary: TextDictionary?
    // Finished pages as stored, and their values for the footer.
    var pages: [UInt8] = []
    var pageRows = 0
    /// The bytes of the dictionary's page, which is the first.
    var dictionaryPageBytes = 0
    var plainBytes = 0
    var nulls = 0
    /// For integers.
    var least = Int64.max
    var most = Int64.min

    /// Adds a compressed page.
    mutating func add(_ frame: UnsafeRawBufferPointer, rowCount: Int, plainBytes: Int, hasIndices: Bool = false) {
      let header = ParquetPage.header(
        rowCount: rowCount, plainBytes: plainBytes, packedBytes: frame.count, hasIndices: hasIndices)
      pages += header
      pages.append(contentsOf: frame)
      self.plainBytes += header.count + plainBytes
      pageRows += rowCount
    }

    /// Adds a text to the dictionary; returns `false` if there is none, or it does not pay any more.
    mutating func addToDictionary(_ text: UnsafeRawBufferPointer) -> Bool {
      guard let dictionary else { return false }
      let bytes = Array(text)
      if let number = dictionary.numbers[bytes] {
        dictionary.indices.append(number)
        return true
      }
      guard dictionary.numbers.count < ParquetWriter.dictionaryTexts,
        dictionary.values.count + bytes.count + 4 <= ParquetWriter.dictionaryBytes
      else {
        dropDictionary()
        return false
      }
      let number = UInt32(dictionary.numbers.count)
      dictionary.numbers[bytes] = number
      dictionary.indices.append(number)
      PlainValue.append(UInt32(bytes.count), to: &dictionary.values)
      dictionary.values += bytes
      return true
    }

    /// Puts the texts so far where they are without a dictionary.
    mutating func dropDictionary() {
      guard let dropped = dictionary else { return }
      dictionary = nil
      var places: [Range<Int>] = []
      var place = 0
      dropped.values.withUnsafeBytes { bytes in
        while place < bytes.count {
          let end = place + 4 + Int(PlainValue.read(UInt32.self, bytes, at: place))
          places.append(place..<end)
          place = end
        }
      }
      for index in dropped.indices { values += dropped.values[places[Int(index)]] }
    }

    mutating func note(_ number: Int64) {
      least = min(least, number)
      most = max(most, number)
    }
  }

  private let names: [String]
  private let hasDictionaries: Bool
  private var chunks: [Chunk]
  /// Bytes that were taken out of ``bytes``.
  private var takenBytes = 0
  private let zstd: ZstdFrame
  private var bytes = ParquetWriter.magic
  private var groups = ThriftList()
  private var groupRowCount = 0
  /// A buffer for the page being built.
  private var page: [UInt8] = []
  public private(set) var rowCount = 0

  public init(_ columns: [(name: String, type: ParquetType)], _ zstd: ZstdFrame, hasDictionaries: Bool = false) {
    names = columns.map(\.name)
    self.hasDictionaries = hasDictionaries
    chunks = columns.map { Self.chunk($0.type, hasDictionaries) }
    self.zstd = zstd
  }

  /// Bytes of the file so far; an estimate for the pages that are not compressed yet.
  public var byteCount: Int { chunks.reduce(takenBytes + bytes.count) { $0 + $1.pages.count + $1.values.count / 8 } }

  private static func chunk(_ type: ParquetType, _ hasDictionaries: Bool) -> Chunk {
    Chunk(type: type, dictionary: hasDictionaries && type == .text ? TextDictionary() : nil)
  }

  /// Returns the bytes of the file since the last call, which stay in memory no longer.
  public func takeBytes() -> [UInt8] {
    takenBytes += bytes.count
    defer { bytes = [] }
    return bytes
  }

  /// Adds a value to a column: a text, 64 bits, or a byte that is 0 or 1; `nil` for NULL.
  public func append(_ column: Int, _ value: UnsafeRawBufferPointer?) throws {
    chunks[column].presence.append(value == nil ? 0 : 1)
    guard let value else {
      chunks[column].nulls += 1
      return
    }
    switch chunks[column].type {
    case .text:
      if chunks[column].addToDictionary(value) { return }
      PlainValue.append(UInt32(value.count), to: &chunks[column].values)
      chunks[column].values.append(contentsOf: value)
    case .integer, .instant, .money, .real:
      chunks[column].values.append(contentsOf: value)
      if chunks[column].type.isOrdered { chunks[column].note(PlainValue.read(Int64.self, value, at: 0)) }
    case .flag: chunks[column].values.append(value[0])
    }
    if chunks[column].values.count >= Self.pageBytes { try endPage(column) }
  }

  public func append(_ column: Int, _ number: Int64) throws {
    try withUnsafeBytes(of: number.littleEndian) { try append(column, $0) }
  }

  /// A page from ``ParquetPage/append(rowCount:presence:values:_:to:)``, compressed by zstd.
  public struct Page {
    public let frame: UnsafeRawBufferPointer
    public let plainBytes: Int
    public let nulls: Int
    /// For integers; the most is less than the least if there are no values.
    public let least: Int64
    public let most: Int64

    public init(frame: UnsafeRawBufferPointer, plainBytes: Int, nulls: Int, least: Int64, most: Int64) {
      self.frame = frame
      self.plainBytes = plainBytes
      self.nulls = nulls
      self.least = least
      self.most = most
    }
  }

  /// Adds rows whose columns are pages already.
  public func append(pages: [Page], rowCount newRows: Int) throws {
    for (index, page) in pages.enumerated() {
      try endPage(index)
      chunks[index].add(page.frame, rowCount: newRows, plainBytes: page.plainBytes)
      chunks[index].nulls += page.nulls
      chunks[index].least = min(chunks[index].least, page.least)
      chunks[index].most = max(chunks[index].most, page.most)
    }
    rowCount += newRows
    groupRowCount += newRows
    if groupRowCount >= Self.groupRows { try endGroup() }
  }

  /// Ends a row; every column must have a value or NULL.
  public func endRow() throws {
    rowCount += 1
    groupRowCount += 1
    if groupRowCount >= Self.groupRows { try endGroup() }
  }

  /// Ends the file and returns it; nothing can be added afterwards.
  public func finish() throws -> [UInt8] {
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
          Self.addMeaning(of: chunk.type, to: &$0)
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

  private static func addMeaning(of type: ParquetType, to element: inout ThriftStruct) {
    switch type {
    case .integer, .flag, .real: break
    case .text:
      element.add(6, int32: 0)  // UTF8
      element.add(10, ThriftStruct { $0.add(1, ThriftStruct { _ in }) })  // STRING
    case .instant:
      element.add(6, int32: 9)  // TIMESTAMP_MILLIS
      let unit = ThriftStruct { $0.add(1, ThriftStruct { _ in }) }  // MILLIS
      let timestamp = ThriftStruct {
        $0.addTrue(1)  // UTC
        $0.add(2, unit)
      }
      element.add(10, ThriftStruct { $0.add(8, timestamp) })
    case .money:
      element.add(6, int32: 5)  // DECIMAL
      element.add(7, int32: 6)
      element.add(8, int32: 18)
      let decimal = ThriftStruct {
        $0.add(1, int32: 6)
        $0.add(2, int32: 18)
      }
      element.add(10, ThriftStruct { $0.add(5, decimal) })
    }
  }

  private static func physicalType(_ type: ParquetType) -> Int {
    switch type {
    case .text: 6  // BYTE_ARRAY
    case .integer, .instant, .money: 2  // INT64
    case .real: 5  // DOUBLE
    case .flag: 0  // BOOLEAN
    }
  }

  private func endPage(_ column: Int) throws {
    if chunks[column].presence.isEmpty { return }
    page.removeAll(keepingCapacity: true)
    let rowCount = chunks[column].presence.count
    let dictionary = chunks[column].dictionary.flatMap { $0.indices.isEmpty ? nil : $0 }
    if let dictionary { try addPage(of: dictionary, column) }
    chunks[column].presence.withUnsafeBytes { presence in
      let presence = presence.contains(0) ? presence : nil
      if let dictionary {
        ParquetPage.append(
          rowCount: rowCount, presence: presence, indices: dictionary.indices,
          dictionaryCount: dictionary.numbers.count, to: &page)
      } else {
        chunks[column].values.withUnsafeBytes { values in
          ParquetPage.append(
            rowCount: rowCount, presence: presence, values: values, chunks[column].type, to: &page)
        }
      }
    }
    let frame = try page.withUnsafeBytes { try zstd.frame(of: $0) }
    frame.withUnsafeBytes {
      chunks[column].add($0, rowCount: rowCount, plainBytes: page.count, hasIndices: dictionary != nil)
    }
    chunks[column].presence.removeAll(keepingCapacity: true)
    chunks[column].values.removeAll(keepingCapacity: true)
    if dictionary != nil { chunks[column].dictionary = nil }
  }

  /// Adds the page with the texts of a column's dictionary.
  private func addPage(of dictionary: TextDictionary, _ column: Int) throws {
    let entries = try dictionary.values.withUnsafeBytes { try zstd.frame(of: $0) }
    let header = ParquetPage.dictionaryHeader(
      count: dictionary.numbers.count, plainBytes: dictionary.values.count, packedBytes: entries.count)
    chunks[column].pages += header + entries
    chunks[column].dictionaryPageBytes = header.count + entries.count
    chunks[column].plainBytes += header.count + dictionary.values.count
  }

  private func endGroup() throws {
    var columns = ThriftList()
    var plainBytes = 0
    for index in chunks.indices {
      try endPage(index)
      let chunk = chunks[index]
      let place = Int64(takenBytes + bytes.count)
      bytes += chunk.pages
      plainBytes += chunk.plainBytes
      var encodings = ThriftList(of: .int32)
      encodings.append(int32: 0)  // PLAIN
      encodings.append(int32: 3)  // RLE
      if chunk.dictionaryPageBytes > 0 { encodings.append(int32: 8) }  // RLE_DICTIONARY
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
        $0.add(9, int64: place + Int64(chunk.dictionaryPageBytes))
        if chunk.dictionaryPageBytes > 0 { $0.add(11, int64: place) }
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
      chunks[index] = Self.chunk(chunk.type, hasDictionaries)
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
