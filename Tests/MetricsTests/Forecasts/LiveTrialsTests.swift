import EventModel
import Foundation
import Reports
import Testing

@testable import Metrics

/// The open trials of `ltv --backtest`, by hand.
struct LiveTrialsTests {
  private static func line(_ kind: String, _ day: String, _ user: String, _ more: String = "") -> String {
    let own = #""ts":"\#(day)T00:00:00Z","app":"steps","user_id":"\#(user)","product_id":"m","plan":"monthly""#
    return #"{"event_id":"\#(kind)-\#(day)-\#(user)","event":"\#(kind)",\#(own)\#(more)}"#
  }

  private static func pay(_ kind: String, _ day: String, _ user: String) -> String {
    line(kind, day, user, #","price":"10","currency":"USD""#)
  }

  /// Users with a trial of 7 days, which ends after 3 days of grace more; some cancel it, some pay.
  private static func trials(
    _ name: String, _ count: Int, from start: String, cancelledOn: String? = nil, paid: [(number: Int, day: String)]
  ) -> [String] {
    var payers = paid.flatMap { paid in (0..<paid.number).map { _ in paid.day } }
    return (1...count).flatMap { number -> [String] in
      let user = "\(name)\(number)"
      let last = payers.popLast().map { [pay("conversion", $0, user)] } ?? []
      return [line("trial_start", start, user, #","trial_days":7"#)]
        + (cancelledOn.map { [line("cancellation", $0, user)] } ?? []) + last
    }
  }

  /// 40 users buy a month on January 10; 30, 24 and 21 of them pay again. Their forecast is that of `BacktestTests`.
  private static let buyers = (1...40).flatMap { user -> [String] in
    [pay("conversion", "2026-01-10", "u\(user)")]
      + [(2, 30), (3, 24), (4, 21)].filter { user <= $0.1 }.map { pay("renewal", "2026-0\($0.0)-10", "u\(user)") }
  }

  private static let lines: [String] =
    buyers + trials("a", 40, from: "2026-03-01", paid: [(8, "2026-03-07"), (20, "2026-03-08")])
    + trials("b", 20, from: "2026-03-25", paid: [(12, "2026-04-01")])
    + trials("c", 10, from: "2026-03-27", paid: [(7, "2026-04-03")])
    + trials("d", 30, from: "2026-03-01", cancelledOn: "2026-03-02", paid: [(3, "2026-03-08")])
    + trials("e", 5, from: "2026-03-27", cancelledOn: "2026-03-28", paid: [])

  private static func table(_ lines: [String], _ asOf: String) throws -> Table {
    try Table(
      csv: TestStore(lines: lines).csv("ltv", ["--by", "plan", "--backtest", "month", "--as-of", "\(asOf)T00:00:00Z"]))
  }

  private static func cells(_ table: Table, _ names: String, _ origin: String) -> String {
    table.cells(names, of: "steps", "monthly", "USD", origin, "active", "30")
  }

  /// On April 1 the trials c are 5 days old. Of 60 that were open at that age with auto-renew on, a and b, 8 pay on the next
  /// day, b are seen no longer, and of the 32 left 20 pay on the day after: 8/60 + 52/60 · 20/32 = 0.675. Those who paid
  /// before that age would not count. b are 7 days old, as 32 of a once, of whom 20 pay. e have auto-renew off at 5 days, as d,
  /// of whom 3 of 30 pay. A purchase brings 10 by May 1, as its renewal comes later:
  /// 10 · (10 · 0.675 + 20 · 20/32 + 5/10) = 197.50. Of the active ones, 24 and 31, 5/6 and 3/4 renew: 432.50. All of it,
  /// 630 and 432.50, is over 55 purchases and 35 trials.
  @Test func openTrialsConvertAsEarlierOnesInTheirState() throws {
    let table = try Self.table(Self.lines, "2026-05-05")
    let names = "trials purchases predicted predicted_with_trials predicted_without_trials predicted_fit"
    #expect(Self.cells(table, names, "2026-04-01") == "35 90 7.00 7.00 4.81 7.00")
    #expect(Self.cells(table, "trials", "2026-03-01") == "0")
    // Renewals of 21 users, and first payments of 12 and 7: 400 ÷ 90.
    #expect(Self.cells(table, "actual", "2026-04-01") == "4.44")
  }

  /// Trials have a row of their own: 197.50 of 190.
  @Test func trialsAreAnAgeOfTheirOwn() throws {
    let table = try Self.table(Self.lines, "2026-05-05")
    let names = ["origins", "mape", "mape_with_trials", "mape_without_trials"]
      .compactMap { table.columns.firstIndex(of: $0) }
    let rows = table.rows.filter { $0.last == "trial" && $0[5] == "30" }
    #expect(rows.map { row in names.map { row[$0] } } == [["1", "0.039474", "0.039474", "1.000000"]])
  }

  /// The forecast of April 1 was 630 or, without trials, 432.50, and 400 came, so that of June 1 leaves trials out; on May 1
  /// that is not known yet. Trials f are 5 days old. All that were open at that age are known: 8 + 20 of 40 paid, 12 of 20, 7
  /// of 10, and none of the 10 of h. So the 10 bring 10 · 10 · 47/80 = 58.75, over 30 purchases and 10 trials.
  @Test func trialsAreLeftOutWhereThatWasCloser() throws {
    let later: [String] =
      (1...30).map { Self.pay("conversion", "2026-05-20", "g\($0)") }
      + Self.trials("f", 10, from: "2026-05-27", paid: []) + Self.trials("h", 10, from: "2026-04-26", paid: [])
      // The data go on.
      + [Self.pay("conversion", "2026-07-03", "z")]
    let table = try Self.table(Self.lines + later, "2026-07-05")
    func numbers(_ origin: String) throws -> [Double] {
      let cells = Self.cells(table, "predicted predicted_with_trials predicted_without_trials", origin)
      return try cells.split(separator: " ").map { try #require(Double($0)) }
    }
    let may = try numbers("2026-05-01")
    #expect(may[0] == may[1] && may[1] > may[2])
    let june = try numbers("2026-06-01")
    #expect(june[0] == june[2])
    #expect(abs(june[1] - june[2] - 58.75 / 40) < 0.011)
    #expect(Self.cells(table, "trials purchases", "2026-06-01") == "10 40")
  }

  /// Of trials in one state, fewer than 30 of the app tell no chance.
  @Test func fewTrialsTellNoChance() throws {
    let few =
      Self.buyers + Self.trials("a", 29, from: "2026-03-01", paid: [(20, "2026-03-08")])
      + Self.trials("c", 10, from: "2026-03-27", paid: [(7, "2026-04-03")])
    let table = try Self.table(few, "2026-05-05")
    #expect(Self.cells(table, "trials", "2026-04-01") == "10")
    let cells = Self.cells(table, "predicted predicted_without_trials", "2026-04-01").split(separator: " ")
    #expect(cells[0] == cells[1])
  }

  /// `--model` shows the errors with and without each part; without `--backtest` it has no effect.
  @Test func theModelShowsItsParts() throws {
    var request = try ReportRequest(
      .ltv, [("backtest", "true"), ("model", "true"), ("by", "plan")].map { ReportRequest.Given($0.0, [$0.1]) })
    request.options.asOf = Instant(rfc3339: "2026-05-05T00:00:00Z")?.millisecondsSince1970
    request.isForPeople = true
    guard case .tables(let tables) = try TestStore(lines: Self.lines).store.read({ try request.run($0) }) else {
      Issue.record("no tables")
      return
    }
    let model = try #require(tables.first { $0.name == "backtest_model" })
    var options = RenderOptions()
    options.width = 80
    let text = try render(model, as: .table, options: options)
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    for heading in ["no auto-renew", "with trials", "no trials"] { #expect(text.contains(heading), "\(text)") }
    let alone = try ReportRequest(.ltv, [ReportRequest.Given("model", ["true"])])
    #expect(alone.warnings.count == 1)
  }
}
