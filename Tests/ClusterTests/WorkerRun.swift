import Cluster
import FolderSupport
import Foundation
import Lifecycle

/// Runs workers on rows in memory.
enum WorkerRun {
  /// Returns the rows that a worker writes for an input.
  static func rows(_ input: String, _ work: (RowInput, RowOutput) throws -> Void) throws -> [String] {
    try withTemporaryDirectory { (folder: URL) throws -> [String] in
      let (source, target) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
      try Data(input.utf8).write(to: source)
      try Data().write(to: target)
      let reading = try FileHandle(forReadingFrom: source)
      let writing = try FileHandle(forWritingTo: target)
      try work(RowInput(descriptor: reading.fileDescriptor), RowOutput(descriptor: writing.fileDescriptor))
      try writing.close()
      return String(decoding: try Data(contentsOf: target), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private struct Packs: PackedRows {}

  /// Returns the events and facts in packs as rows, then the other rows; the last one without the number of rows, which
  /// packs make another one.
  static func readable(_ rows: [String]) throws -> [String] {
    let others = rows.dropLast().filter { row in
      !["pack", "part", "numbers", "join"].contains { row.hasPrefix("\($0)\t") }
    }
    let end = Packs().columns(rows.last ?? "").dropLast().joined(separator: "\t")
    return try Packs().unpacked(rows).filter { !$0.hasPrefix("cell\t") } + others + [end]
  }

  /// Returns the facts of events by person, table, number and credit, as the driver sends them, and the last row.
  static func fold(_ rows: [String], options: FoldOptions = .stored) throws -> [String] {
    let out = try readable(
      self.rows(rows.map { "\($0)\n" }.joined()) { input, output in
        try FoldWorker.run(input, output, options: options)
      })
    let tables = Dictionary(uniqueKeysWithValues: WorkerProtocol.facts.enumerated().map { ($1.rawValue, $0) })
    let facts = out.dropLast().map { row -> (row: String, person: [UInt8], place: [Int]) in
      let columns = Packs().columns(row)
      return (
        row, Array("\(columns[1])\t\(columns[2])".utf8),
        [tables[columns[0]] ?? 0, Int(columns[3]) ?? 0, Int(columns[4]) ?? 0]
      )
    }
    let sorted = facts.sorted { left, right in
      left.person == right.person
        ? left.place.lexicographicallyPrecedes(right.place) : left.person.lexicographicallyPrecedes(right.person)
    }
    return sorted.map(\.row) + out.suffix(1)
  }

  /// Returns the events of files, and the other rows.
  static func decoded(_ files: [(path: String, content: Data)]) throws -> [String] {
    try readable(decode(files, buckets: 1))
  }

  static func decode(_ files: [(path: String, content: Data)], buckets: Int) throws -> [String] {
    try rows(files.map { "\($0.path)\t\($0.content.base64EncodedString())\n" }.joined()) { input, output in
      try DecodeWorker(
        input: input, output: output, folder: FileManager.default.temporaryDirectory.path, buckets: buckets
      ).runFiles()
    }
  }

  /// Returns an event as a row of the fold's input.
  static func row(_ person: String, _ kind: String, _ id: String, _ ts: Int64, _ rest: String = "") -> String {
    let event =
      "{\"app\":\"demo\",\"event\":\"\(kind)\",\"event_id\":\"\(id)\",\"ts\":\(ts),\"user_id\":\"\(person)\"\(rest)}"
    return "demo\t\(person)\t\(event)"
  }
}

/// 2026-03-01T00:00:00Z.
let dayZero: Int64 = 1_772_323_200_000
