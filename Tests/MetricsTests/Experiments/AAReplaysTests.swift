import Metrics
import Reports
import Testing

@testable import Store

/// `aa-replay` over a store: the choice of past users, and draws that depend on seed and content alone.
struct AAReplaysTests {
  private typealias Events = ExperimentEvents

  private func csv(
    _ store: TestStore, metric: ReplayMetric = .paid, repetitions: Int = 40, seed: UInt64 = 1,
    _ arguments: [String] = []
  ) throws -> String {
    let options = try ReportOptions(arguments: arguments)
    return try store.store.read {
      try render(
        AAReplays.report($0, options, metric: metric, repetitions: repetitions, seed: seed), as: .csv)
    }
  }

  /// 900 users over 20 days, a tenth of whom pay. At 400 draws a rate of 5% has a standard error of 1.1 points, and
  /// four of them reach from 0.6% to 9.4%. Under daily looks, 20 in all, a fixed test alarms in about a quarter of
  /// the draws.
  @Test func aFixedTestHoldsAtTheEndAndNotUnderDailyLooks() throws {
    let lines = Events.arm("control", persons: 900, paying: 90) + [Events.line("activity", "z", ms: Events.days(60))]
    let table = try Table(csv: csv(TestStore(lines: lines), repetitions: 400))
    #expect(table.cells("users looks repetitions made_for", of: "demo", "paid", "score test") == "900 20 400 one look")
    let row = try #require(table.rows.first { $0[2] == "score test" })
    let (atEnd, daily) = (
      try #require(table.number("end_rate", in: row)), try #require(table.number("daily_rate", in: row))
    )
    #expect(atEnd > 0.006 && atEnd < 0.094)
    #expect(daily > 0.15 && daily < 0.4)
    #expect(table.cells("daily_reading", of: "demo", "paid", "score test") == "too often")
    for row in table.rows where row[3] == "daily looks" {
      #expect(try #require(table.number("daily_rate", in: row)) <= 0.094, "\(row)")
    }
    #expect(Set(table.column("metric")) == ["paid", "revenue:USD", "revenue_per_payer:USD"])
    // No user has a history, so CUPED is absent.
    #expect(!table.column("method").contains("CUPED") && table.column("method").contains("Fisher mid-p"))
  }

  @Test func theSameContentAndSeedGiveTheSameBytes() throws {
    let lines = Events.arm("control", persons: 300, paying: 40) + [Events.line("activity", "z", ms: Events.days(60))]
    let one = try csv(TestStore(lines: lines))
    #expect(try csv(TestStore(lines: lines.reversed())) == one)
    #expect(try csv(TestStore(lines: lines), seed: 2) != one)
  }

  /// A first exposure exactly 30 d before the as-of is the last that counts; day filters use it. No user paid, so
  /// revenue is absent.
  @Test func pastUsersAreThoseWhoseWindowsAreOver() throws {
    let at = Events.days
    let store = try TestStore(lines: [
      Events.exposure("a", "x", ms: at(1, 0)), Events.exposure("a", "y", ms: at(9, 0)),
      Events.line("paywall_impression", "b", ms: at(2, 0), #","entry_point":"settings""#),
      Events.line("paywall_impression", "c", ms: at(2, 1), #","entry_point":"settings""#),
      Events.line("activity", "d", ms: at(0, 0)), Events.line("activity", "a", ms: at(9, 0)),
    ])
    func users(_ arguments: [String]) throws -> [String] {
      try Table(csv: csv(store, metric: .retained, repetitions: 1, arguments)).column("users")
    }
    #expect(try Set(users(["--as-of", "2026-02-02T00:00:00Z"])) == ["2"])
    #expect(try Set(users(["--as-of", "2026-02-02T00:00:00.001Z"])) == ["3"])
    #expect(try Set(users(["--as-of", "2026-03-02T00:00:00Z", "--to", "2026-01-03"])) == ["1"])
    let all = try Table(csv: csv(store, metric: .retained, repetitions: 1, ["--as-of", "2026-03-02T00:00:00Z"]))
    #expect(Set(all.column("metric")) == ["retained"])
    #expect(throws: ReplayError.self) { try users(["--as-of", "2026-01-20T00:00:00Z"]) }
  }
}
