import Basics
import Foundation
import Reports
import Testing

@testable import Metrics

/// Numbers derived by hand; random stores are compared with `Tests/Acceptance/Oracle/paths.py`.
struct PathsTests {
  private static let end = Behaviour.line("activity", "2026-03-01T10:00:00", "z")

  /// Entries on 1 January at 10:00: a opens the sheet and pays at once, b opens it and leaves, c closes the paywall, d
  /// leaves no trace, e starts a trial an hour later without a sheet and pays a week after that.
  private static let lines = [
    Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "a", Behaviour.seen),
    Behaviour.line("purchase_started", "2026-01-01T10:30:00", "a"),
    Behaviour.line("conversion", "2026-01-01T11:00:00", "a", Behaviour.sale),
    Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "b", Behaviour.seen),
    Behaviour.line("purchase_started", "2026-01-01T12:00:00", "b"),
    Behaviour.line("paywall_dismissal", "2026-01-01T12:01:00", "b"),
    Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "c", Behaviour.seen),
    Behaviour.line("paywall_dismissal", "2026-01-02T10:00:00", "c"),
    // Out of the window of 7 days.
    Behaviour.line("purchase_started", "2026-01-08T10:00:00", "c"),
    Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "d", Behaviour.seen),
    Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "e", Behaviour.seen),
    Behaviour.line("trial_start", "2026-01-01T11:00:00", "e", Behaviour.trial),
    Behaviour.line("conversion", "2026-01-08T11:00:00", "e", Behaviour.sale),
    end,
  ]

  @Test func checkoutSaysHowUsersLeft() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try store.table("paths", "--by", "none")
    #expect(
      table.cells("users sheet started started_with_sheet sheet_left dismissed no_trace paid immature", of: "steps")
        == "5 2 2 1 1 1 1 2 0")
    #expect(
      table.cells("sheet_rate sheet_dropped abandonment_rate bounce_rate paid_step_rate paid_dropped", of: "steps")
        == "0.400000 3 0.500000 0.400000 1.000000 0")
    // The sheet after 0.5 and 2 hours, the start after 1 hour each, payment with the start and 168 hours after it.
    #expect(
      table.cells(
        "sheet_hours_p25 sheet_hours_p50 sheet_hours_p75 started_hours_p50 paid_hours_p50 paid_hours_p75", of: "steps")
        == "0.500000 0.500000 2.000000 1.000000 0.000000 168.000000")
    let funnel = try store.table("funnel", "--by", "none")
    #expect(table.cells("users paid immature", of: "steps") == funnel.cells("users paid_users immature", of: "steps"))
  }

  /// Without payment, users have settled after 7 days instead of 7, a trial of 7 and 3 of grace.
  @Test func aPathIsCutAfterAStep() throws {
    let store = try TestStore(lines: Self.lines)
    let soon = ["--by", "none", "--as-of", "2026-01-09T00:00:00Z"]
    #expect(try Table(csv: store.csv("paths", soon)).cells("users immature", of: "steps") == "0 5")
    let cut = try Table(csv: store.csv("paths", soon + ["--to-step", "started"]))
    #expect(cut.cells("users sheet started no_trace immature", of: "steps") == "5 2 2 1 0")
    #expect(!cut.columns.contains("paid"))
  }

  /// Six users start and no event tells of a sheet: their clients send none.
  @Test func aMissingSheetIsNotZero() throws {
    let lines = (0..<6).flatMap { user in
      [
        Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "u\(user)", Behaviour.seen),
        Behaviour.line("conversion", "2026-01-01T11:00:00", "u\(user)", Behaviour.sale),
      ]
    }
    let five = try TestStore(lines: lines + [Self.end]).table("paths", "--by", "none")
    #expect(five.cells("users sheet sheet_rate sheet_left abandonment_rate started", of: "steps") == "6 - - - - 6")
    let four = try TestStore(lines: Array(lines.prefix(8)) + [Self.end]).table("paths", "--by", "none")
    #expect(four.cells("users sheet sheet_rate sheet_left started", of: "steps") == "4 0 0.000000 0 4")
  }

  // MARK: Steps of a file

  private func path(_ steps: String, entry: String = "{event: activity}") throws -> PathPlan {
    try PathPlan.all(yaml: "paths: {p: {entry: \(entry), steps: [\(steps)]}}", file: "paths.yaml")[0]
  }

  private func table(_ lines: [String], _ plan: PathPlan, _ change: (inout ReportOptions) -> Void = { _ in }) throws
    -> Table
  {
    var options = ReportOptions()
    (options.by, options.path) = ([], plan)
    change(&options)
    let store = try TestStore(lines: lines)
    return Table(csv: try render(store.store.read { try Paths.report($0, options) }, as: .csv))
  }

  /// A step takes the first event behind the step before, even if a later one would let the path go on.
  @Test func aRepeatNeverMovesAMatch() throws {
    let plan = try path(
      "{name: seen, event: paywall_impression, within: 1d}, {name: gate, event: gate_hit, within: 1h}")
    let lines = [
      Behaviour.line("activity", "2026-01-01T10:00:00", "a"),
      Behaviour.line("paywall_impression", "2026-01-01T11:00:00", "a", Behaviour.seen),
      Behaviour.line("paywall_impression", "2026-01-01T14:00:00", "a", Behaviour.seen),
      Behaviour.line("gate_hit", "2026-01-01T14:30:00", "a", Behaviour.seen),
      Self.end,
    ]
    #expect(try table(lines, plan).cells("users seen gate gate_dropped immature", of: "steps") == "1 1 0 1 1")
    // From the entry the window reaches it.
    let wide = try path(
      "{name: seen, event: paywall_impression, within: 1d}, {name: gate, event: gate_hit, within: 5h, from: entry}")
    #expect(try table(lines, wide).cells("users seen gate gate_hours_p50", of: "steps") == "1 1 1 4.500000")
  }

  /// b reaches the gate without the optional paywall, and its paywall after the gate does not count.
  @Test func anOptionalStepCostsNobodyALaterOne() throws {
    let plan = try path(
      "{name: seen, event: paywall_impression, within: 2d, optional: true}, {name: gate, event: gate_hit, within: 1d}")
    let lines = [
      Behaviour.line("activity", "2026-01-01T10:00:00", "a"),
      Behaviour.line("paywall_impression", "2026-01-01T11:00:00", "a", Behaviour.seen),
      Behaviour.line("gate_hit", "2026-01-01T12:00:00", "a", Behaviour.seen),
      Behaviour.line("activity", "2026-01-01T10:00:00", "b"),
      Behaviour.line("gate_hit", "2026-01-01T12:00:00", "b", Behaviour.seen),
      Behaviour.line("paywall_impression", "2026-01-01T13:00:00", "b", Behaviour.seen),
      Behaviour.line("activity", "2026-01-01T10:00:00", "c"),
      Behaviour.line("paywall_impression", "2026-01-03T09:59:59", "c", Behaviour.seen),
      Self.end,
    ]
    #expect(
      try table(lines, plan).cells("users seen seen_dropped gate gate_dropped gate_step_rate", of: "steps")
        == "3 2 1 2 1 0.666667")
  }

  /// A start without a kind is of the store's trial (events.md, `trial_kind`): e has one, f one of the app, g none.
  @Test func aStepTakesTrialsOfItsKindAlone() throws {
    let lines = [
      Behaviour.line("activity", "2026-01-01T10:00:00", "e"),
      Behaviour.line("trial_start", "2026-01-01T11:00:00", "e", Behaviour.trial),
      Behaviour.line("activity", "2026-01-01T10:00:00", "f"),
      Behaviour.line("trial_start", "2026-01-01T11:00:00", "f", #","trial_kind":"app","trial_days":7"#),
      Behaviour.line("activity", "2026-01-01T10:00:00", "g"),
      Self.end,
    ]
    for (kind, trials) in [("introductory", "1"), ("app", "1"), ("(none)", "0"), ("[introductory, app]", "2")] {
      let plan = try path("{name: trial, event: trial_start, where: {trial_kind: \(kind)}, within: 7d}")
      #expect(try table(lines, plan).cells("users trial", of: "steps") == "3 \(trials)", "\(kind)")
    }
  }

  /// The conversion of the trial that the step before found, within that trial's own deadline.
  @Test func trialsPayWithinTheirOwnDeadline() throws {
    let plan = try path("{name: trial, fact: trial, within: 7d}, {name: paid, fact: trial_paid}")
    let lines = [
      Behaviour.line("activity", "2026-01-01T10:00:00", "e"),
      Behaviour.line("trial_start", "2026-01-01T11:00:00", "e", Behaviour.trial),
      Behaviour.line("conversion", "2026-01-08T11:00:00", "e", Behaviour.sale),
      Behaviour.line("activity", "2026-01-01T10:00:00", "f"),
      Behaviour.line("conversion", "2026-01-02T10:00:00", "f", Behaviour.sale),
      Self.end,
    ]
    let paid = try table(lines, plan)
    #expect(paid.cells("users trial paid paid_hours_p50 immature", of: "steps") == "2 1 1 168.000000 1")
    // H is 7 days, a trial of 7 and 3 of grace.
    #expect(
      try table(lines, plan) { $0.asOf = ReportOption.instant("2026-01-18T09:59:59Z") }.cells(
        "users immature", of: "steps")
        == "0 2")
    #expect(
      try table(lines, plan) { $0.asOf = ReportOption.instant("2026-01-18T10:00:00Z") }.cells(
        "users immature", of: "steps")
        == "2 0")
  }

  /// The entry is the step before: its trial has the deadline, and H is a trial of 7 days and 3 of grace.
  @Test func theTrialOfTheEntryHasItsDeadline() throws {
    let plan = try path("{name: paid, fact: trial_paid}", entry: "{fact: trial}")
    let lines = [
      Behaviour.line("trial_start", "2026-01-01T11:00:00", "e", Behaviour.trial),
      Behaviour.line("conversion", "2026-01-08T11:00:00", "e", Behaviour.sale),
      Behaviour.line("trial_start", "2026-01-01T11:00:00", "f", Behaviour.trial),
      Self.end,
    ]
    #expect(
      try table(lines, plan).cells("users paid paid_rate paid_hours_p50 immature", of: "steps")
        == "2 1 0.500000 168.000000 0")
    #expect(
      try table(lines, plan) { $0.asOf = ReportOption.instant("2026-01-11T10:59:59Z") }.cells(
        "users immature", of: "steps")
        == "0 2")
  }

  @Test(arguments: [
    ("{name: a, event: paywall_view, within: 1d}", "did you mean paywall_"),
    ("{name: a, event: activity}", "has no within, such as 90s, 2h or 7d"),
    ("{name: a, event: activity, within: 7}", "is 7, but must be a time above 0 such as 90s, 15m, 2h or 7d"),
    ("{name: a, event: activity, within: 0d}", "must be a time above 0"),
    ("{name: a, fact: trials, within: 1d}", "is trials, but must be one of trial, trial_any"),
    ("{name: a, fact: trial_paid}", "which trial_paid needs unless the step before, or the entry, is the fact trial"),
    ("{name: a, event: activity, fact: trial, within: 1d}", "cannot be combined with event: use one of them"),
    ("{name: a, within: 1d}", "has neither event nor fact"),
    ("{name: variant, event: activity, within: 1d}", "not the name of a dimension"),
    ("{name: A b, event: activity, within: 1d}", "must be of a-z, 0-9 and _"),
    ("{name: a, event: activity, withn: 1d}", "did you mean within?"),
    ("{name: a, event: activity, within: 1d, from: start}", "is start, but must be previous or entry"),
    ("{name: a, event: activity, within: 1d, same: [varant]}", "did you mean variant?"),
    ("{name: a, event: activity, within: 1d, where: {plans: monthly}}", "did you mean plan?"),
    (
      "{name: a, event: activity, within: 1d}, {name: a, event: refund, within: 1d}",
      "has the name a, as an earlier step"
    ),
    (
      "{name: a, event: activity, within: 1d}, {name: a_rate, event: refund, within: 1d}",
      "has the steps a and a_rate, whose columns would both be a_rate"
    ),
  ])
  func faultsOfAFileAreNamed(steps: String, problem: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try self.path(steps) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }
}
