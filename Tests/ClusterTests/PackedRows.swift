import Basics
import EventModel
import Foundation
import Testing

@testable import Cluster

/// A test suite that reads packs.
protocol PackedRows {}

extension PackedRows {
  /// Returns lines of random persons with their users; each event occurs once.
  func lines(persons: Int, seed: UInt64) -> [(user: String, line: String)] {
    var random = SplitMix64(seed: seed)
    var lines: [(String, String)] = []
    for person in 0..<persons {
      let user = "u\(person)"
      for event in 0..<Int.random(in: 1...9, using: &random) {
        let ts = dayZero + Int64.random(in: 0..<120, using: &random) * 43_200_000
        let rest = [
          "\"event\":\"paywall_impression\",\"entry_point\":\"e\(event % 3)\",\"variant\":\"v\\\"\(person % 2)\"",
          "\"event\":\"trial_start\",\"product_id\":\"p\",\"plan\":\"yearly\",\"trial_days\":7,\"price\":\"59.99\",\"currency\":\"usd\"",
          "\"event\":\"conversion\",\"product_id\":\"p\",\"plan\":\"yearly\",\"price\":59.99,\"currency\":\"USD\",\"transaction_id\":\"t\(event)\"",
          "\"event\":\"refund\",\"product_id\":\"p\",\"transaction_id\":\"t\(event - 1)\"", "\"event\":\"activity\"",
          "\"event\":\"exposure\",\"experiment\":\"x\",\"variant\":\"b\"",
        ][Int.random(in: 0..<6, using: &random)]
        lines.append(
          (
            user,
            "{\"event_id\":\"\(user)-\(event)\",\"app\":\"a\(person % 2)\",\"user_id\":\"\(user)\",\"ts\":\(ts),\(rest)}"
          ))
      }
    }
    return lines
  }

  func columns(_ row: String) -> [String] {
    row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the fields of rows in packs, in the order of the table's columns.
  func unpacked(_ rows: [String]) throws -> [String] {
    let zstd = ZstdFrame(level: 1)
    return try rows.filter { $0.hasPrefix("pack\t") }.flatMap { row -> [String] in
      let pack = columns(row)
      let table = try #require(WorkerProtocol.Tag(rawValue: pack[1]))
      let layout = try #require(PackLayout.all[table])
      let bytes = try Array(pack[7].utf8).withUnsafeBytes { try Base64.bytes($0) }
      var reader = try bytes.withUnsafeBytes {
        try RowPackReader(RowPack($0, columnCount: layout.types.count), layout.types, zstd)
      }
      var found: [String] = []
      while try reader.next() {
        var cells = try WorkerProtocol.allColumns(of: table).map { column -> String in
          guard let place = layout.names.firstIndex(of: column.name) else { return pack[2] }
          guard let cell = reader.cells[place] else { return "\\N" }
          switch column.type {
          case .text:
            var text: [UInt8] = []
            reader.bytes[cell].withUnsafeBytes { CopyText.append($0, to: &text) }
            return String(decoding: text, as: UTF8.self)
          case .integer, .instant, .money, .real: return String(try reader.integer(place))
          case .flag: return reader.bytes[cell.lowerBound] == 1 ? "true" : "false"
          }
        }
        cells.insert(table.rawValue, at: 0)
        found.append(cells.joined(separator: "\t"))
      }
      #expect(found.count == Int(pack[6]), "rows of \(table)")
      // The month of a cell is the month of its units.
      if table == .cell { return found }
      // The month is that of each row's instant.
      let instant = try #require(WorkerProtocol.allColumns(of: table).firstIndex { ["ts", "start"].contains($0.name) })
      let months = try found.map { row in
        let date = Instant(millisecondsSince1970: try #require(Int64(columns(row)[instant + 1]))).date
        return String(date.description.dropLast(3))
      }
      #expect(Set(months) == [pack[3]])
      return found
    }
  }

  /// Returns rows of events in the form and order of the row fold.
  func foldInput(_ rows: [String]) -> [String] {
    let kinds = WorkerProtocol.kinds
    return rows.filter { $0.hasPrefix("event\t") }.map { columns($0) }.sorted {
      let (left, right) = ($0, $1)
      let keys = [left, right].map { row in
        (
          Array(row[1].utf8), Array(row[2].utf8), Int64(row[5]) ?? 0, kinds.firstIndex(of: row[4]) ?? 0,
          Array(row[3].utf8)
        )
      }
      let (a, b) = (keys[0], keys[1])
      if a.0 != b.0 { return a.0.lexicographicallyPrecedes(b.0) }
      if a.1 != b.1 { return a.1.lexicographicallyPrecedes(b.1) }
      return a.2 != b.2 ? a.2 < b.2 : a.3 != b.3 ? a.3 < b.3 : a.4.lexicographicallyPrecedes(b.4)
    }.map { "\($0[1])\t\($0[2])\t\($0[12])" }
  }

  func file(_ lines: [String]) -> Data { Data((lines.joined(separator: "\n") + "\n").utf8) }
}
