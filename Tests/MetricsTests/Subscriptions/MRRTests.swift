import Testing

@testable import Metrics

/// Definitions 7.2 and 7.3; numbers derived by hand, identities on random stores.
struct MRRTests {
  private static func payment(
    _ id: String, _ kind: String, _ ts: String, _ user: String, _ plan: String, _ price: String,
    _ entryPoint: String = "w"
  ) -> String {
    """
    {"event_id":"\(id)","event":"\(kind)","ts":"\(ts)T12:00:00Z","app":"steps","user_id":"\(user)","product_id":"\(plan)",\
    "plan":"\(plan)","price":"\(price)","currency":"USD","entry_point":"\(entryPoint)","subscription_id":"\(user)"}
    """
  }

  private static func other(_ id: String, _ kind: String, _ ts: String, _ user: String = "z") -> String {
    #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(ts)T12:00:00Z","app":"steps","user_id":"\#(user)","#
      + #""product_id":"monthly"}"#
  }

  /// One subscription of each plan, paid on 2026-01-10 at 12.00; the weekly one has 12 · 4.348125 = 52.1775.
  ///
  ///     52.1775 + 12 + 6 + 4 + 2 + 1 = 77.1775, twelve times that 926.13; the lifetime does not count
  @Test func everyPlanIsBroughtToAMonth() throws {
    let plans = ["weekly", "monthly", "two_month", "quarterly", "semiannual", "yearly", "lifetime"]
    let store = try TestStore(lines: plans.map { Self.payment($0, "conversion", "2026-01-10", $0, $0, "12") })
    let all = try store.table("mrr", "--by", "none")
    #expect(all.columns == ["app", "currency", "active_subscriptions", "mrr", "arr"])
    #expect(all.cells("active_subscriptions mrr arr", of: "steps", "USD") == "6 77.18 926.13")
    let each = try store.table("mrr", "--by", "plan")
    #expect(each.column("plan") == ["monthly", "quarterly", "semiannual", "two_month", "weekly", "yearly"])
    #expect(each.column("mrr") == ["12.00", "4.00", "2.00", "6.00", "52.18", "1.00"])
  }

  /// - a: monthly 10 from January 10, paid again on February 10 and, 2 d late, on March 12; ended on April 12.
  /// - b: monthly 10 from January 20, yearly 60 from February 15 (5 a month), its last known event.
  /// - c: yearly 120 from February 1, refunded on March 1; monthly 8 again from April 20.
  private static let lines = [
    payment("a1", "conversion", "2026-01-10", "a", "monthly", "10"),
    payment("a2", "renewal", "2026-02-10", "a", "monthly", "10"),
    payment("a3", "renewal", "2026-03-12", "a", "monthly", "10"),
    payment("b1", "conversion", "2026-01-20", "b", "monthly", "10"),
    payment("b2", "plan_change", "2026-02-15", "b", "yearly", "60"),
    payment("c1", "conversion", "2026-02-01", "c", "yearly", "120"),
    #"{"event_id":"c2","event":"refund","ts":"2026-03-01T12:00:00Z","app":"steps","user_id":"c","subscription_id":"c"}"#,
    payment("c3", "renewal", "2026-04-20", "c", "monthly", "8"),
    other("z", "activity", "2026-04-30"),
  ]

  /// a, b and c pay 10 a month, d once for 90. b and c cancel on day 15, c turns auto-renew on again on the 17th, and a cancels
  /// on the 20th. Before the 15th nobody has.
  @Test func revenueThatWillNotRenew() throws {
    func change(_ kind: String, _ ts: String, _ user: String) -> String {
      #"{"event_id":"\#(kind)-\#(user)","event":"\#(kind)","ts":"\#(ts)T12:00:00Z","app":"steps","user_id":"\#(user)","#
        + #""product_id":"monthly","subscription_id":"\#(user)"}"#
    }
    let store = try TestStore(
      lines: ["a", "b", "c"].map { Self.payment($0, "conversion", "2026-01-10", $0, "monthly", "10") } + [
        Self.payment("d", "conversion", "2026-01-10", "d", "lifetime", "90"),
        change("cancellation", "2026-01-15", "b"), change("cancellation", "2026-01-15", "c"),
        change("reactivation", "2026-01-17", "c"), change("cancellation", "2026-01-20", "a"),
        Self.other("z", "activity", "2026-01-25"),
      ])
    func state(_ arguments: String...) throws -> [String] {
      let table = try Table(csv: store.csv("mrr", ["--by", "renewing"] + arguments))
      return zip(table.column("renewing"), table.column("mrr")).map { "\($0) \($1)" }
    }
    #expect(try state() == ["no 20.00", "yes 10.00"])
    #expect(try state("--as-of", "2026-01-16T00:00:00Z") == ["no 20.00", "yes 10.00"])
    #expect(try state("--as-of", "2026-01-15T00:00:00Z") == ["yes 30.00"])
    #expect(try state("--where", "renewing=no") == ["no 20.00"])
    #expect(throws: ReportError.self) { try store.table("subscriptions", "--by", "renewing") }
  }

  private static let movement = "opening new resubscribed expansion contraction churned closing"

  /// In March a's gap of two days takes 10 away and gives it back. At the end of April the as-of is a day before May.
  @Test func movementOfEveryKind() throws {
    let table = try TestStore(lines: Self.lines).table("mrr", "--by", "month", "--movement")
    #expect(table.columns.joined(separator: " ") == "app month currency " + Self.movement)
    func month(_ month: String) -> String { table.cells(Self.movement, of: "steps", month) }
    #expect(month("2026-01") == "0.00 20.00 0.00 0.00 0.00 0.00 20.00")
    #expect(month("2026-02") == "20.00 10.00 0.00 0.00 -5.00 0.00 25.00")
    #expect(month("2026-03") == "25.00 0.00 0.00 10.00 -10.00 -10.00 15.00")
    #expect(month("2026-04") == "15.00 0.00 8.00 0.00 0.00 -10.00 13.00")
  }

  /// The movement between two days, and the states at the ends of months.
  @Test func periodsAndSeries() throws {
    let store = try TestStore(lines: Self.lines)
    let period = try store.table("mrr", "--by", "none", "--movement", "--from", "2026-02-01", "--to", "2026-04-01")
    #expect(period.cells(Self.movement, of: "steps") == "20.00 10.00 0.00 10.00 -15.00 -10.00 15.00")
    let series = try store.table("mrr", "--by", "month")
    #expect(series.column("mrr") == ["20.00", "25.00", "15.00", "13.00"])
    #expect(series.column("active_subscriptions") == ["2", "3", "2", "2"])
    #expect(try store.table("mrr", "--by", "month", "--where", "month=2026-03").column("mrr") == ["15.00"])
    #expect(try store.table("mrr", "--by", "none", "--to", "2026-03-01").column("mrr") == ["25.00"])
  }

  /// On April 13 a's grace is not over: a is not active, and has not churned.
  @Test func anEndInGraceIsNotYetChurn() throws {
    let table = try TestStore(lines: Self.lines)
      .table("mrr", "--by", "none", "--movement", "--from", "2026-04-01", "--as-of", "2026-04-13T00:00:00Z")
    #expect(table.cells(Self.movement, of: "steps") == "15.00 0.00 0.00 0.00 -10.00 0.00 5.00")
  }

  @Test func rowsOfSeveralPeriodsAreRefused() throws {
    let store = try TestStore(lines: Self.lines)
    #expect(throws: ReportError.self) { try store.table("mrr", "--by", "day,month") }
    #expect(throws: ReportError.self) { try store.table("mrr", "--by", "none", "--where", "month=2026-03") }
  }

  /// A share of a micro-unit decides a tie: 4.985 and 1/4800 of a micro-unit is 4.99, 4.985 itself 4.98.
  @Test func sumsAreRoundedOnce() {
    #expect(roundedToOdd(4_985_000 * 4800 + 1, dividedBy: 4800) == 4_985_001)
    #expect(roundedToOdd(4_985_000 * 4800, dividedBy: 4800) == 4_985_000)
    #expect(roundedToOdd(-4_985_000 * 4800 - 1, dividedBy: 4800) == -4_985_001)
    #expect(roundedToOdd(4_985_001 * 4800 + 4799, dividedBy: 4800) == 4_985_001)
  }
}
