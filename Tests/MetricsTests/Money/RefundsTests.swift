import Metrics
import Reports
import Testing

/// Numbers derived by hand.
struct RefundsTests {
  /// January 31: 10, not refunded. February 28: 10, of which 4 is refunded on March 5. March 1: 20, refunded as 5 on
  /// March 10 and the rest on April 1.
  private static let lines = [
    payment("c1", "conversion", "2026-01-31T23:30:00Z", "u1", "10"),
    payment("c2", "renewal", "2026-02-28T23:30:00Z", "u1", "10"),
    refund("r1", "2026-03-05T00:00:00Z", "u1", price: "4"),
    payment("c3", "conversion", "2026-03-01T00:00:00Z", "u2", "20"),
    refund("r2", "2026-03-10T00:00:00Z", "u2", price: "5"),
    refund("r3", "2026-04-01T00:00:00Z", "u2"),
  ]

  private static func payment(
    _ id: String, _ kind: String, _ ts: String, _ user: String, _ price: String
  ) -> String {
    """
    {"event_id":"\(id)","event":"\(kind)","ts":"\(ts)","app":"steps","user_id":"\(user)","product_id":"p",\
    "plan":"monthly","price":"\(price)","currency":"USD"}
    """
  }

  private static func refund(_ id: String, _ ts: String, _ user: String, price: String? = nil) -> String {
    """
    {"event_id":"\(id)","event":"refund","ts":"\(ts)","app":"steps","user_id":"\(user)"\
    \(price.map { #","price":"\#($0)","currency":"USD""# } ?? "")}
    """
  }

  /// Two of three payments were refunded, one in full; 4 and 5 within 30 d. Wilson of 2 of 3: 0.207660, 0.938508.
  @Test func byTheDayOfThePayment() throws {
    let table = try TestStore(lines: Self.lines).table("refunds", "--by", "none")
    #expect(
      table.cells("payments refunded refund_rate refund_rate_low refund_rate_high", of: "steps", "USD")
        == "3 2 0.666667 0.207660 0.938508")
    #expect(table.cells("full partial at_risk_30 refunded_30", of: "steps", "USD") == "1 1 3 2")
    #expect(table.cells("gross refunded_amount refunded_share", of: "steps", "USD") == "40.00 24.00 0.600000")
    let months = try TestStore(lines: Self.lines).table("refunds", "--by", "month")
    #expect(months.column("refunded_amount") == ["0.00", "4.00", "20.00"])
  }

  /// With all keys asked for, the first of them names the total, and no other line.
  @Test func aChosenKeyNamesTheTotal() throws {
    let request = try ReportRequest(.refunds, [ReportRequest.Given("by", ["month"])])
    let report = try #require(try TestStore(lines: Self.lines).store.read { try request.table($0) })
    var options = RenderOptions()
    options.columns = "month,payments"
    let lines = try render(report, as: .table, options: options).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("Jan 2026") } && lines.contains { $0.hasPrefix("Mar 2026") })
    #expect(lines.count { $0.hasPrefix("all") } == 1)
  }

  @Test func byTheDayOfTheRefund() throws {
    let table = try TestStore(lines: Self.lines).table("refunds", "--by", "month", "--date", "refund")
    let columns = "refunds full partial payments gross refunded_amount refunded_share"
    #expect(table.cells(columns, of: "steps", "2026-01", "USD") == "0 0 0 1 10.00 0.00 0.000000")
    #expect(table.cells(columns, of: "steps", "2026-03", "USD") == "2 0 2 1 20.00 9.00 0.450000")
    #expect(table.cells(columns, of: "steps", "2026-04", "USD") == "1 1 0 0 0.00 15.00 -")
  }

  /// A week after the last payment no payment has had 30 days: there is no rate, and it is not 0.
  @Test func whatIsTooYoungHasNoRate() throws {
    let table = try TestStore(lines: Self.lines)
      .table("refunds", "--by", "none", "--from", "2026-03-01", "--as-of", "2026-03-09T00:00:00Z")
    #expect(table.cells("payments refunded at_risk_30 refunded_30_rate", of: "steps", "USD") == "1 0 0 -")
  }
}
