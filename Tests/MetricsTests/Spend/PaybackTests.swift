import EventModel
import Reports
import Testing

@testable import Metrics

/// Spend against the users of the same days. All users are first seen at midnight, so that days and ages agree.
///
/// On January 1, u1 comes by campaign x and pays 10 on January 3 (age 2 d, within 3), of which 4 is refunded on January 6
/// (within 6), and 10 on February 3 (age 33 d, within 34); u2 comes by x and never pays; u3 comes by no campaign and pays
/// 20 at once (within 1). On January 20, u4 comes by x and pays 8 at once. As of February 10, u1 to u3 were followed for 40
/// days and u4 for 21. Spend: 5 on December 31, 6 on January 1 and 9 on January 20 for x; 3 on January 1 for y.
@Suite struct PaybackTests {
  private static func event(_ id: String, _ kind: String, _ ts: String, _ user: String, _ more: String = "") -> String {
    #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(ts)T00:00:00Z","app":"steps","user_id":"\#(user)"\#(more)}"#
  }

  private static func payment(_ id: String, _ kind: String, _ ts: String, _ user: String, _ price: String) -> String {
    event(id, kind, ts, user, #","product_id":"m","plan":"monthly","price":"\#(price)","currency":"USD""#)
  }

  private static let lines = [
    event("a1", "activity", "2026-01-01", "u1", #","properties":{"campaign":"x"}"#),
    event("a2", "activity", "2026-01-01", "u2", #","properties":{"campaign":"x"}"#),
    event("a4", "activity", "2026-01-20", "u4", #","properties":{"campaign":"x","ref":"z"}"#),
    payment("c1", "conversion", "2026-01-03", "u1", "10"),
    event("r1", "refund", "2026-01-06", "u1", #","price":"4","currency":"USD""#),
    payment("c2", "renewal", "2026-02-03", "u1", "10"), payment("c3", "conversion", "2026-01-01", "u3", "20"),
    payment("c4", "conversion", "2026-01-20", "u4", "8"),
  ]
  private static let asOf = ["--as-of", "2026-02-10T00:00:00Z"]

  /// Returns the report as the command with these options prints it.
  private static func csv(_ store: TestStore, _ arguments: [String]) throws -> String {
    let given = stride(from: 0, to: arguments.count, by: 2).map { place in
      ReportRequest.Given(String(arguments[place].dropFirst(2)), [arguments[place + 1]])
    }
    return try store.store.read { snapshot in
      try ReportRequest(.payback, given).run(snapshot).text(as: .csv, options: RenderOptions())
    }
  }

  private static func row(_ day: String, _ campaign: String, _ spend: Int64, _ currency: String = "USD") -> SpendRow {
    var slice = SpendRow.Slice()
    slice.campaign = campaign
    return SpendRow(day: CivilDate(day)!, slice: slice, currency: currency, spend: spend * 1_000_000)
  }

  private static func store() throws -> TestStore {
    let store = try TestStore(lines: lines)
    let rows = [
      row("2025-12-31", "x", 5), row("2026-01-01", "x", 6), row("2026-01-20", "x", 9), row("2026-01-01", "y", 3),
    ]
    #expect(try store.store.importSpend(rows.map { ("steps", $0) }) == 4)
    #expect(try store.store.importSpend(rows.map { ("steps", $0) }) == 0)
    #expect(
      try store.store.importSpend([row("2026-01-01", "y", 2), row("2026-01-01", "y", 3)].map { ("steps", $0) }) == 2)
    return store
  }

  /// x: 20 for 3 users is 6.67 each. Days at least 30 days old at February 10 are those up to January 10: spend 11, u1 paid
  /// within 30 days: 11 a payer. Wilson of 1 of 2 is 0.0945 to 0.9055: 11 ÷ (2 × 0.9055) = 6.07, 11 ÷ (2 × 0.0945) = 58.18.
  /// Within 7 days, of days up to February 2: 10 − 4 + 8 = 14 of 20. Within 30 days: 6 of 11. Until now: 24 of 20.
  @Test func aCampaignIsComparedWithItsUsers() throws {
    let table = try Table(csv: Self.csv(Self.store(), ["--by", "campaign", "--at", "7,30,90"] + Self.asOf))
    #expect(table.cells("spend persons payers cost_per_person", of: "steps", "x", "USD") == "20.00 3 2 6.67")
    #expect(table.cells("cac cac_low cac_high", of: "steps", "x", "USD") == "11.00 6.07 58.18")
    #expect(table.cells("roas_7 roas_30 roas_90", of: "steps", "x", "USD") == "0.700000 0.545455 -")
    #expect(table.cells("regained status", of: "steps", "x", "USD") == "1.200000 reached")
  }

  /// Proceeds of x by age: 8 of three users by 1 d; 18 by 3 d; 14 by 6 d. u4 leaves after 21 d: 6 of two users is 9 of three.
  /// With u1's renewal by 34 d: 16 of two users is 24 of three, at least 20.
  @Test func breakEvenIsOfUsersFollowedThatLong() throws {
    let store = try Self.store()
    let table = try Table(csv: Self.csv(store, ["--by", "campaign"] + Self.asOf))
    #expect(table.cells("break_even_day", of: "steps", "x", "USD") == "34")
    // Of all: 23 spent on four users. By 1 d: 28 of four.
    let all = try Table(csv: Self.csv(store, ["--by", "none"] + Self.asOf))
    #expect(all.cells("spend persons payers break_even_day status", of: "steps", "USD") == "23.00 4 3 1 reached")
    // One user of four brings most: a resample without u3 has at most 8 a user by 1 d, so some are later, none earlier.
    #expect(all.cells("break_even_day_low", of: "steps", "USD") == "1")
  }

  /// Nobody came by y, and users without a campaign have no share in the spend.
  @Test func spendWithoutUsersAndUsersWithoutSpendAreRows() throws {
    let table = try Table(csv: Self.csv(Self.store(), ["--by", "campaign"] + Self.asOf))
    #expect(table.cells("spend persons cac status", of: "steps", "y", "USD") == "3.00 0 - no_users")
    #expect(table.cells("spend persons payers status", of: "steps", "(organic)", "USD") == "- 1 1 no_spend")
    let months = try Table(csv: Self.csv(Self.store(), ["--by", "month"] + Self.asOf))
    #expect(months.cells("spend persons", of: "steps", "2025-12", "USD") == "5.00 0")
    #expect(months.cells("spend persons", of: "steps", "2026-01", "USD") == "18.00 4")
  }

  /// Of x and y: 14 spent by January 10 for one payer within 30 days, and 24 of 23 regained. u3 came by neither.
  @Test func theTotalHasTheCostAndReturnOfRowsWithSpend() throws {
    let given = [ReportRequest.Given("by", ["campaign"]), ReportRequest.Given("as-of", [Self.asOf[1]])]
    let finished = try Self.store().store.read { try ReportRequest(.payback, given).run($0) }
    guard case .tables(let reports) = finished else { return #expect(Bool(false)) }
    let report = try #require(reports.first)
    let total = try #require(report.totals.first)
    func value(_ name: String) -> ReportValue? {
      report.columns.firstIndex { $0.name == name }.map { total[$0] }
    }
    #expect(value("persons") == .count(4) && value("payers") == .count(3))
    #expect(value("cac") == .money(14_000_000, currency: "USD"))
    guard case .rate(let regained?) = value("regained") else { return #expect(Bool(false)) }
    #expect(abs(regained - 24.0 / 23) < 1e-9)
    let text = try finished.text(as: .table, options: RenderOptions())
    #expect(text.contains("Cost and return of \"all\" leave out 1 user without spend."))
  }

  @Test func campaignsThatNobodyCameByAreSaid() throws {
    let store = try Self.store()
    let given = [ReportRequest.Given("by", ["campaign"]), ReportRequest.Given("campaign-property", ["other"])]
    let text = try store.store.read { snapshot in
      try ReportRequest(.payback, given).run(snapshot).text(as: .table, options: RenderOptions())
    }
    #expect(text.contains("No event names a campaign, so all users are (organic)"))
  }

  private static func table(_ store: TestStore, by: String) throws -> String {
    let given = [ReportRequest.Given("by", [by]), ReportRequest.Given("as-of", [asOf[1]])]
    return try store.store.read { snapshot in
      try ReportRequest(.payback, given).run(snapshot).text(as: .table, options: RenderOptions())
    }
  }

  /// u0 is followed for 40 days and pays 10 within 31 days; nine users are followed for 5 days and pay nothing. By 31 d, 10
  /// of one user is 100 of ten, at least 50, but 10 of 50 have come back. A resample without u0 (0.9^10, 35%) never does.
  @Test func aDayThatOnlyTheOldestReachIsShownAsOpen() throws {
    let campaign = #","properties":{"campaign":"x"}"#
    let users = (1...9).map { Self.event("n\($0)", "activity", "2026-02-05", "n\($0)", campaign) }
    let store = try TestStore(
      lines: users + [
        Self.event("o", "activity", "2026-01-01", "u0", campaign),
        Self.payment("p", "conversion", "2026-01-31", "u0", "10"),
      ])
    _ = try store.store.importSpend([("steps", Self.row("2026-01-01", "x", 50))])
    let csv = try Table(csv: Self.csv(store, ["--by", "campaign"] + Self.asOf))
    #expect(csv.cells("break_even_day break_even_day_low break_even_day_high", of: "steps", "x", "USD") == "31 31 -")
    let text = try Self.table(store, by: "campaign")
    #expect(text.contains("31 or later") && !text.contains("31  31 or later"))
    #expect(text.contains("The day of break-even of x is not known yet"))
    #expect(try !Self.table(Self.store(), by: "campaign").contains("is not known yet"))
  }

  /// Users are first seen on January 1 and 20.
  @Test func spendOfFewerDaysThanTheUsersIsSaid() throws {
    let store = try TestStore(lines: Self.lines)
    _ = try store.store.importSpend([("steps", Self.row("2026-01-01", "x", 6))])
    let text = try Self.table(store, by: "campaign")
    #expect(text.contains("The spend is of 2026-01-01, but users of 2026-01-01 to 2026-01-20 count"))
    #expect(try !Self.table(Self.store(), by: "campaign").contains("The spend is of"))
  }

  @Test func spendWithoutACountryIsSaid() throws {
    let store = try TestStore(
      lines: Self.lines + [Self.event("a5", "activity", "2026-01-02", "u5", #","country":"US""#)])
    _ = try store.store.importSpend([("steps", Self.row("2026-01-01", "x", 6))])
    #expect(try Self.table(store, by: "country").contains("The spend has no country, so no row has both"))
    #expect(try !Self.table(store, by: "campaign").contains("The spend has no"))
  }

  @Test func anotherPropertyMayHoldTheCampaign() throws {
    let table = try Table(
      csv: Self.csv(Self.store(), ["--by", "campaign", "--campaign-property", "ref"] + Self.asOf))
    #expect(table.cells("persons", of: "steps", "z", "USD") == "1")
    #expect(table.cells("persons", of: "steps", "(organic)", "USD") == "3")
  }

  /// A euro is 1.1 dollars; without a rate the report is refused.
  @Test func spendInAnotherCurrencyNeedsARate() throws {
    let store = try TestStore(lines: Self.lines)
    _ = try store.store.importSpend([("steps", Self.row("2026-01-01", "x", 10, "EUR"))])
    #expect(throws: ReportError.self) { try Self.csv(store, Self.asOf) }
    #expect(throws: OptionError.self) { try Self.csv(store, ["--currency", "native"] + Self.asOf) }
    _ = try store.store.importRates(
      RateFile.rates("date,currency,usd_per_unit\n2026-01-01,EUR,1.1\n", name: "rates.csv"))
    #expect(try Table(csv: Self.csv(store, Self.asOf)).cells("spend", of: "steps", "USD") == "11.00")
  }

  @Test(arguments: [
    ["--by", "plan"], ["--where", "country=US"], ["--timezone", "Europe/Berlin"], ["--attribution", "all"],
    ["--at", "0"],
  ])
  func optionsThatSpendHasNotAreRefused(_ options: [String]) throws {
    let store = try Self.store()
    #expect(throws: OptionError.self) { try Self.csv(store, options) }
  }
}
