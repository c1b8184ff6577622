import EventModel
import Testing

@testable import Metrics

struct ChangesTests {
  private static func line(_ kind: String, _ id: String, _ day: String, _ more: String = "") -> String {
    let time = day.contains("T") ? day : day + "T12:00:00Z"
    return
      #"{"event_id":"\#(kind)-\#(id)","event":"\#(kind)","ts":"\#(time)","app":"steps","user_id":"u\#(id)"\#(more)}"#
  }

  private static func bought(_ id: String, _ day: String) -> String {
    line("conversion", id, day, #","product_id":"p","plan":"monthly","price":"10","currency":"USD""#)
  }

  private static func saw(_ id: String, _ day: String) -> String {
    line("paywall_impression", id, day, #","entry_point":"settings""#)
  }

  /// Weeks of 2026-01-05, -12 and -19 with 3, 4 and 9 payments of 10 USD; the last event is 1 h before the end of the
  /// third.
  private static let payments =
    (0..<3).map { bought("a\($0)", "2026-01-06") } + (0..<4).map { bought("b\($0)", "2026-01-13") }
    + (0..<9).map { bought("c\($0)", "2026-01-21") }

  /// Derived by hand: 9 − 4 = 5, with half a width of 1.959964·√13 = 7.066751; p of 5/√13 by SciPy's `norm.sf`,
  /// doubled. In money ten times as much, with variances 40²/4 and 90²/9.
  @Test func countsAndMoneyOfTheLastFullWeek() throws {
    let store = try TestStore(lines: Self.payments + [Self.line("activity", "z", "2026-01-25T23:00:00Z")])
    let table = try store.table("changes")
    let columns = "week_before week before last change change_low change_high p"
    #expect(
      table.cells(columns, of: "steps", "revenue", "payments", "count")
        == "2026-01-12 2026-01-19 4 9 5 -2.066751 12.066751 0.165518")
    #expect(
      table.cells(columns, of: "steps", "revenue", "revenue", "USD")
        == "2026-01-12 2026-01-19 40.00 90.00 50.00 -20.67 120.67 0.165518")
  }

  /// A week that may not be over is not compared, nor is the first, which may have started before the data.
  @Test(arguments: ["2026-01-25T17:59:59Z", "2026-01-21T13:00:00Z"])
  func halfAWeekIsNotCompared(newest: String) throws {
    let store = try TestStore(lines: Self.payments + [Self.line("activity", "z", newest)])
    #expect(try store.table("changes").rows.isEmpty)
  }

  /// 4 of 10 and 9 of 12 users who saw a paywall bought. They mature 10 d later, after two more weeks without users or
  /// a rate, so the share compares the weeks before; the number of users, 0 and 0, has not changed. SciPy: the roots of
  /// the score with rates from `minimize_scalar`; p of the N − 1 χ² also agrees with statsmodels.
  @Test func aShareIsOfTheNewestWeeksThatAreSettled() throws {
    var lines = [Self.saw("first", "2026-01-06")]
    lines += (0..<10).flatMap {
      [Self.saw("b\($0)", "2026-01-13")] + ($0 < 4 ? [Self.bought("b\($0)", "2026-01-14")] : [])
    }
    lines += (0..<12).flatMap {
      [Self.saw("c\($0)", "2026-01-20")] + ($0 < 9 ? [Self.bought("c\($0)", "2026-01-21")] : [])
    }
    let young = try TestStore(lines: lines + [Self.line("activity", "z", "2026-01-25T23:00:00Z")])
    #expect(try young.table("changes").cells("change", of: "steps", "funnel", "direct_rate", "share") == "no row")
    let old = try TestStore(lines: lines + [Self.line("activity", "z", "2026-02-08T23:00:00Z")])
    let table = try old.table("changes")
    #expect(
      table.cells("week_before week before last change", of: "steps", "funnel", "direct_rate", "share")
        == "2026-01-12 2026-01-19 0.400000 0.750000 0.350000")
    #expect(
      table.cells("change_low change_high p", of: "steps", "funnel", "direct_rate", "share")
        == "-0.071066 0.669915 0.104305")
    #expect(table.cells("week", of: "steps", "funnel", "users", "count") == "no row")
  }

  /// Holm covers all numbers, and rank 1 is the change that chance explains least.
  @Test func ranksAndAdjustmentAreOfAllNumbers() throws {
    let store = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    let report = try store.report("changes", [])
    let rows = try store.table("changes")
    #expect(rows.column("rank").compactMap(Int.init).sorted() == Array(1...report.rows.count))
    let p = zip(rows.column("rank"), zip(rows.column("p"), rows.column("p_adjusted")))
      .sorted { Int($0.0)! < Int($1.0)! }.map { (Double($0.1.0)!, Double($0.1.1)!) }
    #expect(zip(p, p.dropFirst()).allSatisfy { $0.0 <= $1.0 && $0.1 <= $1.1 })
    #expect(abs(p[0].1 - min(1, p[0].0 * Double(p.count))) < 1e-6)
  }
}
