import RandomSupport
import Testing

@testable import Cluster

@Suite struct RowPackTests {
  private let types: [WorkerProtocol.ColumnType] = [.text, .integer, .flag, .text]

  /// Rows of random values, every kind of them NULL at times.
  private func rows(_ count: Int, seed: UInt64) -> [[[UInt8]?]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      types.map { type in
        if Int.random(in: 0..<4, using: &random) == 0 { return nil }
        let length =
          switch type {
          case .text: [0, 1, 7, 300][Int.random(in: 0..<4, using: &random)]
          case .integer: 8
          case .flag: 1
          }
        return (0..<length).map { _ in UInt8.random(in: type == .flag ? 0...1 : 0...255, using: &random) }
      }
    }
  }

  private func pack(_ rows: [[[UInt8]?]]) throws -> [UInt8] {
    var builder = RowPackBuilder(types)
    for row in rows {
      var bytes: [UInt8] = []
      let cells = row.map { cell -> Range<Int>? in
        guard let cell else { return nil }
        bytes += cell
        return bytes.count - cell.count..<bytes.count
      }
      bytes.withUnsafeBytes { builder.append($0, cells, Array(types.indices)) }
    }
    #expect(builder.rowCount == rows.count)
    let packed = try builder.take(ZstdFrame(level: 1))
    #expect(builder.rowCount == 0 && builder.byteCount == 0)
    return packed
  }

  @Test(arguments: [0, 1, 9, 500], [1, 2] as [UInt64])
  func rowsComeBackAsTheyWere(count: Int, seed: UInt64) throws {
    let rows = rows(count, seed: seed)
    var reader = try RowPackReader(pack(rows), types, ZstdFrame(level: 1))
    #expect(reader.rowCount == count)
    var found: [[[UInt8]?]] = []
    while try reader.next() { found.append(reader.cells.map { $0.map { Array(reader.bytes[$0]) } }) }
    #expect(found == rows)
  }

  /// A frame that is cut, another table's, or none at all is refused, and nothing is read past its end.
  @Test func whatIsNoPackIsRefused() throws {
    let packed = try pack(rows(20, seed: 3))
    let zstd = ZstdFrame(level: 1)
    for bad in [[], [0], Array(packed.dropLast()), [UInt8](repeating: 7, count: 40)] {
      #expect(throws: WorkerFault.self) { try RowPackReader(bad, types, zstd) }
    }
    #expect(throws: WorkerFault.self) {
      var reader = try RowPackReader(packed, [.text, .text, .text, .text, .integer], zstd)
      while try reader.next() {}
    }
    // Below zstd, every byte changed in turn: refused, or read without a trap.
    let plain = try packed.withUnsafeBytes { try zstd.bytes(of: $0) }
    for place in plain.indices {
      var other = plain
      other[place] ^= 0x81
      var frame: [UInt8] = []
      try other.withUnsafeBytes { try zstd.append($0, to: &frame) }
      _ = try? {
        var reader = try RowPackReader(frame, types, zstd)
        while try reader.next() {}
      }()
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

  /// Expected: `zlib.crc32(b"demo\nu1") % 7` and `zlib.crc32("app\nüser".encode()) % 65536` of Python, which is what
  /// Spark's `crc32` gives as well.
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
