import Metrics
import Testing

/// Numbers derived by hand; random stores are compared with `Tests/Acceptance/Oracle/saves.py`.
struct WinbackTests {
  private static func line(_ event: String, _ ts: String, _ user: String, _ rest: String = "") -> String {
    let subscription = event == "activity" ? "" : #","subscription_id":"\#(user)","product_id":"m""#
    return Behaviour.line(event, "2026-\(ts)", user, subscription + rest)
  }

  private static func paid(_ price: Int) -> String { #","plan":"monthly","price":\#(price),"currency":"USD""# }

  /// Four months end on 1 February after a cancellation: a comes back on 11 February for 8 with an offer and pays 10 a
  /// month later, of which 3 are given back; b comes back on 1 May; c and d do not. e's charge fails, and its month ends
  /// on 20 March.
  private static let lines =
    ["a", "b", "c", "d"].flatMap { user in
      [line("conversion", "01-01T10:00:00", user, paid(10)), line("cancellation", "01-10T10:00:00", user)]
    } + [
      line("conversion", "02-11T10:00:00", "a", paid(8) + #","offer_type":"win_back""#),
      line("renewal", "03-11T10:00:00", "a", paid(10)),
      line("refund", "03-20T10:00:00", "a", #","price":3,"currency":"USD""#),
      line("cancellation", "03-21T10:00:00", "a"),
      line("conversion", "05-01T10:00:00", "b", paid(10)), line("cancellation", "05-02T10:00:00", "b"),
      line("conversion", "02-20T10:00:00", "e", paid(10)), line("billing_issue", "03-20T10:00:00", "e"),
      line("activity", "05-20T10:00:00", "z"),
    ]

  @Test func subscriptionsComeBack() throws {
    let table = try TestStore(lines: Self.lines).table("winback", "--by", "none")
    // a's second spell ends on 11 April after a cancellation, too. Of five, one is back after 10 days. It is observed for
    // 39 days only: of the three left one comes back after 89 days, 1/5 + 4/5 × 1/3.
    #expect(
      table.cells(
        "churned came_back with_offer came_back_7_rate came_back_30_rate came_back_90_rate", of: "steps", "voluntary")
        == "5 2 1 0.000000 0.200000 0.466667")
    // a alone came back with an offer. b's return without one ends its time and adds nothing.
    #expect(
      table.cells("with_offer_7_rate with_offer_30_rate with_offer_90_rate", of: "steps", "voluntary")
        == "0.000000 0.200000 0.200000")
    // a came back 98 days before the end of the data, b 19: 8 + 10 − 3.
    #expect(table.cells("observed_90 amount_90 mean_90", of: "steps", "voluntary") == "1 15.00 15.00")
    #expect(table.cells("churned came_back observed_90 mean_90", of: "steps", "billing") == "1 0 0 -")
  }

  /// The two that came back are a and b, named as `--cell` has it.
  @Test func aReasonNamesARow() throws {
    var request = ReportRequest(.winback)
    request.explained = ExplainedNumber(cells: ["app=steps,currency=USD,reason=voluntary"], column: "came_back")
    let made = try TestStore(lines: Self.lines).store.read { [request] in try request.run($0) }
    guard case .explanation(let explanation) = made else {
      Issue.record("it is no explanation")
      return
    }
    #expect(explanation.total.millionths == 2_000_000 && explanation.persons.prefix(2).map(\.user) == ["a", "b"])
  }
}
