import FolderSupport
import Foundation
import RandomSupport
import Store
import Testing

/// Program.md, "Freeze a readout": SHA-256 over the sorted lines `app TAB event_id TAB SHA-256 of the event`.
@Suite struct DataHashTests {
  private static func hash(_ store: TestStore, app: String = "demo", before: Int64 = .max) throws -> String {
    try Store.open(readOnly: store.path).read { try $0.dataHash(app: app, before: before) }
  }

  private static func store(_ lines: [[String]], in directory: URL, _ name: String = "store") throws -> TestStore {
    let store = try TestStore(in: directory.appendingPathComponent(name))
    for file in lines { try store.ingest(file) }
    return store
  }

  private static let lines = [
    eventLine("activity", "b", at(0), user: "u", received: at(1)),
    impression("a", at(0, plus: 1_000), user: "u", ["country": "de"]),
  ]

  /// Expected: Python's hashlib over the two lines, with events as JSON with sorted keys from json.dumps.
  @Test func agreesWithPython() throws {
    try withTemporaryDirectory { directory in
      let store = try Self.store([Self.lines], in: directory)
      #expect(try Self.hash(store) == "cc1d77b782e45f509fc41a3bb311ac509d49e22bd4820d132a6acbdbb5845fa2")
    }
  }

  /// Expected: the SHA-256 of the empty text, as `sha256sum < /dev/null` prints it.
  @Test func anAppWithoutEventsHasTheHashOfNothing() throws {
    try withTemporaryDirectory { directory in
      let store = try Self.store([Self.lines], in: directory)
      let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      #expect(try Self.hash(store, app: "other") == nothing)
      #expect(try Self.hash(store, before: at(0)) == nothing)
    }
  }

  @Test func theOrderOfIngestionDoesNotMatter() throws {
    try withTemporaryDirectory { directory in
      let all = sampleLines.map { String(decoding: $0, as: UTF8.self) } + MessyEvents.lines
      let one = try Self.store([all], in: directory, "one")
      let other = try Self.store(
        [Array(all.reversed().prefix(all.count / 2)), all], in: directory, "other")
      let apps = try Store.open(readOnly: one.path).read { try $0.apps().map(\.name) }
      #expect(!apps.isEmpty)
      for app in apps { #expect(try Self.hash(one, app: app) == Self.hash(other, app: app), "\(app)") }
    }
  }

  @Test func aChangedFieldANewEventAndAnotherInstantChangeIt() throws {
    try withTemporaryDirectory { directory in
      let plain = try Self.hash(Self.store([Self.lines], in: directory, "1"))
      let changed = [Self.lines[0], impression("a", at(0, plus: 1_000), user: "u", ["country": "at"])]
      #expect(try Self.hash(Self.store([changed], in: directory, "2")) != plain)
      let more = try Self.store([Self.lines + [eventLine("activity", "c", at(9), user: "u")]], in: directory, "3")
      #expect(try Self.hash(more) != plain)
      #expect(try Self.hash(more, before: at(9)) == plain)
      // The time of receipt is not part of the content.
      let later = [eventLine("activity", "b", at(0), user: "u", received: at(2)), Self.lines[1]]
      #expect(try Self.hash(Self.store([later], in: directory, "4")) == plain)
    }
  }
}
