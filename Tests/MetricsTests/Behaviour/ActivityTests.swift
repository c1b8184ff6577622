import Metrics
import Testing

/// Numbers derived by hand.
struct ActivityTests {
  private static let lines = [
    Behaviour.line("activity", "2026-01-05T10:00:00", "u"), Behaviour.line("activity", "2026-01-06T10:00:00", "u"),
    Behaviour.line("activity", "2026-01-06T20:00:00", "u"),
    Behaviour.line("trial_start", "2026-01-05T12:00:00", "v", Behaviour.trial),
    Behaviour.line("activity", "2026-01-06T10:00:00", "v"),
    Behaviour.line("conversion", "2026-01-05T12:00:00", "w", Behaviour.sale),
    Behaviour.line("activity", "2026-01-11T10:00:00", "w"),
    // A month later u returns.
    Behaviour.line("activity", "2026-02-04T10:00:00", "u"),
  ]

  /// In the first week u is active on two days, v on one in its trial, and w on one while paying. The 30 days up to
  /// Wednesday, 2026-02-04, start on January 6; all three are active in them.
  @Test func personsAreCountedByStatusAndWindow() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try store.table("activity")
    let columns = "days daily_active weekly_active monthly_active stickiness"
    func row(_ week: String, _ status: String) -> String { table.cells(columns, of: "steps", week, status) }
    #expect(row("2026-01-05", "all") == "7 0.571429 3 - -")
    #expect(row("2026-01-05", "free") == "7 0.285714 1 - -")
    #expect(row("2026-01-05", "trial") == "7 0.142857 1 - -")
    #expect(row("2026-01-05", "paid") == "7 0.142857 1 - -")
    #expect(row("2026-02-02", "all") == "3 0.333333 1 3 0.111111")
    #expect(row("2026-02-02", "paid") == "3 0.000000 0 1 0.000000")
    let days = try store.table("activity", "--by", "day", "--to", "2026-01-07")
    #expect(days.cells("daily_active", of: "steps", "2026-01-06", "all") == "2.000000")
    #expect(throws: ReportError.self) { try store.table("activity", "--by", "none") }
    #expect(throws: ReportError.self) { try store.table("activity", "--where", "month=2026-01") }
  }

  /// The three statuses add up to all. Monthly is at least weekly, which is at least daily.
  @Test(arguments: [1, 2, 3] as [UInt64]) func statusesAddUpAndWindowsGrow(seed: UInt64) throws {
    let activity = try Behaviour.randomStore(seed: seed).table("activity", "--by", "day")
    #expect(!activity.rows.isEmpty)
    for (_, rows) in Dictionary(grouping: activity.rows, by: { $0[0] + $0[1] }) {
      func value(_ status: String, _ column: String) -> Double {
        rows.first { $0[2] == status }.flatMap { activity.number(column, in: $0) } ?? 0
      }
      for column in ["daily_active", "weekly_active", "monthly_active"] {
        #expect(
          abs(value("all", column) - ["free", "trial", "paid"].reduce(0) { $0 + value($1, column) }) < 1e-5)
      }
      if rows[0][6] != "" { #expect(value("all", "monthly_active") >= value("all", "weekly_active")) }
      if rows[0][5] != "" { #expect(value("all", "weekly_active") >= value("all", "daily_active")) }
    }
  }
}
