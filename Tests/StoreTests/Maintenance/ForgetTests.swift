import FolderSupport
import Foundation
import Store
import Testing

/// Erasing a person leaves the store as if the person's lines had never been read. The oracle is a store that never
/// read them.
@Suite struct ForgetTests {
  /// The ids as bytes, because two of them are equal to Swift.
  private struct UserID: Hashable {
    var app: [UInt8]
    var user: [UInt8]

    init(app: String?, user: String?) {
      self.app = Array((app ?? "").utf8)
      self.user = Array((user ?? "").utf8)
    }
  }

  private static let lines: [[UInt8]] =
    (MessyEvents.lines + MessyEvents.conflictsAcrossTime + [
      eventLine(
        "activity", "private-event-0001", at(13), user: "private-person-0001",
        [
          "properties": ["mail": "somebody@example.com"], "app_version": "the only version of its kind",
          "subscription_id": "private-subscription-0001",
        ]),
      eventLine(
        "conversion", "11111111-2222-4333-8444-555555555555", at(14), user: "private-person-0001",
        [
          "product_id": "pro.monthly", "plan": "monthly", "price": "6.99", "currency": "EUR",
          "subscription_id": "private-subscription-0001", "transaction_id": "99999999-2222-4333-8444-555555555555",
        ]),
      eventLine(
        "identify", "private-event-0002", at(15), user: "private-person-0001", ["previous_user_id": "private-before"]),
      #"{"event":"stroll","event_id":"private-event-0003","user_id":"private-person-0001","app":"demo"}"#,
      #"private-person-0001;is no event"#,
      #"{"event":"stroll","body":"{\"customer\":\"private-person-0001\"}"}"#,
      #"{"event":"stroll","body":"Please delete private-person-0001."}"#,
      #"{"event":"stroll","from":"user:private-person-0001"}"#,
      #"{"event":"stroll","event_id":"q","user_id":"private-person-00011","app":"demo"}"#,
    ]).map { Array($0.utf8) } + MessyEvents.rejected

  private func fields(of line: [UInt8]) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any] ?? [:]
  }

  /// Returns the ids that the store has joined with one.
  private func joined(with user: String, in store: TestStore) throws -> Set<UserID> {
    let rows = try store.sqlite().rows(
      """
      SELECT app, user_id FROM users WHERE (app, person) IN (SELECT app, person FROM users WHERE user_id = '\(user)')
      """)
    return Set(rows.map { UserID(app: $0[0], user: $0[1]) })
  }

  @Test(arguments: [
    "account-1", "k-3", "x-1", "named by identify alone", "zo\u{EB}", "private-person-0001",
  ])
  func theStoreIsAsIfTheLinesHadNeverBeenRead(user: String) throws {
    try withTemporaryDirectory { directory in
      let full = try TestStore(in: directory.appendingPathComponent("full"))
      // Uses two commits, so that events are erased from several runs and some have replaced others.
      let half = Self.lines.count / 2
      try full.ingest([full.write(Data(Self.lines[half...].joined(separator: [0x0A])), to: "1")])
      try full.ingest([full.write(Data(Self.lines[..<half].joined(separator: [0x0A])), to: "2")])
      let gone = try joined(with: user, in: full)
      #expect(!gone.isEmpty)
      let receipt = try #require(try Store.open(path: full.path).forget(user: user))
      #expect(receipt.ids == gone.count, "\(receipt)")

      let without = try TestStore(in: directory.appendingPathComponent("without"))
      let kept = Self.lines.filter { line in
        let said = fields(of: line)
        let isOfPerson = ["user_id", "previous_user_id"].contains { key in
          (said[key] as? String).map { gone.contains(UserID(app: said["app"] as? String, user: $0)) } ?? false
        }
        let text = String(decoding: line, as: UTF8.self)
        let isQuarantined =
          user == "private-person-0001" && text.contains("private-person-0001") && !text.contains("00011")
        return !isOfPerson && !isQuarantined
      }
      #expect(kept.count < Self.lines.count)
      try without.ingest([without.write(Data(kept.joined(separator: [0x0A])), to: "1")])
      let differences = try StoreContents(full).differences(from: StoreContents(without))
      #expect(differences == [])
      #expect(try full.differencesFromRebuild() == [])
      #expect(try Store.open(readOnly: full.path).read { try $0.referenceProblems() } == [])
      // Erased lines can be ingested again, for example from a file that was overlooked.
      try full.ingest([full.write(Data(Self.lines.joined(separator: [0x0A]) + [0x0A, 0x0A]), to: "3")])
      #expect(try full.differencesFromRebuild() == [])
    }
  }

  @Test func noByteOfThePersonIsLeftInFileOrLog() throws {
    try withTestStore { store in
      try store.ingest([store.write(Data((sampleLines + Self.lines).joined(separator: [0x0A])), to: "all")])
      // Makes pages that are freed before the erasure and hold copies of the content.
      try store.ingest([eventLine("activity", "more", at(16), user: "private-person-0001")])
      let wanted: [[UInt8]] =
        [
          "private-person-0001", "private-before", "private-event-000", "somebody@example.com",
          "the only version of its kind", "private-subscription-0001", "is no event",
          "99999999-2222-4333-8444-555555555555",
        ].map { Array($0.utf8) } + [
          // UUIDs are stored as bytes.
          [0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x43, 0x33], [0x99, 0x99, 0x99, 0x99, 0x22, 0x22, 0x43, 0x33],
        ]
      func found() throws -> [String] {
        let bytes = try ["", "-wal"].reduce(into: Data()) { bytes, suffix in
          if FileManager.default.fileExists(atPath: store.path + suffix) {
            bytes += try Data(contentsOf: URL(fileURLWithPath: store.path + suffix))
          }
        }
        // The remaining person's id only starts with the erased one.
        let others = Array("private-person-00011".utf8)
        return wanted.filter { text in
          var from = bytes.startIndex
          while let range = bytes.range(of: Data(text), in: from..<bytes.endIndex) {
            if !bytes[range.lowerBound...].starts(with: others) { return true }
            from = range.lowerBound + 1
          }
          return false
        }.map { String(decoding: $0, as: UTF8.self) }
      }
      let before = try found()
      for text in ["private-person-0001", "private-before", "somebody@example.com", "is no event"] {
        #expect(before.contains(text), "\(before)")
      }
      let receipt = try #require(try Store.open(path: store.path).forget(user: "private-person-0001"))
      #expect(try found() == [])
      #expect(receipt.events == 4 && receipt.ids == 2 && receipt.persons == 1 && receipt.apps == ["demo"])
      // The one trace is the longer id, whose bytes start with the erased one.
      #expect(receipt.quarantinedLines == 5 && receipt.traces == 1)
    }
  }

  @Test func anUnknownUserIsSaidToBe() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      #expect(try Store.open(path: store.path).forget(user: "nobody") == nil)
      #expect(try Store.open(path: store.path).forget(user: "b-1", apps: ["other"]) == nil)
    }
  }

  /// A reader retains freed pages: the receipt is returned anyway, and again by the next call, which overwrites the
  /// pages.
  @Test func anErasureThatWasCutShortIsCompletedByTheNext() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      let reader = try Store.open(readOnly: store.path)
      let first = try reader.read { snapshot in
        // A snapshot starts with the first read.
        _ = try snapshot.apps()
        return try #require(try Store.open(path: store.path, lockTimeout: 0.2).forget(user: "b-1", lockTimeout: 0.2))
      }
      #expect(first.events > 0 && !first.isOverwritten)
      #expect(try Store.open(readOnly: store.path).read { try $0.hasPendingVacuum() })
      let other = try #require(try Store.open(path: store.path, lockTimeout: 0.2).forget(user: "nobody"))
      #expect(other.isEmpty && other.isOverwritten)
    }
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      let first = try Store.open(readOnly: store.path).read { snapshot in
        _ = try snapshot.apps()
        return try #require(try Store.open(path: store.path, lockTimeout: 0.2).forget(user: "b-1", lockTimeout: 0.2))
      }
      let second = try #require(try Store.open(path: store.path).forget(user: "b-1"))
      #expect(second.isOverwritten && second.events == first.events && second.ids == first.ids)
      #expect(second.persons == first.persons && second.apps == first.apps && second.bytesBefore == first.bytesBefore)
      #expect(try !Store.open(readOnly: store.path).read { try $0.hasPendingVacuum() })
      #expect(try Store.open(path: store.path).forget(user: "b-1") == nil)
    }
  }
}
