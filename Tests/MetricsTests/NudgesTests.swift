import Testing

/// Numbers by hand.
struct NudgesTests {
  private static let lines = [
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "u", Behaviour.trial),
    Behaviour.line("trial_nudge", "2026-01-05T12:00:00", "u"),
    Behaviour.line("trial_nudge", "2026-01-08T00:00:00", "u"),
    Behaviour.line("conversion", "2026-01-08T12:00:00", "u", Behaviour.sale),
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "v", Behaviour.trial),
    Behaviour.line("cancellation", "2026-01-02T12:00:00", "v"),
    // At the end it is too late; exactly 24 h before is of the range from 24 on.
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "w", Behaviour.trial),
    Behaviour.line("trial_nudge", "2026-01-08T12:00:00", "w"),
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "x", Behaviour.trial),
    Behaviour.line("trial_nudge", "2026-01-07T12:00:00", "x"),
    Behaviour.line("activity", "2026-03-01T10:00:00", "z"),
  ]

  @Test func rangesAreHoursBeforeTheEnd() throws {
    let table = try TestStore(lines: Self.lines).table("nudges")
    #expect(table.column("hours_before_end") == ["none", "6-24", "24-48"])
    #expect(table.cells("nudges trials converted cancelled difference", of: "steps", "none") == "0 2 0 1 -")
    #expect(table.cells("nudges trials converted cancelled difference", of: "steps", "6-24") == "2 1 1 0 1.000000")
    #expect(table.cells("nudges trials converted difference", of: "steps", "24-48") == "1 1 0 0.000000")
  }

  /// Every trial that matured is in one range.
  @Test(arguments: [1, 2, 3] as [UInt64]) func rangesAddUpToTheMaturedTrials(seed: UInt64) throws {
    let store = try Behaviour.randomStore(seed: seed)
    let (nudges, trials) = (try store.table("nudges"), try store.table("trials"))
    #expect(nudges.sum("trials") == trials.sum("matured"))
    #expect(nudges.sum("converted") == trials.sum("matured_converted"))
    #expect(nudges.sum("trials") > 0)
  }
}
