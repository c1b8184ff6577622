import Foundation
import Lifecycle
import Metrics
import Store
import Testing

@Suite struct MaintenanceTests {
  private static func makeStore(_ store: TestStore) throws {
    try store.ingest([store.write(Data(sampleLines.joined(separator: [0x0A])), to: "sample")])
    try store.ingest(MessyEvents.lines)
  }

  /// Damages each table that is derived from events.
  @Test(arguments: [
    "UPDATE entry_row SET ts = ts + 1", "DELETE FROM payment_row WHERE number = 0", "DELETE FROM spell_row",
    "UPDATE user SET person = 1 WHERE id < 9", "DELETE FROM user_join", "DELETE FROM entry_cell",
    "UPDATE trial_cell SET units = x'00' WHERE id = (SELECT MIN(id) FROM trial_cell)", "DELETE FROM money_block",
    "UPDATE app_day SET events = events + 1", "DELETE FROM arrival", "DELETE FROM impression_cell",
    "DELETE FROM trial_length",
  ])
  func repairMakesAgainWhatFollowsFromTheEvents(damage: String) throws {
    try withTestStore { store in
      try Self.makeStore(store)
      let before = try StoreContents(store)
      try store.sqlite().execute(damage)
      #expect(try store.differencesFromRebuild() != [])
      try Store.open(path: store.path).repair()
      #expect(try store.differencesFromRebuild() == [])
      #expect(try StoreContents(store).differences(from: before) == [])
      // Ingesting still works.
      try store.ingest([eventLine("activity", "later", at(20), user: "b-1")])
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  /// Overwrites the first page of each, which a `DELETE` would have to read.
  @Test(arguments: ["payment_row", "entry_cell", "kept_report", "origin", "app_day", "user_joined", "file_digest"])
  func repairDoesNotReadWhatItMakesAnew(name: String) throws {
    try withTestStore { store in
      try Self.makeStore(store)
      let before = try StoreContents(store)
      try Self.overwriteRoot(of: name, in: store)
      #expect(try Store.open(readOnly: store.path).read { try $0.integrityProblems() } != [])
      try Store.open(path: store.path).repair()
      #expect(try Store.open(readOnly: store.path).read { try $0.integrityProblems() } == [])
      #expect(try store.differencesFromRebuild() == [])
      #expect(try StoreContents(store).differences(from: before) == [])
      #expect(try Store.open(readOnly: store.path).read { try !$0.hasPendingVacuum() })
    }
  }

  @Test(arguments: ["event_block", "name", "user", "file", "rejected_line"])
  func whatNothingTellsAgainIsBeyondRepair(name: String) throws {
    try withTestStore { store in
      try Self.makeStore(store)
      try Self.overwriteRoot(of: name, in: store)
      let damaged = try Data(contentsOf: URL(fileURLWithPath: store.path))
      #expect {
        try Store.open(path: store.path).repair()
      } throws: { error in
        guard case StoreError.beyondRepair(store.path, let reason) = error else { return false }
        return reason.hasPrefix("the table \(name): ") && "\(error)".contains("Restore a backup")
      }
      try store.sqlite().execute("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == damaged)
    }
  }

  /// Overwrites the first page of a table or index with an invalid one.
  private static func overwriteRoot(of name: String, in store: TestStore) throws {
    let sqlite = try store.sqlite()
    let root = try sqlite.text("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'").flatMap { Int($0) }
    let size = try sqlite.text("PRAGMA page_size").flatMap { Int($0) }
    try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let (page, bytes) = (try #require(root), try #require(size))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
    try file.seek(toOffset: UInt64((page - 1) * bytes))
    try file.write(contentsOf: Data(repeating: 0xFF, count: bytes))
    try file.close()
  }

  @Test func eventsThatAreGoneOrPointNowhereAreNamed() throws {
    for (damage, problem) in [
      ("DELETE FROM event_block WHERE id = (SELECT MIN(id) FROM event_block)", "missing: the store has"),
      ("DELETE FROM file WHERE id = 1", "1 file that the store does not list"),
      ("DELETE FROM user WHERE id = 3", "1 user that the store does not list"),
      ("DELETE FROM terms WHERE id = (SELECT MAX(id) FROM terms)", "of terms"),
    ] {
      try withTestStore { store in
        try Self.makeStore(store)
        #expect(try Store.open(readOnly: store.path).read { try $0.referenceProblems() } == [])
        try store.sqlite().execute(damage)
        let problems = try Store.open(readOnly: store.path).read { try $0.referenceProblems() }
        #expect(problems.contains { $0.contains(problem) }, "\(damage): \(problems)")
      }
    }
  }

  @Test func filesThatChangedOrWentAreTold() throws {
    try withTestStore { store in
      for name in ["a", "b", "c"] {
        try store.ingest([store.write(Data(eventLine("activity", name, at(1), user: name).utf8), to: name)])
      }
      try FileManager.default.removeItem(at: store.directory.appendingPathComponent("b"))
      try Data("other".utf8).write(to: store.directory.appendingPathComponent("c"))
      let states = try Store.open(readOnly: store.path).read { try $0.fileStates() }
      #expect(states.map(\.state) == [.unchanged, .missing, .changed])
    }
  }

  @Test func aBackupIsTheStoreAtOneInstantAndReplacesOnlyACopy() throws {
    try withTestStore { store in
      try Self.makeStore(store)
      let before = try StoreContents(store)
      let copy = try TestStore(in: store.directory.appendingPathComponent("copy"))
      let summary = try Store.open(readOnly: store.path).backup(to: copy.path)
      #expect(try summary.bytes == Store.open(readOnly: copy.path).fileBytes)
      #expect(try StoreContents(copy).differences(from: before) == [])
      try store.ingest([eventLine("activity", "later", at(20), user: "b-1")])
      _ = try Store.open(readOnly: store.path).backup(to: copy.path)
      #expect(try StoreContents(copy).differences(from: StoreContents(store)) == [])
      // A store that events were loaded into may have some that the other one lacks.
      let other = try TestStore(in: store.directory.appendingPathComponent("other"))
      try other.ingest([eventLine("activity", "own", at(20), user: "b-1")])
      let isUsed = "is a store that events were loaded into, not a backup; name another file, or remove it"
      #expect(throws: StoreError.wrongTarget(path: other.path, reason: isUsed)) {
        try Store.open(readOnly: store.path).backup(to: other.path)
      }
      let notes = store.directory.appendingPathComponent("notes.txt")
      try Data("words".utf8).write(to: notes)
      let reason = "exists and is not a copy of a store; name another file, or remove it"
      #expect(throws: StoreError.wrongTarget(path: notes.path, reason: reason)) {
        try Store.open(readOnly: store.path).backup(to: notes.path)
      }
      // A copy made by an older program.
      try SQLiteFile(copy.path).execute("PRAGMA user_version = 12; PRAGMA journal_mode = DELETE")
      _ = try Store.open(readOnly: store.path).backup(to: copy.path)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: copy.directory.path).sorted() == [
          "tollgate.db", "tollgate.db.seal",
        ])
      #expect(try Store.checkSeal(of: copy.path) == .whole)
    }
  }

  @Test func aSealTellsThePageThatChangedAndIsBrokenByACommit() throws {
    try withTestStore { store in
      try Self.makeStore(store)
      let opened = try Store.open(path: store.path)
      #expect(try Store.checkSeal(of: store.path) == .absent)
      try opened.seal()
      #expect(try Store.checkSeal(of: store.path) == .whole)
      _ = try store.reports()
      #expect(try Store.checkSeal(of: store.path) == .whole)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: store.path))
      try file.seek(toOffset: 3 * 4096 + 100)
      let byte = try #require(try file.read(upToCount: 1)?.first)
      try file.seek(toOffset: 3 * 4096 + 100)
      try file.write(contentsOf: Data([byte ^ 4]))
      #expect(try Store.checkSeal(of: store.path) == .broken([4]))
      try file.seek(toOffset: 3 * 4096 + 100)
      try file.write(contentsOf: Data([byte]))
      #expect(try Store.checkSeal(of: store.path) == .whole)
      try store.ingest([eventLine("activity", "later", at(20), user: "b-1")])
      #expect(try Store.checkSeal(of: store.path) == .absent)
      try opened.seal()
      try opened.vacuum()
      #expect(try Store.checkSeal(of: store.path) == .absent)
    }
  }

  /// A commit removes the seal before its frames are in the log, so a log with a commit is of another state.
  @Test func aLogOfAnotherStateBesideASealedStoreIsRefused() throws {
    try withTestStore { store in
      try Self.makeStore(store)
      let opened = try Store.open(path: store.path)
      try opened.seal()
      let copy = try TestStore(in: store.directory.appendingPathComponent("copy"))
      try FileManager.default.copyItem(atPath: store.path, toPath: copy.path)
      try FileManager.default.copyItem(atPath: store.path + ".seal", toPath: copy.path + ".seal")
      #expect(try Store.checkSeal(of: copy.path) == .whole)
      // The reader keeps the log.
      try Store.open(readOnly: store.path).read { _ in
        try store.ingest([eventLine("activity", "later", at(20), user: "b-1")])
        try FileManager.default.copyItem(atPath: store.path + "-wal", toPath: copy.path + "-wal")
      }
      #expect(throws: StoreError.logBesideSeal(path: copy.path)) { try Store.open(readOnly: copy.path) }
      try FileManager.default.removeItem(atPath: copy.path + "-wal")
      _ = try Store.open(readOnly: copy.path)
    }
  }

  @Test func vacuumGivesRoomBackAndChangesNothing() throws {
    try withTestStore { store in
      try Self.makeStore(store)
      let before = try StoreContents(store)
      try store.sqlite().execute(
        "CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(4000000)); DROP TABLE filler")
      let opened = try Store.open(path: store.path)
      let bytes = opened.fileBytes
      try opened.vacuum()
      #expect(opened.fileBytes < bytes - 3_000_000)
      #expect(try StoreContents(store).differences(from: before) == [])
    }
  }

  /// For reports on facts, the oracle is the store before pruning; for facts, a fold of the remaining events.
  @Test(arguments: [30, 45]) func pruningKeepsEveryFact(days: Int64) throws {
    try withTestStore { store in
      try Self.makeStore(store)
      let before = try store.reports()
      let views = ["entries", "exposures", "trials", "subscriptions", "payments"]
      func rows() throws -> [[[String?]]] {
        try views.map { view in
          try store.sqlite().rows("SELECT * FROM \(view)").sorted {
            $0.map { $0 ?? "" }.lexicographicallyPrecedes($1.map { $0 ?? "" })
          }
        }
      }
      let facts = try rows()
      let firsts = "SELECT app, person, MIN(ts) FROM events WHERE environment = 'production' GROUP BY app, person"
      let firstEvents = try store.sqlite().rows(firsts)
      let opened = try Store.open(path: store.path)
      let planned = try opened.prune(age: days * day, isDryRun: true)
      let count = Int(try store.sqlite().text("SELECT COUNT(*) FROM events") ?? "") ?? 0
      let done = try opened.prune(age: days * day)
      #expect(done == planned && done.events > 0)
      #expect(Int(try store.sqlite().text("SELECT COUNT(*) FROM events") ?? "") == count - done.events)
      #expect(try rows() == facts)
      #expect(try store.reports() == before)
      #expect(try store.sqlite().rows(firsts) == firstEvents)
      #expect(try store.differencesFromRebuild() == [])
      #expect(try opened.read { try $0.referenceProblems() } == [])
      #expect(try opened.prune(age: days * day).events == 0)
    }
  }
}
