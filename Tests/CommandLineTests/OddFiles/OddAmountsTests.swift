import Testing

/// Several columns of amounts, and amounts in cents that nothing names.
@Suite struct OddAmountsTests {
  /// Two users pay 9.99 and 19.99, of which the store keeps a part.
  private static func found(_ columns: String, _ first: String, _ second: String) throws -> (
    said: String, gross: String
  ) {
    let count = columns.count { $0 == "," }
    let empty = String(repeating: ",", count: count + 2)
    let found = try OddFile([
      "id,timestamp,user_id,event,product_id,currency,\(columns)", OddFile.view("u1", day: 5, empty),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,USD,\(first)"),
      OddFile.view("u2", day: 6, empty),
      OddFile.event("subscription_started", "u2", day: 6, "pro_yearly,USD,\(second)"), OddFile.last(empty),
    ]).read()
    return (found.said, found.gross)
  }

  @Test func whatUsersPaidIsThePrice() throws {
    let gross = try Self.found("net_amount,tax_amount,fee,gross_amount", "6.99,1,2,9.99", "13.99,2,4,19.99")
    #expect(gross.gross == "29.98", "\(gross)")
    #expect(gross.said.contains("gross_amount is taken as what users paid, and not net_amount"), "\(gross.said)")
    #expect(try Self.found("revenue,price", "6.99,9.99", "13.99,19.99").gross == "29.98")
    #expect(try Self.found("amount_excl_tax,amount_incl_tax", "8.40,9.99", "16.80,19.99").gross == "29.98")
  }

  @Test func twoColumnsThatMayBeThePriceAreSaid() throws {
    let found = try Self.found("price,total", "9.99,11.99", "19.99,23.99")
    #expect(found.said.contains(" may be it as well; `--set price="), "\(found.said)")
    #expect(try !Self.found("price,total", "9.99,9.99", "19.99,19.99").said.contains("may be it as well"))
  }

  /// One odd amount among ten does not hide that the others are cents.
  @Test func mostAmountsDecideWhetherTheyAreCents() throws {
    let payments = (0..<10).flatMap { user in
      [
        OddFile.view("u\(user)", day: user + 5, ",,"),
        OddFile.event("subscription_started", "u\(user)", day: user + 5, "pro_monthly,\(user == 3 ? 512 : 999),USD"),
      ]
    }
    let found = try OddFile(
      ["id,timestamp,user_id,event,product_id,amount,currency"] + payments + [OddFile.last(",,")]
    ).read()
    #expect(found.said.contains("! amount is read as cents (÷ 100: 999 → 9.99)"), "\(found.said)")
  }

  /// The buyer pays in euros, and the amounts are in dollars.
  @Test func aCurrencyInTheNameOfAmountsWins() throws {
    let found = try OddFile([
      "id,timestamp,user_id,event,product_id,amount_usd,currency", OddFile.view("u1", day: 5, ",,"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,11.54,EUR"), OddFile.last(",,"),
    ]).reading("revenue", "--currency", "native")
    #expect(found.table.contains("USD") && !found.table.contains("EUR"), "\(found.table)")
    #expect(found.said.contains("! amount_usd is read as USD"), "\(found.said)")
  }
}
