import EventModel
import Statistics
import Testing

@testable import Metrics

/// Definitions 7.5 and 7.6.
struct LTVTests {
  private static func event(_ id: String, _ kind: String, _ ts: String, _ user: String, _ more: String = "") -> String {
    #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(ts)T00:00:00Z","app":"steps","user_id":"\#(user)"\#(more)}"#
  }

  private static func payment(
    _ id: String, _ kind: String, _ ts: String, _ user: String, _ price: String, plan: String = "monthly",
    variant: String = "a"
  ) -> String {
    event(
      id, kind, ts, user,
      #","product_id":"\#(plan)","plan":"\#(plan)","price":"\#(price)","currency":"USD","entry_point":"widgets","variant":"\#(variant)""#
    )
  }

  /// u1 is first seen on January 1, pays 10 on January 6, February 6 and March 6, and is refunded 4 on January 21. u2
  /// is seen on January 1 and never pays. u3 comes on March 1 and pays 20 on March 2. As of April 5, u1 and u2 were
  /// followed for 94 days, u3 for 35.
  private static let lines = [
    event("a1", "activity", "2026-01-01", "u1"), event("a2", "activity", "2026-01-01", "u2"),
    payment("c1", "conversion", "2026-01-06", "u1", "10"),
    event("r1", "refund", "2026-01-21", "u1", #","price":"4","currency":"USD""#),
    payment("c2", "renewal", "2026-02-06", "u1", "10"), payment("c3", "renewal", "2026-03-06", "u1", "10"),
    event("i3", "paywall_impression", "2026-03-01", "u3", #","entry_point":"widgets","variant":"b""#),
    payment("c4", "conversion", "2026-03-02", "u3", "20"),
  ]
  private static let asOf = ["--as-of", "2026-04-05T00:00:00Z"]
  private static func columns(_ age: Int) -> String {
    "persons_\(age) ltv_person_\(age) payers_\(age) ltv_payer_\(age)"
  }

  /// 7 d: 10 + 20 over 3 users and 2 payers. 30 d: 10 − 4 + 20 = 26. 90 d: u1's 30 − 4 over u1 and u2. 180 d: no user.
  @Test func realisedIsTheMeanOfThoseFollowed() throws {
    let table = try Table(csv: TestStore(lines: Self.lines).csv("ltv", ["--by", "none"] + Self.asOf))
    #expect(table.cells(Self.columns(7), of: "steps", "USD") == "3 10.00 2 15.00")
    #expect(table.cells(Self.columns(30), of: "steps", "USD") == "3 8.67 2 13.00")
    #expect(table.cells(Self.columns(90), of: "steps", "USD") == "2 13.00 1 26.00")
    #expect(table.cells(Self.columns(180), of: "steps", "USD") == "0 - 0 -")
    let gross = try Table(
      csv: TestStore(lines: Self.lines).csv("ltv", ["--by", "none", "--mode", "gross"] + Self.asOf))
    #expect(gross.cells("ltv_payer_30 ltv_payer_90", of: "steps", "USD") == "15.00 30.00")
  }

  /// The user's context is that of the first paywall seen; the cohort month is that of the first event. Users who never
  /// paid have no plan and no currency.
  @Test func personsHaveTheirOwnDimensions() throws {
    let store = try TestStore(lines: Self.lines)
    let variants = try Table(csv: store.csv("ltv", ["--by", "variant"] + Self.asOf))
    #expect(variants.cells("persons_7 payers_7 ltv_payer_7", of: "steps", "b", "USD") == "1 1 20.00")
    #expect(variants.cells("persons_7 payers_7 ltv_payer_7", of: "steps", "(unattributed)", "USD") == "2 1 10.00")
    let months = try Table(csv: store.csv("ltv", ["--by", "month"] + Self.asOf))
    #expect(months.cells("persons_7 ltv_person_7", of: "steps", "2026-01", "USD") == "2 5.00")
    #expect(months.cells("persons_7 ltv_person_7", of: "steps", "2026-03", "USD") == "1 20.00")
    let plans = try Table(csv: store.csv("ltv", ["--by", "plan"] + Self.asOf))
    #expect(
      plans.cells("persons_7 ltv_person_7 predicted_note", of: "steps", "(none)", "(none)") == "1 0.00 no purchases")
    #expect(plans.cells("persons_7 payers_7", of: "steps", "monthly", "USD") == "2 2")
  }

  /// Two purchases: one stayed at both renewals that were due; the other's is due on April 2, with grace until the 5th.
  /// Fewer than 10 renewals are known, so there is no number (D6.9).
  @Test func whatIsNotEstimableIsEmptyWithAReason() throws {
    let table = try Table(
      csv: TestStore(lines: Self.lines).csv("ltv", ["--by", "plan", "--as-of", "2026-04-04T23:59:59Z"]))
    #expect(
      table.cells("purchases predicted_ltv_12m predicted_ltv_12m_low predicted_note", of: "steps", "monthly", "USD")
        == "2 - - monthly not known yet from 12m on (94 days of data)")
    // A yearly purchase pays once within 12 months in any case.
    let yearly = try Table(
      csv: TestStore(lines: [Self.payment("y", "conversion", "2026-01-06", "u9", "50", plan: "yearly")])
        .csv("ltv", ["--by", "plan"] + Self.asOf))
    #expect(
      yearly.cells(
        "predicted_ltv_12m predicted_ltv_12m_low predicted_ltv_12m_high predicted_ltv_24m", of: "steps", "yearly")
        == "50.00 50.00 50.00 -")
    #expect(yearly.column("predicted_note") == ["yearly not known yet from 24m on (89 days of data)"])
  }

  /// Customers alive after 0 … 7 yearly renewals, Fader & Hardie (2007), table 1.
  private static let highEnd = [1000, 869, 743, 653, 593, 551, 517, 491]
  private static let regular = [1000, 631, 468, 382, 326, 289, 262, 241]

  private static let published: [String] = [("high_end", highEnd), ("regular", regular)].flatMap {
    name, alive -> [String] in
    (0..<1000).flatMap { person -> [String] in
      alive.indices.filter { person < alive[$0] }.map { year in
        payment(
          "\(name)-\(person)-\(year)", year == 0 ? "conversion" : "renewal", "\(2012 + year)-03-01",
          "\(name)-\(person)", "100",
          plan: "yearly", variant: name)
      }
    }
  }

  /// Fader & Hardie (2007): α 0.668, β 3.806 and α 0.704, β 1.182, and the held-out customers of years 8 to 12. The
  /// counts come from events, through the code of the report.
  @Test func publishedFitsAndHeldOutYearsComeOut() throws {
    let store = try TestStore(lines: Self.published)
    var options = ReportOptions()
    options.by = [.variant]
    options.asOf = Instant(rfc3339: "2019-06-01T00:00:00Z")?.millisecondsSince1970
    let cells = try store.store.read { snapshot in
      let query = try ReportQuery(snapshot, options, defaultBy: [])
      return try LTV.sumsOfRows(query).map { (query.labels($0.key)[1], $0.value) }
    }
    let byName = Dictionary(uniqueKeysWithValues: cells)
    for (name, alpha, beta, heldOut, within) in [
      ("high_end", 0.668, 3.806, [46.8, 44.5, 42.7, 40.9, 39.4], 1.7),
      ("regular", 0.704, 1.182, [22.3, 20.7, 19.4, 18.3, 17.3], 0.7),
    ] {
      let counts = try #require(byName[name]?.purchases[.yearly]).counts.renewals
      guard case .fitted(let model, _) = RenewalForecast(counts, through: [12]).fit else {
        Issue.record("\(name) is not fitted")
        return
      }
      #expect(abs(model.alpha - alpha) < 6e-4 && abs(model.beta - beta) < 6e-4)
      for (year, share) in zip(8...12, heldOut) {
        #expect(abs(100 * model.survival(through: 12)[year] - share) < within, "\(name) \(year)")
      }
    }
    // mpmath, golden `sbg_retention-002`: S(1) = 0.8506793, S(2) = 0.7468594, so that 36 months bring 100 · 2.5975387.
    let table = try Table(csv: store.csv("ltv", ["--by", "variant", "--as-of", "2019-06-01T00:00:00Z"]))
    let row = try #require(table.rows.first { $0[1] == "high_end" })
    #expect(table.number("predicted_ltv_12m", in: row) == 100 && table.number("predicted_ltv_36m", in: row) == 259.75)
    let low = try #require(table.number("predicted_ltv_36m_low", in: row))
    let high = try #require(table.number("predicted_ltv_36m_high", in: row))
    // 1,000 customers: S(1) and S(2) are known to about ±0.022 and ±0.027, and their sum to less than 0.049 by the
    // binomial; the discrete Weibull may reach a little further.
    #expect(low > 254.5 && low < 257.5 && high > 262 && high < 266, "\(low) to \(high)")
  }
}
