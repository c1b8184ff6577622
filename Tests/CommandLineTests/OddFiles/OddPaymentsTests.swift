import Testing

/// Payments whose name, status, sign or currency says more than that they are payments.
@Suite struct OddPaymentsTests {
  private static let head = "id,timestamp,user_id,event,product_id,price,currency,trial_days"

  /// 20 users see a paywall; 4 buy directly, 4 start a trial, of which 2 are converted and renewed.
  private static let converted: [String] = {
    let views = (0..<20).map { OddFile.view("u\($0)", day: $0 + 5, ",,,") }
    let direct = (0..<4).map { OddFile.event("purchase", "u\($0)", day: $0 + 5, "pro_yearly,59.99,USD,") }
    let trials = (4..<8).map { OddFile.event("trial_started", "u\($0)", day: $0 + 5, "pro_monthly,,,7") }
    let paid = (4..<6).map { OddFile.event("trial_converted", "u\($0)", day: $0 + 12, "pro_monthly,9.99,USD,") }
    let renewals = (4..<6).map { "r\($0),2026-02-\($0 + 11)T08:05:00Z,u\($0),renewal,pro_monthly,9.99,USD," }
    return [head] + views + direct + trials + paid + renewals
  }()

  /// Where later payments are renewals, a purchase is a first payment. 4 · 59.99 + 4 · 9.99 = 279.92
  @Test func aPurchaseBesideRenewalsIsTheFirst() throws {
    let found = try OddFile(Self.converted).read()
    #expect(found.funnel == [20, 4, 2, 4, 6] && found.gross == "279.92", "\(found)")
    #expect(!found.said.contains("!"), "\(found.said)")
  }

  /// Without renewals the first payments of users without a trial are not known to be first, and that is said.
  @Test func paymentsThatMayBeFirstAreSaid() throws {
    let lines = Self.converted.filter { !$0.contains("renewal") } + [OddFile.last(",,,")]
    let found = try OddFile(lines).read()
    #expect(found.said.contains("! purchase: each can be a first payment or a renewal"), "\(found.said)")
    #expect(found.said.contains("the purchases of 4 users") && found.said.contains("--history complete"))
    let complete = try OddFile(lines, "--history", "complete").read()
    #expect(complete.funnel == [20, 4, 2, 4, 6] && !complete.said.contains("! purchase"), "\(complete)")
  }

  /// u1 pays, u2's payment fails and u3's is still pending: one direct payer of 9.99.
  @Test func failedPaymentsAreLeftOut() throws {
    let lines = ["id,timestamp,user_id,event,product_id,price,currency,status"]
    let users = [("u1", 5, "succeeded"), ("u2", 6, "failed"), ("u3", 7, "pending")].flatMap { user, day, status in
      [
        OddFile.view(user, day: day, ",,,"),
        OddFile.event("subscription_started", user, day: day, "pro_monthly,9.99,USD,\(status)"),
      ]
    }
    let found = try OddFile(lines + users + [OddFile.last(",,,")]).read()
    #expect(found.funnel == [3, 0, 0, 1, 1] && found.gross == "9.99", "\(found)")
    // States of a subscription are not those of its payment; they are said.
    let states = try OddFile(
      (lines + users + [OddFile.last(",,,")]).map {
        $0.replacing("succeeded", with: "active").replacing("failed", with: "canceled").replacing(
          "pending", with: "active")
      }
    ).read()
    #expect(states.funnel == [3, 0, 0, 3, 3], "\(states)")
    #expect(states.said.contains("! status: canceled in 1 record of payments, which all count"), "\(states.said)")
  }

  /// u2 is a tester: 1 user with a payment of 9.99 is left.
  @Test(arguments: [("is_sandbox", "true", "false"), ("env", "staging", "prod"), ("sandbox", "Y", "N")])
  func testersAreLeftOut(column: String, tester: String, other: String) throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,price,currency,\(column)", OddFile.view("u1", day: 5, ",,,\(other)"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,9.99,USD,\(other)"),
      OddFile.view("u2", day: 6, ",,,\(tester)"),
      OddFile.event("subscription_started", "u2", day: 6, "pro_monthly,9.99,USD,\(tester)"),
      OddFile.last(",,,\(other)"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99", "\(found)")
  }

  /// A negative payment is a refund of 9.99; nothing is rejected.
  @Test func negativePaymentsAreRefunds() throws {
    let lines = [
      Self.head, OddFile.view("u1", day: 5, ",,,"), OddFile.event("payment", "u1", day: 5, "pro_monthly,9.99,USD,"),
      "b,2026-01-08T08:05:00Z,u1,payment,pro_monthly,-9.99,USD,", OddFile.last(",,,"),
    ]
    let found = try OddFile(lines, "--history", "complete").read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99" && found.said.contains("0 rejected"), "\(found)")
  }

  /// u1 pays 9.99 of a list price of 12.49.
  @Test func theAmountPaidIsThePrice() throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,list_price,amount_paid,currency", OddFile.view("u1", day: 5, ",,,"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,12.49,9.99,USD"), OddFile.last(",,,"),
    ]
    #expect(try OddFile(lines).read().gross == "9.99")
  }

  /// Users pay two days after their view and again a month later, which the origin says to be a renewal.
  @Test func aColumnThatTellsRenewalsTellsFirstPayments() throws {
    let users = (0..<12).map { "u\($0)" }
    let payments = users.flatMap {
      [
        "p\($0),2026-01-05T08:05:00Z,\($0),pro_monthly,9.99,USD,web",
        "q\($0),2026-02-05T08:05:00Z,\($0),pro_monthly,9.99,USD,subscription_recurring",
      ]
    }
    let views = users.map { "v\($0),2026-01-03T08:00:00Z,\($0),home" } + ["x,2026-02-28T08:00:00Z,u99,home"]
    let found = try OddFile(files: [
      ("payments.csv", ["id,paid_at,user_id,product_id,amount,currency,origin"] + payments),
      ("paywall_views.csv", ["id,viewed_at,user_id,placement"] + views),
    ]).read()
    #expect(found.funnel == [12, 0, 0, 12, 12] && found.gross == "239.76", "\(found)")
  }

  /// Of 12 users who pay without a trial, 6 do so 5 minutes after their view, so that nearly all shares would be too low.
  @Test func aFunnelWithoutFirstPaymentsIsWithheld() throws {
    let users = 0..<12
    let payments = users.map { "p\($0),2026-01-0\($0 < 6 ? 5 : 7)T08:05:00Z,u\($0),pro_yearly,59.99,USD" }
    let views = users.map { "v\($0),2026-01-05T08:00:00Z,u\($0),home" } + ["x,2026-02-28T08:00:00Z,u99,home"]
    let files = [
      ("payments.csv", ["id,paid_at,user_id,product_id,amount,currency"] + payments),
      ("paywall_views.csv", ["id,viewed_at,user_id,placement"] + views),
    ]
    let found = try OddFile(files: files).read()
    #expect(found.status == 3 && found.said.contains("No funnel"), "\(found.said)")
    #expect(found.said.contains("--history complete --app acme payments.csv paywall_views.csv"), "\(found.said)")
    var complete = OddFile(files: files)
    complete.options = ["--history", "complete"]
    #expect(try complete.read().funnel == [12, 0, 0, 12, 12])
  }

  /// No subscription costs 999 dollars, but one may cost 999 pesos: both are said, with the option that settles it.
  @Test func amountsThatMayBeCentsAreSaid() throws {
    func lines(_ column: String, _ currency: String = "USD") -> [String] {
      [
        "id,timestamp,user_id,event,product_id,\(column),currency", OddFile.view("u1", day: 5, ",,"),
        OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,999,\(currency)"), OddFile.last(",,"),
      ]
    }
    let found = try OddFile(lines("price")).read()
    #expect(found.gross == "9.99" && found.said.contains("! price is read as cents (÷ 100: 999 → 9.99)"), "\(found)")
    let whole = try OddFile(lines("price"), "--set", "price={path: price, scale: 1}").read()
    #expect(whole.gross == "999.00" && !whole.said.contains("cents"), "\(whole)")
    let pesos = try OddFile(lines("price", "MXN")).read()
    #expect(pesos.gross == "999.00" && pesos.said.contains("! price: 999 is read as 999 and not as cents"), "\(pesos)")
    #expect(try OddFile(lines("amount_cents")).read().gross == "9.99")
    #expect(try !OddFile(lines("price", "JPY")).read().said.contains("cents"))
  }

  /// 9.99 + 1199 in the ways of writing that one column has, in euros or dollars.
  @Test(arguments: [
    ["\"9,99\"", "1.199", "EUR"], ["9.99", "1'199.00", "EUR"], ["\"9,99\"", "\"1 199,00\"", "EUR"],
    ["\"9,99 €\"", "\"1\u{A0}199,00 €\"", ""], ["US$9.99", "\"US$1,199.00\"", ""], ["CHF 9.99", "CHF 1'199.00", ""],
  ])
  func amountsAreReadAsTheyAreWritten(written: [String]) throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,price,currency", OddFile.view("u1", day: 5, ",,"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,\(written[0]),\(written[2])"),
      OddFile.view("u2", day: 6, ",,"),
      OddFile.event("subscription_started", "u2", day: 6, "pro_yearly,\(written[1]),\(written[2])"), OddFile.last(",,"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.gross == "1208.99" && found.funnel == [2, 0, 0, 2, 2], "\(found)")
  }

  /// The currency may be in the name of the column alone.
  @Test(arguments: ["priceUsd", "Price (USD)", "amount_eur"])
  func theColumnNamesTheCurrency(column: String) throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,\(column)", OddFile.view("u1", day: 5, ","),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,9.99"), OddFile.last(","),
    ]
    let found = try OddFile(lines).read()
    #expect(found.gross == "9.99" && !found.said.contains("prices are in USD"), "\(found)")
  }
}
