import Basics
import FolderSupport
import Foundation
import Lifecycle
import Metrics
import Reports
import Store
import Testing

/// Definitions 1.1: "Events with `ts ≥ T` do not exist". The oracle is a store that never read those events.
@Suite struct AsOfFactsTests {
  // Leaves out contradictions about time, because which content stays depends on everything received, even after T.
  private static let events = (sampleLines + MessyEvents.lines.map { Array($0.utf8) }).map { line in
    guard let ts = instant(ofLine: line, "ts") else { preconditionFailure("every line has an instant") }
    return (line: line, ts: ts)
  }

  /// Returns dimensions and options other than the defaults, to cover all recomputed facts.
  private static func variants(_ asOf: Int64?) -> [ReportOptions] {
    var plain = ReportOptions()
    plain.asOf = asOf
    var first = plain
    first.attribution = .first
    first.by = [.property("channel"), .plan, .country]
    var all = plain
    all.attribution = .all
    all.unit = .view
    all.by = [.experiment, .entryPoint, .week]
    var grace = plain
    grace.grace = 12 * day
    grace.horizon = 9 * day
    grace.by = []
    return [plain, first, all, grace]
  }

  private static let instants: [Int64] = [
    // The instants lie between two events of the hand-written chain, on a start and an end, and after nearly all
    // events.
    at(-30), at(1), at(2.2), at(5, plus: 1), at(30, plus: 1), at(46.2), at(60.5), at(100),
  ]

  @Test func reportsAsOfThePastAreThoseOfAStoreThatNeverSawTheRest() throws {
    try withTemporaryDirectory { directory in
      let full = try TestStore(in: directory.appendingPathComponent("full"))
      try full.ingest([full.write(Data(Self.events.map(\.line).joined(separator: [0x0A])), to: "all")])
      var rows = 0
      for (round, instant) in Self.instants.enumerated() {
        let past = try TestStore(in: directory.appendingPathComponent("\(instant)"))
        let known = Self.events.filter { $0.ts < instant }
        try past.ingest([past.write(Data(known.map(\.line).joined(separator: [0x0A])), to: "known")])
        // Checks two of the four variants at each instant, in turn.
        for options in Self.variants(instant).enumerated().filter({ $0.offset % 2 == round % 2 }).map(\.element) {
          let expected = try past.reports(options)
          let reports = try full.reports(options)
          for (name, text) in expected {
            #expect(reports[name] == text, "\(name) as of \(instant), \(options.attribution), \(options.grace)")
            rows += text.split(separator: "\n").count - 1
          }
        }
      }
      #expect(rows > 250)
      // Reading the past does not change the store.
      #expect(try full.differencesFromRebuild() == [])
    }
  }

  @Test func otherRulesFoldTheSameWhateverTheOrder() throws {
    try withTemporaryDirectory { directory in
      var random = SplitMix64(seed: 7)
      let lines = Self.events.map(\.line)
      let stores = try (0..<2).map { try TestStore(in: directory.appendingPathComponent("\($0)")) }
      try stores[0].ingest([stores[0].write(Data(lines.joined(separator: [0x0A])), to: "all")])
      let shuffled = lines.shuffled(using: &random).map { String(decoding: $0, as: UTF8.self) }
      for part in 0..<5 {
        try stores[1].ingest(Array(shuffled[shuffled.count * part / 5..<shuffled.count * (part + 1) / 5]))
      }
      for options in Self.variants(nil) + Self.variants(at(33)) {
        let expected = try stores[0].reports(options)
        let reports = try stores[1].reports(options)
        for (name, text) in expected {
          #expect(reports[name] == text, "\(name), \(options.attribution), \(options.grace)")
        }
      }
    }
  }

  /// Definitions 1.3: the `identify` events known at T make the joins, even for events that happened before them.
  @Test func anIdentifyAfterTheInstantJoinsNobodyYet() throws {
    try withTestStore { store in
      try store.ingest([
        impression("1", at(0), user: "phone"), impression("2", at(1), user: "account"),
        eventLine("identify", "3", at(50), user: "account", ["previous_user_id": "phone"]),
        eventLine("activity", "4", at(90), user: "other"),
      ])
      var options = ReportOptions()
      options.by = []
      func users(_ asOf: Int64?) throws -> String? {
        options.asOf = asOf
        return try store.reports(options)["funnel"]?.split(separator: "\n").last?.split(separator: ",")[1].description
      }
      #expect(try users(nil) == "1")
      #expect(try users(at(50, plus: 1)) == "1")
      #expect(try users(at(50)) == "2")
    }
  }

  /// Options set to their default values give the same reports as no options.
  @Test func theDefaultsSaidAloudChangeNothing() throws {
    try withTestStore { store in
      let lines = sampleLines.map { String(decoding: $0, as: UTF8.self) }.filter { $0.contains(#""app":"steps""#) }
      try store.ingest(lines)
      let asOf = try #require(try store.newestAsOf()["steps"] ?? nil)
      var options = ReportOptions()
      let expected = try store.reports(options)
      options.asOf = asOf
      options.grace = 3 * day
      options.attribution = .last
      #expect(try store.reports(options) == expected)
      // After the last event, the facts are the same, but more of them have matured.
      options.asOf = asOf + 400 * day
      let late = try store.reports(options)
      #expect(
        late != expected
          && late["trials"]?.split(separator: "\n").count == expected["trials"]?.split(separator: "\n").count)
    }
  }

  /// Several reports on one snapshot, each with options of its own, equal those from separate snapshots.
  @Test func oneSnapshotServesReportsUnderDifferentRules() throws {
    try withTestStore { store in
      try store.ingest(MessyEvents.lines)
      var texts: Set<String> = []
      try Store.open(readOnly: store.path).read { snapshot in
        for options in Self.variants(at(33)) + Self.variants(nil) {
          let alone = try store.reports(options)
          for make in [Funnel.report, Savings.report] {
            let report = try make(snapshot, options)
            let text = try render(report, as: .csv)
            #expect(text == alone[report.name], "\(report.name), \(options.attribution), \(options.grace)")
            texts.insert(text)
          }
        }
      }
      // Otherwise the options would make no difference for these events.
      #expect(texts.count > 8)
    }
  }
}
