import Basics
import Foundation
import Ingest
import Store
import Testing

/// The facts and cells are what a rebuild from all events gives, bit for bit. The oracle is the rebuild.
@Suite struct UpkeepTests {
  @Test(arguments: [21, 22])
  func afterEveryCommitTheFactsAreThoseOfARebuild(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    // Hand-written events, many about the same persons, in small parts, with a few sample events between them.
    let messy = MessyEvents.lines + MessyEvents.conflictsAcrossTime
    var lines = messy + sampleLines.prefix(120).map { String(decoding: $0, as: UTF8.self) }
    lines += messy.shuffled(using: &random).prefix(20)
    lines.shuffle(using: &random)
    try withTestStore { store in
      while !lines.isEmpty {
        let count = min(lines.count, Int.random(in: 1...24, using: &random))
        try store.ingest(Array(lines.prefix(count)), commitEvents: Int.random(in: 1...2, using: &random))
        lines.removeFirst(count)
        #expect(try store.differencesFromRebuild() == [], "with \(lines.count) lines to come")
      }
    }
  }

  /// The check must be able to fail, or it proves nothing.
  @Test func aFactThatWasTamperedWithIsReported() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      #expect(try store.differencesFromRebuild() == [])
      // One row is changed, so the stored row and the rebuilt one both count.
      try store.sqlite().execute(
        "UPDATE trial_row SET grace = grace + 1 WHERE number = 0 AND credit = 0 AND person = (SELECT person FROM user WHERE name = 'c-1')"
      )
      #expect(try store.differencesFromRebuild() == ["trial 2"])
      // One row is missing.
      try store.sqlite().execute(
        "DELETE FROM payment_row WHERE person = (SELECT person FROM user WHERE name = 'e-1') AND number = 0")
      #expect(try store.differencesFromRebuild() == ["trial 2", "payment 1"])
      // The last byte of a row is of one person.
      try store.sqlite().execute(
        """
        UPDATE money_block SET persons = CAST(substr(persons, 1, length(persons) - 1) || x'7f' AS BLOB)
        WHERE id = (SELECT MIN(id) FROM money_block)
        """)
      #expect(try store.differencesFromRebuild() == ["trial 2", "payment 1", "money_block 1"])
      try store.sqlite().execute(
        "UPDATE user SET person = id WHERE name = 'late-2'; UPDATE user SET person = id WHERE name = 'late-1'")
      #expect(try store.differencesFromRebuild().contains { $0.hasPrefix("user ") })
      try store.sqlite().execute(
        "UPDATE app_day SET events = events + 1 WHERE day = (SELECT MIN(day) FROM app_day)")
      #expect(try store.differencesFromRebuild().contains { $0.hasPrefix("app_day ") })
    }
  }

  /// Definitions 1.3: joins are transitive, and cover events long before the `identify` event.
  @Test func anIdentifyThatComesLastJoinsWhatWasThereBefore() throws {
    let parts = [
      [impression("1", at(0), user: "phone")],
      [
        eventLine(
          "conversion", "2", at(1), user: "account",
          ["product_id": "p", "plan": "yearly", "price": 30, "currency": "USD"])
      ],
      [eventLine("identify", "3", at(200), user: "account", ["previous_user_id": "tablet"])],
      [eventLine("identify", "4", at(-300), user: "tablet", ["previous_user_id": "phone"])],
    ]
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
      try withTestStore { store in
        for part in order { try store.ingest(parts[part]) }
        let sqlite = try store.sqlite()
        #expect(try sqlite.text("SELECT COUNT(DISTINCT person) || ' of ' || COUNT(*) FROM users") == "1 of 3")
        // The purchase is attributed to the impression on the phone, 1 d before.
        #expect(try sqlite.rows("SELECT entry_point FROM subscriptions") == [["settings"]])
        #expect(try store.differencesFromRebuild() == [])
      }
    }
  }
}
