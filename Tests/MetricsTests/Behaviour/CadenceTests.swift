import Testing

/// Numbers derived by hand.
struct CadenceTests {
  private static let lines = [
    Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "p", Behaviour.seen),
    Behaviour.line("paywall_impression", "2026-01-03T11:00:00", "p", Behaviour.seen),
    Behaviour.line("trial_start", "2026-01-03T12:00:00", "p", Behaviour.trial),
    Behaviour.line("cancellation", "2026-01-05T12:00:00", "p"),
    Behaviour.line("paywall_impression", "2026-01-20T10:00:00", "p", Behaviour.seen),
    Behaviour.line("paywall_impression", "2026-01-02T10:00:00", "q", Behaviour.seen),
    Behaviour.line("conversion", "2026-01-02T10:00:00", "q", Behaviour.sale),
    // After more than 7 d no view gets the credit.
    Behaviour.line("paywall_impression", "2026-01-02T10:00:00", "r", Behaviour.seen),
    Behaviour.line("conversion", "2026-01-09T10:00:00", "r", Behaviour.sale),
    Behaviour.line("paywall_impression", "2026-02-25T10:00:00", "s", Behaviour.seen),
    Behaviour.line("activity", "2026-03-01T10:00:00", "z"),
  ]

  /// p sees it three times; the second leads to a trial 49 h after the first view. q buys at the first view, r too
  /// late; s is immature.
  @Test func viewsAreCountedInOrder() throws {
    let table = try TestStore(lines: Self.lines).table("cadence")
    let columns = "persons views trial_views paid_views trials trial_cancelled immature"
    func row(_ split: String, _ range: String) -> String { table.cells(columns, of: "steps", split, range) }
    #expect(row("times_seen", "1") == "3 3 0 1 0 0 1")
    #expect(row("times_seen", "2") == "1 1 1 0 1 1 0")
    #expect(row("times_seen", "3") == "1 1 0 0 0 0 0")
    #expect(row("days_since_last", "first") == "3 3 0 1 0 0 1")
    #expect(row("days_since_last", "2-3") == "1 1 1 0 1 1 0")
    #expect(row("days_since_last", "15-30") == "1 1 0 0 0 0 0")
    #expect(table.rows.count == 6)
    #expect(table.column("range") == ["1", "2", "3", "first", "2-3", "15-30"])
  }

  /// Filters remove views without changing the numbers of the others.
  @Test func numbersAreOfAllViews() throws {
    let store = try TestStore(lines: Self.lines)
    let table = try store.table("cadence", "--from", "2026-01-03", "--to", "2026-01-04")
    #expect(table.column("range") == ["2", "2-3"])
    #expect(try store.table("cadence", "--where", "entry_point=other").rows.isEmpty)
  }

  /// Both splits cover identical views.
  @Test(arguments: [1, 2, 3] as [UInt64]) func splitsAddUpToTheSame(seed: UInt64) throws {
    let table = try Behaviour.randomStore(seed: seed).table("cadence", "--by", "entry_point")
    for column in ["views", "trial_views", "paid_views", "trials", "immature"] {
      #expect(
        table.sum(column) { $0[2] == "times_seen" } == table.sum(column) { $0[2] == "days_since_last" }, "\(column)")
    }
    #expect(table.sum("views") > 0)
  }

  /// Users who pay at the first paywall never see a second one, so rows are shown without a difference.
  @Test func rowsAreNotCompared() throws {
    let report = try TestStore(lines: Self.lines).report("cadence", [])
    #expect(!report.columns.contains { ["lift", "difference"].contains($0.name) })
    #expect(report.definition[0].hasPrefix("Do not compare the rows: they have different users."))
  }
}
