import Testing

/// Exports whose names, currencies, ids or refunds a tester wrote in ways that were misread once.
@Suite struct OddExportsTests {
  private static let head = "id,timestamp,user_id,event,product_id,price,currency,trial_days"

  /// 20 users see a paywall, 4 start a trial of 7 days, and 2 of them pay when it ends, by an event of this name.
  private static func trials(_ payment: String) -> [String] {
    let views = (0..<20).map { OddFile.view("u\($0)", day: $0 + 5, ",,,") }
    let trials = (4..<8).map { OddFile.event("trial_started", "u\($0)", day: $0 + 5, "pro_monthly,,,7") }
    let paid = (4..<6).map { OddFile.event(payment, "u\($0)", day: $0 + 12, "pro_monthly,9.99,USD,") }
    return [head] + views + trials + paid + [OddFile.last(",,,")]
  }

  @Test(arguments: ["Subscription Charged", "checkout_completed", "Subscription Purchase", "customer billed"])
  func chargesAreReadAsPayments(name: String) throws {
    let found = try OddFile(Self.trials(name)).read()
    #expect(found.funnel == [20, 4, 2, 0, 2] && found.gross == "19.98", "\(found)")
  }

  /// Records that sell a product under a name that says nothing may be all payments, so there is no funnel without them.
  @Test func soldUnderAnUnknownNameWithholdsTheFunnel() throws {
    let found = try OddFile(Self.trials("pro unlocked")).read()
    #expect(found.said.contains("No funnel") && found.said.contains("--event 'pro unlocked=conversion'"), "\(found)")
    let named = try OddFile(Self.trials("pro unlocked"), "--event", "pro unlocked=conversion").read()
    #expect(named.funnel == [20, 4, 2, 0, 2] && named.gross == "19.98", "\(named)")
    let ignored = try OddFile(Self.trials("pro unlocked"), "--event", "pro unlocked=ignore").read()
    #expect(ignored.funnel == [20, 4, 0, 0, 0] && !ignored.said.contains("No funnel"), "\(ignored)")
  }

  private static func payments(_ amounts: [(price: String, currency: String)]) -> [String] {
    let views = (0..<amounts.count).map { OddFile.view("u\($0)", day: $0 + 1, ",,") }
    let paid = amounts.enumerated().map { place, amount in
      OddFile.event("purchase", "u\(place)", day: place + 1, "pro_monthly,\(amount.price),\(amount.currency)")
    }
    return ["id,timestamp,user_id,event,product_id,price,currency"] + views + paid + [OddFile.last(",,")]
  }

  @Test(arguments: [("€", "EUR"), ("Yen", "JPY"), ("US dollars", "USD"), ("A$", "AUD")])
  func currenciesMayBeSignsOrNames(text: String, code: String) throws {
    let lines = Self.payments((0..<6).map { _ in ("900", text) })
    let (said, table) = try OddFile(lines).reading("revenue", "--by", "none", "--currency", "native")
    #expect(table.contains(code) && !said.contains("prices are read as USD"), "\(said)\(table)")
  }

  @Test func pricesWithoutACurrencyAreSaid() throws {
    let lines = Self.payments((0..<6).map { _ in ("9.99", "") })
    #expect(try OddFile(lines).read().said.contains("! no column is a currency, so prices are read as USD"))
  }

  /// Yen have no cents, so a point in them parts thousands: 6 · 1,500.
  @Test func pointsInYenPartThousands() throws {
    let found = try OddFile(Self.payments((0..<6).map { _ in ("1.500", "JPY") })).read()
    #expect(found.gross == "9000.00", "\(found)")
  }

  @Test func centsAreSaidBesideYen() throws {
    let found = try OddFile(Self.payments((0..<6).map { _ in ("999", "USD") } + [("1500", "JPY")])).read()
    #expect(found.said.contains("! price is read as cents (÷ 100: 999 → 9.99)"), "\(found.said)")
  }

  /// The rows of a data frame are numbered in each file anew, and its payments on days 6 to 10 are in both files: 15 payments.
  @Test func rowNumbersAreNoIDs() throws {
    func rows(_ users: Range<Int>) -> [String] {
      [",timestamp,user_id,event,product_id,price,currency"]
        + users.enumerated().map { place, user in
          "\(place),2026-01-\(10 + user)T08:05:00Z,u\(user),purchase,pro_monthly,9.99,USD"
        }
    }
    let found = try OddFile(files: [("a.csv", rows(0..<10)), ("b.csv", rows(5..<15))], "--both").read()
    #expect(found.gross == "149.85", "\(found)")
  }

  /// Subscriptions that ended have the time of their end, which is no later than itself: u1 pays after a trial, u2's trial
  /// ends unpaid and u3's first month is the last.
  @Test func endedSubscriptionsAreRead() throws {
    let views = [
      "user_id,viewed_at,screen,variant", "u1,2026-01-05 08:00:00,home,a", "u2,2026-01-06 08:00:00,home,b",
      "u3,2026-01-07 08:00:00,home,a", "u4,2026-01-08 08:00:00,home,b", "u99,2026-02-28 08:00:00,home,b",
    ]
    let subscriptions = [
      "subscription_id,user_id,product,trial_started_at,first_payment_at,price,currency,expired_at",
      "s1,u1,pro_monthly,2026-01-05 08:05:00,2026-01-12 08:05:00,9.99,USD,",
      "s2,u2,pro_monthly,2026-01-06 08:05:00,,9.99,USD,2026-01-13 08:05:00",
      "s3,u3,pro_monthly,,2026-01-07 08:05:00,9.99,USD,2026-02-07 08:05:00",
    ]
    let files = [("paywall_views.csv", views), ("subscriptions.csv", subscriptions)]
    let found = try OddFile(files: files, "--set", "trial_days=7").read()
    #expect(found.funnel == [4, 2, 1, 1, 2] && !found.said.contains("rejected ("), "\(found)")
  }
}
