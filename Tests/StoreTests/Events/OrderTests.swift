import Basics
import FolderSupport
import Foundation
import Ingest
import Metrics
import Store
import Testing

/// Files can come in any order (Events.md). The oracle is the store that read the same lines as one plain file in one
/// commit.
@Suite struct OrderTests {
  private static let events = sampleLines + (MessyEvents.lines + MessyEvents.conflictsAcrossTime).map { Array($0.utf8) }

  @Test(arguments: [(1, 500), (2, Ingestion.commitEvents), (3, 500), (4, 1), (5, Ingestion.commitEvents), (6, 60)])
  func anyOrderSplitCompressionRepetitionAndCommitSizeGiveTheSameStore(seed: Int, commitEvents: Int) throws {
    try withTemporaryDirectory { directory in
      let plain = try TestStore(in: directory.appendingPathComponent("plain"))
      let all = Self.events + MessyEvents.rejected
      try plain.ingest([plain.write(Data(all.joined(separator: [0x0A])), to: "all.jsonl")])
      let expected = try StoreContents(plain)
      #expect(expected.count(of: "quarantine") > 15 && expected.count(of: "trials") > 20)

      var random = SplitMix64(seed: UInt64(seed))
      let store = try TestStore(in: directory.appendingPathComponent("shuffled"))
      var calls = try Self.files(of: store, &random)
      while !calls.isEmpty {
        let count = Int.random(in: 1...calls.count, using: &random)
        try store.ingest(Array(calls.prefix(count)), commitEvents: commitEvents)
        calls.removeFirst(count)
      }
      #expect(try StoreContents(store).differences(from: expected) == [])
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  /// Returns all lines and some of them again, shuffled and split into one to nine files of any packing; one file
  /// occurs twice.
  private static func files(of store: TestStore, _ random: inout SplitMix64) throws -> [InputFile] {
    var lines = events
    for line in events where Int.random(in: 0..<8, using: &random) == 0 {
      lines.append(Bool.random(using: &random) ? line : receivedLater(line, &random))
    }
    lines += MessyEvents.rejected
    lines.shuffle(using: &random)
    var dealt = Array(repeating: [[UInt8]](), count: Int.random(in: 1...9, using: &random))
    for line in lines { dealt[Int.random(in: dealt.indices, using: &random)].append(line) }
    var files: [InputFile] = []
    for (index, lines) in dealt.enumerated() {
      let bytes = Array(lines.joined(separator: [0x0A]))
      let data = (Packing.allCases.randomElement(using: &random) ?? .plain).pack(bytes)
      files.append(try store.write(data, to: "part-\(index)"))
      if index == 0 { files.append(try store.write(data, to: "part-0 again")) }
    }
    files.shuffle(using: &random)
    return files
  }

  /// Returns an event with its time of receipt moved up to three days later.
  private static func receivedLater(_ line: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    guard var object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
      let received = instant(ofLine: line, "received_at") ?? instant(ofLine: line, "ts"),
      let data = {
        object["received_at"] = received + Int64.random(in: 1...3 * 86_400_000, using: &random)
        return try? JSONSerialization.data(withJSONObject: object)
      }()
    else { preconditionFailure("a line of the test's is an object with an instant") }
    return Array(data)
  }

  /// Definitions 1.2: "9" and "10" are compared as bytes, whatever form ids have inside the store.
  @Test func eventsOfOneInstantAndKindAreOrderedByTheBytesOfTheirIDs() throws {
    let lines = MessyEvents.lines.filter { $0.contains("i-1") }
    for order in [lines, lines.reversed()] {
      try withTestStore { store in
        for line in order { try store.ingest([line]) }
        // "0a6e..." comes first among "0a6e...", "10", "9" and "text".
        #expect(try store.sqlite().rows("SELECT entry_point FROM entries") == [["uuid"]])
        // The last impression before the purchase has the greatest id.
        #expect(try store.sqlite().rows("SELECT entry_point FROM subscriptions") == [["text"]])
      }
    }
    try withTestStore { store in
      try store.ingest(lines.filter { !$0.contains("uuid") && !$0.contains("\"text\"") })
      #expect(try store.sqlite().rows("SELECT entry_point FROM entries") == [["ten"]])
      #expect(try store.sqlite().rows("SELECT entry_point FROM subscriptions") == [["nine"]])
    }
  }

  /// Events.md, "Values": strings are kept byte for byte. Ids that look like numbers or UUIDs are strings, too.
  @Test func everyIDComesBackByteForByte() throws {
    let ids = [
      "7", "007", "0", "-0", "00", "1e3", "1.0", "123456789012345678", "1234567890123456789", "9223372036854775808",
      "+7",
      "550e8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000",
      "550e8400e29b41d4a716446655440000", "00000000-0000-0000-0000-000000000000",
      "550e8400-e29b-41d4-a716-44665544000g",
      " 7", "7 ", "\u{E9}", "e\u{301}", "'; DROP TABLE event; --", "\u{1F600}", "a\tb",
      String(repeating: "x", count: 200),
    ]
    let lines = ids.map { id in
      eventLine(
        "renewal", id, at(1), user: "user \(id)".count > 200 ? id : "user \(id)",
        [
          "product_id": "p", "plan": "monthly", "price": 1, "currency": "USD", "subscription_id": id,
          "transaction_id": id,
        ])
    }
    try withTestStore { store in
      try store.ingest(lines)
      try store.ingest(lines.map { $0 + " " })
      #expect(try store.counts() == [ids.count, ids.count, 0])
      let rows = try store.sqlite().rows("SELECT event_id, subscription_id, transaction_id FROM events")
      #expect(
        Set(rows.map { $0.map { Array(($0 ?? "").utf8) } })
          == Set(ids.map { Array(repeating: Array($0.utf8), count: 3) }))
      let paid = try store.sqlite().rows("SELECT subscription_id FROM subscriptions")
      #expect(Set(paid.map { Array(($0[0] ?? "").utf8) }) == Set(ids.map { Array($0.utf8) }))
    }
  }

  /// Swift's strings are equal if they read the same; texts in events are equal only if their bytes are.
  @Test func namesThatReadTheSameButDifferInBytesStayApart() throws {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    func lines(_ name: String, _ number: Int) -> [String] {
      [
        impression(
          "\(number)", at(Double(number)), user: name,
          ["variant": name, "properties": [name: name], "price_monthly": number, "price_yearly": 10, "currency": "USD"]),
        eventLine(
          "conversion", "paid \(number)", at(Double(number), plus: 1), user: name,
          ["product_id": name, "plan": "monthly", "price": number, "currency": "USD", "subscription_id": name]),
      ]
    }
    let end = [eventLine("activity", "end", at(40), user: "end")]
    try withTestStore { store in
      try store.ingest(lines(composed, 1) + lines(decomposed, 2) + end)
      var byVariant = ReportOptions()
      byVariant.by = [.variant]
      for (name, report) in try store.reports(byVariant) where name != "trials" {
        let keys = report.split(separator: "\n").dropFirst().map { Array($0.split(separator: ",")[1].utf8) }
        #expect(keys == [Array(decomposed.utf8), Array(composed.utf8)], "\(name): \(report)")
      }
      var options = ReportOptions()
      options.by = [.property(composed)]
      let funnel = try store.reports(options)["funnel"] ?? ""
      #expect(
        Set(funnel.split(separator: "\n").dropFirst().map { Array($0.split(separator: ",")[1].utf8) })
          == [Array("(none)".utf8), Array(composed.utf8)], "\(funnel)")
      options.by = [.variant]
      options.filters = [ReportOptions.Filter(dimension: .variant, values: [composed])]
      let filtered = try store.reports(options)["funnel"] ?? ""
      #expect(
        filtered.split(separator: "\n").dropFirst().map { Array($0.split(separator: ",")[1].utf8) }
          == [Array(composed.utf8)], "\(filtered)")
      options.filters = [ReportOptions.Filter(dimension: .property(decomposed), values: [decomposed])]
      let property = try store.reports(options)["funnel"] ?? ""
      #expect(
        property.split(separator: "\n").dropFirst().map { Array($0.split(separator: ",")[1].utf8) }
          == [Array(decomposed.utf8)], "\(property)")
    }
  }
}
