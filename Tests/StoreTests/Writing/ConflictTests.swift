import Basics
import Foundation
import Store
import Testing

/// Events.md, "Duplicates and conflicts": of several contents of one id, the one with the earlier `received_at` (without
/// one, `ts`) stays; of equals, the one whose JSON without `received_at` comes first in byte order.
@Suite struct ConflictTests {
  private struct Line {
    var id: String
    /// Two letters, in a field that comes before `user_id` in the order of keys.
    var country: String
    /// Two letters.
    var user: String
    /// Days after `ts`, which is the same for all lines.
    var received: Double?

    var text: String {
      impression(id, at(10), user: user, received: received.map { at(10 + $0) }, ["country": country])
    }
    var reception: Double { received ?? 0 }
    var content: String { "\(id) \(country) \(user)" }
  }

  /// The oracle groups and sorts the contents by hand. Between `country` and `user_id`, the JSON of any two contents is
  /// equal, so their byte order is that of (country, user).
  private static func expected(_ lines: [Line]) -> (events: [String], quarantine: Int, counts: [Int]) {
    var events: [String] = []
    var contents = 0
    for (_, group) in Dictionary(grouping: lines, by: \.id) {
      let byContent = Dictionary(grouping: group, by: \.content)
      contents += byContent.count
      let first = byContent.min { left, right in
        let receptions = [left, right].map { $0.value.map(\.reception).min() ?? 0 }
        return receptions[0] != receptions[1] ? receptions[0] < receptions[1] : left.key < right.key
      }
      events.append(first?.key ?? "")
    }
    let conflicts = contents - events.count
    return (events.sorted(), conflicts, [events.count, lines.count - contents, conflicts])
  }

  @Test(arguments: 1...8)
  func theContentReceivedFirstStaysInAnyOrderAndOverAnyNumberOfIngests(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var lines: [Line] = []
    for id in 0..<24 {
      // Never exactly `ts`: this test does not cover whether that counts as absent or as stated.
      let times: [Double?] = [nil, -0.5, 0.25, 0.5]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        lines.append(
          Line(
            id: "id-\(id)", country: ["AA", "BB"].randomElement(using: &random) ?? "",
            user: ["u1", "u2"].randomElement(using: &random) ?? "",
            received: times.randomElement(using: &random) ?? nil))
      }
    }
    let expected = Self.expected(lines)
    try withTestStore { store in
      var files = Array(repeating: [String](), count: Int.random(in: 1...6, using: &random))
      for line in lines { files[Int.random(in: files.indices, using: &random)].append(line.text) }
      for file in files { try store.ingest(file, commitEvents: seed % 2 == 0 ? 1 : 1_000) }
      let sqlite = try store.sqlite()
      let events = try sqlite.rows("SELECT event_id || ' ' || country || ' ' || user_id FROM events").map {
        $0[0] ?? ""
      }
      #expect(events.sorted() == expected.events)
      #expect(
        try sqlite.rows("SELECT DISTINCT reason, field FROM quarantine")
          == (expected.quarantine > 0 ? [["conflict", "event_id"]] : []))
      #expect(try sqlite.text("SELECT COUNT(*) FROM quarantine") == "\(expected.quarantine)")
      #expect(try store.counts() == expected.counts)
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  /// Tests every order of these lines, by hand: the first was received at `ts`, the second a minute before, the third
  /// later.
  @Test func anAbsentReceptionIsThatOfTheInstantItself() throws {
    let lines = [
      impression("1", at(3), user: "u", ["country": "AA"]),
      impression("1", at(3), user: "u", received: at(3, plus: -60_000), ["country": "CC"]),
      impression("1", at(3), user: "u", received: at(3, plus: 1), ["country": "BB"]),
    ]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      try withTestStore { store in
        for index in order { try store.ingest([lines[index]]) }
        #expect(try store.sqlite().rows("SELECT country FROM events") == [["CC"]], "\(order)")
        #expect(try store.counts() == [1, 0, 2], "\(order)")
      }
    }
    // Without the second, the first stays.
    for order in [[0, 2], [2, 0]] {
      try withTestStore { store in
        try store.ingest(order.map { lines[$0] })
        #expect(try store.sqlite().rows("SELECT country, received_at FROM events") == [["AA", nil]], "\(order)")
      }
    }
  }

  /// A purchase that turns out to be another user's moves its facts to that user.
  @Test func aContentThatGivesWayTakesItsFactsWithIt() throws {
    let paid: [String: Any] = ["product_id": "p", "plan": "yearly", "price": 30, "currency": "USD"]
    try withTestStore { store in
      try store.ingest([eventLine("conversion", "1", at(3), user: "first", received: at(5), paid)])
      #expect(try store.sqlite().rows("SELECT user_id FROM payments") == [["first"]])
      try store.ingest([eventLine("conversion", "1", at(3), user: "second", received: at(4), paid)])
      #expect(try store.sqlite().rows("SELECT user_id FROM payments") == [["second"]])
      #expect(try store.sqlite().rows("SELECT user_id FROM subscriptions") == [["second"]])
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  @Test func anIdentifyThatGivesWayJoinsNobodyAnyMore() throws {
    func identify(_ previous: String, _ received: Double) -> String {
      eventLine("identify", "1", at(3), user: "account", received: at(received), ["previous_user_id": previous])
    }
    func joined(_ store: TestStore) throws -> [[String?]] {
      try store.sqlite().rows(
        "SELECT user_id FROM users WHERE person = (SELECT person FROM users WHERE user_id = 'account') ORDER BY user_id"
      )
    }
    try withTestStore { store in
      try store.ingest(["a", "b", "c"].map { impression($0, at(1), user: $0) })
      try store.ingest([identify("a", 9)])
      #expect(try joined(store) == [["a"], ["account"]])
      try store.ingest([identify("b", 8)])
      #expect(try joined(store) == [["account"], ["b"]])
      #expect(try store.differencesFromRebuild() == [])
      // The replaced content arrives again (in other bytes, or the file would be skipped), and once more; it stays in
      // quarantine.
      try store.ingest([identify("a", 9) + " "])
      try store.ingest([identify("a", 8.5)])
      #expect(try joined(store) == [["account"], ["b"]])
      // Three impressions, and one identify event with two contents: two lines repeat a content so far, later three.
      #expect(try store.counts() == [4, 2, 1])
      // An earlier reception makes the other content give way.
      try store.ingest([identify("a", 7)])
      #expect(try joined(store) == [["a"], ["account"]])
      #expect(try store.counts() == [4, 3, 1])
      #expect(try store.differencesFromRebuild() == [])
      // The content received first of all is not an identify event.
      try store.ingest([eventLine("activity", "1", at(3), user: "account", received: at(6))])
      #expect(try joined(store) == [["account"]])
      #expect(try store.counts() == [4, 3, 2])
      #expect(try store.sqlite().text("SELECT COUNT(*) FROM quarantine") == "2")
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  /// Equal values: explicit defaults, other spellings of numbers and instants, the case of country and currency, null
  /// and empty.
  @Test func equalAfterNormalisationIsADuplicateAndNoConflict() throws {
    let same = [
      #"{"event_id":"1","event":"conversion","ts":1772496000000,"app":"demo","user_id":"u","product_id":"p","plan":"yearly","price":39.99,"currency":"EUR","country":"DE"}"#,
      #"{"currency":"eur","price":"39.990","plan":"yearly","product_id":"p","user_id":"u","app":"demo","ts":"2026-03-03T01:00:00.000+01:00","event":"conversion","event_id":"1","country":"de","environment":"production","ownership":"purchased","tier":"individual","variant":null,"offer_type":""}"#,
      #"{"event_id":"\u0031","event":"conversion","ts":1.772496e12,"app":"demo","user_id":"u","product_id":"p","plan":"yearly","price":"39.9900001","currency":"EUR","country":"De","received_at":"2026-03-03T00:00:01Z"}"#,
      #"{"event_id":1,"event":"conversion","ts":"2026-03-03T00:00:00.0009Z","app":"demo","user_id":"u","product_id":"p","plan":"yearly","price":3999e-2,"currency":"EUR","country":"DE","properties":{}}"#,
    ]
    try withTestStore { store in
      for line in same { try store.ingest([line]) }
      #expect(try store.counts() == [1, 3, 0])
      #expect(try store.sqlite().text("SELECT COUNT(*) FROM quarantine") == "0")
    }
  }

  /// One id for all lines, as of a client that has none: the one received first stays, the others are conflicts, whatever
  /// the order and however many come at once.
  @Test(arguments: [1, 7, 400]) func oneIDForAllLinesKeepsTheFirst(size: Int) throws {
    try withTestStore { store in
      var lines = (0..<400).map { number in
        impression("undefined", at(10), user: "u\(number)", received: at(10 + Double((number * 157 + 11) % 400)))
      }
      lines.append(lines[3])
      var conflicts = 0
      for start in stride(from: 0, to: lines.count, by: size == 1 ? 50 : size) {
        let part = Array(lines[start..<min(lines.count, start + (size == 1 ? 50 : size))])
        conflicts += try store.ingest(part).conflicts
      }
      #expect(conflicts == 399)
      let first = try #require((0..<400).first { ($0 * 157 + 11) % 400 == 0 })
      let listed = try Store.open(readOnly: store.path).read { try $0.quarantine() }
      #expect(listed.count == 399 && !listed.contains { $0.raw.contains("\"u\(first)\"") })
    }
  }
}
