import Reports
import Testing

/// Definitions 6 on `Fixtures/cancellations`; counts derived by hand, all other bytes in `FixtureTests`. Subscriptions
/// are monthly and start on 2026-01-01 unless stated otherwise, so their months end after 31 d, 59 d, 90 d; the as-of
/// is 2026-05-01, day 120.
struct CancellationsTests {
  private static let asOf = "2026-05-01T00:00:00Z"

  private func table(_ arguments: String...) throws -> Table {
    try Table(
      csv: TestStore(fixture: "cancellations").csv(
        "cancellations", ["--as-of", Self.asOf, "--by", "entry_point"] + arguments))
  }

  /// gate, nine subscriptions (the lifetime purchase and the one that starts with a renewal do not count):
  ///
  /// - `stays` has four payments; `off-before-35d` cancels in the last ms before 35 d, `off-at-35d` a ms later; both
  ///   end on day 59; `card-fails` cancels and reactivates, and its renewal is the last change before 95 d; it ends on
  ///   day 59
  /// - `given-back` ends on day 20, `given-back-at-30d` on day 30, `withdrawn` on day 31
  /// - `ends-at-as-of` starts on day 86, and its month of 31 d and its grace end at the as-of; `just-35d` starts on day
  ///   85
  @Test func countsAtEachAge() throws {
    let table = try table()
    let ages = "at_risk_35 cancelled_35 followed_35 ended_35 at_risk_95 cancelled_95 followed_95 ended_95 at_risk_370"
    #expect(table.cells("subscriptions \(ages)", of: "coach", "gate") == "9 8 1 7 3 7 2 7 6 0")
    #expect(table.cells("cancelled_370_rate", of: "coach", "gate") == "-")
  }

  /// One ms earlier `ends-at-as-of` has not churned, and `just-35d` is not at risk. A year later `withdrawn`, who
  /// returned on day 73, is still one subscription, and `stays` and `just-35d` have churned.
  @Test func edgesOfTheAsOf() throws {
    let store = try TestStore(fixture: "cancellations")
    let before = try store.table("cancellations", "--as-of", "2026-04-30T23:59:59.999Z", "--by", "entry_point")
    #expect(before.cells("subscriptions at_risk_35 churned", of: "coach", "gate") == "9 7 6")
    let later = try store.table("cancellations", "--as-of", "2027-05-01T00:00:00Z", "--by", "entry_point")
    #expect(later.cells("subscriptions at_risk_35 at_risk_370 churned", of: "coach", "gate") == "9 9 9 9")
  }

  /// `off-before-35d` is voluntary by default, `off-at-35d` price_increase, `card-fails` billing; there are two
  /// refunds; `withdrawn`'s product_unavailable and `ends-at-as-of`, without a reason, are other.
  @Test func reasons() throws {
    #expect(
      try table().cells(
        "churned churned_voluntary churned_billing churned_price_increase churned_refund churned_other", of: "coach",
        "gate") == "7 1 1 1 2 2")
  }

  /// gate: day 20 is within 30 d, day 30 is not; all nine are at risk. refunds: 4.99 + 5.00 on days 5 and 9 is the full
  /// price; euros do not count against dollars. The refund on day 10 that names the payment of day 31 leaves the first
  /// one paid, and that payment covers nothing: it ended by refund on day 31.
  @Test func refunds() throws {
    let table = try table()
    #expect(table.cells("refund_at_risk refunded refund_rate", of: "coach", "gate") == "9 1 0.111111")
    #expect(
      table.cells("subscriptions refunded ended_35 churned_refund churned_other", of: "coach", "refunds") == "3 1 3 2 1"
    )
  }

  /// gate, days to the first cancellation: 10 (`card-fails`), 35 − 1 ms, 35; censored at 20, 30, 31, 31 (ended), 35
  /// (`just-35d`, at the as-of) and 120.
  ///
  ///     S(10) = 8/9; n = 4 at 35 d − 1 ms: 8/9 · 3/4 = 2/3; n = 3 at 35 d: 2/3 · 2/3 = 4/9 ≤ 1/2
  @Test func medianIsWhereTheCurvePassesOneHalf() throws {
    let table = try table()
    #expect(table.cells("median_days_to_cancel", of: "coach", "gate") == "35.000000")
    #expect(table.cells("median_days_to_cancel", of: "coach", "refunds") == "-")
  }

  /// A free grant is not a subscription: the subscription starts with the renewal on day 31, which has no context
  /// itself. A billing issue at the end of the month lets `longer-grace` wait until 1 ms after the as-of.
  @Test func grantsAndALongerGrace() throws {
    let table = try table()
    #expect(table.cells("subscriptions at_risk_35 at_risk_95", of: "coach", "(unattributed)") == "1 1 0")
    #expect(table.cells("subscriptions churned followed_95 ended_95", of: "coach", "granted") == "1 0 1 0")
  }

  /// By default rows are by variant.
  @Test func defaultRows() throws {
    let table = try TestStore(fixture: "cancellations").table("cancellations", "--as-of", Self.asOf)
    #expect(table.columns.prefix(3) == ["app", "variant", "trials"])
    #expect(table.column("variant") == ["(none)", "(unattributed)"])
  }

  /// The trial side has matured introductory trials: of training_plan three, one of them cancelled (see `TrialsTests`).
  /// The row's three subscriptions have that entry point, but not all the same users. A cell with only a pending trial
  /// (quick_drill, settings) has no row.
  @Test func trialsAndSubscriptionsAreCountedApart() throws {
    let table = try TestStore(fixture: "trials").table(
      "cancellations", "--as-of", "2026-03-20T00:00:00Z", "--by", "entry_point")
    #expect(table.cells("trials trial_cancelled subscriptions", of: "techniq", "training_plan") == "3 1 3")
    #expect(table.cells("trials trial_cancelled subscriptions", of: "techniq", "youtube_recs") == "1 0 0")
    #expect(table.cells("trials", of: "techniq", "quick_drill") == "no row")
    #expect(table.cells("trials", of: "techniq", "settings") == "no row")
  }

  /// Twelve subscriptions without a cancellation. After two days, no share of them is known that could be 0%.
  @Test(arguments: [(Int64(2), false), (60, true)])
  func sharesOfNothingAreNamed(days: Int64, isNamed: Bool) throws {
    let lines = (0..<12).map { ExperimentEvents.conversion("u\($0)", ms: 0, "10") }
    let end = ExperimentEvents.line("activity", "end", ms: ExperimentEvents.days(days))
    let text = try render(TestStore(lines: lines + [end]).report("cancellations", []), as: .table)
    #expect(text.contains("No cancellation was counted") == isNamed, "\(text)")
  }
}
