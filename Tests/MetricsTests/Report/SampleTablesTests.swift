import FolderSupport
import Foundation
import Metrics
import Reports
import Testing

/// The tables of `SampleData` at 80 columns, as an analyst reads them (reading a).
struct SampleTablesTests {
  private static let reports = [
    "funnel", "paths", "recovery", "saves", "winback", "trials", "savings", "cancellations", "value", "revenue", "mrr",
    "subscriptions",
    "retention",
    "ltv",
    "refunds", "cadence", "gates", "nudges", "activity", "experiments", "health",
  ]

  private func table(_ report: Report, width: Int = 80) throws -> String {
    var options = RenderOptions()
    options.width = width
    return try render(report, as: .table, options: options)
  }

  private func expect(_ text: String, _ name: String) throws {
    let file = Fixtures.own.appendingPathComponent("tables/\(name).txt")
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
      try Data(text.utf8).write(to: file)
      Issue.record("recorded \(name); run again without RECORD_GOLDEN")
      return
    }
    #expect(try text == String(decoding: Data(contentsOf: file), as: UTF8.self), "RECORD_GOLDEN=1 rewrites \(name).txt")
  }

  @Test(arguments: reports)
  func oneAppFitsAScreen(report: String) throws {
    let options = ["--app", "steps"] + (report == "mrr" ? ["--movement"] : [])
    let text = try table(SampleTruthTests.store.get().report(report, options))
    try expect(text, report)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 24)
    for line in lines { #expect(line.count <= 80, "\(line)") }
  }

  @Test(arguments: reports)
  func withoutRowsOrWithADayTheTablesAreWhole(report: String) throws {
    let store = try SampleTruthTests.store.get()
    if report != "health", report != "experiments" {
      let none = try table(store.report(report, ["--where", "country=XX"]))
      #expect(none.contains("No rows") && none.split(separator: "\n").count <= 6, "\(none)")
    }
    for options in [
      ["--app", "steps", "--from", "2026-02-02", "--to", "2026-02-03"], ["--app", "steps", "--by", "week"],
    ] {
      guard report != "health", report != "experiments" || !options.contains("--by") else { continue }
      for line in try table(store.report(report, options)).split(separator: "\n") {
        #expect(line.count <= 80, "\(line)")
      }
    }
  }

  /// Rates of few units have their bounds beside them, or below, with room for no more than 80 columns.
  @Test(arguments: [("winback", "came_back_30_rate"), ("recovery", "recovered_7_rate"), ("saves", "saved_7_rate")])
  func ratesOfFewHaveTheirBounds(report: String, rate: String) throws {
    let report = try SampleTruthTests.store.get().report(report, ["--app", "steps"])
    let place = try #require(report.columns.firstIndex { $0.name == rate })
    let currency = report.columns.firstIndex { $0.name == "currency" }
    let text = try table(report)
    for row in report.rows where currency.map({ row[$0] == .text("USD") }) ?? true {
      guard case .rate(let low?) = row[place + 1], case .rate(let high?) = row[place + 2] else { continue }
      let bounds = [low, high].map { String(format: "%.1f", $0 * 100) }
      #expect(text.contains(bounds.joined(separator: " to ")), "\(text)")
    }
  }

  /// The data end on Sunday, 15 March: nobody of the last week has had the 7 days of `ltv` or the 17 of the others.
  @Test(arguments: ["funnel", "paths", "value", "ltv", "cadence"])
  func rowsOfNobodyWhoCountsAreMarked(report: String) throws {
    let store = try SampleTruthTests.store.get()
    let text = try table(store.report(report, ["--app", "steps", "--by", "week"]))
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("9 Mar") }
    #expect(!rows.isEmpty && rows.allSatisfy { $0.contains("recent") }, "\(text)")
    #expect(
      text.contains("\n5 Jan 2026   ") && !text.contains("5 Jan 2026  recent") && !text.contains("5 Jan 2026  too"))
  }

  /// Where bounds stand below their rate, a mark without a rate stands beside the name of its row.
  @Test func marksWithoutANumberStandBesideTheirRow() throws {
    let text = try table(SampleTruthTests.store.get().report("retention", ["--app", "steps", "--by", "month,plan"]))
    let lines = text.split(separator: "\n")
    let march = lines.filter { $0.hasPrefix("Mar 2026") }
    #expect(march.count == 2 && march.allSatisfy { $0.hasSuffix("not yet       not yet") }, "\(text)")
    #expect(lines.contains { $0.hasSuffix("87.6 to 97.4  69.7 to 85.5") }, "\(text)")
  }

  /// Of the 46 trials of 2 March, 23 are over and 11 of them paid (47.8%), but 25 have paid already: at least 54.3%.
  @Test func ratesOfTrialsThatAreOverMayLieOutside() throws {
    let store = try SampleTruthTests.store.get()
    let note = "\"Of those over\" can lie outside"
    #expect(try table(store.report("trials", ["--app", "steps", "--by", "week"])).contains(note))
    #expect(
      try !table(store.report("trials", ["--app", "steps", "--by", "week", "--to", "2026-03-02"])).contains(note))
  }

  /// Coach gives its own trials; steps and techniq have those of the stores.
  @Test func aTotalOfBothKindsOfTrialsSaysSo() throws {
    let store = try SampleTruthTests.store.get()
    func text(_ words: String...) throws -> String {
      try table(store.report("trials", words)).replacing("\n", with: " ")
    }
    let note = "\"All\" adds up store trials and the trials that coach gives without the store: --by trial_kind"
    #expect(try text().contains(note))
    #expect(try !text("--by", "trial_kind").contains(note))
    #expect(try !text("--app", "steps", "--app", "techniq").contains(note))
  }

  @Test func oneDayIsMarkedInItsMonth() throws {
    let store = try SampleTruthTests.store.get()
    let day = try table(store.report("revenue", ["--app", "steps", "--from", "2026-02-02", "--to", "2026-02-03"]))
    try expect(day, "revenue-one-day")
    #expect(day.contains("Feb 2026  1 of 28 d"))
  }

  /// 300 variants: a row each below control, and a total.
  @Test func manyVariantsAreARowEach() throws {
    let lines = (0..<900).map { user in
      let variant = user / 3 == 0 ? "control" : "v\(user / 3)"
      return
        #"{"event_id":"e\#(user)","event":"paywall_impression","ts":"2026-01-01T00:00:00Z","app":"demo","entry_point":"e","#
        + #""user_id":"u\#(user)","variant":"\#(variant)"}"#
    }
    let store = try TestStore(lines: lines)
    try #require(store.summary.quarantined.isEmpty)
    let text = try table(store.report("funnel", ["--as-of", "2026-03-01T00:00:00Z"]))
    let rows = text.split(separator: "\n")
    // The last two say that the data end on 1 January.
    try #require(rows.count == 2 + 300 + 3 + 2, "\(text)")
    #expect(rows[2].hasPrefix("control") && rows[303].hasPrefix("all") && rows[303].contains("900"))
    for row in rows { #expect(row.count <= 80) }
  }
}
