import Testing

@testable import Metrics

/// Definitions 6.4; numbers derived by hand.
struct RetentionTests {
  /// Monthly, all but s4 from January 1: s1 never renews (E = February 1, 31 d), s2 renews once (E = March 1, 59 d), s3
  /// pays on the first of each month until April; s4 starts on March 20.
  private static let lines: [String] =
    [("s1", 0), ("s2", 1), ("s3", 3)].flatMap { user, renewals -> [String] in
      (0...renewals).map { payment(user, "2026-0\($0 + 1)-01T00:00:00Z", isFirst: $0 == 0) }
    } + [payment("s4", "2026-03-20T00:00:00Z", isFirst: true)]

  private static func payment(_ user: String, _ ts: String, isFirst: Bool, plan: String = "monthly") -> String {
    """
    {"event_id":"\(user)-\(ts)-\(plan)","event":"\(isFirst ? "conversion" : "renewal")","ts":"\(ts)","app":"steps",\
    "user_id":"\(user)","product_id":"\(plan)","plan":"\(plan)","price":"10","currency":"USD","entry_point":"widgets",\
    "subscription_id":"\(user)"}
    """
  }

  private static let asOf = ["--as-of", "2026-04-10T00:00:00Z"]

  /// Followed until April 7: times 31 and 59 d ended, 96 d (s3) and 18 d (s4) censored; S(35) = 2/3, S(65) = 2/3 · 1/2.
  @Test func survivalByDays() throws {
    let table = try Table(csv: TestStore(lines: Self.lines).csv("retention", ["--by", "none"] + Self.asOf))
    #expect(table.cells("subscriptions churned median_days", of: "steps") == "4 2 59.000000")
    func at(_ age: Int) -> String { table.cells("at_risk_\(age) survival_\(age)", of: "steps") }
    #expect(at(12) == "4 1.000000" && at(35) == "2 0.666667" && at(65) == "1 0.333333" && at(95) == "1 0.333333")
    #expect(at(185) == "0 -")
    // ln S = −0.405465, √(1/(3·2)) = 0.408248: S^exp(±1.959964 · 0.408248 ÷ 0.405465).
    #expect(table.cells("survival_35_low survival_35_high", of: "steps") == "0.054073 0.945206")
    #expect(table.cells("survival_12_low survival_12_high", of: "steps") == "- -")
  }

  /// The four subscriptions in each of two apps have the survival of one, whatever rows they are in.
  @Test(arguments: [[], [Dimension.plan], [.month]]) func totalsDoNotDependOnTheRows(by: [Dimension]) throws {
    let others = Self.lines.map { $0.replacing(#""app":"steps""#, with: #""app":"other""#) }
    let store = try TestStore(lines: Self.lines + others)
    var options = ReportOptions()
    (options.by, options.asOf) = (by, 1_775_779_200_000)
    let report = try store.store.read { try Retention.report($0, options) }
    let all = try #require(report.totals.last { $0[0] == .text("") })
    #expect(report.value("subscriptions", in: all) == .count(8) && report.value("at_risk_35", in: all) == .count(4))
    guard case .rate(let survival?)? = report.value("survival_35", in: all) else {
      Issue.record("no survival")
      return
    }
    #expect(abs(survival - 2.0 / 3) < 1e-12)
  }

  /// Due on February, March and April 1, each with its grace over; s4's second payment is not due.
  @Test func sharesThatMadeAPayment() throws {
    let table = try Table(
      csv: TestStore(lines: Self.lines).csv("retention", ["--by", "none", "--by-period"] + Self.asOf))
    func at(_ number: Int) -> String {
      table.cells("at_risk_\(number) paid_\(number) retention_\(number) survival_\(number)", of: "steps")
    }
    #expect(at(2) == "3 2 0.666667 0.666667")
    #expect(at(3) == "3 1 0.333333 0.333333" && at(4) == "3 1 0.333333 0.333333")
    #expect(at(5) == "0 0 - -")
  }

  /// On February 2 s2 and s3 have paid and s1 is in grace: nothing is known of the second payment yet. Following payers
  /// further than others would give 100%.
  @Test func youngCohortsAreNotFlattered() throws {
    let store = try TestStore(lines: Self.lines)
    let young = ["--by", "none", "--as-of", "2026-02-02T00:00:00Z"]
    let days = try Table(csv: store.csv("retention", young + ["--at", "29,31"]))
    #expect(days.cells("at_risk_29 survival_29 at_risk_31 survival_31", of: "steps") == "3 1.000000 0 -")
    let periods = try Table(csv: store.csv("retention", young + ["--by-period"]))
    #expect(periods.cells("at_risk_2 paid_2 retention_2 survival_2", of: "steps") == "0 0 - -")
    // Two days later the grace is over.
    let known = try Table(
      csv: store.csv("retention", ["--by", "none", "--by-period", "--as-of", "2026-02-04T00:00:00Z"]))
    #expect(known.cells("at_risk_2 paid_2", of: "steps") == "3 2")
  }

  /// A monthly buyer who moves to a yearly plan on February 1 has no third payment due in March, nor before the next
  /// February.
  @Test func aLongerPlanIsDueLater() throws {
    let lines =
      Self.lines + [
        Self.payment("s5", "2026-01-01T00:00:00Z", isFirst: true),
        Self.payment("s5", "2026-02-01T00:00:00Z", isFirst: false, plan: "yearly"),
      ]
    let table = try Table(csv: TestStore(lines: lines).csv("retention", ["--by", "none", "--by-period"] + Self.asOf))
    #expect(table.cells("at_risk_2 paid_2 at_risk_3 paid_3", of: "steps") == "4 3 3 1")
  }

  @Test func cohortsAreRows() throws {
    let table = try Table(
      csv: TestStore(lines: Self.lines).csv("retention", ["--by", "month,plan", "--at", "35"] + Self.asOf))
    #expect(table.columns.prefix(6) == ["app", "month", "plan", "subscriptions", "churned", "median_days"])
    #expect(table.cells("subscriptions at_risk_35", of: "steps", "2026-01", "monthly") == "3 2")
    #expect(table.cells("subscriptions at_risk_35 survival_35", of: "steps", "2026-03", "monthly") == "1 0 -")
  }
}
