import Basics
import Testing

@testable import Parquet

/// Reads files back with a reader written from the format's definition (parquet.thrift, Encodings.md); it shares only
/// zstd with the writer. `make cluster-test` covers another program: Spark reads every file.
@Suite struct ParquetWriterTests {
  private let columns: [(name: String, type: ParquetType)] = [
    ("name", .text), ("count", .integer), ("is_new", .flag),
  ]

  private func append(_ writer: ParquetWriter, _ row: [[UInt8]?]) throws {
    for (column, cell) in row.enumerated() {
      if let cell { try cell.withUnsafeBytes { try writer.append(column, $0) } } else { try writer.append(column, nil) }
    }
    try writer.endRow()
  }

  private func number(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

  /// Derived by hand: three rows, the second all NULL. A page has the length of its levels, the levels, and the values.
  @Test func pagesAreLaidOutAsTheFormatSays() throws {
    let writer = ParquetWriter(columns, ZstdFrame(level: 1))
    for row in [[Array("ab".utf8), number(-2), [1]], [nil, nil, nil], [[], number(3), [1]]] { try append(writer, row) }
    let file = try ParquetFile(writer.finish())
    #expect(file.rowCount == 3 && file.names == ["name", "count", "is_new"])
    // BYTE_ARRAY with UTF8, INT64, BOOLEAN; all OPTIONAL.
    #expect(file.types == [6, 2, 0] && file.convertedTypes == [0, nil, nil])
    let group = try #require(file.groups.first)
    // One bit-packed run of a group of eight, 0b101.
    let levels: [UInt8] = [2, 0, 0, 0, 3, 5]
    #expect(try file.pages(of: group[0]).map(\.plain) == [levels + [2, 0, 0, 0, 0x61, 0x62, 0, 0, 0, 0]])
    #expect(try file.pages(of: group[1]).map(\.plain) == [levels + number(-2) + number(3)])
    #expect(try file.pages(of: group[2]).map(\.plain) == [levels + [3]])
    #expect(group.map(\.nulls) == [1, 1, 1])
    #expect(group[1].least == number(-2) && group[1].most == number(3) && group[0].least == nil)
  }

  /// All values present: one run of level 1, its count doubled (RLE).
  @Test func levelsOfAFullPageAreOneRun() throws {
    let writer = ParquetWriter([("n", .integer)], ZstdFrame(level: 1))
    for value in 0..<100 { try append(writer, [number(Int64(value))]) }
    let file = try ParquetFile(writer.finish())
    let page = try #require(try file.pages(of: file.groups[0][0]).first)
    #expect(page.rows == 100 && page.plain.prefix(7) == [3, 0, 0, 0, 0xC8, 0x01, 1])
  }

  /// The rows are random, in several pages and row groups.
  @Test func rowsComeBackAsTheyWere() throws {
    var random = SplitMix64(seed: 5)
    var rows: [[[UInt8]?]] = []
    for index in 0..<70_000 {
      rows.append([
        Int.random(in: 0..<5, using: &random) == 0
          ? nil : (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 32...126, using: &random) },
        index % 7 == 0 ? nil : number(Int64.random(in: .min ... .max, using: &random)), [UInt8(index % 3 == 0 ? 1 : 0)],
      ])
    }
    let writer = ParquetWriter(columns, ZstdFrame(level: 1))
    for row in rows { try append(writer, row) }
    let bytes = try writer.finish()
    let file = try ParquetFile(bytes)
    #expect(file.rowCount == rows.count && file.groups.count == 2)
    for (column, type) in columns.map(\.type).enumerated() {
      var values: [[UInt8]?] = []
      for group in file.groups { for page in try file.pages(of: group[column]) { values += page.values(type) } }
      #expect(values == rows.map { $0[column] }, "column \(column)")
    }
    // The program's own reader agrees.
    let lines = try ParquetText.lines(bytes)
    #expect(lines.count == rows.count)
    for (line, row) in zip(lines, rows).prefix(500) {
      var members: [String] = []
      if let text = row[0] { members.append(#""name":"# + JSONText.quoted(String(decoding: text, as: UTF8.self))) }
      if let bytes = row[1] {
        members.append(#""count":\#(bytes.withUnsafeBytes { PlainValue.read(Int64.self, $0, at: 0) })"#)
      }
      members.append(#""is_new":\#(row[2] == [1])"#)
      #expect(line == "{\(members.joined(separator: ","))}")
    }
  }
}
