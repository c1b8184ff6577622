import FolderSupport
import Foundation
import Ingest
import Store
import Testing

/// A store that is new is made in a part file, which takes its place with the first commit.
@Suite struct NewStoreTests {
  private let lines = MessyEvents.lines
  private struct Stopped: Error {}

  private func names(_ store: TestStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.directory.path).filter { $0.contains("tollgate.db") }
      .sorted()
  }

  private func input(_ store: TestStore, _ lines: [String], _ name: String = "events") throws -> InputFile {
    try store.write(Data(lines.joined(separator: "\n").utf8), to: name)
  }

  /// The oracle is a store that was there, empty, before its first event.
  @Test(arguments: [20, Ingestion.commitEvents])
  func itHasTheContentOfAStoreThatWasThere(commitEvents: Int) throws {
    try withTestStore { there in
      _ = try Store.open(path: there.path)
      let inputs = try [0, 1, 2].map { number in
        try input(there, lines.enumerated().filter { $0.offset % 3 == number }.map(\.element), "\(number).jsonl")
      }
      let expected = try there.ingest(inputs, commitEvents: commitEvents)
      try withTestStore { (new: TestStore) throws -> Void in
        #expect(try new.ingest(inputs, commitEvents: commitEvents) == expected)
        #expect(try StoreContents(new).differences(from: StoreContents(there)) == [])
        #expect(try new.sqlite().text("PRAGMA integrity_check") == "ok")
        #expect(try new.sqlite().text("PRAGMA journal_mode") == "wal")
        #expect(try new.differencesFromRebuild() == [])
        // The query planner knows as much.
        let planned = "SELECT DISTINCT tbl FROM sqlite_stat1 ORDER BY 1"
        #expect(try new.sqlite().rows(planned) == there.sqlite().rows(planned))
      }
    }
  }

  @Test func nobodySeesItBeforeItsFirstCommit() throws {
    try withTestStore { store in
      let inputs = try [input(store, Array(lines.prefix(40)), "a"), input(store, Array(lines.dropFirst(40)), "b")]
      let opened = try Store.openOrStart(path: store.path)
      var ingestion = Ingestion(store: opened, commitEvents: 10)
      var commits = 0
      ingestion.confirm = { _ in
        commits += 1
        if commits == 1 {
          #expect(throws: StoreError.notFound(path: store.path)) { try Store.open(readOnly: store.path) }
          #expect(try names(store) == [".tollgate.db.part-0"])
          let part = store.directory.appendingPathComponent(".tollgate.db.part-0").path
          let mode = try FileManager.default.attributesOfItem(atPath: part)[.posixPermissions] as? NSNumber
          #expect(mode?.int16Value == 0o600)
        } else {
          // The first commit is there for readers, whatever comes of the second.
          #expect(try Store.open(readOnly: store.path).read { try $0.inputTotals().files } == 1)
          throw Stopped()
        }
        return true
      }
      #expect(throws: Stopped.self) { try ingestion.run(inputs) }
      #expect(commits == 2)
      let mode = try FileManager.default.attributesOfItem(atPath: store.path)[.posixPermissions] as? NSNumber
      #expect(mode?.int16Value == 0o600)
      // Running the command again completes the work.
      #expect(try store.ingest(inputs).filesSkipped == 1)
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  @Test func aRunThatFailsLeavesNothing() throws {
    try withTestStore { store in
      let input = try input(store, lines)
      do {
        var ingestion = Ingestion(store: try Store.openOrStart(path: store.path))
        ingestion.confirm = { _ in throw Stopped() }
        #expect(throws: Stopped.self) { try ingestion.run([input]) }
      }
      #expect(try names(store) == [])
      #expect(try store.ingest([input]).files == 1)
    }
  }

  @Test func partsOfKilledRunsAreRemoved() throws {
    try withTestStore { store in
      for name in [".tollgate.db.part-0", ".tollgate.db.part-0-journal", ".tollgate.db.part-4711"] {
        _ = try store.write(Data("left behind".utf8), to: name)
      }
      try store.ingest(lines)
      #expect(try names(store) == ["tollgate.db"])
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  /// A file that fails in the middle is rolled back, and the files before it are read again.
  @Test(arguments: [20, Ingestion.commitEvents])
  func aFileThatFailsLateTakesNothingWithIt(commitEvents: Int) throws {
    try withTestStore { store in
      let long = (0..<5000).map { impression("l\($0)", at(Double($0) / 8), user: "l\($0 % 7)") }
      let whole = Packing.zstdFrames.pack(Array(long.joined(separator: "\n").utf8))
      let inputs = [
        try input(store, [impression("1", at(1), user: "a")], "a before"),
        try store.write(whole.prefix(whole.count - 9), to: "b long"),
        try input(store, [impression("2", at(2), user: "b")], "c after"),
      ]
      let summary = try store.ingest(inputs, commitEvents: commitEvents)
      #expect(summary.failures.map(\.path) == [inputs[1].path])
      #expect(summary.files == 2 && summary.events == 2)
      #expect(try store.sqlite().rows("SELECT event_id FROM events ORDER BY 1") == [["1"], ["2"]])
      #expect(try store.sqlite().text("PRAGMA integrity_check") == "ok")
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  @Test func anotherProcessWaitsForIt() throws {
    try withTestStore { store in
      let first = try Store.openOrStart(path: store.path)
      #expect(throws: StoreError.locked(path: store.path, seconds: 0.05)) {
        try Store.openOrStart(path: store.path, lockTimeout: 0.05)
      }
      #expect(throws: StoreError.locked(path: store.path, seconds: 0.05)) {
        try Store.open(path: store.path, lockTimeout: 0.05)
      }
      let half = try input(store, Array(lines.prefix(lines.count / 2)), "first")
      let path = store.path
      let isWaiting = DispatchSemaphore(value: 0)
      let isDone = DispatchSemaphore(value: 0)
      let rest = try input(store, Array(lines.dropFirst(lines.count / 2)), "second")
      Thread {
        isWaiting.signal()
        if let second = try? Store.openOrStart(path: path) { _ = try? Ingestion(store: second).run([rest]) }
        isDone.signal()
      }.start()
      isWaiting.wait()
      Thread.sleep(forTimeInterval: 0.1)
      _ = try Ingestion(store: first).run([half])
      isDone.wait()
      #expect(try store.sqlite().text("SELECT COUNT(*) FROM files") == "2")
      #expect(try names(store).filter { $0.contains("part") } == [])
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  /// The log and the seal of a store that was removed by hand would damage the one that follows it.
  @Test func whatAnEarlierStoreLeftIsNotTakenForItsOwn() throws {
    try withTestStore { store in
      try store.ingest([impression("old", at(0), user: "old")])
      let open = try store.sqlite()
      try open.execute("CREATE TABLE later (value); INSERT INTO later VALUES (1)")
      let log = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal"))
      #expect(try open.text("SELECT value FROM later") == "1" && !log.isEmpty)
      let other = try TestStore(in: store.directory.appendingPathComponent("other"))
      for suffix in ["-wal", "-journal", ".seal"] { _ = try other.write(log, to: "tollgate.db" + suffix) }
      try other.ingest(lines)
      #expect(try names(other) == ["tollgate.db"])
      #expect(try other.sqlite().text("PRAGMA integrity_check") == "ok")
      #expect(try other.sqlite().text("SELECT COUNT(*) FROM events WHERE event_id = 'old'") == "0")
      #expect(try other.differencesFromRebuild() == [])
    }
  }

  @Test func aFileThatIsThereMeanwhileIsLeftAlone() throws {
    try withTestStore { store in
      let input = try input(store, lines)
      let mine = Data("my notes".utf8)
      #expect {
        let opened = try Store.openOrStart(path: store.path)
        _ = try store.write(mine, to: "tollgate.db")
        _ = try Ingestion(store: opened).run([input])
      } throws: { "\($0)".hasPrefix("\(store.path): cannot be opened: another program has created it meanwhile") }
      #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == mine)
      #expect(try names(store) == ["tollgate.db"])
    }
  }

  @Test func aLinkToNothingStaysALink() throws {
    try withTestStore { store in
      let real = store.directory.appendingPathComponent("real.db").path
      try FileManager.default.createSymbolicLink(atPath: store.path, withDestinationPath: real)
      try store.ingest(lines)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: store.path) == real)
      #expect(try SQLiteFile(real).text("SELECT COUNT(*) > 0 FROM events") == "1")
    }
  }

  @Test func aMissingFolderIsNamedAndNotMade() throws {
    try withTemporaryDirectory { (directory: URL) throws -> Void in
      let folder = directory.appendingPathComponent("no").path
      let path = folder + "/tollgate.db"
      #expect(throws: StoreError.cannotOpen(path: path, reason: "the folder \(folder) does not exist")) {
        try Store.openOrStart(path: path)
      }
      #expect(!FileManager.default.fileExists(atPath: folder))
    }
  }
}
