import Testing

/// Rows by product and offer (definitions 2.11), counted by hand.
struct OfferDimensionTests {
  /// u1 sees the offering `sale` and pays 30 for `year` with the code SPRING, later 50 without one. u2 tries `month`, whose
  /// events carry the offering `default`, and pays 10. u3 pays 10 for `month` without any paywall.
  private static let lines = [
    line("paywall_impression", "v1", "2026-01-01", "u1", #""entry_point":"home","offering":"sale""#),
    line(
      "conversion", "c1", "2026-01-02", "u1",
      #""product_id":"year","plan":"yearly","price":"30","currency":"USD","offer_type":"offer_code","offer_code":"SPRING""#
    ),
    line("renewal", "n1", "2027-01-02", "u1", #""product_id":"year","plan":"yearly","price":"50","currency":"USD""#),
    line(
      "trial_start", "t2", "2026-01-01", "u2",
      #""product_id":"month","plan":"monthly","trial_days":7,"offering":"default""#),
    line(
      "conversion", "c2", "2026-01-08", "u2", #""product_id":"month","plan":"monthly","price":"10","currency":"USD""#),
    line(
      "conversion", "c3", "2026-01-03", "u3", #""product_id":"month","plan":"monthly","price":"10","currency":"USD""#),
  ]

  private static func line(_ kind: String, _ id: String, _ day: String, _ user: String, _ fields: String) -> String {
    #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(day)T00:00:00Z","app":"steps","user_id":"\#(user)",\#(fields)}"#
  }

  /// All money of a subscription counts for its first payment's product and offer: 30 and 50 for `year` and SPRING.
  @Test func moneyByProductAndOffer() throws {
    let store = try TestStore(lines: Self.lines)
    let products = try store.table("revenue", "--by", "product")
    #expect(products.column("product") == ["month", "year"])
    #expect(products.column("revenue") == ["20.00", "80.00"])
    let offers = try store.table("revenue", "--by", "offer_type,offer_code")
    #expect(offers.cells("payments revenue", of: "steps", "offer_code", "SPRING", "USD") == "2 80.00")
    #expect(offers.cells("payments revenue", of: "steps", "(none)", "(none)", "USD") == "2 20.00")
    let one = try store.table("revenue", "--by", "none", "--where", "product=month", "--where", "offer_code=SPRING")
    #expect(one.column("revenue").isEmpty)
  }

  /// u1 has the offering of the paywall, the conversion of u2 that of its trial, u3 none.
  @Test func unitsByOffering() throws {
    let store = try TestStore(lines: Self.lines)
    #expect(try store.table("funnel", "--by", "offering").column("offering") == ["sale"])
    #expect(
      try store.table("trials", "--by", "offering,product").cells("trials", of: "steps", "default", "month") == "1")
    let revenue = try store.table("revenue", "--by", "offering")
    #expect(revenue.column("offering") == ["(none)", "default", "sale"])
    #expect(revenue.column("revenue") == ["10.00", "10.00", "80.00"])
  }

  /// One place in the app shows two offerings: the mode of credit decides between them.
  @Test(arguments: [("last", "new"), ("first", "old")])
  func creditDecidesBetweenOfferings(attribution: String, offering: String) throws {
    let store = try TestStore(lines: [
      Self.line("paywall_impression", "v1", "2026-01-01", "u1", #""entry_point":"home","offering":"old""#),
      Self.line("paywall_impression", "v2", "2026-01-02", "u1", #""entry_point":"home","offering":"new""#),
      Self.line("trial_start", "t1", "2026-01-03", "u1", #""product_id":"month","plan":"monthly","trial_days":7"#),
    ])
    let table = try store.table("trials", "--by", "offering", "--attribution", attribution)
    #expect(table.column("offering") == [offering])
  }

  /// By view, too: u1's paywall sold a subscription.
  @Test func viewsByOffering() throws {
    let table = try TestStore(lines: Self.lines).table("funnel", "--by", "offering", "--unit", "view")
    #expect(table.cells("users direct_paid_users", of: "steps", "sale") == "1 1")
  }
}
