import Basics
import Foundation
import Parquet
import Testing

@testable import Cluster

/// Checks that buckets of users give the same results as sorted events.
@Suite struct PackedWorkersTests: PackedRows {
  private func buckets(_ rows: [String], dropped: [String: String] = [:]) -> [String] {
    rows.filter { $0.hasPrefix("pack\t") }.map { columns($0) }.sorted { Int($0[4]) ?? 0 < Int($1[4]) ?? 0 }
      .map { "\($0[4])\t1\t\($0[2])\t\(dropped[$0[5]] ?? "\\N")\t\($0[7])" }
  }

  private func foldBuckets(_ rows: [String]) throws -> [String] {
    try WorkerRun.rows(rows.map { "\($0)\n" }.joined()) { input, output in
      var worker = BucketFoldWorker(input: input, output: output, options: .stored)
      try worker.run()
    }
  }

  @Test(arguments: [1, 4, 1000], [1, 2, 3] as [UInt64])
  func factsOfBucketsAreThoseOfRows(count: Int, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let lines = lines(persons: 40, seed: seed).map(\.line).shuffled(using: &random)
    let files = stride(from: 0, to: lines.count, by: 50).map {
      ("f\($0)", file(Array(lines[$0..<min($0 + 50, lines.count)])))
    }
    let rows = try WorkerRun.decoded(files)
    let packs = try WorkerRun.decode(files, buckets: count)
    #expect(try unpacked(packs).sorted() == rows.filter { $0.hasPrefix("event\t") }.sorted())
    let facts = try WorkerRun.fold(foldInput(rows))
    let packed = try foldBuckets(buckets(packs))
    #expect(facts.count > 40)
    let unpackedFacts = try unpacked(packed).sorted()
    #expect(unpackedFacts.filter { !$0.hasPrefix("cell\t") } == facts.dropLast().sorted())
    // The row fold writes equal packs, including cells.
    let folded = try WorkerRun.rows(foldInput(rows).map { "\($0)\n" }.joined()) {
      try FoldWorker.run($0, $1, options: .stored)
    }
    #expect(try unpacked(folded).sorted() == unpackedFacts)
    let persons = [facts, packed, folded].map { columns($0.last ?? "")[3] }
    #expect(persons == ["40", "40", "40"])
  }

  /// Users that are folded elsewhere are written under their person, and dropped rows are not written.
  @Test func movedUsersAndDroppedRows() throws {
    let lines = lines(persons: 12, seed: 7)
    let packs = try WorkerRun.decode([("f", file(lines.map(\.line)))], buckets: 1)
    let users = ["0\t0\ta0\tu2\tperson", "0\t0\ta1\tu3\tother"]
    let rows = try foldBuckets(users + buckets(packs))
    let moved = rows.filter { $0.hasPrefix("moved\t") }.map { columns($0) }
    let expected = lines.filter { ["u2", "u3"].contains($0.user) }
    #expect(moved.count == expected.count && Set(moved.map { $0[2] }) == ["person", "other"])
    #expect(try unpacked(rows).allSatisfy { !$0.contains("\tu2\t") && !$0.contains("\tu3\t") })
    // Only rows that are not dropped are folded: here the first row of each pack.
    let names = packs.filter { $0.hasPrefix("pack\t") }.map { columns($0) }
    let dropped = Dictionary(uniqueKeysWithValues: names.map { ($0[5], $0[6] == "1" ? "\\N" : "1-\(Int($0[6])! - 1)") })
    let few = try foldBuckets(buckets(packs, dropped: dropped))
    #expect(
      columns(few.last ?? "")[3]
        == String(
          Set(
            try unpacked(packs).enumerated().filter { index, row in
              firstRows(names).contains(index)
            }.map { columns($0.element)[1...2].joined(separator: " ") }
          ).count))
  }

  /// Returns the first row of each pack after packs are joined.
  private func firstRows(_ packs: [[String]]) -> Set<Int> {
    var start = 0
    return Set(
      packs.map { pack in
        defer { start += Int(pack[6]) ?? 0 }
        return start
      })
  }

  /// Parts give the file of each row of a pack.
  @Test func partsCoverThePacks() throws {
    let lines = lines(persons: 30, seed: 9).map(\.line)
    let rows = try WorkerRun.decode(
      [("a b", file(Array(lines[..<40]))), ("c", file(Array(lines[40...])))], buckets: 2)
    let packs = rows.filter { $0.hasPrefix("pack\t") }.map { columns($0) }
    for pack in packs {
      let parts = rows.filter { $0.hasPrefix("part\t\(pack[5])\t") }.map { columns($0) }
      var next = 0
      for part in parts {
        #expect(Int(part[4]) == next)
        next += Int(part[5]) ?? 0
      }
      #expect(next == Int(pack[6]))
      let paths = try unpacked(["\(pack.joined(separator: "\t"))"]).map { columns($0)[13] }
      #expect(paths == parts.flatMap { Array(repeating: $0[2], count: Int($0[5]) ?? 0) })
    }
  }

  /// The written numbers are those of the events, and those that occur more than once are found.
  @Test(arguments: [1, 9, 40]) func numbersThatOccurTwiceAreFound(buckets: Int) throws {
    let lines = lines(persons: 30, seed: 9).map(\.line)
    // Repeats some lines in another process's file, one of them three times.
    let again = Array(lines[3..<9]) + [lines[3]]
    let runs = try [lines, again].map { try WorkerRun.decode([("f", file($0))], buckets: buckets) }
    var places: [String: [String]] = [:]
    for rows in runs {
      for pack in rows.filter({ $0.hasPrefix("pack\t") }) {
        for (row, event) in try unpacked([pack]).enumerated() {
          places[columns(event)[16], default: []].append("\(columns(pack)[5])\t\(row)\t\(columns(event)[16])")
        }
      }
    }
    let input = runs.joined().filter { $0.hasPrefix("numbers\t") }.map { $0.dropFirst("numbers\t".count) }
      .sorted { (Int(columns(String($0))[0]) ?? 0) < (Int(columns(String($1))[0]) ?? 0) }
    let slices = Set(input.map { columns(String($0))[0] })
    #expect(slices.count > buckets / 2 && slices.allSatisfy { Int($0)! < buckets })
    func found(isAll: Bool) throws -> [String] {
      try WorkerRun.rows(input.map { "\($0)\n" }.joined()) {
        var worker = RepeatsWorker(input: $0, output: $1, isAll: isAll)
        try worker.run()
      }.dropLast().map { String($0.dropFirst("number\t".count)) }.sorted()
    }
    #expect(try found(isAll: false) == places.values.filter { $0.count > 1 }.flatMap(\.self).sorted())
    #expect(try found(isAll: false).count == 13)
    #expect(try found(isAll: true) == places.values.flatMap(\.self).sorted())
  }

  @Test func numbersOutOfOrderAreRefused() {
    let fault = #expect(throws: WorkerFault.self) {
      try WorkerRun.rows("1\tn\t\n0\tn\t\n") {
        var worker = RepeatsWorker(input: $0, output: $1)
        try worker.run()
      }
    }
    #expect(fault?.description == "row 2: slice 0 comes after 1; expected order of slices")
    #expect(throws: WorkerFault.self) { try NumberSlices.entries([UInt8](repeating: 0, count: 17)) }
  }

  /// Each event that joins two users has a row outside the packs.
  @Test func joinsAreTold() throws {
    let lines = [
      "{\"event_id\":\"1\",\"event\":\"identify\",\"app\":\"a\",\"user_id\":\"u\",\"previous_user_id\":\"anon\",\"ts\":\(dayZero)}",
      "{\"event_id\":\"2\",\"event\":\"activity\",\"app\":\"a\",\"user_id\":\"u\",\"ts\":\(dayZero)}",
    ]
    let rows = try WorkerRun.decode([("f", file(lines))], buckets: 1)
    let event = try #require(try unpacked(rows).map { columns($0) }.first { $0[4] == "identify" })
    #expect(
      rows.filter { $0.hasPrefix("join\t") } == ["join\ta\tu\tanon\t\(dayZero)\tfalse\tfalse\tf\t\(event[16])"])
  }

  @Test func eventsArePickedByNumber() throws {
    let packs = try WorkerRun.decode([("f", file(lines(persons: 9, seed: 4).map(\.line)))], buckets: 1)
    let events = try unpacked(packs).map { columns($0) }
    let pack = columns(try #require(packs.first { $0.hasPrefix("pack\t") }))
    let wanted = try unpacked([pack.joined(separator: "\t")]).prefix(3).map { columns($0)[16] }
    let rows = try WorkerRun.rows("\(pack[5])\t\(pack[2])\t\(wanted.joined(separator: ",")),17\t\(pack[7])\n") {
      try PickWorker.run($0, $1)
    }
    let picked = rows.dropLast().map { columns($0) }
    #expect(
      picked.map { Array($0[1...16]) }
        == events.filter { wanted.contains($0[16]) && $0[1] == pack[2] }.map { Array($0[1...]) })
    #expect(picked.map { $0[17] } == Array(repeating: pack[5], count: 3) && picked.map { $0[18] } == ["0", "1", "2"])
  }

  /// Each table, app, month and part becomes one file, with all rows of its packs except dropped ones.
  @Test func packsBecomeFiles() throws {
    let packs = try WorkerRun.decode([("f", file(lines(persons: 20, seed: 6).map(\.line)))], buckets: 3)
    let rows = packs.filter { $0.hasPrefix("pack\t") }.map { columns($0) }.sorted { ($0[2], $0[3]) < ($1[2], $1[3]) }
    let input = rows.enumerated().map { index, pack in
      "event\t\(pack[2])\t\(pack[3])\t0\t\(index == 0 ? 10 : 0)\t\(index == 1 ? "0" : "\\N")\t\(pack[7])\n"
    }
    let out = try WorkerRun.rows(input.joined()) { try TableWorker.run($0, $1) }
    let files = out.dropLast().map { columns($0) }
    #expect(files.map { $0[2] + $0[3] } == Array(Set(rows.map { $0[2] + $0[3] })).sorted())
    #expect(files.reduce(0) { $0 + (Int($1[4]) ?? 0) } == rows.reduce(-1) { $0 + (Int($1[6]) ?? 0) })
    var ids: Set<String> = []
    for file in files {
      let bytes = try Array(file[5].utf8).withUnsafeBytes { try Base64.bytes($0) }
      let content = try parquetRows(bytes + ParquetInput.magic)
      #expect(content.rows.count == Int(file[4]))
      #expect(content.names.contains("content") && !content.names.contains("app") && !content.names.contains("block"))
      for case .string(let id)? in content.rows.map({ $0["event_id"] }) { ids.insert(id) }
    }
    #expect(ids.count == rows.reduce(-1) { $0 + (Int($1[6]) ?? 0) })
    // Line numbers include the lines before the block of the first pack.
    let first = try parquetRows(
      Array(files[0][5].utf8).withUnsafeBytes { try Base64.bytes($0) } + ParquetInput.magic)
    let numbers = first.rows.map { row -> Int? in
      if case .number(let digits)? = row["line"] { Int(digits) } else { nil }
    }
    let original = try unpacked([rows[0].joined(separator: "\t")]).map { (Int(columns($0)[15]) ?? 0) + 10 }
    #expect(Array(numbers.prefix(original.count)) == original)
  }

  /// Returns the names of a file's columns and its rows.
  private func parquetRows(_ bytes: [UInt8]) throws -> (names: [String], rows: [JSONNode]) {
    let reader = try ParquetRows(ParquetInput(bytes))
    var text: [UInt8] = []
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { room.deallocate() }
    while case let count = try reader.read(into: room), count > 0 { text += room[..<count] }
    return (reader.names, text.split(separator: 0x0A).compactMap { JSONNode(parsing: Array($0)) })
  }

  /// If a bucket does not fit in memory, all its events are written as rows for Spark to sort.
  @Test func largeBucketsAreMoved() throws {
    let lines = lines(persons: 12, seed: 8)
    let packs = try WorkerRun.decode([("f", file(lines.map(\.line)))], buckets: 1)
    let large = buckets(packs).map { $0.replacing("0\t1\t", with: "0\t2\t", maxReplacements: 1) }
    let rows = try foldBuckets(["0\t0\ta0\tu2\tperson"] + large)
    let moved = rows.dropLast().map { columns($0) }
    #expect(moved.count == lines.count && moved.allSatisfy { $0[0] == "moved" })
    #expect(Set(moved.map { $0[2] }) == Set(lines.map(\.user)).subtracting(["u2"]).union(["person"]))
    let sorted = moved.sorted { ($0[1], $0[2], Int64($0[4]) ?? 0) < ($1[1], $1[2], Int64($1[4]) ?? 0) }
    #expect(sorted.map { $0[6] }.sorted() == (try unpacked(packs).map { columns($0)[12] }.sorted()))
  }

  @Test(arguments: [
    ("0\t1\ta\t\\N\tAAAA\n", "a pack is not laid out as this version does"),
    ("0\t7\ta\t\\N\tx\n", "row 1, column 2: names no kind of row"),
    ("0\t1\ta\t\\N\t*\n", "a column is not in base 64"),
    ("1\t0\ta\tu\tp\n0\t0\ta\tu\tp\n", "row 2: bucket 0 comes after 1"),
  ])
  func bucketsThatAreNoneAreRefused(input: String, message: String) {
    let fault = #expect(throws: WorkerFault.self) {
      try WorkerRun.rows(input) { input, output in
        var worker = BucketFoldWorker(input: input, output: output, options: .stored)
        try worker.run()
      }
    }
    #expect(fault?.status == .data && fault?.description.contains(message) == true, "\(String(describing: fault))")
  }
}
