import FolderSupport
import Foundation
import Ingest
import Store
import Testing

/// A file that is no store, or is newer than the program, is refused by name; and the rules on locks.
@Suite struct OpeningTests {
  /// Checks that opening for reading and for writing throws the error and leaves the folder unchanged.
  private func expectRefusal(
    of path: String, in directory: URL, _ error: StoreError, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try contents(of: directory)
    #expect(throws: error, sourceLocation: sourceLocation) { try Store.open(path: path, lockTimeout: 1) }
    #expect(throws: error, sourceLocation: sourceLocation) { try Store.open(readOnly: path) }
    let after = try contents(of: directory)
    #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
    for (name, data) in before { #expect((after[name] == data), "\(name)", sourceLocation: sourceLocation) }
    #expect("\(error)".hasPrefix(path), sourceLocation: sourceLocation)
  }

  private func contents(of directory: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      contents[name] = try Data(contentsOf: directory.appendingPathComponent(name))
    }
    return contents
  }

  @Test(arguments: ["hello\n", String(repeating: "a line of text\n", count: 1_000)])
  func aFileThatIsNoDatabaseIsRefusedAndLeftAlone(text: String) throws {
    try withTemporaryDirectory { directory in
      let url = directory.appendingPathComponent("notes.txt")
      try Data(text.utf8).write(to: url)
      try expectRefusal(of: url.path, in: directory, .notAStore(path: url.path))
    }
  }

  @Test func anotherProgramsDatabaseIsRefusedAndLeftAlone() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("photos.sqlite").path
      try SQLiteFile(path).execute("CREATE TABLE photo (id INTEGER PRIMARY KEY); INSERT INTO photo VALUES (1)")
      try expectRefusal(of: path, in: directory, .notAStore(path: path))
      // With a write-ahead log, SQLite itself creates the files next to the database, but the database is not written
      // to.
      try SQLiteFile(path).execute("PRAGMA journal_mode = WAL")
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(throws: StoreError.notAStore(path: path)) { try Store.open(path: path) }
      #expect(throws: StoreError.notAStore(path: path)) { try Store.open(readOnly: path) }
      #expect((try Data(contentsOf: URL(fileURLWithPath: path)) == before))
      #expect(try SQLiteFile(path).rows("SELECT id FROM photo") == [["1"]])
    }
  }

  /// Opening a pipe for reading would wait until somebody writes to it.
  @Test(.timeLimit(.minutes(1))) func aPipeIsRefusedAtOnce() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("pipe").path
      #expect(mkfifo(path, 0o600) == 0)
      #expect(throws: StoreError.notAStore(path: path)) { try Store.open(path: path) }
      #expect(throws: StoreError.notAStore(path: path)) { try Store.open(readOnly: path) }
    }
  }

  @Test func anEmptyDatabaseOfAnotherProgramIsRefused() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("other.sqlite").path
      try SQLiteFile(path).execute("PRAGMA application_id = 252006673")
      try expectRefusal(of: path, in: directory, .notAStore(path: path))
    }
  }

  @Test func aStoreOfANewerProgramIsRefusedAndLeftAlone() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      let sqlite = try store.sqlite()
      let version = Int(try sqlite.text("PRAGMA user_version") ?? "") ?? 0
      #expect(version >= 1)
      // Puts everything into one file, so that the next open has no journal to clean up.
      try sqlite.execute("PRAGMA user_version = \(version + 7); PRAGMA journal_mode = DELETE")
      try expectRefusal(
        of: store.path, in: store.directory,
        .newerThanProgram(path: store.path, version: version + 7, supported: version))
    }
  }

  /// Opening an older store for reading changes nothing and says what to do; opening it for writing migrates it, and no
  /// number changes.
  @Test func aStoreOfAnOlderProgramIsBroughtUpToDateByAWriter() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      let before = try store.reports()
      let sqlite = try store.sqlite()
      let version = try #require(Int(try sqlite.text("PRAGMA user_version") ?? ""))
      // Older programs did not name the events that rejected lines would be.
      try sqlite.execute(
        """
        DROP TABLE left_out;
        CREATE TEMP TABLE kept AS SELECT id, file, line, reason, field, raw FROM rejected_line;
        DROP TABLE rejected_line;
        CREATE TABLE rejected_line (
          id INTEGER NOT NULL PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, reason TEXT NOT NULL,
          field TEXT, raw ANY NOT NULL
        ) STRICT;
        INSERT INTO rejected_line SELECT * FROM kept;
        PRAGMA user_version = 12
        """)
      #expect {
        _ = try store.reports()
      } throws: { error in
        "\(error)".contains("version 12") && "\(error)".contains("tollgate ingest")
      }
      #expect(try sqlite.text("PRAGMA user_version") == "12")
      _ = try Store.open(path: store.path)
      #expect(try sqlite.text("PRAGMA user_version") == "\(version)")
      #expect(try store.reports() == before)
    }
  }

  /// Stores of version 11 lacked products and offers of units.
  @Test func aStoreWithoutOffersIsFoldedAgain() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      let before = try store.reports()
      let sqlite = try store.sqlite()
      let version = try #require(Int(try sqlite.text("PRAGMA user_version") ?? ""))
      let views = try sqlite.rows("SELECT name FROM sqlite_schema WHERE type = 'view'").compactMap { row in
        row[0].map { "DROP VIEW \($0)" }
      }
      let columns = ["product", "offering", "offer_type", "offer_code"].map { "ALTER TABLE origin DROP COLUMN \($0)" }
      try sqlite.execute((views + columns + ["PRAGMA user_version = 11"]).joined(separator: "; "))
      _ = try Store.open(path: store.path)
      #expect(try sqlite.text("PRAGMA user_version") == "\(version)")
      #expect(try store.reports() == before)
      #expect(try sqlite.text("SELECT count(*) > 0 FROM trials WHERE product_id IS NOT NULL") == "1")
    }
  }

  @Test func aDamagedStoreIsSaidToBe() throws {
    try withTestStore { store in
      try store.ingest(sampleLines.map { String(decoding: $0, as: UTF8.self) })
      try store.sqlite().execute("PRAGMA wal_checkpoint(TRUNCATE)")
      let url = URL(fileURLWithPath: store.path)
      var data = try Data(contentsOf: url)
      // Damages all pages except the first.
      data.replaceSubrange(4_096..., with: Data(repeating: 0xFF, count: data.count - 4_096))
      try data.write(to: url)
      #expect {
        _ = try store.reports()
      } throws: { error in
        guard case StoreError.damaged(store.path, _) = error else { return false }
        return "\(error)".contains("`tollgate doctor --repair --store ")
      }
    }
  }

  @Test func aStoreThatIsNotThereIsMadeForWritingOnly() throws {
    try withTestStore { store in
      #expect(throws: StoreError.notFound(path: store.path)) { try Store.open(readOnly: store.path) }
      #expect(!FileManager.default.fileExists(atPath: store.path))
      _ = try Store.open(path: store.path)
      // Events are personal data.
      let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.int16Value == 0o600)
      let apps = try Store.open(readOnly: store.path).read { try $0.apps().count }
      #expect(apps == 0)
      #expect(try store.reports().values.allSatisfy { $0.split(separator: "\n").count == 1 })
    }
  }

  @Test func anEmptyFileBecomesAStoreWhenWrittenTo() throws {
    try withTestStore { store in
      _ = FileManager.default.createFile(atPath: store.path, contents: nil)
      #expect(throws: StoreError.notAStore(path: store.path)) { try Store.open(readOnly: store.path) }
      try store.ingest([impression("1", at(0), user: "u")])
      #expect(try store.counts() == [1, 0, 0])
    }
  }

  @Test func aMissingFolderIsNamedAndNotMade() throws {
    try withTemporaryDirectory { (directory: URL) throws -> Void in
      let folder = directory.appendingPathComponent("no").path
      let path = folder + "/tollgate.db"
      #expect(throws: StoreError.cannotOpen(path: path, reason: "the folder \(folder) does not exist")) {
        try Store.open(path: path)
      }
      #expect(throws: StoreError.notFound(path: path)) { try Store.open(readOnly: path) }
      #expect(try contents(of: directory).isEmpty)
    }
  }

  @Test func aFolderIsNoStore() throws {
    try withTemporaryDirectory { directory in
      for open in [{ try Store.open(path: $0) }, { try Store.open(readOnly: $0) }] {
        #expect(throws: StoreError.isFolder(path: directory.path)) { try open(directory.path) }
      }
    }
  }

  @Test func aStoreThatAnotherWritesIsLockedAfterTheTimeout() throws {
    try withTestStore { store in
      try store.ingest([impression("1", at(0), user: "u")])
      let input = try store.write(Data(impression("2", at(1), user: "u").utf8), to: "more")
      let other = try store.sqlite()
      try other.execute("BEGIN IMMEDIATE")
      #expect(throws: StoreError.locked(path: store.path, seconds: 0.05)) {
        let opened = try Store.open(path: store.path, lockTimeout: 0.05)
        _ = try Ingestion(store: opened, lockTimeout: 0.05).run([input])
      }
      try other.execute("ROLLBACK")
      // Running the same command again completes the work.
      #expect(try store.ingest([input]).events == 1)
    }
  }

  /// The ingest starts while another process holds the lock, and proceeds once it is released within the timeout.
  @Test func aWriterWaitsForTheOther() throws {
    try withTestStore { store in
      try store.ingest([impression("1", at(0), user: "u")])
      let input = try store.write(Data(impression("2", at(1), user: "u").utf8), to: "more")
      let path = store.path
      let began = ContinuousClock.now
      let isLocked = DispatchSemaphore(value: 0)
      let other = Thread {
        let sqlite = try? SQLiteFile(path)
        try? sqlite?.execute("BEGIN IMMEDIATE")
        isLocked.signal()
        Thread.sleep(forTimeInterval: 0.3)
        try? sqlite?.execute("ROLLBACK")
      }
      other.start()
      isLocked.wait()
      let opened = try Store.open(path: store.path, lockTimeout: 30)
      #expect(try Ingestion(store: opened, lockTimeout: 30).run([input]).events == 1)
      // Otherwise nobody held the lock.
      #expect(ContinuousClock.now - began >= .milliseconds(300))
    }
  }

  /// Readers are never blocked; they see the last commit.
  @Test func readersSeeTheLastCommitWhileAnotherWrites() throws {
    try withTestStore { store in
      try store.ingest([impression("1", at(0), user: "u")])
      let expected = try StoreContents(store)
      let input = try store.write(
        Data(MessyEvents.lines.joined(separator: "\n").utf8), to: "more")
      let writing = try Store.open(path: store.path)
      var looked = 0
      let summary = try Ingestion(store: writing).run([input]) { _, _ in
        // The transaction with the new events is still open.
        looked += 1
        #expect(throws: StoreError.locked(path: store.path, seconds: 0)) {
          let opened = try Store.open(path: store.path, lockTimeout: 0)
          _ = try Ingestion(store: opened, lockTimeout: 0).run([input])
        }
        #expect((try? StoreContents(store).differences(from: expected)) == [])
      }
      #expect(looked == 1 && summary.files == 1)
      #expect(try store.counts()[0] == 1 + summary.events && summary.events > 50)
    }
  }

  /// A snapshot stays at one instant, whatever is written meanwhile.
  @Test func oneReadIsOfOneInstant() throws {
    try withTestStore { store in
      try store.ingest([impression("1", at(0), user: "u")])
      try Store.open(readOnly: store.path).read { snapshot in
        let before = try snapshot.apps().map(\.events)
        try store.ingest([impression("2", at(1), user: "u")])
        #expect(try snapshot.apps().map(\.events) == before)
        #expect(try snapshot.inputTotals().events == 1)
      }
    }
  }
}
