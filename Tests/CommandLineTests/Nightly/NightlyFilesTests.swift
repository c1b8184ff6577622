import Foundation
import Testing

/// The files that a night takes for new, after other paths, kills and restores.
@Suite struct NightlyFilesTests {
  /// A file already in the store under another path, or moved, is not a copy of itself.
  @Test func aFileKnownByAnotherPathIsNoCopy() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "e.jsonl")
      #expect(try folder.run("ingest", "e.jsonl").status == 0)
      try folder.write("sources: [{files: '\(folder.path("e.jsonl"))'}]", to: "night.yaml")
      let same = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02")
      #expect(same.status == 0, "\(same.output)")
      try FileManager.default.moveItem(atPath: folder.path("e.jsonl"), toPath: folder.path("moved.jsonl"))
      try folder.write("sources: [{files: '*.jsonl'}]", to: "night.yaml")
      let moved = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-03")
      #expect(moved.status == 0, "\(moved.output)")
    }
  }

  /// Files in the store before the first night do not belong to it, however often the night is run.
  @Test func theFirstNightOfAStoreThatWasThereHasItsOwnFilesAlone() throws {
    try Folder.with { folder in
      try folder.write(NightlyCommandTests.events(1) + "bad\n", to: "old.jsonl")
      #expect(try folder.run("ingest", "old.jsonl").status == 0)
      try folder.write(NightlyCommandTests.events(2), to: "new.jsonl")
      try folder.write(
        "sources: [{files: '*.jsonl'}]\nthresholds: {quarantine_share: 0.001, sample_ratio_p: 0}", to: "night.yaml")
      for _ in 0..<2 {
        let night = try folder.run("nightly", "--config", "night.yaml", "--night", NightlyCommandTests.day(3))
        #expect(night.status == 0, "\(night.output)")
        #expect(night.output.hasPrefix("2026-03-03: 1 new file, "), "\(night.output)")
      }
      try folder.write(NightlyCommandTests.events(3) + "bad\n", to: "newest.jsonl")
      let next = try folder.run("nightly", "--config", "night.yaml", "--night", NightlyCommandTests.day(4))
      #expect(next.status == 4 && next.output.contains("new      quarantine: 1 of "), "\(next.output)")
    }
  }

  /// A night killed after reading a file and before writing a record still counts the file as its own.
  @Test func aNightThatWasKilledHasItsFilesWhenItRunsAgain() throws {
    try Folder.with { folder in
      try folder.write(NightlyCommandTests.events(1), to: "old.jsonl")
      #expect(try folder.run("ingest", "old.jsonl").status == 0)
      try folder.write(NightlyCommandTests.events(2), to: "new.jsonl")
      // The process waits for a writer to the FIFO.
      #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
      try folder.write(
        "sources: [{files: '*.jsonl'}, {files: pipe}]\nthresholds: {sample_ratio_p: 0}", to: "night.yaml")
      let process = Process()
      process.executableURL = Program.url
      process.arguments = ["nightly", "--config", "night.yaml", "--night", NightlyCommandTests.day(3), "--quiet"]
      process.currentDirectoryURL = folder.url
      process.environment = Program.environment(home: folder.url)
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      try process.run()
      var files = 0
      for _ in 0..<600 where files < 2 && process.isRunning {
        Thread.sleep(forTimeInterval: 0.05)
        let health = try folder.run("health", "--format", "csv").output
        files = health.split(separator: "\n").contains { $0.hasPrefix("(all),failed files,0,2") } ? 2 : 0
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      #expect(files == 2)
      try folder.write("sources: [{files: '*.jsonl'}]\nthresholds: {sample_ratio_p: 0}", to: "night.yaml")
      let record = try folder.text(of: "nightly/\(NightlyCommandTests.day(3)).json")
      #expect(record.contains("has started and not ended"))
      for _ in 0..<2 {
        let night = try folder.run("nightly", "--config", "night.yaml", "--night", NightlyCommandTests.day(3))
        #expect(night.status == 0 && night.output.hasPrefix("2026-03-03: 1 new file, "), "\(night.output)")
      }
    }
  }

  /// After a restore or a rebuild, the store's numbers stand for other files than the last record knows; all files that
  /// the night reads are checked.
  @Test(arguments: [true, false])
  func aStoreThatWasPutBackIsCheckedWhole(hasCopy: Bool) throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(atPath: folder.path("ev"), withIntermediateDirectories: true)
      try folder.write(
        "sources: [{files: ev/}]\nthresholds: {quarantine_share: 0.1, sample_ratio_p: 0}\ncheck_store: false",
        to: "night.yaml")
      try folder.write(NightlyCommandTests.events(1), to: "ev/b1.jsonl")
      try folder.write(NightlyCommandTests.events(2), to: "ev/b2.jsonl")
      func night(_ day: Int) throws -> Program.Result {
        try folder.run("nightly", "--config", "night.yaml", "--night", NightlyCommandTests.day(day))
      }
      #expect(try night(3).status == 0)
      #expect(try folder.run("backup", "copy.db").status == 0)
      try folder.write(NightlyCommandTests.events(3), to: "ev/b3.jsonl")
      #expect(try night(4).output.hasPrefix("2026-03-04: 1 new file, "))
      for name in ["tollgate.db", "tollgate.db-wal", "tollgate.db-shm", "tollgate.db.seal"] {
        try? FileManager.default.removeItem(atPath: folder.path(name))
      }
      if hasCopy {
        try FileManager.default.copyItem(atPath: folder.path("copy.db"), toPath: folder.path("tollgate.db"))
      }
      // First in reading order, so that the record takes its number for a known file.
      try folder.write(String(repeating: "bad\n", count: 500), to: "ev/a.jsonl")
      for _ in 0..<2 {
        let result = try night(5)
        #expect(result.status == 4 && result.output.contains("quarantine: 500 of "), "\(result)")
        #expect(result.output.hasPrefix("2026-03-05: \(hasCopy ? 2 : 4) new files, "), "\(result.output)")
      }
      try folder.write(NightlyCommandTests.events(4), to: "ev/b4.jsonl")
      let next = try night(6)
      #expect(next.output.hasPrefix("2026-03-06: 1 new file, ") && next.status == 0, "\(next)")
    }
  }

  /// A file of which no line is an event ends with the status of `ingest`, 3, once: the next night has read it.
  @Test func aFileWithoutAnEventIsAFinding() throws {
    try Folder.with { folder in
      try folder.write("store: night.db\nsources:\n  - files: [a.jsonl]\n", to: "night.yaml")
      try folder.write("not an event\nnor this\n", to: "a.jsonl")
      let first = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-01-02")
      #expect(first.status == 3 && first.output.contains("a.jsonl: all 2 lines were rejected"), "\(first)")
      let again = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-01-02")
      #expect(again.status == 3 && again.output == first.output, "\(again)")
      #expect(try folder.run("nightly", "--config", "night.yaml", "--night", "2026-01-03").status == 0)
    }
  }
}
