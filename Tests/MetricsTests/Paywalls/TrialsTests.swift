import Reports
import Testing

/// Definitions 4 on `Fixtures/trials`; counts derived by hand, all other bytes in `FixtureTests`. Trials have 7 d
/// unless stated otherwise, so their deadline is 10 d after their start; the as-of is 2026-03-20, 18 d after B =
/// 2026-03-02.
struct TrialsTests {
  private static let asOf = "2026-03-20T00:00:00Z"
  private static let states =
    "trials converted lapsed pending_renewing pending_cancelled matured matured_converted cancelled"

  /// training_plan: `paid-at-end` (B, pays at its end: not in the grace, but before the deadline) and `off-and-on`
  /// (cancelled, reactivated, pays) are matured and converted; `lapsed` is matured and cancelled; `renewing` and
  /// `pending-off` started on B + 11 d and B + 12 d; `paid-early` has paid, and its deadline (B + 14 d + 3 d + 3 d) is
  /// to come.
  ///
  /// - headline 2 of 3; floor 3 of 6; ceiling (3 + 2) of 6; cancelled 1 of 3 matured
  @Test func statesAndRatesAtTheAsOf() throws {
    let table = try TestStore(fixture: "trials").table("trials", "--as-of", Self.asOf, "--by", "entry_point")
    #expect(table.cells(Self.states, of: "techniq", "training_plan") == "6 3 1 1 1 3 2 1")
    #expect(
      table.cells("trial_to_paid_rate floor_rate ceiling_rate cancel_rate", of: "techniq", "training_plan")
        == "0.666667 0.500000 0.833333 0.333333")
    // One cancelled of three says too little for a table.
    let text = try render(
      TestStore(fixture: "trials").report("trials", ["--as-of", Self.asOf, "--by", "entry_point"]), as: .table)
    #expect(!text.contains("33.3%"), "\(text)")
    // The app's own trial is pending: it does not renew, counts as renewing, and has no cancellation.
    #expect(table.cells(Self.states, of: "techniq", "settings") == "1 0 0 1 0 0 0 0")
    #expect(table.cells("cancel_rate ceiling_rate", of: "techniq", "settings") == "- 1.000000")
    // Two starts while it is open are one trial; no paywall: unattributed.
    #expect(table.cells(Self.states, of: "techniq", "(unattributed)") == "1 0 1 0 0 1 0 0")
  }

  /// training_plan, days and ends: 2 paid (`paid-early`), 6 censored (`pending-off`), 7 paid (`paid-at-end`,
  /// `off-and-on`), 7 censored (`renewing`, still at risk at 7), 10 lapsed.
  ///
  ///     2 d: n = 6: F = 1/6, S = 5/6
  ///     7 d: n = 4: F = 1/6 + 5/6 · 2/4 = 7/12, S = 5/12
  ///     10 d: n = 1: S = 0
  ///
  /// Variance, with A = (F − F(u)) ÷ S(u) = 1/2 at 2 d and 0 after: 1/6 · (1/6 · 1/4 − 1/144) + (25/36 ÷ 4) · (1/2 −
  /// 1/4) = 5/864 + 25/576 = 85/1728. So n = (7/12 · 5/12) ÷ (85/1728) = 84/17 = 4.941176, and Wilson with x = nF =
  /// 49/17: (4.803082 ∓ 1.959964 · √(2.882353 · 5/12 + 0.960365)) ÷ 8.782635 = 0.218800 and 0.874968.
  @Test func incidenceCensorsPendingTrials() throws {
    let table = try TestStore(fixture: "trials").table("trials", "--as-of", Self.asOf, "--by", "entry_point")
    let columns = "cumulative_incidence cumulative_incidence_low cumulative_incidence_high"
    #expect(table.cells(columns, of: "techniq", "training_plan") == "0.583333 0.218800 0.874968")
    // F = 1, and F = 0: the number of matured trials, so the headline's interval.
    #expect(table.cells(columns, of: "techniq", "custom_drill") == "1.000000 0.342380 1.000000")
    #expect(table.cells(columns, of: "techniq", "youtube_recs") == "0.000000 0.000000 0.793451")
    // No trial has matured, so the rate is empty, though one is pending.
    #expect(table.cells("trial_to_paid_rate \(columns)", of: "techniq", "quick_drill") == "- - - -")
  }

  /// The trials of B lapse at B + 10 d = 2026-03-12 exactly: 1 ms earlier they are pending.
  @Test func deadlineIsTheFirstInstantOfALapse() throws {
    let store = try TestStore(fixture: "trials")
    let before = try store.table("trials", "--as-of", "2026-03-11T23:59:59.999Z", "--by", "entry_point")
    #expect(before.cells(Self.states, of: "techniq", "training_plan") == "3 2 0 0 1 0 0 0")
    let at = try store.table("trials", "--as-of", "2026-03-12T00:00:00Z", "--by", "entry_point")
    #expect(at.cells(Self.states, of: "techniq", "training_plan") == "3 2 1 0 0 2 1 1")
    // Without grace, `renewing` (B + 11 d + 7 d) ends at the as-of and lapses. A payment at the trial's end is too
    // late: the conversions of `paid-at-end`, `off-and-on` and the two of custom_drill are direct then.
    let strict = try store.table("trials", "--as-of", Self.asOf, "--by", "entry_point", "--grace", "0")
    #expect(strict.cells(Self.states, of: "techniq", "training_plan") == "6 1 4 0 1 5 1 1")
    #expect(strict.cells(Self.states, of: "techniq", "custom_drill") == "2 0 2 0 0 2 0 0")
  }

  /// `three-paywalls` saw daily_coaching (a, then b) and youtube_recs (b) within 7 d, and too_old exactly 7 d before.
  /// `same-instant` saw daily_coaching (b), and started two trials with equal instant, product and plan.
  @Test func attributionCreditsAUnitOnceARow() throws {
    let store = try TestStore(fixture: "trials")
    func trials(_ attribution: String, _ by: String) throws -> [String: String] {
      let table = try store.table("trials", "--as-of", Self.asOf, "--attribution", attribution, "--by", by)
      let keys = table.rows.map { $0[1..<1 + by.split(separator: ",").count].joined(separator: " ") }
      return Dictionary(uniqueKeysWithValues: zip(keys, table.column("trials")))
    }
    let last = try trials("last", "entry_point")
    #expect(last["youtube_recs"] == "1" && last["daily_coaching"] == "1" && last["too_old"] == nil)
    let first = try trials("first", "entry_point")
    #expect(first["youtube_recs"] == nil && first["daily_coaching"] == "2" && first["too_old"] == nil)
    let all = try trials("all", "entry_point")
    #expect(all["youtube_recs"] == "1" && all["daily_coaching"] == "2" && all["too_old"] == nil)
    // 13 trials, 14 credits by entry point; by variant as well `three-paywalls` has three rows.
    #expect(all.values.compactMap(Int.init).reduce(0, +) == 14)
    let both = try trials("all", "variant,entry_point")
    #expect(both["a daily_coaching"] == "1" && both["b daily_coaching"] == "2" && both["b youtube_recs"] == "1")
    let none = try store.table("trials", "--as-of", Self.asOf, "--attribution", "all", "--by", "none")
    #expect(none.column("trials") == ["13"])
    // An event's own context comes first in every mode.
    for mode in ["last", "first", "all"] { #expect(try trials(mode, "entry_point")["custom_drill"] == "2") }
  }
}
