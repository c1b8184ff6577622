import EventModel
import Reports
import Testing

@testable import Metrics

/// `payback --predict`, by hand. 40 users are first seen when they buy a month for 10 on January 10, at midnight; 30 of them
/// pay again on February 10 and 24 on March 10. Proceeds: 400 within 1 d, 300 within 32 d, 240 within 60 d, 940 in all.
///
/// As of April 1, 30 of 40 made the first renewal and 24 of 30 the second. The shifted beta-geometric model has two parameters
/// and fits both: β ÷ (α + β) = 3/4 and (β + 1) ÷ (α + β + 1) = 4/5 give α = 1, β = 3. Then renewal n is made by
/// (β + n − 1) ÷ (α + β + n − 1) = (n + 2) ÷ (n + 3) of those who made the one before; of those who made two, by
/// 5/6 · 6/7 · … = 5 ÷ (n + 3). The 24 active subscriptions bring 24 · 10 · 5 ÷ (n + 3) = 1,200 ÷ (n + 3) each time.
@Suite struct PaybackPredictionTests {
  private static let asOf = ["--as-of", "2026-04-01T00:00:00Z"]

  private static func payment(
    _ id: String, _ kind: String, _ ts: String, _ user: String, plan: String = "monthly", price: String = "10"
  ) -> String {
    #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(ts)T00:00:00Z","app":"steps","user_id":"\#(user)","#
      + #""product_id":"\#(plan)","plan":"\#(plan)","price":"\#(price)","currency":"USD","#
      + #""properties":{"campaign":"x"}}"#
  }

  private static func lines(_ february: Int = 30, _ march: Int = 24) -> [String] {
    (1...40).flatMap { user -> [String] in
      [payment("c\(user)", "conversion", "2026-01-10", "u\(user)")]
        + (user <= february ? [payment("f\(user)", "renewal", "2026-02-10", "u\(user)")] : [])
        + (user <= march ? [payment("m\(user)", "renewal", "2026-03-10", "u\(user)")] : [])
    }
  }

  private static func store(_ lines: [String], spend: Int64, app: String = "steps") throws -> TestStore {
    let store = try TestStore(lines: lines)
    try Self.spend(spend, in: store, app)
    return store
  }

  private static func spend(_ amount: Int64, in store: TestStore, _ app: String = "steps") throws {
    var slice = SpendRow.Slice()
    slice.campaign = "x"
    let row = SpendRow(day: CivilDate("2026-01-10")!, slice: slice, currency: "USD", spend: amount * 1_000_000)
    _ = try store.store.importSpend([(app, row)])
  }

  private static func csv(_ store: TestStore, _ arguments: [String], predicts: Bool = true) throws -> String {
    var given = stride(from: 0, to: arguments.count, by: 2).map { place in
      ReportRequest.Given(String(arguments[place].dropFirst(2)), [arguments[place + 1]])
    }
    if predicts { given.append(ReportRequest.Given("predict", ["true"])) }
    return try store.store.read { snapshot in
      try ReportRequest(.payback, given).run(snapshot).text(as: .csv, options: RenderOptions())
    }
  }

  private static func cells(
    _ names: String, _ lines: [String] = lines(), spend: Int64, _ more: [String] = asOf
  ) throws -> String {
    try Table(csv: csv(store(lines, spend: spend), more)).cells(names, of: "steps", "USD")
  }

  private static let day = "predicted_break_even_day predicted_status"

  /// Renewals 3, 4, … are due on April 10, May 10, June 10, July 10 and August 10: 90, 120, 151, 181 and 212 days after
  /// January 10, and so within 91, 121, 152, 182 and 213 days. They bring 200, 171.43, 150, 133.33 and 120:
  /// 940 + 200 = 1,140; 1,311.43; 1,461.43; 1,594.76; 1,714.76.
  @Test(arguments: [(1_130, "91"), (1_300, "121"), (1_400, "152"), (1_500, "182"), (1_600, "213")])
  func expectedRenewalsReachTheSpendAtTheAgeAtWhichTheyAreDue(spend: Int64, day: String) throws {
    #expect(
      try Self.cells("break_even_day status regained " + Self.day, spend: spend).hasPrefix("- not_yet 0."))
    #expect(try Self.cells(Self.day, spend: spend) == "\(day) predicted")
  }

  /// The last due date before January 10, 2028, 730 days after the first event, is December 10, 2027: renewal 23.
  /// Σ 1,200 ÷ (n + 3) for n from 3 to 23 is 1,885.303659; with 940, 1.883536 of 1,500 and 0.941768 of 3,000.
  @Test func theShareRegainedIsOfTwoYears() throws {
    #expect(try Self.cells("predicted_regained", spend: 1_500) == "1.883536")
    #expect(try Self.cells("predicted_regained " + Self.day, spend: 3_000) == "0.941768 - not_yet")
    #expect(
      try Self.cells("predicted_note", spend: 3_000) == "not within 24 months of the first event")
  }

  /// 5 of a renewal comes back: 535 of 540 stay of renewals. 935 + (200 + 171.43 + 150 + 133.33) · 535 ÷ 540 = 1,583.70 is
  /// below 1,590, and 1,594.76 is not. A commission of a half halves everything.
  @Test func renewalsAreLessRefundsAndCommission() throws {
    let refund =
      #"{"event_id":"r","event":"refund","ts":"2026-03-20T00:00:00Z","app":"steps","user_id":"u1","price":"5","currency":"USD"}"#
    #expect(try Self.cells(Self.day, spend: 1_590) == "182 predicted")
    #expect(try Self.cells(Self.day, Self.lines() + [refund], spend: 1_590) == "213 predicted")
    #expect(try Self.cells(Self.day, spend: 750, Self.asOf + ["--store-fee", "0.5"]) == "182 predicted")
  }

  /// 400 of 300 is there within a day.
  @Test func aRowThatHasPaidBackKeepsItsDay() throws {
    #expect(
      try Self.cells(
        "break_even_day break_even_day_low break_even_day_high predicted_break_even_day predicted_break_even_day_low "
          + "predicted_break_even_day_high predicted_status predicted_regained predicted_note", spend: 300)
        == "1 1 1 1 1 1 reached - -")
  }

  /// The interval holds the day, 121 as 1,140 < 1,200 ≤ 1,311.43, and is wider than a renewal: 24 of 40 users are drawn with a
  /// spread of √(40 · 0.6 · 0.4) = 3.1. It has an end: 260 of the 945 that are expected are enough.
  @Test func theIntervalHoldsTheDay() throws {
    let table = try Table(csv: Self.csv(Self.store(Self.lines(), spend: 1_200), Self.asOf))
    let low = try #require(table.number("predicted_break_even_day_low", in: table.rows[0]))
    let high = try #require(table.number("predicted_break_even_day_high", in: table.rows[0]))
    #expect(low < 121 && high > 121)
    let regained = try #require(table.number("predicted_regained", in: table.rows[0]))
    #expect(try #require(table.number("predicted_regained_low", in: table.rows[0])) < regained)
    #expect(try #require(table.number("predicted_regained_high", in: table.rows[0])) > regained)
  }

  /// On February 1 no renewal is known; the first is due on February 10, within 32 days. On March 1 the first is known, and the
  /// second due on March 10, within 60 days.
  @Test func withoutKnownRenewalsThereIsNoDay() throws {
    let names = "predicted_break_even_day predicted_break_even_day_low predicted_regained predicted_status"
    #expect(try Self.cells(names, spend: 500, ["--as-of", "2026-02-01T00:00:00Z"]) == "- - - not_known")
    #expect(
      try Self.cells("predicted_note", spend: 500, ["--as-of", "2026-02-01T00:00:00Z"])
        == "monthly not known yet from day 32 on (22 days of data): it needs 10 renewals made or missed and has 0")
    #expect(
      try Self.cells("predicted_note", spend: 900, ["--as-of", "2026-03-01T00:00:00Z"])
        == "monthly not estimable from day 60 on: only one renewal was due. Its next renewals will tell")
  }

  /// 15 more users buy a year for 40, due again on January 10, 2027, within 366 days: 940 + 600 = 1,540, and with monthly
  /// renewals 1,740; 1,911.43; 2,061.43. What is reached before needs no yearly renewal.
  @Test func anUnknownPlanMattersFromItsNextPaymentOn() throws {
    let yearly = (1...15).map {
      Self.payment("y\($0)", "conversion", "2026-01-10", "y\($0)", plan: "yearly", price: "40")
    }
    #expect(try Self.cells(Self.day, Self.lines() + yearly, spend: 2_000) == "152 predicted")
    #expect(try Self.cells(Self.day, Self.lines() + yearly, spend: 5_000) == "- not_known")
    #expect(
      try Self.cells("predicted_note", Self.lines() + yearly, spend: 5_000)
        == "yearly not known yet from day 366 on (81 days of data): it needs 10 renewals made or missed and has 0")
  }

  /// 20 of 30 make the second renewal. At a common churn of 20 ÷ 70 the slope of the likelihood in the spread is
  /// 1 · (20 · 0.4 − 10) = −2: users who churn alike fit best, which is a limit of the model.
  @Test func aFitAtItsLimitHasAnIntervalAlone() throws {
    let table = try Table(csv: Self.csv(Self.store(Self.lines(30, 20), spend: 1_000), Self.asOf))
    #expect(table.cells(Self.day, of: "steps", "USD") == "- predicted")
    #expect(
      table.cells("predicted_note", of: "steps", "USD")
        == "monthly plans have only a range because so far all users seem equally likely to churn: too simple to "
        + "project")
    #expect(table.number("predicted_break_even_day_low", in: table.rows[0]) != nil)
    #expect(table.cells("predicted_regained", of: "steps", "USD") == "-")
  }

  /// Nobody paid on April 10, so on June 20 no subscription is active.
  @Test func withoutAnActiveSubscriptionWhatIsObservedStays() throws {
    let later = ["--as-of", "2026-06-20T00:00:00Z"]
    #expect(try Self.cells(Self.day, spend: 1_500, later) == "- not_yet")
    #expect(
      try Self.cells("predicted_note", spend: 1_500, later)
        == "no subscription is active: no further payment is expected")
    let table = try Table(csv: Self.csv(Self.store(Self.lines(), spend: 950), later))
    for end in ["", "_low", "_high"] {
      #expect(
        table.cells("predicted_break_even_day\(end)", of: "steps", "USD")
          == table.cells("break_even_day\(end)", of: "steps", "USD"))
    }
  }

  @Test func fourBuyersHaveNoInterval() throws {
    let few = (1...4).map { Self.payment("c\($0)", "conversion", "2026-03-20", "u\($0)") }
    #expect(try Self.cells(Self.day, few, spend: 100) == "- not_known")
    #expect(try Self.cells("predicted_note", few, spend: 100) == "fewer than 5 buyers: no interval")
  }

  @Test func rowsWithoutSpendOrUsersHaveNoPrediction() throws {
    let store = try Self.store(Self.lines(), spend: 100)
    let table = try Table(csv: Self.csv(store, ["--by", "campaign", "--campaign-property", "other"] + Self.asOf))
    #expect(table.cells(Self.day, of: "steps", "(organic)", "USD") == "- no_spend")
    #expect(table.cells(Self.day, of: "steps", "x", "USD") == "- no_users")
  }

  // MARK: Properties, on random lives

  private static let spends: [Int64] = [20, 200, 800, 1_600, 6_400]

  /// Statuses come in this order, and days never get earlier.
  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func moreSpendNeverGivesAnEarlierDay(seed: UInt64) throws {
    let store = try TestStore(lines: RandomLives(seed: seed, persons: 80).lines.map(\.text))
    _ = try store.store.importRates(
      RateFile.rates("date,currency,usd_per_unit\n" + Self.rates, name: "rates.csv"))
    for app in ["steps", "coach"] {
      var (rank, last) = (0, 0)
      for spend in Self.spends {
        try Self.spend(spend, in: store, app)
        let table = try Table(
          csv: Self.csv(store, ["--app", app, "--currency", "USD", "--as-of", "2026-07-01T00:00:00Z"]))
        let status = table.cells("predicted_status", of: app, "USD")
        let own = try #require(["reached", "predicted", "not_known", "not_yet"].firstIndex(of: status))
        #expect(own >= rank, "\(app) \(spend): \(status)")
        rank = own
        if let day = table.number("predicted_break_even_day", in: table.rows[0]) {
          #expect(Int(day) >= last, "\(app) \(spend)")
          last = Int(day)
        }
      }
    }
  }

  private static let rates = (0..<30).map { place in
    let day = CivilDate(daysSince1970: CivilDate("2026-01-01")!.daysSince1970 + place * 7)
    return "\(day),EUR,1.1\n"
  }.joined()

  @Test(arguments: [5, 6] as [UInt64])
  func otherColumnsKeepTheirBytes(seed: UInt64) throws {
    let store = try TestStore(lines: RandomLives(seed: seed, persons: 60).lines.map(\.text))
    _ = try store.store.importRates(
      RateFile.rates("date,currency,usd_per_unit\n" + Self.rates, name: "rates.csv"))
    for app in ["steps", "coach"] { try Self.spend(Int64(seed * 100), in: store, app) }
    for by in ["none", "campaign"] {
      let given = ["--by", by, "--currency", "USD", "--as-of", "2026-06-15T00:00:00Z"]
      let plain = try Self.csv(store, given, predicts: false).split(separator: "\n")
      let predicted = try Self.csv(store, given).split(separator: "\n")
      #expect(plain.count == predicted.count)
      for (line, longer) in zip(plain, predicted) { #expect(longer.hasPrefix(line + ",")) }
    }
  }

  // MARK: The table

  /// The line of all campaigns counts all users, and has the cost and the return of the only campaign with spend; days do
  /// not add up.
  @Test func totalsAreTheRowOfAll() throws {
    let others = (1...8).map { user in
      Self.payment("o\(user)", "conversion", "2026-01-10", "o\(user)").replacing(#""x""#, with: #""y""#)
    }
    let store = try Self.store(Self.lines() + others, spend: 1_500)
    func report(_ by: String) throws -> Report {
      try store.store.read { snapshot in
        let given = [("by", by), ("as-of", "2026-04-01T00:00:00Z"), ("predict", "true")]
        let request = try ReportRequest(.payback, given.map { ReportRequest.Given($0.0, [$0.1]) })
        guard case .tables(let tables) = try request.run(snapshot) else { throw TestError("no table") }
        return tables[0]
      }
    }
    let (campaigns, all) = (try report("campaign"), try report("none"))
    let days = ["break_even_day", "status", "predicted"]
    let bought = try #require(campaigns.rows.first { $0[1] == .text("x") })
    for (place, column) in all.columns.enumerated() where column.kind != .key {
      let total = campaigns.totals[0][place + 1]
      if days.contains(where: { column.name.hasPrefix($0) }) {
        #expect([.percent(nil), .rate(nil), .text("")].contains(total), "\(column.name)")
      } else {
        let isOfAll = ["persons", "payers", "spend"].contains(column.name)
        #expect(total == (isOfAll ? all.rows[0][place] : bought[place + 1]), "\(column.name)")
      }
    }
    let text = try FinishedReport.tables([campaigns]).text(as: .table, options: RenderOptions())
    #expect(text.contains("break-even day") && text.contains("known how"))
    #expect(
      text.split(separator: "\n").contains { $0.hasPrefix("all ") && $0.contains("1500.00") || $0.contains("1,500.00") }
    )
  }
}
