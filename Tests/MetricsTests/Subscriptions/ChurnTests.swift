import Metrics
import Reports
import Testing

/// Definitions 2.8 and 7.3, as amended: churn is told by every report at one instant.
struct ChurnTests {
  /// Paid on January 1 for a month, again on February 2, and given back in that millisecond.
  private static let lines: [String] = {
    func event(_ kind: String, _ ts: String, _ rest: String) -> String {
      #"{"event_id":"\#(kind)","event":"\#(kind)","ts":"2026-\#(ts)T00:00:00Z","app":"a","user_id":"u"\#(rest)}"#
    }
    let paid = #","subscription_id":"s","product_id":"m","plan":"monthly","price":10,"currency":"EUR""#
    return [
      event("conversion", "01-01", paid), event("renewal", "02-02", paid),
      event("refund", "02-02", #","subscription_id":"s""#), event("activity", "03-01", ""),
    ]
  }()

  /// The cover ended on February 1, and what follows covers nothing: churned then, and at no other instant.
  @Test func latePaymentThatIsGivenBackAtOnceIsChurn() throws {
    let store = try TestStore(lines: Self.lines)
    func row(_ name: String, _ arguments: [String], _ columns: [String]) throws -> [String] {
      let text = try render(store.report(name, arguments + ["--by", "none"]), as: .csv)
      let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      return try columns.map { name in
        String(lines[1][try #require(lines[0].firstIndex { $0 == name })])
      }
    }
    #expect(try row("cancellations", [], ["churned"]) == ["1"])
    let movement = ["--movement", "--from", "2026-02-01"]
    #expect(
      try row("subscriptions", movement, ["opening", "recovered", "lapsed", "churned", "closing"])
        == ["1", "0", "0", "1", "0"])
    #expect(
      try row("mrr", movement, ["opening", "contraction", "churned", "closing"]) == ["10.00", "0.00", "-10.00", "0.00"])
  }
}
