import Metrics
import Testing

/// Numbers derived by hand; random stores are compared with `Tests/Acceptance/Oracle/saves.py`.
struct SavesTests {
  private static func line(_ event: String, _ ts: String, _ user: String, _ rest: String = "") -> String {
    let subscription = event == "activity" ? "" : #","subscription_id":"\#(user)","product_id":"m""#
    return Behaviour.line(event, "2026-\(ts)", user, subscription + rest)
  }

  private static let paid = #","plan":"monthly","price":10,"currency":"USD""#

  /// Each user pays on 1 January until 1 February and cancels on 10 January: a turns auto-renew on half an hour later, b
  /// two days later, c pays with an offer on 1 February, d is lost, and e's trial ends on 17 January after it was
  /// cancelled. f cancels on 20 April, and can still be saved; a store's cancellation for a failed charge is no one's
  /// wish.
  private static let lines =
    ["a", "b", "c", "d"].flatMap { user in
      [line("conversion", "01-01T10:00:00", user, paid), line("cancellation", "01-10T10:00:00", user)]
    } + [
      line("reactivation", "01-10T10:30:00", "a"), line("reactivation", "01-12T10:00:00", "b"),
      line("renewal", "02-01T10:00:00", "c", paid + #","offer_type":"win_back""#),
      line("trial_start", "01-10T10:00:00", "e", #","plan":"monthly","trial_days":7"#),
      line("cancellation", "01-12T10:00:00", "e"),
      line("conversion", "04-10T10:00:00", "f", paid), line("cancellation", "04-20T10:00:00", "f"),
      line("conversion", "01-01T10:00:00", "g", paid),
      line("cancellation", "01-10T10:00:00", "g", #","reason":"billing""#),
      line("activity", "05-01T10:00:00", "z"),
    ]

  @Test func cancellationsAreSavedOrLost() throws {
    let table = try TestStore(lines: Self.lines).table("saves", "--by", "none")
    #expect(
      table.cells("cancellations regretted open matured saved lost saved_rate", of: "steps") == "5 1 1 4 2 2 0.500000")
    #expect(table.cells("reactivated paid accepted_offer", of: "steps") == "1 1 1")
    // One of five within three days. e is lost after 5 days, and f is observed for 11. Of the two left, c pays after 22
    // days, when d is lost: 1/5 + 4/5 × 3/4 × 1/2.
    #expect(
      table.cells("saved_1_rate saved_3_rate saved_14_rate saved_30_rate hours_p50", of: "steps")
        == "0.000000 0.200000 0.200000 0.500000 528.000000")
  }

  /// c saw the offer 20 minutes after the cancellation, and d another screen.
  @Test func screensAreThoseOfTheHour() throws {
    func view(_ user: String, _ ts: String, _ screen: String) -> String {
      Behaviour.line("paywall_impression", "2026-\(ts)", user, #","entry_point":"\#(screen)""#)
    }
    let store = try TestStore(
      lines: Self.lines + [
        view("c", "01-10T10:20:00", "cancel_offer"), view("d", "01-10T09:30:00", "home"),
        view("b", "01-10T11:00:01", "cancel_offer"),
      ])
    let table = try store.table("saves", "--by", "none", "--cancel-screens", "cancel_offer,cancel_survey")
    #expect(table.cells("cancellations", of: "steps", "(none)") == "4")
    #expect(table.cells("cancellations", of: "steps", "cancel_offer") == "1")
    // The one is c, named as `--cell` has it.
    var request = ReportRequest(.saves)
    request.options.cancelScreens = ["cancel_offer"]
    request.explained = ExplainedNumber(cells: ["app=steps,screen=cancel_offer"], column: "cancellations")
    let made = try store.store.read { [request] in try request.run($0) }
    guard case .explanation(let explanation) = made else {
      Issue.record("it is no explanation")
      return
    }
    #expect(explanation.total.millionths == 1_000_000 && explanation.persons.first?.user == "c")
  }
}
