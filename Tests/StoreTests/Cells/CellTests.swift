import Basics
import EventModel
import Foundation
import Ingest
import Lifecycle
import Metrics
import Reports
import Store
import Testing

/// After every commit, the cells equal those of a store that ingested all events at once.
/// `MetricsTests` compares the reports that are counted from them with the oracle.
@Suite struct CellTests {
  // Includes an app whose clocks are ahead: the events after its as-of do not exist for any report.
  private static let lines =
    sampleLines.map { String(decoding: $0, as: UTF8.self) } + MessyEvents.lines + MessyEvents.conflictsAcrossTime

  private static let dimensions: [Metrics.Dimension] = [
    .variant, .entryPoint, .plan, .tier, .experiment, .paywall, .trialKind, .day, .week, .month,
  ]
  /// Dimensions that cells lack.
  private static let others: [Metrics.Dimension] = [
    .country, .platform, .store, .appVersion, .property("channel"), .property("no such"),
  ]

  /// Returns options that units can answer. Cells can, too, unless other dimensions or another grace are requested. At
  /// the as-ofs, trials and periods of the hand-written events end.
  private static func options(_ random: inout SplitMix64) -> ReportOptions {
    var options = ReportOptions()
    if Bool.random(using: &random) {
      options.by = Array(dimensions.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      options.from = CivilDate(daysSince1970: Int(dayZero / day) + Int.random(in: -40...20, using: &random))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      options.to = CivilDate(daysSince1970: Int(dayZero / day) + Int.random(in: 21...60, using: &random))
    }
    if Bool.random(using: &random) {
      // The as-of is before some of the events, or after all of them.
      let from = Bool.random(using: &random) ? at(91) : at(-40)
      options.asOf = from + Int64.random(in: 0...400, using: &random) * day + Int64.random(in: -1...1, using: &random)
    }
    if Int.random(in: 0..<3, using: &random) == 0 { options.horizon = Int64.random(in: 0...40, using: &random) * day }
    let filters: [ReportOptions.Filter] = [
      .init(dimension: .variant, values: ["control", "x", "(none)"]),
      .init(dimension: .plan, values: ["monthly", "yearly", "(none)"]),
      .init(dimension: .tier, values: ["individual"]), .init(dimension: .trialKind, values: ["introductory"]),
      .init(dimension: .month, values: ["2026-03", "2026-01"]), .init(dimension: .week, values: ["2026-03-02"]),
      .init(dimension: .entryPoint, values: ["settings", "(unattributed)", "no such"]),
    ]
    if Bool.random(using: &random) { options.filters = [filters[Int.random(in: filters.indices, using: &random)]] }
    if Int.random(in: 0..<4, using: &random) == 0 { options.apps = ["demo"] }
    if Int.random(in: 0..<3, using: &random) == 0 {
      options.by = (options.by ?? [.variant]) + others.shuffled(using: &random).prefix(2)
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      options.filters.append(.init(dimension: .platform, values: ["ios", "(none)"]))
    }
    if Int.random(in: 0..<4, using: &random) == 0 { options.grace = Int64.random(in: 0...30, using: &random) * day }
    return options
  }

  @Test(arguments: [31, 32, 33])
  func afterEveryCommitReportsAreThoseOfOneCommit(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var lines = Self.lines.shuffled(using: &random)
    try withTestStore { store in
      var (taken, rows): ([String], Int) = ([], 0)
      while !lines.isEmpty {
        let count = min(lines.count, lines.count / Int.random(in: 1...4, using: &random) + 1)
        try store.ingest(Array(lines.prefix(count)), commitEvents: Int.random(in: 1...2000, using: &random))
        taken += lines.prefix(count)
        lines.removeFirst(count)
        try withTestStore { atOnce in
          try atOnce.ingest(taken)
          for _ in 0..<4 {
            var options = Self.options(&random)
            if lines.count > 0, !options.apps.isEmpty { options.apps = [] }
            let expected = try atOnce.reports(options)
            for (name, text) in try store.reports(options) {
              #expect(expected[name] == text, "\(name), \(options)")
              rows += text.split(separator: "\n").count - 1
            }
          }
        }
        #expect(try store.differencesFromRebuild() == [], "with \(lines.count) lines to come")
      }
      #expect(rows > 150)
    }
  }

  /// Definitions 5.1: A and B are shown twice each, A last on day 5, so A stands. Then that impression turns out to
  /// have been on day 0.5 (a content received earlier), so A's newest is on day 1, and B's, on day 4, is newer.
  @Test func anImpressionThatGivesWayTakesItsInstantWithIt() throws {
    func shown(_ id: String, _ day: Double, _ monthly: String, received: Double) -> String {
      impression(
        id, at(day), user: "u", received: at(received),
        ["price_monthly": monthly, "price_yearly": "30", "currency": "EUR"])
    }
    func price(_ store: TestStore, by: [Metrics.Dimension] = []) throws -> String? {
      var options = ReportOptions()
      options.by = by
      return try store.reports(options)["savings"]?.split(separator: "\n").last?.split(separator: ",")[by.count + 5]
        .description
    }
    try withTestStore { store in
      try store.ingest([
        shown("a1", 1, "5", received: 1), shown("b1", 2, "6", received: 2), shown("b2", 4, "6", received: 4),
        shown("a2", 5, "5", received: 6),
      ])
      #expect(try price(store) == "5.00")
      try store.ingest([shown("a2", 0.5, "5", received: 5.5)])
      #expect(try price(store) == "6.00")
      #expect(try price(store, by: [.platform]) == "6.00")
      #expect(try store.differencesFromRebuild() == [])
    }
  }

  /// Cached reports equal those computed from the store, and the next commit empties the cache.
  @Test func keptReportsAreThoseOfTheCellsUntilTheNextCommit() throws {
    try withTestStore { store in
      let entries: [ReportKind] = [.cancellations, .funnel, .savings, .trials]
      let opened = { try Store.open(readOnly: store.path) }
      /// Returns the reports that readers see, cached or computed.
      func shown() throws -> [String] {
        try entries.map { entry in
          try opened().read { try render(entry.report($0, ReportOptions()), as: .csv) }
        }
      }
      func made() throws -> [String] {
        var options = ReportOptions()
        options.from = CivilDate(daysSince1970: 0)
        let reports = try store.reports(options)
        return entries.map { reports[$0.name] ?? "" }
      }
      func kept() throws -> [String?] {
        try store.sqlite().rows("SELECT name FROM kept_report ORDER BY name").map { $0[0] }
      }
      let half = Self.lines.count / 2
      try store.ingest(Array(Self.lines.prefix(half)))
      #expect(try kept() == [])
      try ReportCache.fill(Store.open(path: store.path))
      #expect(try kept() == entries.map(\.name))
      #expect(try shown() == made())
      // Reading gives the cached reports, and the check finds those that differ from the store.
      #expect(try opened().read { try ReportCache.differences($0) } == [])
      try store.sqlite().execute(
        "UPDATE kept_report SET rows = (SELECT rows FROM kept_report WHERE name = 'trials') WHERE name = 'funnel'; "
          + "UPDATE kept_report SET rows = substr(rows, 1, length(rows) - 1) WHERE name = 'savings'")
      #expect(try opened().read { try ReportCache.differences($0) } == ["funnel", "savings"])
      // Truncated bytes are not shown; if bytes are complete, a reader cannot detect that they belong to another
      // report.
      #expect(try shown() == [made()[0], made()[3], made()[2], made()[3]])
      // Filling the cache again replaces only unreadable reports.
      try ReportCache.fill(Store.open(path: store.path))
      #expect(try opened().read { try ReportCache.differences($0) } == ["funnel"])
      // Another version of the program, such as 0.0.1, may have counted differently; its reports are neither shown nor
      // compared.
      try store.sqlite().execute("UPDATE kept_report SET rows = x'0a302e302e31'")
      #expect(try opened().read { try ReportCache.differences($0) } == [])
      #expect(try shown() == made())
      try ReportCache.fill(Store.open(path: store.path))
      #expect(try opened().read { try ReportCache.differences($0) } == [] && kept().count == 4)
      try store.ingest(Array(Self.lines.dropFirst(half)))
      #expect(try kept() == [])
      #expect(try shown() == made())
    }
  }

  /// The check must be able to fail, or it proves nothing.
  @Test func aCellThatWasTamperedWithIsReported() throws {
    try withTestStore { store in
      try store.ingest(Self.lines)
      #expect(try store.differencesFromRebuild() == [])
      try store.sqlite().execute("DELETE FROM trial_cell WHERE id = (SELECT MIN(id) FROM trial_cell)")
      #expect(try store.differencesFromRebuild() == ["trial_cell 1"])
      try store.sqlite().execute("UPDATE entry_cell SET id = id + 1 WHERE id = (SELECT MAX(id) FROM entry_cell)")
      #expect(try store.differencesFromRebuild() == ["entry_cell 2", "trial_cell 1"])
      try store.sqlite().execute(
        "UPDATE trial_length SET trials = trials + 1 WHERE app = (SELECT MIN(app) FROM trial_length)")
      #expect(try store.differencesFromRebuild().last?.hasPrefix("trial_length ") == true)
    }
  }
}
