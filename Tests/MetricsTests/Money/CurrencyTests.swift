import Basics
import EventModel
import Reports
import Testing

@testable import Metrics

/// Definitions 1.4: one currency at the rates of the payments' days; numbers derived by hand.
struct CurrencyTests {
  private static func payment(_ id: String, _ ts: String, _ price: String, _ currency: String) -> String {
    """
    {"event_id":"\(id)","event":"conversion","ts":"\(ts)","app":"steps","user_id":"\(id)","product_id":"m","plan":"monthly",\
    "price":"\(price)","currency":"\(currency)","entry_point":"w"}
    """
  }

  private static let lines = [
    payment("a", "2026-01-02T23:59:59.999Z", "10", "EUR"), payment("b", "2026-01-03T00:00:00Z", "10", "EUR"),
    payment("c", "2026-01-09T12:00:00Z", "10", "EUR"), payment("d", "2026-01-05T12:00:00Z", "1500", "JPY"),
    payment("e", "2026-01-05T12:00:00Z", "2.5", "USD"), payment("f", "2026-01-06T12:00:00Z", "1.234", "KWD"),
    #"{"event_id":"r","event":"refund","ts":"2026-01-10T12:00:00Z","app":"steps","user_id":"a","price":4,"currency":"EUR"}"#,
  ]

  private static let rates = """
    date,currency,usd_per_unit
    2026-01-02,EUR,1.1
    2026-01-03,EUR,1.2
    2026-01-02,JPY,0.0063
    2026-01-06,KWD,3.25

    """

  private static func store(_ rates: String = rates) throws -> TestStore {
    let store = try TestStore(lines: lines)
    _ = try store.store.importRates(RateFile.rates(rates, name: "rates.csv"))
    return store
  }

  /// Cached without rates, revenue is in several currencies; with them, it is in dollars.
  @Test func ratesLeaveNoReportCached() throws {
    let store = try TestStore(lines: Self.lines)
    func revenue() throws -> Report? { try store.store.read { try ReportRequest(.revenue).table($0) } }
    try ReportCache.fill(store.store, with: .all)
    let before = try revenue()?.parameter("currency")
    _ = try store.store.importRates(RateFile.rates(Self.rates, name: "rates.csv"))
    let after = try revenue()?.parameter("currency")
    #expect(after != before)
    #expect(try store.store.read { try ReportCache.differences($0) } == [])
  }

  /// Rates are looked up while payments are read; SQLite then refuses to make the tables of facts again, which the report
  /// at another as-of replaced.
  @Test func revenueNeedsNoTablesOfFacts() throws {
    let store = try Self.store()
    let early = try ReportOptions(arguments: ["--as-of", "2026-01-09T00:00:00Z"])
    let late = try ReportOptions(arguments: ["--as-of", "2026-01-10T00:00:00Z"])
    let alone = try store.store.read { try ReportKind.revenue.report($0, early) }
    let after = try store.store.read { snapshot in
      _ = try ReportKind.cadence.report(snapshot, early)
      _ = try ReportKind.cadence.report(snapshot, late)
      return try ReportKind.revenue.report(snapshot, early)
    }
    #expect(alone.parameter("currency") == "USD" && after.rows == alone.rows && !after.rows.isEmpty)
  }

  /// On 5 January, one payment is in yen and one in dollars.
  @Test func paymentsOfADayAreCountedOverCurrencies() throws {
    let store = try TestStore(lines: Self.lines)
    func series(_ column: String) throws -> WatchedNumber.Series? {
      let number = try WatchedNumber(name: "n", ReportRequest(.revenue), column: column)
      return try store.store.read { try number.settledDays($0) }.first
    }
    let day = try #require(CivilDate("2026-01-05")).daysSince1970
    #expect(try series("payments")?.days.first { $0.day == day }?.met == 2)
    #expect(try series("revenue")?.reason?.contains("several currencies") == true)
  }

  /// Five payments in euros and three in dollars. Recurring revenue has no counts, and only subscriptions in dollars have
  /// ended, but the tables of all reports are in the currency of most payments.
  @Test func everyTableIsInTheCurrencyOfMostPayments() throws {
    func expiration(_ user: String) -> String {
      #"{"event_id":"x\#(user)","event":"expiration","ts":"2026-01-20T00:00:00Z","app":"steps","user_id":"\#(user)","#
        + #""product_id":"m","plan":"monthly"}"#
    }
    let euros = (0..<5).map { Self.payment("e\($0)", "2026-01-05T00:00:00Z", "10", "EUR") }
    let dollars = (0..<3).map { Self.payment("d\($0)", "2026-01-05T00:00:00Z", "10", "USD") }
    let end = #"{"event_id":"end","event":"activity","ts":"2026-03-20T00:00:00Z","app":"steps","user_id":"z"}"#
    let store = try TestStore(lines: euros + dollars + (0..<3).map { expiration("d\($0)") } + [end])
    let kinds: [(ReportKind, String)] = [(.revenue, "EUR"), (.refunds, "EUR"), (.ltv, "EUR"), (.mrr, "EUR a month")]
    for (kind, title) in kinds {
      let report = try #require(
        try store.store.read { snapshot in
          var request = ReportRequest(kind)
          request.options.showsMovement = kind == .mrr
          return try request.table(snapshot)
        })
      let text = try render(report, as: .table)
      #expect(text.split(separator: "\n").first?.contains(" · \(title) · ") == true, "\(text)")
    }
  }

  /// 11 + 12 + 12 + 9.45 + 2.5 + 4.0105 = 50.9605; refunded 4 · 1.1 = 4.40, at the rate of the payment (D6.2).
  @Test func eachPaymentTakesTheRateOfItsDay() throws {
    let table = try Self.store().table("revenue", "--by", "none", "--currency", "USD")
    #expect(table.rows.count == 1)
    #expect(table.cells("currency payments refunds gross refunded revenue", of: "steps") == "USD 6 1 50.96 4.40 46.56")
  }

  /// 4.40 of 50.9605 was refunded. a and b were followed for seven days and had paid 11 and 12 by then.
  @Test func refundsAndLifetimeValueTakeTheSameRates() throws {
    let refunds = try Self.store().table("refunds", "--by", "none", "--currency", "USD")
    #expect(refunds.cells("payments gross refunded_amount refunded_share", of: "steps") == "6 50.96 4.40 0.086341")
    let value = try Self.store().table("ltv", "--by", "none", "--currency", "USD")
    #expect(value.cells("currency persons_7 ltv_person_7 payers_7 ltv_payer_7", of: "steps") == "USD 2 11.50 2 11.50")
    let store = try TestStore(lines: Self.lines)
    #expect(throws: ReportError.self) { try store.table("ltv", "--by", "none", "--currency", "USD") }
    #expect(throws: ReportError.self) { try store.table("refunds", "--by", "none", "--currency", "USD") }
  }

  /// Into euros of the day: 10 and 10 stay, 10 too, 9.45 ÷ 1.2, 2.5 ÷ 1.2, 4.0105 ÷ 1.2: 30 + 15.9605 ÷ 1.2 =
  /// 43.300416…
  @Test func anyImportedCurrencyWillDo() throws {
    let table = try Self.store().table("revenue", "--by", "none", "--currency", "EUR")
    #expect(table.cells("currency gross refunded revenue", of: "steps") == "EUR 43.30 4.00 39.30")
  }

  @Test func missingRatesAreListedByCurrencyAndDay() throws {
    let store = try TestStore(lines: Self.lines)
    let all = #expect(throws: ReportError.self) { try store.table("revenue", "--by", "none", "--currency", "USD") }
    let text = try #require(all).description
    #expect(text.contains("EUR on 2026-01-02 to 2026-01-03, 2026-01-09; JPY"))
    #expect(text.contains("; JPY on 2026-01-05; KWD on 2026-01-06. Load") && !text.contains("USD on"))
    // A rate older than seven days is not used; payments that a filter excludes need no rate.
    let old = try Self.store(
      Self.rates.replacing("2026-01-03,EUR", with: "2026-01-01,EUR").replacing("2026-01-02,EUR", with: "2025-12-31,EUR")
    )
    let one = #expect(throws: ReportError.self) { try old.table("revenue", "--by", "none", "--currency", "USD") }
    #expect(try #require(one).description.contains("no rate for EUR on 2026-01-09. Load"))
    #expect(try old.table("revenue", "--by", "none", "--currency", "USD", "--to", "2026-01-09").rows.count == 1)
  }

  @Test func aLaterImportReplacesAndTheSameOneChangesNothing() throws {
    let store = try Self.store()
    #expect(try store.store.importRates(RateFile.rates(Self.rates, name: "rates.csv")) == 0)
    let new = try RateFile.rates("usd_per_unit,date,currency\r\n\"1.3\",2026-01-03,eur\r\n", name: "new.csv")
    #expect(try store.store.importRates(new) == 1)
    // 11 + 13 + 13 for the euros now, 15.9605 as before, and 4.40 refunded at the rate of the payment.
    let table = try store.table("revenue", "--by", "none", "--currency", "USD")
    #expect(table.cells("gross refunded", of: "steps") == "52.96 4.40")
  }

  /// State at the as-of: a, b and c at 10 euros a month, d, e, f. Movements need every rate, the state only the last
  /// payment's.
  @Test func recurringRevenueTakesTheLastPaymentsRate() throws {
    let store = try TestStore(lines: [
      Self.payment("a", "2025-06-01T00:00:00Z", "8", "EUR"),
      Self.payment("a2", "2026-01-03T00:00:00Z", "10", "EUR").replacing("\"user_id\":\"a2\"", with: "\"user_id\":\"a\"")
        .replacing("conversion", with: "renewal"),
      Self.payment("b", "2026-01-04T00:00:00Z", "5", "USD"),
    ])
    _ = try store.store.importRates(RateFile.rates(Self.rates, name: "rates.csv"))
    let state = try store.table("mrr", "--by", "none", "--currency", "USD")
    #expect(state.cells("currency active_subscriptions mrr", of: "steps") == "USD 2 17.00")
    #expect(throws: ReportError.self) { try store.table("mrr", "--by", "none", "--currency", "USD", "--movement") }
  }

  @Test func faultsNameTheirLines() throws {
    let text = """
      date,currency,usd_per_unit
      2026-02-30,EUR,1
      2026-02-01,EURO,1
      2026-02-01,EUR,0
      2026-02-01,EUR
      2026-02-01,EUR,1.0
      2026-02-01,EUR,1
      2026-02-01,EUR,2
      2026-02-01,USD,1.1
      """
    let faults = #expect(throws: ImportFaults.self) { try RateFile.rates(text, name: "r.csv") }
    let lines = try #require(faults).lines
    #expect(lines.map { $0.split(separator: ":")[1] } == ["2", "3", "4", "5", "8", "9"])
    #expect(lines[4].contains("line 6"))
    for wrong in ["", "date;currency;usd_per_unit\n", "date,currency\n", "2026-01-01,EUR,1\n"] {
      #expect(throws: ImportFaults.self) { try RateFile.rates(wrong, name: "r.csv") }
    }
    #expect(try RateFile.rates("date,currency,usd_per_unit\n", name: "r.csv").isEmpty)
  }

  /// 10³⁶ times 10³⁶ needs 240 bits; halves are rounded to even.
  @Test func wideQuotientsAreExact() {
    let big = powerOfTen(36)
    #expect(wideQuotient(big, times: big, over: big) == big)
    #expect(wideQuotient(5, times: 1, over: 2) == 2 && wideQuotient(7, times: 1, over: 2) == 4)
    #expect(wideQuotient(-5, times: 1, over: 2) == -2 && wideQuotient(-7, times: 3, over: 2) == -10)
    #expect(wideQuotient(-11, times: 1, over: 2) == -6 && wideQuotient(2, times: 1, over: 3) == 1)
    #expect(wideQuotient(big, times: big, over: 1) == nil)
  }

  /// Expected values are the standard library's conversions, at powers of two and halfway between doubles.
  @Test func nearestDoublesAreThoseOfTheStandardLibrary() {
    var random = SplitMix64(seed: 1)
    for bits in 0..<127 {
      let power = Int128(1) << Int128(bits)
      let half = bits > 53 ? Int128(1) << Int128(bits - 53) : 0
      let any = power | Int128(random.next()) & (power - 1)
      for value in [power, power - 1, power + half, power + half + 1, power + 3 * half, any] {
        #expect(nearestDouble(value) == Double(value) && nearestDouble(-value) == Double(-value), "\(value)")
      }
    }
    #expect(nearestDouble(.max) == Double(Int128.max) && nearestDouble(.min) == Double(Int128.min))
  }

  /// Days add up to the total to the micro-unit, in a currency with non-terminating quotients.
  @Test(arguments: [1, 2, 3] as [UInt64]) func convertedRevenueOfDaysSumsToTheWhole(seed: UInt64) throws {
    let lives = RandomLives(seed: seed, persons: 40).lines
    let store = try TestStore(lines: lives.map(\.text))
    let days = Set(lives.map { Int($0.ts / 86_400_000) })
    _ = try store.store.importRates(
      days.map {
        try ExchangeRate(
          date: CivilDate(daysSince1970: $0), currency: "EUR",
          usdPerUnit: #require(ExchangeRate.Decimal("1.\(100_007 + $0 % 50_000)")))
      })
    for target in ["USD", "EUR"] {
      func total(_ by: [Dimension]) throws -> [Int128] {
        var options = ReportOptions()
        options.by = by
        options.currency = target
        options.mode = .proceeds
        options.storeFee = try #require(ExactShare(0.15))
        let cells = try store.store.read { try Revenue.sumsOfRows(ReportQuery($0, options, defaultBy: [])) }
        return cells.values.reduce([0, 0, 0]) { [$0[0] + $1.gross, $0[1] + $1.refunded, $0[2] + $1.proceeds] }
      }
      let all = try total([])
      #expect(all[0] > 0)
      #expect(try total([.day]) == all)
      #expect(try total([.month, .variant]) == all)
    }
  }

  /// Definitions 1.8: two decimals, or the currency's own number if that is more.
  @Test func decimalsAreTwoOrTheCurrencysOwn() throws {
    let text = try Self.store().csv("revenue", ["--by", "none", "--currency", "native"])
    #expect(text.contains("JPY,1,0,1500.00,0.00,1500.00") && text.contains("KWD,1,0,1.234,0.000,1.234"))
  }

  @Test func healthCountsPaymentsWithoutARate() throws {
    let old = try Self.store(Self.rates.replacing("JPY", with: "CHF"))
    #expect(
      try old.table("health").cells("cases of severity", of: "steps", "payments without an exchange rate")
        == "1 6 warning")
    #expect(
      try TestStore(lines: Self.lines).table("health").cells("cases", of: "steps", "payments without an exchange rate")
        == "no row")
  }

  /// Two payments of 10 EUR record 11 and 13 USD and use these. The third of that day uses their median, 1.2, and so
  /// does the one 7 days later; 8 days later there is no rate. 11 + 13 + 12 + 12 = 48.
  @Test func paymentsTellTheRatesOfTheirDay() throws {
    func line(_ id: String, _ day: String, _ more: String = "") -> String {
      Self.payment(id, "2026-01-\(day)T12:00:00Z", "10", "EUR").replacing("}", with: more + "}")
    }
    let lines = [
      line("a", "02", #","price_usd":11"#), line("b", "02", #","price_usd":"13""#), line("c", "02"), line("d", "09"),
    ]
    let table = try TestStore(lines: lines).table("revenue", "--by", "none", "--currency", "USD")
    #expect(table.cells("currency revenue", of: "steps") == "USD 48.00")
    let rates = try TestStore(lines: lines).table("rates")
    #expect(rates.cells("rates payments first_day last_usd_per_unit", of: "EUR", "events") == "1 2 2026-01-02 1.2")
    let late = try TestStore(lines: lines + [line("e", "10")])
    #expect(throws: ReportError.self) { try late.table("revenue", "--by", "none", "--currency", "USD") }
  }

  /// Five payments of 10 EUR in eight days: 11, 11, 13, 14 and 110 USD, whose median rate is 1.3. 1.1 ≥ 0.975 and
  /// 1.4 ≤ 1.625 stay; 11 is left out, and its payment takes the median of its day's others, 1.4. A sixth a month later is
  /// far from others, and so is its own median: 20. 11 + 11 + 13 + 14 + 14 + 20 = 83.
  @Test func aPriceInDollarsFarOffTheOthersIsLeftOut() throws {
    func line(_ id: String, _ day: String, _ dollars: String) -> String {
      Self.payment(id, "2026-\(day)T12:00:00Z", "10", "EUR").replacing("}", with: #","price_usd":\#(dollars)}"#)
    }
    let lines = [
      line("a", "01-02", "11"), line("b", "01-03", "11"), line("c", "01-05", "13"), line("d", "01-09", "14"),
      line("e", "01-09", "110"), line("f", "02-20", "20"),
    ]
    let store = try TestStore(lines: lines)
    let table = try store.table("revenue", "--by", "none", "--currency", "USD")
    #expect(table.cells("currency revenue", of: "steps") == "USD 83.00")
    let health = try store.table("health")
    #expect(health.cells("cases of", of: "steps", "payments whose price in US dollars is far off") == "1 6")
    let rates = try store.table("rates")
    #expect(rates.cells("rates payments last_day", of: "EUR", "events") == "5 5 2026-02-20")
    let json = try store.report("revenue", ["--by", "none", "--currency", "USD"])
    #expect(
      json.parameters.first { $0.name == "rates" }?.value
        == "Converted at the rates of your own payments (5 days): EUR")
  }

  /// 90 of 100 payers and 99 of 100: Pearson's chi-square 7.7922, times 199 ÷ 200 = 7.753247; p = erfc(√(7.753247 ÷ 2))
  /// = 0.00536161 (Python's math.erfc).
  @Test func coverageThatDiffersIsPartial() {
    var money = MoneyCoverage(currency: "USD", payers: [100, 100], covered: [96, 99], missing: ["EUR": 5])
    #expect(!money.isPartial)
    money.covered = [90, 99]
    #expect(abs((money.equalityP ?? 1) - 0.00536161) < 1e-8)
    #expect(money.isPartial && money.shares == [0.9, 0.99])
    money.covered = [100, 100]
    #expect(money.equalityP == nil && !money.isPartial)
  }
}
