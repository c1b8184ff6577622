import EventModel
import Foundation
import Reports
import Testing

@testable import Metrics

/// `ltv --backtest`, by hand.
struct BacktestTests {
  private static func payment(
    _ id: String, _ kind: String, _ ts: String, _ user: String, _ more: String = #","price":"10""#
  ) -> String {
    let terms = #","product_id":"m","plan":"monthly","currency":"USD","entry_point":"home""#
    return
      #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(ts)T00:00:00Z","app":"steps","user_id":"\#(user)"\#(terms)\#(more)}"#
  }

  /// 40 users buy a month for 10 on January 10; 30 of them pay again on February 10, 24 on March 10 and 21 on April 10, of
  /// whom one gets 5 back on April 20.
  private static let lines: [String] =
    (1...40).flatMap { user -> [String] in
      var lines = [payment("c\(user)", "conversion", "2026-01-10", "u\(user)")]
      for (month, last) in [(2, 30), (3, 24), (4, 21)] where user <= last {
        lines.append(payment("r\(month)-\(user)", "renewal", "2026-0\(month)-10", "u\(user)"))
      }
      return lines
    } + [payment("back", "refund", "2026-04-20", "u1", #","price":"5""#)]

  private static func table(_ more: String...) throws -> Table {
    let store = try TestStore(lines: lines)
    return try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "2026-05-05T00:00:00Z"] + more))
  }

  private static func cells(_ table: Table, _ names: String, _ origin: String, _ days: String) -> String {
    table.cells(names, of: "steps", "monthly", "USD", origin, "active", days)
  }

  /// Active at the origin: 40, 30 and 24. In the next 30 days 30 · 10, 24 · 10 and 21 · 10 − 5 come: 7.50, 8.00 and 8.54 each.
  /// In the 90 days from February 1: 300 + 240 + 210 − 5 = 745 over 40 is 18.625, half to even 18.62; known from May 2 + 3 d
  /// on, which is the end of the data.
  @Test func whatCameIsOfThePurchasesActiveAtTheOrigin() throws {
    let table = try Self.table()
    #expect(Self.cells(table, "purchases actual", "2026-02-01", "30") == "40 7.50")
    #expect(Self.cells(table, "purchases actual", "2026-03-01", "30") == "30 8.00")
    #expect(Self.cells(table, "purchases actual", "2026-04-01", "30") == "24 8.54")
    #expect(Self.cells(table, "purchases actual", "2026-02-01", "90") == "40 18.62")
    #expect(Self.cells(table, "purchases", "2026-03-01", "90") == "no row")
    #expect(Self.cells(table, "purchases", "2026-05-01", "30") == "no row")
    let gross = try Self.table("--mode", "gross")
    #expect(Self.cells(gross, "actual", "2026-04-01", "30") == "8.75")
    // That instant with one more day of grace is not known yet.
    let later = try Self.table("--grace", "4")
    #expect(Self.cells(later, "actual", "2026-02-01", "90") == "-")
  }

  /// By April 1, 30 of 40 made the first renewal and 24 of 30 the second. The shifted beta-geometric model has two
  /// parameters and fits both shares: β ÷ (α + β) = 3/4 and (β + 1) ÷ (α + β + 1) = 4/5 give α = 1, β = 3. The third renewal,
  /// the only one due by May 1, is made by (β + 2) ÷ (α + β + 2) = 5/6: 8.33 of 10. 8.3333 ÷ 8.541667 − 1 = −0.024390.
  @Test func theForecastIsTheFitGivenThePaymentsMade() throws {
    let table = try Self.table()
    #expect(Self.cells(table, "predicted error_share", "2026-04-01", "30") == "8.33 -0.024390")
  }

  /// 40 users buy a month. By February 10, 24 of them pay again and 8 have changed to a year for 60; by March 10, 18 of 24 and
  /// 3. A change ends the months: renewals 1 and 2 are made by 24/40 and 18/24, so β ÷ (α + β) = 3/5 and
  /// (β + 1) ÷ (α + β + 1) = 3/4 give α = 2/3, β = 1. The third is made by (β + 2) ÷ (α + β + 2) = 9/11 of 18, and 11 of 64
  /// renewals known were changes: 18 · (10 · 9/11 + 60 · 11/64) = 332.90 for 18 + 11 active purchases.
  @Test func changesOfPlanBringMoney() throws {
    var lines: [String] = []
    for user in 1...40 {
      func pay(_ kind: String, _ day: String) {
        let terms = #","price":"10","subscription_id":"s\#(user)""#
        lines.append(Self.payment("\(day)-\(user)", kind, day, "u\(user)", terms))
      }
      func change(_ ts: String) {
        let year = #","price":"60","plan":"yearly","product_id":"y","subscription_id":"s\#(user)""#
        lines.append(
          #"{"event_id":"y\#(user)","event":"plan_change","ts":"\#(ts)T00:00:00Z","app":"steps","user_id":"u\#(user)""#
            + year + #","currency":"USD"}"#)
      }
      pay("conversion", "2026-01-10")
      switch user {
      case 1...24: pay("renewal", "2026-02-10")
      case 25...32: change("2026-02-05")
      default: break
      }
      switch user {
      case 1...18: pay("renewal", "2026-03-10")
      case 19...21: change("2026-03-05")
      default: break
      }
      if user == 1 { pay("renewal", "2026-04-10") }
    }
    let store = try TestStore(lines: lines)
    let table = try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "2026-05-05T00:00:00Z"]))
    #expect(Self.cells(table, "purchases predicted", "2026-04-01", "30") == "29 11.48")
  }

  /// 80 users buy a month, and half of those still there turn auto-renew off before each renewal: of 40 off, 4 renew, then
  /// 2 of 20; of 40 on, 36, then 20 of 20. Shares of 40/80 and 22/40 give α = β = 4.5, and 13/22 for the third renewal. Of
  /// renewals off, the fit expects 40/2 + 20 · 22/40 = 31 where 6 were made, so 11 off renew by 13/22 · 6/31; of those on
  /// it expects as many where 56 of 60 were made, so 11 on are lost by 9/22 · 4/29.
  @Test func whoHasAutoRenewOffSeldomRenews() throws {
    func both(_ kind: String, _ users: [Int], _ ts: String) -> [String] {
      users.map {
        Self.payment("\(kind)-\(ts)-\($0)", kind, ts, "u\($0)", kind == "cancellation" ? "" : #","price":"10""#)
      }
    }
    let first = Array(1...4) + Array(41...76)
    let second = Array(1...4) + [41, 42] + Array(61...76)
    let lines =
      both("conversion", Array(1...80), "2026-01-10") + both("cancellation", Array(1...40), "2026-01-20")
      + both("renewal", first, "2026-02-10") + both("cancellation", Array(41...60), "2026-02-20")
      + both("renewal", second, "2026-03-10") + both("cancellation", Array(61...71), "2026-03-20")
      + both("renewal", [1], "2026-04-10")
    let store = try TestStore(lines: lines)
    let table = try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "2026-05-05T00:00:00Z"]))
    #expect(Self.cells(table, "purchases predicted predicted_fit", "2026-04-01", "30") == "22 5.29 5.91")
  }

  /// Users of January 10 are 30 days old on February 9, so they are new on March 1. In 12 months they bring
  /// 10 · (40 + 30 + 24 + 21) − 5 = 1145, 28.62 each; known once 336 + 3 days have passed, on February 3.
  @Test func newPurchasesCountForTwelveMonths() throws {
    let store = try TestStore(lines: Self.lines)
    func cells(_ asOf: String) throws -> String {
      let table = try Table(
        csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "\(asOf)T00:00:00Z"]))
      return table.cells("purchases actual", of: "steps", "monthly", "USD", "2026-03-01", "new", "365")
    }
    #expect(try cells("2027-02-03") == "40 28.62")
    #expect(try cells("2027-02-02") == "40 -")
    #expect(try cells("2027-01-30") == "no row")
  }

  /// Renewals 3, 4 and 5 are due within 90 days of April 1: 5/6, · 6/7 and · 7/8 sum up to 0.833333 + 0.714286 + 0.625 =
  /// 2.172619 payments of 10.
  @Test func laterRenewalsDependOnEarlierOnes() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "2026-07-01T00:00:00Z"]))
    #expect(Self.cells(table, "predicted", "2026-04-01", "90") == "21.73")
  }

  /// On February 1 no renewal is known. On March 1 only the first is: the next one is predicted by its share, 30 ÷ 40, without
  /// a fit, and later ones are not.
  @Test func withoutKnownRenewalsThereIsNoForecast() throws {
    let table = try Self.table()
    #expect(Self.cells(table, "predicted fit_low predicted_low", "2026-02-01", "30") == "- - -")
    #expect(Self.cells(table, "note", "2026-02-01", "30") == "monthly not known yet from 30 d on (22 days of data)")
    #expect(Self.cells(table, "predicted fit_low", "2026-03-01", "30") == "7.50 -")
    let later = try Table(
      csv: TestStore(lines: Self.lines).csv(
        "ltv", ["--by", "plan", "--backtest", "month", "--as-of", "2026-07-01T00:00:00Z"]))
    #expect(Self.cells(later, "predicted note", "2026-03-01", "90") == "- monthly not estimable from 90 d on")
  }

  /// Last payments continued: nobody reached renewal 2 by March 1, so it has the share of all known ones, 30 ÷ 40: 7.50. By
  /// April 1 renewal 3 has 54 ÷ 70: 7.71. The cohort before, of February 1, brought 300 for last payments of 400: 10 · 3/4. On
  /// March 1 it is not known yet, as 30 d + 3 d have not passed.
  @Test func baselinesKnowNoMoreThanTheForecast() throws {
    let table = try Self.table()
    #expect(Self.cells(table, "baseline_km baseline_ratio", "2026-02-01", "30") == "- -")
    #expect(Self.cells(table, "baseline_km baseline_ratio", "2026-03-01", "30") == "7.50 -")
    #expect(Self.cells(table, "baseline_km baseline_ratio", "2026-04-01", "30") == "7.71 7.50")
  }

  /// Of two forecasts, 225 of 240 and 200 of 205: 20 ÷ 445, too low. Last payments continued say 225 and
  /// 24 · 10 · 54/70: 34.857 ÷ 445. The cohort before is known for the second alone: (205 − 180) ÷ 205.
  @Test func errorsAreOverAllForecasts() throws {
    let table = try Self.table()
    #expect(
      Self.cells(table, "origins mape bias bias_low mape_fit mape_km mape_ratio closest", "all", "30")
        == "2 0.044944 -0.044944 - 0.044944 0.078331 0.121951 forecast")
    #expect(Self.cells(table, "ranges coverage", "all", "30") == "0 -")
  }

  /// 30 more buy on March 20, 12 days before April 1: 24 of them pay again by May 1, and 3/4 were forecast, 225 of 240. The
  /// others were 50 and 81 days old, and their errors are those of `errorsAreOverAllForecasts`. The cohort before at 0-29 days
  /// is that of February 1, 22 days old, which brought 300 for 400; that of March 1 is not known on April 1. Of all, the
  /// forecasts 225 and 425 of 240 and 445 are 35 ÷ 685 off.
  @Test func errorsByAgeAreOfTheSameForecasts() throws {
    let younger = (101...130).flatMap { user in
      [Self.payment("c\(user)", "conversion", "2026-03-20", "u\(user)")]
        + (user <= 124 ? [Self.payment("r\(user)", "renewal", "2026-04-20", "u\(user)")] : [])
    }
    let store = try TestStore(lines: Self.lines + younger)
    let table = try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "2026-05-05T00:00:00Z"]))
    #expect(Self.cells(table, "purchases origins mape bias age_days", "all", "30") == "- 2 0.051095 -0.051095 all")
    let names = ["origins", "mape", "bias", "mape_km", "mape_ratio"].compactMap { table.columns.firstIndex(of: $0) }
    let ages = table.rows.filter { !["", "all"].contains($0.last) && $0[5] == "30" }
    #expect(
      ages.map { row in [row.last ?? ""] + names.map { row[$0] } } == [
        ["0-29", "1", "0.062500", "-0.062500", "0.062500", "0.062500"],
        ["30-89", "2", "0.044944", "-0.044944", "0.078331", ""],
      ])
  }

  /// The first score is that of March 1, so the ninth is of November 1, known on December 4: at the origin of January 1, nine
  /// months after April 1. Eight months after the newest event, of April 20, is December 20.
  @Test func aRangeNeedsNineKnownErrors() throws {
    let table = try Self.table()
    #expect(Self.cells(table, "scores method note", "2026-04-01", "30") == "0 - needs 9 more months")
    #expect(Self.cells(table, "scores note", "all", "30") == "2 range needs 8 more months")
  }

  /// Mondays: the first with 30 active purchases is January 12.
  @Test func originsMayBeMondays() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "week", "--as-of", "2026-02-20T00:00:00Z"]))
    let origins = table.rows.map { $0[3] }
    #expect(origins == ["2026-01-12", "2026-01-19", "all"])
    #expect(Self.cells(table, "purchases actual", "2026-01-12", "30") == "40 7.50")
  }

  /// Where nothing can be tested, a note names what is missing.
  @Test func youngStoresSayWhenTheFirstTestIsPossible() throws {
    let store = try TestStore(lines: Self.lines)
    func note(_ arguments: String...) throws -> String? { try store.report("ltv", arguments).emptyNote }
    #expect(
      try note("--backtest", "month", "--as-of", "2026-02-20T00:00:00Z")
        == "No forecast can be tested yet: the first is of 2026-02-01, and what comes in its first 30 days is known "
        + "from 2026-03-06 on (data to 2026-02-19).")
    #expect(
      try note("--backtest", "month", "--as-of", "2026-01-20T00:00:00Z")
        == "No forecast can be tested yet: no row has 30 active purchases on the first day of a month (at most 0; data "
        + "to 2026-01-19).")
  }

  /// A condition at fault is named as for the report itself; a plan without renewals is not one.
  @Test func emptyRowsOfAConditionNameIt() throws {
    let store = try TestStore(lines: Self.lines)
    func note(_ filter: String) throws -> String? {
      let given = [("backtest", "true"), ("where", filter)].map { ReportRequest.Given($0.0, [$0.1]) }
      return try store.store.read { try ReportRequest(.ltv, given).table($0)?.emptyNote }
    }
    #expect(try note("country=DE")?.hasPrefix("Nothing matches country=DE.") == true)
  }

  @Test func theSpacingNeedsABacktest() throws {
    func options(_ given: (String, String)...) throws -> ReportOptions {
      try ReportRequest(.ltv, given.map { ReportRequest.Given($0.0, [$0.1]) }).options
    }
    let alone = try ReportRequest(.ltv, [ReportRequest.Given("every", ["week"])])
    #expect(alone.options.backtest == nil && alone.warnings.count == 1)
    #expect(throws: OptionError.self) { try options(("backtest", "true"), ("every", "day")) }
    #expect(try options(("backtest", "true")).backtest == .month)
    #expect(try options(("every", "week"), ("backtest", "true")).backtest == .week)
    #expect(try options().backtest == nil)
  }

  /// Nothing is known after the newest event, of April 20, however far the data are said to go: the last origin is April 1.
  @Test func farInstantsMakeNoOrigins() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "9000-01-01T00:00:00Z"]))
    #expect(table.rows.map { $0[3] }.filter { $0 != "all" }.max() == "2026-04-01")
    #expect(Self.cells(table, "purchases actual", "2026-04-01", "30") == "24 8.54")
  }

  /// Two purchases that `identify` joins later, of one subscription, are one: their money counts once.
  @Test func joinedPurchasesCountOnce() throws {
    var lines = Self.lines.map { $0 }
    for (id, kind, ts, user) in [
      ("x1", "conversion", "2026-01-12", "v1"), ("x2", "renewal", "2026-02-12", "v1"),
      ("y1", "conversion", "2026-01-13", "v2"),
    ] {
      lines.append(Self.payment(id, kind, ts, user, #","price":"10","subscription_id":"s""#))
    }
    lines.append(
      #"{"event_id":"j","event":"identify","ts":"2026-03-02T00:00:00Z","app":"steps","user_id":"v1","previous_user_id":"v2"}"#
    )
    let store = try TestStore(lines: lines)
    let table = try Table(
      csv: store.csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "2026-05-05T00:00:00Z"]))
    // Both are active on February 1; of 310 that come, v1's renewal is 10: 310 ÷ 42.
    #expect(Self.cells(table, "purchases actual", "2026-02-01", "30") == "42 7.38")
  }

  /// People read the errors first, then the newest forecast of each row, both within 80 columns; the header says that no event
  /// tells when it was received.
  @Test func bothTablesFitAScreen() throws {
    let store = try TestStore(lines: Self.lines)
    var request = try ReportRequest(
      .ltv, [("backtest", "true"), ("by", "plan")].map { ReportRequest.Given($0.0, [$0.1]) })
    request.options.asOf = Instant(rfc3339: "2026-05-05T00:00:00Z")?.millisecondsSince1970
    request.isForPeople = true
    guard case .tables(let tables) = try store.store.read({ try request.run($0) }) else {
      Issue.record("no tables")
      return
    }
    // All purchases with a known forecast are of one age.
    #expect(tables.map(\.name) == ["backtest", "backtest_newest"])
    var options = RenderOptions()
    options.width = 80
    let texts = try tables.map { try render($0, as: .table, options: options) }
    for line in texts.joined().split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(texts[0].contains("its own time counts"))
    // The errors by hand of `errorsAreOverAllForecasts`, and the forecast of April 1.
    #expect(
      texts[0].contains("monthly  active     30            2    4.5%        −4.5%  –         forecast"), "\(texts[0])")
    #expect(texts[1].contains("monthly  2026-04-01   active     30         8.33    8.54  −2.4%"), "\(texts[1])")
  }
}
