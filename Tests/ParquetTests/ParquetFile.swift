import Basics
@testable import Parquet

/// Reads the Parquet files that tests write: nullable PLAIN values in version 1 pages.
struct ParquetFile {
  struct Column {
    var place: Int
    var byteCount: Int
    var rows: Int
    var nulls: Int
    var least: [UInt8]?
    var most: [UInt8]?
  }

  struct Page {
    var rows: Int
    /// The page after decompression.
    var plain: [UInt8]

    func values(_ type: ParquetType) -> [[UInt8]?] {
      let levelBytes = Self.count(plain, 0)
      var levels: [Bool] = []
      var place = 4
      while place < 4 + levelBytes {
        var header = 0
        var shift = 0
        while true {
          header |= Int(plain[place] & 0x7F) << shift
          shift += 7
          place += 1
          if plain[place - 1] < 0x80 { break }
        }
        if header & 1 == 0 {
          levels += repeatElement(plain[place] == 1, count: header >> 1)
          place += 1
        } else {
          for byte in plain[place..<place + header >> 1] { levels += (0..<8).map { byte >> $0 & 1 == 1 } }
          place += header >> 1
        }
      }
      var seen = 0
      return levels.prefix(rows).map { isPresent in
        guard isPresent else { return nil }
        defer { seen += 1 }
        switch type {
        case .text:
          let length = Self.count(plain, place)
          defer { place += 4 + length }
          return Array(plain[place + 4..<place + 4 + length])
        case .integer, .instant, .money, .real:
          defer { place += 8 }
          return Array(plain[place..<place + 8])
        case .flag: return [plain[place + seen / 8] >> UInt8(seen % 8) & 1]
        }
      }
    }

    private static func count(_ bytes: [UInt8], _ place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
  }

  struct Broken: Error {}

  private let bytes: [UInt8]
  let rowCount: Int
  let names: [String]
  let types: [Int]
  let convertedTypes: [Int?]
  let groups: [[Column]]

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    let magic = Array("PAR1".utf8)
    guard bytes.count > 12, Array(bytes.prefix(4)) == magic, Array(bytes.suffix(4)) == magic else { throw Broken() }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[bytes.count - 8 + $1]) << (8 * $1) }
    var reader = CompactReader(bytes, at: bytes.count - 8 - length)
    let footer = try reader.structure()
    guard reader.place == bytes.count - 8, case .list(let schema)? = footer[2], case .list(let groups)? = footer[4]
    else {
      throw Broken()
    }
    rowCount = footer[3]?.number ?? -1
    guard schema.first?[5]?.number == schema.count - 1 else { throw Broken() }
    names = schema.dropFirst().map { String(decoding: $0[4]?.bytes ?? [], as: UTF8.self) }
    types = schema.dropFirst().map { $0[1]?.number ?? -1 }
    convertedTypes = schema.dropFirst().map { $0[6]?.number }
    guard schema.dropFirst().allSatisfy({ $0[3]?.number == 1 }) else { throw Broken() }
    let names = names
    self.groups = try groups.map { group in
      guard case .list(let chunks)? = group[1], chunks.count == names.count else { throw Broken() }
      return try zip(chunks, names).map { chunk, name in
        guard let facts = chunk[3], case .list(let path)? = facts[3], path.map(\.bytes) == [Array(name.utf8)],
          facts[4]?.number == 6, let rows = facts[5]?.number, rows == group[3]?.number, let count = facts[7]?.number,
          let place = facts[9]?.number
        else { throw Broken() }
        return Column(
          place: place, byteCount: count, rows: rows, nulls: facts[12]?[3]?.number ?? -1, least: facts[12]?[6]?.bytes,
          most: facts[12]?[5]?.bytes)
      }
    }
  }

  func pages(of column: Column) throws -> [Page] {
    var pages: [Page] = []
    var reader = CompactReader(bytes, at: column.place)
    while reader.place < column.place + column.byteCount {
      let header = try reader.structure()
      // DATA_PAGE, PLAIN, levels in RLE.
      guard header[1]?.number == 0, header[5]?[2]?.number == 0, header[5]?[3]?.number == 3,
        let packed = header[3]?.number, let plain = header[2]?.number, let rows = header[5]?[1]?.number
      else { throw Broken() }
      let page = try bytes[reader.place..<reader.place + packed].withUnsafeBytes { frame in
        var page = [UInt8](repeating: 0, count: try ZstdFrame.byteCount(of: frame))
        try page.withUnsafeMutableBytes { try ZstdFrame(level: 1).read(frame, into: $0) }
        return page
      }
      guard page.count == plain else { throw Broken() }
      pages.append(Page(rows: rows, plain: page))
      reader.place += packed
    }
    guard reader.place == column.place + column.byteCount, pages.reduce(0, { $0 + $1.rows }) == column.rows else {
      throw Broken()
    }
    return pages
  }
}

/// Reads the parts of Thrift's compact protocol (apache/thrift, doc/specs/thrift-compact-protocol.md) that Parquet
/// footers use.
private struct CompactReader {
  indirect enum Value {
    case number(Int)
    case bytes([UInt8])
    case list([Value])
    case structure([Int: Value])

    var number: Int? { if case .number(let number) = self { number } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    subscript(field: Int) -> Value? { if case .structure(let fields) = self { fields[field] } else { nil } }
  }

  private let source: [UInt8]
  var place: Int

  init(_ source: [UInt8], at place: Int) {
    self.source = source
    self.place = place
  }

  private mutating func byte() throws -> UInt8 {
    guard source.indices.contains(place) else { throw ParquetFile.Broken() }
    place += 1
    return source[place - 1]
  }

  private mutating func varint() throws -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  private mutating func value(_ type: UInt8) throws -> Value {
    switch type {
    case 4, 5, 6:
      let value = try varint()
      return .number(Int(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)))
    case 8:
      let count = Int(try varint())
      guard place + count <= source.count else { throw ParquetFile.Broken() }
      place += count
      return .bytes(Array(source[place - count..<place]))
    case 9:
      let header = try byte()
      let count = header >> 4 == 15 ? Int(try varint()) : Int(header >> 4)
      return .list(try (0..<count).map { _ in try value(header & 15) })
    case 12: return .structure(try structure())
    default: throw ParquetFile.Broken()
    }
  }

  mutating func structure() throws -> [Int: Value] {
    var fields: [Int: Value] = [:]
    var last = 0
    while true {
      let header = try byte()
      if header == 0 { return fields }
      guard header >> 4 != 0 else { throw ParquetFile.Broken() }
      last += Int(header >> 4)
      fields[last] = try value(header & 15)
    }
  }
}
