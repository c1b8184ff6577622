import Reports
import Store
import Testing

@testable import Metrics

/// Definitions 2.7, 2.8 and 7.4; numbers derived by hand.
struct SubscriptionsTests {
  private static func event(_ id: String, _ kind: String, _ ts: String, _ user: String, _ more: String = "") -> String {
    """
    {"event_id":"\(id)","event":"\(kind)","ts":"\(ts)T12:00:00Z","app":"steps","user_id":"\(user)","product_id":"p"\(more)}
    """
  }

  private static func payment(_ id: String, _ kind: String, _ ts: String, _ user: String, plan: String = "monthly")
    -> String
  {
    event(id, kind, ts, user, #","plan":"\#(plan)","price":"10","currency":"USD""#)
  }

  /// All start on March 1. on continues; off turns auto-renew off on March 10; back turns it on again; late is not paid
  /// on April 1 and pays on April 3; failed is not paid either, after a failed charge; gone has turned it off and ends;
  /// ever is a lifetime. t has a trial of 7 d from March 30.
  private static let lines =
    ["on", "off", "back", "late", "failed", "gone"].map { payment("\($0)1", "conversion", "2026-03-01", $0) } + [
      payment("ever1", "conversion", "2026-03-01", "ever", plan: "lifetime"),
      event("gone2", "cancellation", "2026-03-10", "gone"),
      event("back2", "cancellation", "2026-03-10", "back"),
      event("back3", "reactivation", "2026-03-11", "back"),
      event("t1", "trial_start", "2026-03-30", "t", #","trial_days":7,"plan":"monthly""#),
      event("failed2", "billing_issue", "2026-04-01", "failed"),
      payment("on2", "renewal", "2026-04-01", "on"),
      payment("off2", "renewal", "2026-04-01", "off"),
      payment("back4", "renewal", "2026-04-01", "back"),
      payment("late2", "renewal", "2026-04-03", "late"),
      payment("gone3", "renewal", "2026-04-20", "gone"),
      event("off3", "cancellation", "2026-04-21", "off"),
      event("z", "activity", "2026-04-25", "z"),
    ]

  private static let status = "active renewing set_to_cancel lifetime in_grace billing_retry"

  /// April 2: late, failed and gone are in their grace. April 5: failed and gone have churned, one of them for billing.
  /// April 25: off has auto-renew off, gone has returned. By June 1 failed's 60 d have been over for a day, and the
  /// last covers of on, off, back (of May 1), late and gone have ended too.
  @Test(arguments: [
    ("2026-03-05", "7 6 0 1 0 0"), ("2026-03-10", "7 6 0 1 0 0"), ("2026-03-11", "7 4 2 1 0 0"),
    ("2026-03-12", "7 5 1 1 0 0"), ("2026-04-02", "4 3 0 1 3 0"), ("2026-04-05", "5 4 0 1 0 1"),
    ("2026-04-25", "6 4 1 1 0 1"), ("2026-06-01", "1 0 0 1 0 0"),
  ])
  func statusAsOfAnyDay(day: String, expected: String) throws {
    let table = try TestStore(lines: Self.lines).table("subscriptions", "--by", "none", "--as-of", day + "T00:00:00Z")
    #expect(table.cells(Self.status, of: "steps") == expected)
  }

  private static let flow = "active new resubscribed churned churn_rate trials_active trials_started"

  /// April: of the 7 active at its start failed and gone churned: 2/7 = 0.285714; gone returned.
  @Test func months() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try store.table("subscriptions", "--by", "month")
    #expect(table.cells(Self.flow, of: "steps", "2026-03") == "7 7 0 0 - 1 1")
    #expect(table.cells(Self.flow, of: "steps", "2026-04") == "6 0 1 2 0.285714 0 0")
    let movement = try store.table("subscriptions", "--by", "month", "--movement")
    #expect(
      movement.columns.joined(separator: " ")
        == "app month opening new resubscribed recovered lapsed churned closing")
    #expect(movement.rows.map { $0.dropFirst(2).joined(separator: " ") } == ["0 7 0 0 0 0 7", "7 0 1 1 1 2 6"])
  }

  /// Of two new subscriptions, one is first seen by a renewal (2.9).
  @Test func newOnesOlderThanTheDataAreCounted() throws {
    let store = try TestStore(lines: [
      Self.payment("a1", "conversion", "2026-03-01", "a"), Self.payment("b1", "renewal", "2026-03-02", "b"),
      Self.event("z", "activity", "2026-03-07", "z"),
    ])
    let report = try #require(try store.store.read { try ReportRequest(.subscriptions).table($0) })
    #expect(try report.newOlderThanData == 1 && Report(bytes: report.bytes)?.newOlderThanData == 1)
    #expect(try render(report, as: .table).contains("\n1 of the new began before the data.\n"))
    let one = try TestStore(lines: [Self.payment("a1", "conversion", "2026-03-01", "a")])
    let none = try #require(try one.store.read { try ReportRequest(.subscriptions).table($0) })
    #expect(try !render(none, as: .table).contains("before the data"))
  }

  /// A trial stops counting as one once it converts.
  @Test func trialsEndWithTheirConversion() throws {
    let store = try TestStore(lines: [
      Self.event("t1", "trial_start", "2026-03-01", "t", #","trial_days":7,"plan":"monthly""#),
      Self.payment("c1", "conversion", "2026-03-05", "t"), Self.event("z", "activity", "2026-03-07", "z"),
    ])
    let days = try store.table("subscriptions", "--by", "day")
    #expect(days.column("trials_active") == ["1", "1", "1", "1", "0", "0", "0"])
    #expect(days.column("active") == ["0", "0", "0", "0", "1", "1", "1"])
  }
}
