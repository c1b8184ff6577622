import Reports
import Testing

/// Definitions 5 on `Fixtures/savings`; numbers derived by hand, all other bytes in `FixtureTests`. Rows are entry
/// points of one app; impressions and purchases are from 2026-03-02 and the days after it, the as-of is 2026-06-05.
struct SavingsTests {
  private static let asOf = "2026-06-05T00:00:00Z"
  private static let prices =
    "price_source price_pairs monthly_price yearly_price shown_saving badge_percent break_even_months"

  private func table(_ arguments: String...) throws -> Table {
    try Table(
      csv: TestStore(fixture: "savings").csv("savings", ["--as-of", Self.asOf, "--by", "entry_point"] + arguments))
  }

  /// settings_card: 2.99/19.99 and 3.99/19.99 twice each; the newest impression showed 3.99. 1 − 19.99 ÷ 47.88 =
  /// 0.582498. tie_by_id: both pairs once in the same ms: tie-2 comes after tie-1.
  /// An impression with one of the prices shows no pair.
  @Test func theNewestOfThePairsShownMostOftenStands() throws {
    let table = try table()
    #expect(table.cells(Self.prices, of: "steps", "settings_card") == "shown 2 3.99 19.99 0.582498 58 5.010025")
    #expect(table.cells(Self.prices, of: "steps", "tie_by_id") == "shown 2 4.00 30.00 0.375000 37 7.500000")
  }

  /// One weekly plan sold, no price shown: a sentence instead of rows of undefined values.
  @Test func weeklyPlansAloneAreNotCompared() throws {
    func line(_ event: String, _ more: String) -> String {
      #"{"event_id":"\#(event)","event":"\#(event)","ts":"2026-03-02T00:00:00Z","app":"a","user_id":"u"\#(more)}"#
    }
    let store = try TestStore(lines: [
      line("paywall_impression", #","entry_point":"e","variant":"v""#),
      line("conversion", #","plan":"weekly","product_id":"w","price":"4.99","currency":"USD""#),
    ])
    let text = try render(store.report("savings", []), as: .table).replacing("\n", with: " ")
    #expect(
      text.contains(
        "Nothing to compare: no monthly or yearly price was shown, and no such plan sold (purchases: weekly 1).")
        && !text.contains("took yearly"), "\(text)")
  }

  /// 1 − 27 ÷ 30 is exactly 10% (in binary fractions 9.99…); 1 − 59.99 ÷ 119.88 = 49.96% is cut to 49; 0.9% and less
  /// have no badge; a free month has no saving. Dinars have three decimals: 9.9995 is 10.000 (half to even).
  @Test func badgeNeverOverstates() throws {
    let table = try table()
    #expect(table.cells(Self.prices, of: "steps", "badge_exact") == "shown 1 2.50 27.00 0.100000 10 10.800000")
    #expect(table.cells(Self.prices, of: "steps", "badge_cut") == "shown 1 9.99 59.99 0.499583 49 6.005005")
    #expect(table.cells(Self.prices, of: "steps", "badge_none") == "shown 1 10.00 118.92 0.009000 - 11.892000")
    #expect(table.cells(Self.prices, of: "steps", "badge_dearer") == "shown 1 1.00 15.00 -0.250000 - 15.000000")
    #expect(table.cells(Self.prices, of: "steps", "free_month") == "shown 1 0.00 5.00 - - -")
    #expect(table.cells("monthly_price yearly_price realised_saving", of: "steps", "dinar") == "1.250 10.000 0.000")
  }

  /// settings_card: weekly, yearly for 19.99, for 14.99 with an offer and for 0, lifetime, quarterly: 3 of 6 are
  /// yearly; 12 · 3.99 = 47.88; realised (47.88 − 19.99) + (47.88 − 14.99) = 60.78, without the free one.
  @Test func takeUpAndRealisedSaving() throws {
    #expect(
      try table().cells(
        "weekly_purchases monthly_purchases yearly_purchases lifetime_purchases other_purchases yearly_share "
          + "realised_saving", of: "steps", "settings_card") == "1 0 3 1 1 0.500000 60.78")
  }

  /// widgets showed no prices. Of the two plans, above 0 and without an offer, a and b have 5 + 5 each and c has 4 + 4
  /// (its weekly one and its two offers do not count): a comes first in byte order, at 2.99 and 19.99.
  ///
  /// Realised: 12 · 2.99 = 35.88: 5 · (35.88 − 24.99) + 5 · (35.88 − 19.99) + 4 · (35.88 − 29.99) + (35.88 − 9.99) =
  /// 183.35.
  ///
  /// route_map has one of each, so the app's prices of individual USD apply: monthly 10.00 (six times, in value and
  /// value_unknown), yearly 19.99 (five in widgets and one in settings_card). app_lock, EUR: without a yearly purchase
  /// it stays empty; family has neither: (none).
  @Test func pricesPaidStandForPricesNotShown() throws {
    let table = try table()
    #expect(table.cells(Self.prices, of: "steps", "widgets") == "paid 0 2.99 19.99 0.442865 44 6.685619")
    #expect(table.cells("monthly_purchases yearly_purchases realised_saving", of: "steps", "widgets") == "15 15 183.35")
    #expect(table.cells(Self.prices, of: "steps", "route_map") == "paid_app 0 10.00 19.99 0.833417 83 1.999000")
    #expect(table.cells(Self.prices, of: "steps", "app_lock", "individual", "EUR") == "paid_app 0 3.49 - - - -")
    #expect(table.cells(Self.prices, of: "steps", "app_lock", "family", "USD") == "(none) 0 - - - - -")
  }

  /// value, monthly buyers by payments made and their state at the as-of: 1 churned (Mar 2); 2 churned; 3 churned
  /// (covered to Jun 2, and the grace ends at the as-of); 3 and not due before Jul 1; 1 and in its grace (to Jun 6).
  ///
  ///     S(2) = 3/4: one stopped, three went on; S(3) = 3/4 · 2/3 = 1/2; S(4) = 0: one stopped, nobody went on
  ///     1 + 3/4 + 1/2 = 2.25 payments of 10.00 = 22.50; 60.00 − 22.50 = 37.50
  ///
  /// value_unknown: one buyer, whose second payment is not due, so nothing is known about it.
  @Test func valueOfAMonthlyBuyer() throws {
    let table = try table()
    #expect(table.cells("monthly_value_365d yearly_advantage", of: "steps", "value") == "22.50 37.50")
    #expect(table.cells("monthly_value_365d yearly_advantage", of: "steps", "value_unknown") == "- -")
    // Of 2026-03-02 alone: 1, 2 and 3 payments, all churned: S = 2/3, 1/3, 0: 1 + 2/3 + 1/3 = 2.
    let first = try self.table("--from", "2026-03-02", "--to", "2026-03-03")
    #expect(first.cells("monthly_value_365d yearly_advantage", of: "steps", "value") == "20.00 40.00")
  }

  /// A dimension that every row has already adds no column.
  @Test func tierIsNoSecondColumn() throws {
    let store = try TestStore(fixture: "savings")
    let table = try store.table(
      "savings", "--as-of", Self.asOf, "--by", "tier,entry_point", "--where", "tier=family")
    #expect(table.columns.prefix(4) == ["app", "entry_point", "tier", "currency"])
    #expect(table.rows.map { $0.prefix(4).joined(separator: " ") } == ["steps app_lock family USD"])
  }

  /// Two subscriptions of one user that start in one ms with one product are two purchases: with 4 others they make the
  /// 5 and 6 that a row needs for prices of its own.
  @Test func purchasesOfOneInstantAreCountedEach() throws {
    func purchase(_ id: String, _ user: String, _ plan: String, _ price: String, _ entryPoint: String) -> String {
      """
      {"event_id":"\(id)","event":"conversion","ts":"2026-03-02T00:00:00Z","app":"steps","user_id":"\(user)",\
      "plan":"\(plan)","product_id":"\(plan)","price":"\(price)","currency":"USD","subscription_id":"\(id)",\
      "entry_point":"\(entryPoint)","variant":"a"}
      """
    }
    var lines = ["m1", "m2"].map { purchase($0, "twice", "monthly", "2.99", "widgets") }
    for number in 3...5 { lines.append(purchase("m\(number)", "u\(number)", "monthly", "2.99", "widgets")) }
    for number in 1...5 { lines.append(purchase("y\(number)", "v\(number)", "yearly", "19.99", "widgets")) }
    for number in 1...9 { lines.append(purchase("o\(number)", "w\(number)", "monthly", "4.99", "route_map")) }
    let table = try TestStore(lines: lines).table("savings", "--by", "entry_point")
    #expect(table.cells("monthly_purchases price_source monthly_price", of: "steps", "widgets") == "5 paid 2.99")
  }
}
