import Testing

@testable import Metrics

/// The movements of recurring revenue between the ends of two periods (definitions 7.3, 10.3, 10.4), derived by hand; random stores
/// are in `Tests/Acceptance/Oracle/drivers_mrr.py`.
struct DriverMovementsTests {
  private static func payment(
    _ id: String, _ kind: String, _ ts: String, _ user: String, _ plan: String, _ price: String,
    country: String = "US", currency: String = "USD"
  ) -> String {
    """
    {"event_id":"\(id)","event":"\(kind)","ts":"\(ts)T12:00:00Z","app":"steps","user_id":"\(user)","product_id":"\(plan)",\
    "plan":"\(plan)","price":"\(price)","currency":"\(currency)","country":"\(country)","subscription_id":"\(user)"}
    """
  }

  private static let end =
    #"{"event_id":"z","event":"activity","ts":"2026-04-30T12:00:00Z","app":"steps","user_id":"z"}"#

  /// - a: monthly 10 from January 10, paid again on February 10 and, 2 d late, on March 12; ended on April 12.
  /// - b: monthly 10 from January 20, yearly 60 from February 15 (5 a month). It keeps the plan of its first payment.
  /// - c: yearly 120 from February 1 (10 a month), refunded on March 1.
  private static let lines = [
    payment("a1", "conversion", "2026-01-10", "a", "monthly", "10"),
    payment("a2", "renewal", "2026-02-10", "a", "monthly", "10"),
    payment("a3", "renewal", "2026-03-12", "a", "monthly", "10"),
    payment("b1", "conversion", "2026-01-20", "b", "monthly", "10"),
    payment("b2", "plan_change", "2026-02-15", "b", "yearly", "60"),
    payment("c1", "conversion", "2026-02-01", "c", "yearly", "120"),
    #"{"event_id":"c2","event":"refund","ts":"2026-03-01T12:00:00Z","app":"steps","user_id":"c","subscription_id":"c"}"#,
    end,
  ]

  private func why(_ lines: [String], _ compare: String = "previous", _ arguments: String...) throws -> Report {
    var request = ReportRequest(.mrr)
    request.options = try ReportOptions(arguments: arguments)
    (request.comparison, request.drivers) = (try ComparedWith(compare), DriverQuestion(column: "mrr"))
    let store = try TestStore(lines: lines)
    return try #require(try store.store.read { try request.table($0) })
  }

  /// Rows of a verdict: the cut, the segment, the movement, subscriptions and amounts on both sides, and the change.
  private func rows(_ report: Report, _ verdict: String) throws -> [String] {
    let names = ["cut", "segment", "part", "before_n", "now_n", "before_amount", "now_amount", "contribution"]
    return try report.values(ofVerdict: verdict, names).map { row in
      row.map { value in
        switch value {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .money(let amount?, "USD"): "\(Double(amount) / 1e6)"
        default: "?"
        }
      }.joined(separator: " ")
    }
  }

  /// In February c is new with 10 a month, and b contracts from 10 to 5. Of changes of 0, −5 and 10 the standard error is
  /// √125, so 5 is within chance.
  @Test func aMonthAgainstTheMonthBefore() throws {
    let report = try why(Self.lines, "previous", "--from", "2026-02-01", "--to", "2026-03-01")
    #expect(try rows(report, "total") == ["   2 3 20.0 25.0 5.0"])
    #expect(
      try rows(report, "part") == [
        "plan plan=monthly contraction 2 2 20.0 15.0 -5.0", "plan plan=yearly new 0 1 0.0 10.0 10.0",
      ])
    #expect(report.definition[0] == "it rose by 5.00 USD a month, which chance alone can explain")
    #expect(report.definition.contains { $0.hasPrefix("there is no search and no driver") })
    #expect(report.parameter("level") == nil && report.parameter("movement") == nil)
    #expect(report.parameter("from") == "2026-02-01" && report.title == "Recurring revenue: what changed it")
  }

  /// From the end of January to that of March: c is new and churns by its refund, b contracts by 5, and a has a gap of two
  /// days, which takes 10 away and gives it back.
  @Test func theDaysInBetweenCount() throws {
    let report = try why(Self.lines, "2026-01-01..2026-02-01", "--from", "2026-03-01", "--to", "2026-04-01")
    #expect(try rows(report, "total") == ["   2 2 20.0 15.0 -5.0"])
    #expect(
      try rows(report, "part") == [
        "plan plan=monthly expansion 2 2 20.0 15.0 10.0", "plan plan=monthly contraction 2 2 20.0 15.0 -15.0",
        "plan plan=yearly new 0 0 0.0 0.0 10.0", "plan plan=yearly churned 0 0 0.0 0.0 -10.0",
      ])
  }

  /// Three users are new with 10 a year, 0.8333 a month: 2.50 in all, but 0.83 each. The missing cent goes to the first in
  /// order of bytes.
  @Test func printedMovementsAddUp() throws {
    let lines =
      [Self.payment("a", "conversion", "2026-01-10", "a", "monthly", "10")]
      + ["AT", "CH", "DE"].map { Self.payment($0, "conversion", "2026-02-03", $0, "yearly", "10", country: $0) }
    let report = try why(lines + [Self.end], "previous", "--from", "2026-02-01", "--to", "2026-02-08")
    #expect(try rows(report, "total") == ["   1 4 10.0 12.5 2.5"])
    let parts = try rows(report, "part").filter { $0.hasPrefix("country ") }
    #expect(parts.map { $0.split(separator: " ").last } == ["0.84", "0.83", "0.83"])
    // 10 users who each pay 123.45 more a month are more than chance: their sum is √10 standard errors of √(10 · 123.45²).
    let many = (0..<10).map { Self.payment("n\($0)", "conversion", "2026-02-03", "n\($0)", "monthly", "123.45") }
    let more = try why(
      Array(lines.prefix(1)) + many + [Self.end], "previous", "--from", "2026-02-01", "--to", "2026-02-08")
    #expect(more.definition[0] == "it rose by 1,234.50 USD a month, more than chance explains")
  }

  /// In each of two weeks 20 users in US are new with 10 a month, and in the first 20 in DE. US rose by 200 twice and DE by 200
  /// and then 0, the whole by 400 and 200. DE has 3/7 of the revenue at the ends, 600 of 1,400, less the share of a yearly user
  /// who does not move: −200 − 3/7 · (−200) = −114.3. Each new user of 10 is one observation: 2,000 in DE, 4,000 in US, so
  /// the variance is about 2,000 · (4/7)² + 4,000 · (3/7)² = 1,388, and z −3.07: p 0.0022 for each of 4 values.
  ///
  /// The other country moved as before. It departs from its share of the whole by as many standard errors, but is not named,
  /// whichever comes first in order of bytes.
  @Test(arguments: [("DE", "US"), ("US", "DE")])
  func theCutOfTheCountryThatMovedUnlikeBeforeComesFirst(_ falling: String, _ steady: String) throws {
    func new(_ country: String, _ day: Int) -> [String] {
      (0..<20).map {
        let user = "\(country)\(day)-\($0)"
        return Self.payment(user, "conversion", "2026-02-0\(day)", user, "monthly", "10", country: country)
      }
    }
    let lines = [Self.payment("y", "conversion", "2026-01-10", "y", "yearly", "12", country: steady)]
    let report = try why(
      lines + new(falling, 1) + new(steady, 1) + new(steady, 8) + [Self.end], "previous", "--from", "2026-02-08",
      "--to", "2026-02-15")
    #expect(
      report.definition[0]
        == "it rose by 200.00 USD a month, more than chance explains. It moved most unlike the days before in country "
        + "\(falling): by 0.00 USD, after +200.00 USD")
    #expect(try rows(report, "part").first == "country country=\(steady) new 21 41 201.0 401.0 200.0")
  }

  @Test func withoutAChangeThereAreNoParts() throws {
    let report = try why(Self.lines, "previous", "--from", "2026-01-25", "--to", "2026-01-28")
    #expect(try rows(report, "total") == ["   2 2 20.0 20.0 0.0"])
    #expect(try rows(report, "part").isEmpty && report.definition[0] == "it did not change")
    // Before the data.
    let early = try why(Self.lines, "previous", "--from", "2026-01-08", "--to", "2026-01-12")
    #expect(early.rows.isEmpty && early.definition[0].hasPrefix("not known: the data begin on 2026-01-10"))
  }

  /// One user pays in euros, and there are no exchange rates.
  @Test func severalCurrenciesAreRefused() throws {
    let lines = Self.lines + [Self.payment("e", "conversion", "2026-02-03", "e", "monthly", "9", currency: "EUR")]
    let error = #expect(throws: ReportError.self) {
      try why(lines, "previous", "--from", "2026-02-01", "--to", "2026-03-01")
    }
    #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("amounts are in EUR, USD: load exchange rates"))
    let users = #expect(throws: OptionError.self) { try why(Self.lines, "country=US") }
    #expect("\(users.map { "\($0)" } ?? "")".contains("two days"))
  }
}
