import Basics
import Testing

@testable import Cluster

extension RowPackBuilder {
  /// Adds a row of encoded values.
  func append(_ row: [[UInt8]?]) {
    for cell in row {
      if let cell { cell.withUnsafeBytes { append($0) } } else { appendNull() }
    }
    endRow()
  }
}

@Suite struct RowPackTests {
  private let types: [WorkerProtocol.ColumnType] = [.text, .integer, .flag, .text]

  /// Returns rows of random values, with NULLs in every column.
  private func rows(_ count: Int, seed: UInt64) -> [[[UInt8]?]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      types.map { type in
        if Int.random(in: 0..<4, using: &random) == 0 { return nil }
        let length =
          switch type {
          case .text: [0, 1, 7, 300][Int.random(in: 0..<4, using: &random)]
          case .integer, .instant, .money, .real: 8
          case .flag: 1
          }
        return (0..<length).map { _ in UInt8.random(in: type == .flag ? 0...1 : 0...255, using: &random) }
      }
    }
  }

  private func pack(_ rows: [[[UInt8]?]]) throws -> [UInt8] {
    let builder = RowPackBuilder(types)
    defer { builder.deallocate() }
    for row in rows { builder.append(row) }
    #expect(builder.rowCount == rows.count)
    return try builder.pack(ZstdFrame(level: 1))
  }

  private func read(_ bytes: [UInt8], wanted: [Int]? = nil, types: [WorkerProtocol.ColumnType]? = nil) throws
    -> [[[UInt8]?]]
  {
    let types = types ?? self.types
    var reader = try bytes.withUnsafeBytes {
      try RowPackReader(RowPack($0, columnCount: types.count), types, ZstdFrame(level: 1), wanted: wanted)
    }
    var found: [[[UInt8]?]] = []
    while try reader.next() { found.append(reader.cells.map { $0.map { Array(reader.bytes[$0]) } }) }
    #expect(found.count == reader.rowCount)
    return found
  }

  @Test(arguments: [0, 1, 9, 500], [1, 2] as [UInt64])
  func rowsComeBackAsTheyWere(count: Int, seed: UInt64) throws {
    let rows = rows(count, seed: seed)
    #expect(try read(pack(rows)) == rows)
    #expect(try read(pack(rows), wanted: [2, 0]) == rows.map { [$0[0], nil, $0[2], nil] })
    // Reads the column headers without the pages.
    let bytes = try pack(rows)
    try bytes.withUnsafeBytes { bytes in
      let pack = try RowPack(bytes, columnCount: 4)
      #expect(pack.rowCount == count)
      for column in types.indices { #expect(pack.columns[column].nulls == rows.count { $0[column] == nil }) }
      let numbers = rows.compactMap { row in
        row[1].map { $0.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) } }
      }
      #expect(pack.columns[1].least == numbers.min() ?? .max && pack.columns[1].most == numbers.max() ?? .min)
    }
  }

  /// Truncated packs, packs of another table and other bytes are rejected, and nothing is read past the end.
  @Test func whatIsNoPackIsRefused() throws {
    let packed = try pack(rows(20, seed: 3))
    for bad in [[], [0], Array(packed.dropLast()), packed + [0], [UInt8](repeating: 7, count: 400)] {
      #expect(throws: WorkerFault.self) { try read(bad) }
    }
    #expect(throws: WorkerFault.self) { try read(packed, types: [.text, .text, .text, .text, .integer]) }
    // If any byte is changed, the pack is rejected or read without a crash.
    for place in packed.indices {
      var other = packed
      other[place] ^= 0x81
      _ = try? read(other)
    }
    // This also holds if any byte of the decompressed pages is changed.
    let zstd = ZstdFrame(level: 1)
    try packed.withUnsafeBytes { bytes in
      let pack = try RowPack(bytes, columnCount: types.count)
      for index in types.indices {
        let frame = pack.columns[index].frame
        var page = [UInt8](repeating: 0, count: try ZstdFrame.byteCount(of: frame))
        try page.withUnsafeMutableBytes { try zstd.read(frame, into: $0) }
        #expect(page.count == pack.columns[index].plainBytes)
        for place in page.indices {
          var other = page
          other[place] ^= 0x81
          let frames = try types.indices.map { column -> [UInt8] in
            try column == index
              ? other.withUnsafeBytes { try zstd.frame(of: $0) } : Array(pack.columns[column].frame)
          }
          var whole = Array(bytes[..<RowPack.headerBytes(columnCount: types.count)])
          for column in types.indices {
            withUnsafeBytes(of: UInt32(frames[column].count).littleEndian) {
              whole.replaceSubrange(4 + column * 28 + 24..<4 + column * 28 + 28, with: $0)
            }
          }
          _ = try? read(whole + frames.joined())
        }
      }
    }
  }

  @Test(arguments: [("3,7-9,1", [1, 3, 7, 8, 9]), ("", []), ("0-0", [0])] as [(String, [Int])])
  func droppedRowsAreNumbersAndRanges(text: String, rows: [Int]) throws {
    let dropped = try DroppedRows(text, row: 1)
    #expect((0..<20).filter(dropped.contains) == rows && dropped.isEmpty == rows.isEmpty)
  }

  @Test(arguments: ["x", "1-", "5-4", "1-2-3", "-"])
  func otherTextsNameNoRows(text: String) {
    let fault = #expect(throws: WorkerFault.self) { try DroppedRows(text, row: 4) }
    #expect(fault?.description == "row 4: \"\(text)\" names no rows to leave out")
  }

  /// Expected values are Python's `zlib.crc32(b"demo\nu1") % 7` and `zlib.crc32("app\nüser".encode()) % 65536`, which
  /// equal Spark's `crc32`.
  @Test func bucketsAreThoseOfCRC32() {
    func bucket(_ app: String, _ user: String, _ count: UInt32) -> UInt32 {
      Array(app.utf8).withUnsafeBytes { app in
        Array(user.utf8).withUnsafeBytes { UserBucket.number(app: app, user: $0, of: count) }
      }
    }
    #expect(bucket("demo", "u1", 7) == 4)
    #expect(bucket("app", "üser", 65_536) == 55_622)
  }
}
