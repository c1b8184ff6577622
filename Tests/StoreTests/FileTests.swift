import Foundation
import Ingest
import Metrics
import Store
import Testing

/// Files that were read before, and files that cannot be read.
@Suite struct FileTests {
  private let lines = (0..<40).map { impression("\($0)", at(Double($0) / 8), user: "u\($0)") }

  @Test func theSameBytesAreSkippedWhateverTheirName() throws {
    try withTestStore { store in
      let data = Packing.zstdFrames.pack(Array(lines.joined(separator: "\n").utf8))
      let first = try store.write(data, to: "a.jsonl.zst")
      let second = try store.write(data, to: "b.csv")
      var summary = try store.ingest([first, second, first])
      #expect(summary.files == 1 && summary.filesSkipped == 2 && summary.events == 40 && summary.duplicates == 0)
      summary = try store.ingest([second])
      #expect(summary == IngestSummary(filesSkipped: 1))
      #expect(try store.sqlite().rows("SELECT path FROM files") == [[first.path]])
      // A file with the same lines in other bytes is another file, with duplicates only.
      let plain = try store.write(Packing.plain.pack(Array(lines.joined(separator: "\n").utf8)), to: "a.jsonl")
      summary = try store.ingest([plain])
      #expect(summary.files == 1 && summary.events == 0 && summary.duplicates == 40)
    }
  }

  @Test(arguments: [Packing.gzipMembers, .zstdFrames])
  func nothingOfATruncatedFileIsTakenAndTheOthersAreRead(packing: Packing) throws {
    try withTestStore { store in
      let whole = packing.pack(Array((lines + ["no event"]).joined(separator: "\n").utf8))
      let bad = try store.write(whole.prefix(whole.count - 9), to: "bad")
      let before = try store.write(Data(impression("before", at(1), user: "b").utf8), to: "before")
      let after = try store.write(Data(impression("after", at(1), user: "a").utf8), to: "z after")
      let summary = try store.ingest([before, bad, after])
      #expect(summary.files == 2 && summary.events == 2 && summary.quarantinedLines == 0)
      #expect(summary.failures.map(\.path) == [bad.path])
      #expect(summary.failures.allSatisfy { !$0.reason.isEmpty })
      let sqlite = try store.sqlite()
      #expect(try sqlite.rows("SELECT event_id FROM events ORDER BY 1") == [["after"], ["before"]])
      #expect(try sqlite.rows("SELECT path FROM files WHERE failure IS NOT NULL") == [[bad.path]])
      #expect(try sqlite.text("SELECT COUNT(*) FROM quarantine") == "0")
      // A repeated failure changes nothing; the file is listed once.
      try store.ingest([bad])
      #expect(try sqlite.text("SELECT COUNT(*) FROM files") == "3")
      #expect(try store.differencesFromRebuild() == [])

      // Once corrected, the file is ingested and no longer listed as failed.
      let mended = try store.write(whole, to: "bad")
      let later = try store.ingest([before, mended, after])
      #expect(later.files == 1 && later.filesSkipped == 2 && later.events == 40 && later.failures == [])
      #expect(later.quarantined == ["not_json_object": 1])
      #expect(try sqlite.text("SELECT COUNT(*) FROM files WHERE failure IS NOT NULL") == "0")
      let totals = try Store.open(readOnly: store.path).read { try $0.inputTotals() }
      #expect(totals.files == 3 && totals.failedFiles == 0 && totals.events == 42)
    }
  }

  /// A file of several batches shares its transaction with the files before it. If it fails late, they are read again:
  /// each is counted once, and nothing of the failed file remains.
  @Test(arguments: [20, 1000])
  func aLongFileThatFailsLateTakesNothingWithIt(commitEvents: Int) throws {
    try withTestStore { store in
      func file(_ name: String, _ count: Int) -> [UInt8] {
        let lines = (0..<count).map { impression("\(name)\($0)", at(Double($0) / 8), user: "\(name)\($0 % 7)") }
        return Array(lines.joined(separator: "\n").utf8)
      }
      let known = try store.write(Packing.plain.pack(file("k", 3)), to: "a known")
      try store.ingest([known])
      let gone = try store.write(Data("x".utf8), to: "b gone")
      try FileManager.default.removeItem(atPath: gone.path)
      let before = try store.write(Packing.plain.pack(file("b", 10)), to: "c before")
      let whole = Packing.zstdFrames.pack(file("l", 5000))
      let long = try store.write(whole.prefix(whole.count - 9), to: "d long")
      let after = try store.write(Packing.plain.pack(file("a", 5)), to: "e after")
      let summary = try store.ingest([known, gone, before, long, after], commitEvents: commitEvents)
      #expect(summary.failures.map(\.path) == [gone.path, long.path])
      #expect(summary.files == 2 && summary.filesSkipped == 1 && summary.events == 15)
      let sqlite = try store.sqlite()
      #expect(try sqlite.text("SELECT COUNT(*) FROM events") == "18")
      #expect(try sqlite.text("SELECT COUNT(DISTINCT user_id) FROM events") == "15")
      #expect(try sqlite.rows("SELECT path FROM files WHERE failure IS NULL ORDER BY 1").count == 3)
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  @Test func aFileThatIsGoneOrAFolderOfNothingStopsNobody() throws {
    try withTestStore { store in
      let gone = try store.write(Data("x".utf8), to: "gone")
      try FileManager.default.removeItem(atPath: gone.path)
      let there = try store.write(Data(lines[0].utf8), to: "there")
      let summary = try store.ingest([gone, there])
      #expect(summary.failures.map(\.path) == [gone.path])
      #expect(summary.events == 1)
      #expect(try store.ingest([]) == IngestSummary())
      #expect(try store.ingest([store.write(Data(), to: "empty")]).files == 1)
    }
  }

  /// The summary of an ingest, the manifest and the views agree.
  @Test func theCountsOfFilesAddUpToTheirLines() throws {
    try withTestStore { store in
      let all = MessyEvents.lines.map { Array($0.utf8) } + MessyEvents.rejected
      let summary = try store.ingest([store.write(Data(all.joined(separator: [0x0A])), to: "all")])
      #expect(summary.quarantinedLines == MessyEvents.rejected.count + summary.conflicts)
      #expect(summary.events + summary.duplicates + summary.conflicts == MessyEvents.lines.count)
      let row = try store.sqlite().rows("SELECT lines, events, duplicates, conflicts, quarantined FROM files")
      let expected = [
        all.count, summary.events, summary.duplicates, summary.conflicts, MessyEvents.rejected.count,
      ]
      #expect(row == [expected.map { "\($0)" }])
      #expect(try store.sqlite().text("SELECT COUNT(*) FROM events") == "\(summary.events)")
      #expect(
        try store.sqlite().text("SELECT COUNT(*) FROM quarantine WHERE reason = 'conflict'") == "\(summary.conflicts)")
    }
  }
}

extension IngestSummary {
  fileprivate init(filesSkipped: Int) {
    self.init()
    self.filesSkipped = filesSkipped
  }
}
