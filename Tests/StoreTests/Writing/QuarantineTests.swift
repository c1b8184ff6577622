import FolderSupport
import Foundation
import Ingest
import Store
import Testing

/// A quarantined line has its file, line number, field, reason and raw text.
@Suite struct QuarantineTests {
  private func quarantine(_ store: TestStore, id: Int64? = nil, reason: String? = nil, limit: Int? = nil) throws
    -> [StoreSnapshot.QuarantinedLine]
  {
    try Store.open(readOnly: store.path).read { try $0.quarantine(id: id, reason: reason, limit: limit) }
  }

  private func retry(_ store: TestStore, ids: [Int64]? = nil) throws -> Ingestion.RetrySummary {
    try Ingestion(store: Store.open(path: store.path)).retryQuarantine(ids: ids)
  }

  private let good = (0..<3).map { impression("good \($0)", at(Double($0)), user: "u") }

  @Test func everyLineIsListedWithItsPlaceReasonAndText() throws {
    try withTestStore { store in
      let lines: [[UInt8]] =
        [Array(good[0].utf8), []] + MessyEvents.rejected.prefix(3) + [Array(good[1].utf8)]
        + MessyEvents.rejected.dropFirst(3)
      let file = try store.write(Data(lines.joined(separator: Array("\r\n".utf8))), to: "day")
      let summary = try store.ingest([file])
      #expect(
        summary.quarantined == [
          "not_json_object": 1, "missing:ts": 1, "unknown_kind": 1, "price_without_currency": 1, "invalid_utf8": 1,
        ])
      let listed = try quarantine(store)
      #expect(listed.map(\.line) == [3, 4, 5, 7, 8])
      #expect(
        listed.map(\.reason) == [
          "not_json_object", "missing:ts", "unknown_kind", "price_without_currency", "invalid_utf8",
        ])
      #expect(listed.map(\.field) == [nil, "ts", "event", "currency", nil])
      #expect(listed.allSatisfy { $0.file == file.path })
      #expect(listed.map(\.raw) == MessyEvents.rejected.map { String(decoding: $0, as: UTF8.self) })
      // Selects one line by its number, the lines of one reason, and the first few.
      let id = try #require(listed[1].id)
      #expect(try quarantine(store, id: id).map(\.raw) == [listed[1].raw])
      #expect(try quarantine(store, reason: "unknown_kind").map(\.line) == [5])
      #expect(try quarantine(store, limit: 2).map(\.line) == [3, 4])
      #expect(try quarantine(store, id: 4_711).isEmpty)
    }
  }

  @Test func conflictsAreListedButNeverRetried() throws {
    try withTestStore { store in
      try store.ingest([
        impression("1", at(1), user: "u", received: at(2)), impression("1", at(1), user: "v", received: at(3)),
      ])
      let listed = try quarantine(store)
      #expect(listed.map(\.reason) == ["conflict"] && listed[0].id == nil && listed[0].field == "event_id")
      #expect(listed[0].raw.contains(#""user_id":"v""#))
      #expect(try retry(store).released == 0)
      #expect(try quarantine(store).count == 1)
    }
  }

  @Test func whatIsStillWrongStays() throws {
    try withTestStore { store in
      try store.ingest([store.write(Data(MessyEvents.rejected.joined(separator: [0x0A])), to: "bad")])
      let summary = try retry(store)
      #expect(summary.released == 0)
      #expect(summary.remaining.values.reduce(0, +) == MessyEvents.rejected.count)
      #expect(try quarantine(store).count == MessyEvents.rejected.count)
    }
  }

  /// A change of the stored text stands in for a changed rule of the program. The oracle is a store that had the valid
  /// lines from the start.
  @Test func linesThatAreValidNowBecomeEventsOfTheirFile() throws {
    try withTemporaryDirectory { directory in
      let expected = try TestStore(in: directory.appendingPathComponent("expected"))
      try expected.ingest(MessyEvents.lines)
      let store = try TestStore(in: directory.appendingPathComponent("retried"))
      let spoilt = MessyEvents.lines.enumerated().map { index, line in
        index % 3 == 1 ? line + "!" : line
      }
      try store.ingest(spoilt)
      let count = spoilt.count { $0.hasSuffix("!") }
      #expect(try quarantine(store).count { $0.id != nil } == count)
      try store.sqlite().execute("UPDATE rejected_line SET raw = substr(raw, 1, length(raw) - 1)")
      // Retries one line first, then the rest.
      let id = try #require(try quarantine(store).compactMap(\.id).max())
      #expect(try retry(store, ids: [id]).released == 1)
      #expect(try store.differencesFromRebuild() == [])
      #expect(try retry(store).released == count - 1)
      #expect(try StoreContents(store).differences(from: StoreContents(expected)) == [])
      #expect(try store.counts() == expected.counts())
      #expect(try store.differencesFromRebuild() == [])
      #expect(try store.sqlite().text("SELECT SUM(quarantined) FROM files") == "0")
    }
  }

  /// A CSV record gets its column names from the first line of the file.
  @Test func aRetriedCSVRecordIsReadByItsFilesHeader() throws {
    try withTestStore { store in
      let csv = #"""
        user_id;ts;event;entry_point;app;event_id
        u;2026-03-01T00:00:00Z;paywall_impression;settings;demo;1
        v;2026-03-99T00:00:00Z;paywall_impression;"a;""b""";demo;2

        """#
      try store.ingest([store.write(Data(csv.utf8), to: "a.csv")])
      #expect(try quarantine(store).map(\.reason) == ["invalid:ts"])
      #expect(try quarantine(store).map(\.line) == [3])
      try store.sqlite().execute("UPDATE rejected_line SET raw = replace(raw, '03-99', '03-09')")
      #expect(try retry(store).released == 1)
      #expect(
        try store.sqlite().rows("SELECT user_id, ts, entry_point FROM events WHERE event_id = '2'")
          == [["v", "2026-03-09T00:00:00.000Z", "a;\"b\""]])
      #expect(try quarantine(store).isEmpty)
    }
  }

  /// An id that stands for none would make one user of all who have it.
  @Test func identifyOfAnIDThatStandsForNoneIsRefused() throws {
    try withTestStore { store in
      func identify(_ user: String, _ previous: String) -> String {
        eventLine("identify", "\(user)-\(previous)", at(1), user: user, ["previous_user_id": previous])
      }
      try store.ingest([
        identify("a", "undefined"), identify("NULL", "b"), identify("c", "00000000-0000-0000-0000-000000000000"),
        identify("(null)", "d"), identify("anonymous", "e"), identify("undefined-7", "f"),
        impression("1", at(2), user: "undefined"),
      ])
      let listed = try quarantine(store)
      #expect(
        listed.map(\.reason) == [
          "placeholder:previous_user_id", "placeholder:user_id", "placeholder:previous_user_id", "placeholder:user_id",
          "placeholder:user_id",
        ])
    }
  }

  /// Of 10,007 lines of one reason 10,000 are kept, and all counted; another reason has its own.
  @Test func linesBeyondTheCapAreCountedAlone() throws {
    try withTestStore { store in
      let lines = [String](repeating: "y", count: 10_007) + [eventLine("unheard_of", "1", at(1), user: "u"), good[0]]
      let summary = try store.ingest(lines)
      #expect(summary.quarantined == ["not_json_object": 10_007, "unknown_kind": 1])
      #expect(try quarantine(store).count == 10_001)
      let totals = try Store.open(readOnly: store.path).read { try $0.inputTotals() }
      #expect(totals.quarantined.map(\.count) == [10_007, 1] && totals.lines == 10_009)
    }
  }
}
