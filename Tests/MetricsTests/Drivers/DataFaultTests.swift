import Metrics
import Testing

/// Shares of the data that differ between the two sides (definitions 10.10), derived by hand. Day 0 is 1 January 2026.
struct DataFaultTests {
  private typealias Events = ExperimentEvents

  private static func view(_ day: Int64, _ viewer: Int64, variant: String) -> String {
    Events.line(
      "paywall_impression", "u\(day)-\(viewer)", ms: Events.days(day, ms: viewer * 60_000),
      #","entry_point":"map","variant":"\#(variant)""#)
  }

  /// 30 viewers a day from day 4 to 17. From day 14 on, 20 of them buy, by lines without a plan. Of 10 viewers of day 12, a
  /// second line with the same id has another variant.
  private static let views = (4..<18).flatMap { (day: Int64) -> [String] in
    (0..<30).map { (viewer: Int64) -> String in view(day, viewer, variant: "a") }
  }
  private static let sales = (14..<18).flatMap { (day: Int64) -> [String] in
    (0..<20).map { (viewer: Int64) -> String in
      Events.line(
        "conversion", "u\(day)-\(viewer)", ms: Events.days(day, ms: viewer * 60_000 + 1_000),
        #","price":10,"currency":"USD","product_id":"pro""#)
    }
  }
  private static let again = (0..<10).map { view(12, $0, variant: "b") }
  private static let end = Events.line("activity", "end", ms: Events.days(40, ms: -1))

  /// Days 11 to 17 against days 4 to 10: the faults of the data.
  private func rows(_ kind: ReportKind, _ column: String, _ lines: [String]) throws -> [String] {
    var request = ReportRequest(kind)
    request.options = try ReportOptions(arguments: ["--from", "2026-01-12", "--to", "2026-01-19", "--horizon", "1"])
    request.drivers = DriverQuestion(column: column)
    let store = try TestStore(lines: lines)
    let report = try #require(try store.store.read { try request.table($0) })
    let names = ["cut", "segment", "part", "before_n", "now_n", "before_share", "now_share"]
    return try report.values(ofVerdict: "data", names).map { row in
      row.map { value in
        switch value {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .rate(let share?): "\((share * 1e6).rounded() / 1e6)"
        default: ""
        }
      }.joined(separator: " | ")
    }
  }

  /// Of 210 lines before, all count. Now 210 count, and 4 · 20 sales and 10 second lines do not: 90 of 300.
  @Test func rejectedLinesOfOneSideAreTold() throws {
    // Paths count the events of the funnel.
    for kind in [ReportKind.funnel, .paths] {
      #expect(
        try rows(kind, "paid_rate", Self.views + Self.sales + Self.again + [Self.end]) == [
          "quarantine | rejected lines | missing:plan conflict | 0 | 90 | 0.0 | 0.3"
        ])
    }
  }

  /// As many lines are rejected in both weeks: 80 of 290 each.
  @Test func equalSharesAreNoFault() throws {
    let earlier = (7..<11).flatMap { (day: Int64) -> [String] in
      (0..<20).map { (viewer: Int64) -> String in
        Events.line(
          "conversion", "u\(day)-\(viewer)", ms: Events.days(day, ms: viewer * 60_000 + 1_000),
          #","price":10,"currency":"USD","product_id":"pro""#)
      }
    }
    #expect(try rows(.funnel, "paid_rate", Self.views + Self.sales + earlier + [Self.end]).isEmpty)
  }
}
