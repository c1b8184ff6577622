import Testing

/// Definitions 7.1; numbers derived by hand.
struct RevenueTests {
  /// u1 pays 10.00 for January and February and is refunded 4.00 of the second in March. u2 pays 20.00 in March,
  /// records a tax of 10% and a commission of 30%, and is refunded in full by two refunds, the second without a
  /// price.
  private static let lines = [
    payment("c1", "conversion", "2026-01-31T23:30:00Z", "u1", "10", entryPoint: "widgets"),
    payment("c2", "renewal", "2026-02-28T23:30:00Z", "u1", "10"),
    refund("r1", "2026-03-05T00:00:00Z", "u1", price: "4"),
    payment(
      "c3", "conversion", "2026-03-01T00:00:00Z", "u2", "20", entryPoint: "settings",
      #","tax_percentage":0.1,"commission_percentage":0.3"#),
    refund("r2", "2026-03-10T00:00:00Z", "u2", price: "5"),
    refund("r3", "2026-04-01T00:00:00Z", "u2"),
    // A refund without a payment or a subscription.
    refund("r4", "2026-03-01T00:00:00Z", "u3", price: "7"),
  ]

  private static func payment(
    _ id: String, _ kind: String, _ ts: String, _ user: String, _ price: String, entryPoint: String? = nil,
    _ more: String = ""
  ) -> String {
    """
    {"event_id":"\(id)","event":"\(kind)","ts":"\(ts)","app":"steps","user_id":"\(user)","product_id":"p",\
    "plan":"monthly","price":"\(price)","currency":"USD"\(entryPoint.map { #","entry_point":"\#($0)""# } ?? "")\(more)}
    """
  }

  private static func refund(_ id: String, _ ts: String, _ user: String, price: String? = nil) -> String {
    """
    {"event_id":"\(id)","event":"refund","ts":"\(ts)","app":"steps","user_id":"\(user)"\
    \(price.map { #","price":"\#($0)","currency":"USD""# } ?? "")}
    """
  }

  private static let columns = "payments refunds gross refunded revenue"

  /// January 10; February 10; March 20 − 4 − 5 = 11; April −15, the rest of 20.00 after 5.00.
  @Test func refundsCountOnTheirOwnDay() throws {
    let table = try TestStore(lines: Self.lines).table("revenue", "--by", "month")
    #expect(table.columns.joined(separator: " ") == "app month currency " + Self.columns)
    #expect(table.rows.count == 4)
    #expect(table.cells(Self.columns, of: "steps", "2026-01", "USD") == "1 0 10.00 0.00 10.00")
    #expect(table.cells(Self.columns, of: "steps", "2026-02", "USD") == "1 0 10.00 0.00 10.00")
    #expect(table.cells(Self.columns, of: "steps", "2026-03", "USD") == "1 2 20.00 9.00 11.00")
    #expect(table.cells(Self.columns, of: "steps", "2026-04", "USD") == "0 1 0.00 15.00 -15.00")
  }

  /// In Berlin the payments of 23:30 UTC fall in the next month: January none, February 10, March 10 + 20 − 9.
  @Test func daysAreOfTheZone() throws {
    let table = try TestStore(lines: Self.lines).table("revenue", "--by", "month", "--timezone", "Europe/Berlin")
    #expect(table.column("month") == ["2026-02", "2026-03", "2026-04"])
    #expect(table.column("revenue") == ["10.00", "21.00", "-15.00"])
  }

  /// A renewal and a refund take the entry point of their spell's first payment, without one of their own.
  @Test func renewalsAndRefundsHaveTheirSpellsDimensions() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try store.table("revenue", "--by", "entry_point")
    #expect(table.cells(Self.columns, of: "steps", "widgets") == "2 1 20.00 4.00 16.00")
    #expect(table.cells(Self.columns, of: "steps", "settings") == "1 2 20.00 20.00 0.00")
    let march = try store.table(
      "revenue", "--by", "none", "--from", "2026-03-01", "--to", "2026-03-10", "--where", "entry_point=widgets")
    #expect(march.cells(Self.columns, of: "steps") == "0 1 0.00 4.00 -4.00")
  }

  /// Of u2's 20 − 5 = 15.00 in March 60% is left: 9.00. Of u1's −4.00 without a record 85%: −3.40, or all of it.
  @Test func proceedsAreWhatIsRecordedElseTheStoreFee() throws {
    let store = try TestStore(lines: Self.lines)
    func march(_ arguments: String...) throws -> String {
      try Table(csv: store.csv("revenue", ["--by", "month"] + arguments)).cells("revenue", of: "steps", "2026-03")
    }
    #expect(try march("--mode", "gross") == "20.00")
    #expect(try march("--mode", "proceeds", "--store-fee", "0.15") == "5.60")
    #expect(try march("--mode", "proceeds") == "5.00")
  }

  /// As of April 1, only earlier refunds are known.
  @Test func laterRefundsAreNotKnown() throws {
    let table = try TestStore(lines: Self.lines)
      .table("revenue", "--by", "none", "--as-of", "2026-04-01T00:00:00Z")
    #expect(table.cells(Self.columns, of: "steps") == "3 2 40.00 9.00 31.00")
  }
}
