import FolderSupport
import Foundation
import Testing

@testable import Store

/// A user with many events is read, folded and stored in parts. The oracle is the rebuild, which folds all events of a
/// user at once.
@Suite struct UserPartsTests {
  /// Some 51,000 events of one user: more than three parts, of which many are at one instant. Each event's file is the
  /// rest of its number by three, so that parts come from several runs.
  private static let lines: [[String]] = {
    var files: [[String]] = [[], [], []]
    for number in 0..<17_000 {
      // 20,000 of the events are at one instant.
      let day = number < 6_700 ? 1 : Double(number) / 100
      let terms: [String: Any] = ["product_id": "p", "plan": "monthly", "subscription_id": "s\(number / 2)"]
      files[number % 3].append(
        eventLine(
          number % 2 == 0 ? "conversion" : "renewal", "c\(number)", at(day), user: "u",
          terms.merging(["price": number % 7, "currency": "USD"]) { $1 }))
      files[(number + 1) % 3].append(impression("i\(number)", at(day), user: "u"))
      files[(number + 2) % 3].append(
        number % 5 == 0
          ? eventLine("refund", "r\(number)", at(day + 2), user: "u", terms)
          : eventLine("trial_start", "t\(number)", at(day), user: "u", terms.merging(["trial_days": 7]) { $1 }))
    }
    return files
  }()

  @Test func theFactsOfAUserWithManyEventsAreThoseOfARebuild() throws {
    try withTestStore { store in
      try store.ingest(Self.lines[0], Self.lines[1])
      #expect(try store.differencesFromRebuild() == [])
      // The third file's events lie between stored ones.
      try store.ingest(Self.lines[2])
      #expect(try store.differencesFromRebuild() == [])
      #expect(try store.sqlite().text("SELECT COUNT(*) FROM payment_row") == "17000")
    }
  }

  /// Definitions 1.2: ids order the events of one kind at one instant. Parts end between them, too; one part of all would
  /// be sorted again with each block that is read.
  @Test func eventsOfOneInstantComeInPartsInTheOrderOfTheirIDs() throws {
    let ids = (0..<120_000).map { $0 % 2 == 0 ? "e\($0)" : String(format: "%08x-0000-4000-8000-000000000000", $0) }
      .sorted()
    try withTemporaryDirectory { directory in
      let spill = SpillFile(storePath: directory.appendingPathComponent("store").path)
      for run in 0..<4 {
        spill.beginRun()
        var filler = BlockFiller()
        for place in stride(from: run, to: ids.count, by: 4) {
          var row = EventRow()
          (row.user, row.ts) = (1, at(0))
          try Data(ids[place].utf8).withUnsafeBytes { text in
            row.eventID = RowID(text, at: 0)
            if let full = filler.append(row, text: text) { try spill.add(full) }
          }
        }
        if let rest = filler.flush() { try spill.add(rest) }
      }
      let cursors = try spill.cursors.map { try UserCursor($0, isDense: true) }
      var parts = UserParts(1, EventRows(), new: cursors, old: [])
      var found: [String] = []
      var largest = 0
      try parts.forEach(newEvents: { _ in }) { _, events, _ in
        largest = max(largest, events.rows.count)
        events.text.withUnsafeBytes { text in
          for row in events.rows { found.append(String(decoding: row.eventID.text(in: text), as: UTF8.self)) }
        }
      }
      #expect(found == ids)
      #expect(largest <= 2 * UserParts.most)
    }
  }
}
