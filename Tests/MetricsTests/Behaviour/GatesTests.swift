import Testing

/// Numbers derived by hand.
struct GatesTests {
  private static let lines = [
    Behaviour.line("gate_hit", "2026-01-01T10:00:00", "a", Behaviour.seen + #","limit_name":"swipes""#),
    Behaviour.line("gate_hit", "2026-01-02T10:00:00", "a", Behaviour.seen + #","limit_name":"swipes""#),
    Behaviour.line("paywall_impression", "2026-01-02T10:00:01", "a", Behaviour.seen),
    Behaviour.line("trial_start", "2026-01-02T10:01:00", "a", Behaviour.trial),
    Behaviour.line("conversion", "2026-01-09T10:00:00", "a", Behaviour.sale),
    Behaviour.line("activity", "2026-01-01T10:00:00", "b"),
    Behaviour.line("gate_hit", "2026-01-03T10:00:00", "b", Behaviour.seen + #","limit_name":"swipes""#),
    Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "c", Behaviour.seen),
    Behaviour.line("conversion", "2026-01-01T10:00:00", "c", Behaviour.sale),
    // A gate without a limit has its entry point as name. A gate met only after the purchase does not count as met.
    Behaviour.line("gate_hit", "2026-01-02T10:00:00", "c", Behaviour.seen),
    Behaviour.line("activity", "2026-01-01T10:00:00", "d"),
    Behaviour.line("activity", "2026-03-01T10:00:00", "z"),
  ]

  /// a, b, c and d have matured. a and b met swipes, and a paid; of the others, c and d, c paid.
  @Test func thoseWhoMetAGateStandBesideTheOthers() throws {
    let table = try TestStore(lines: Self.lines).table("gates")
    #expect(
      table.cells(
        "persons hits paywall_persons hits_before_paywall trial_persons hits_before_trial purchase_persons "
          + "hits_before_purchase met met_paid others others_paid", of: "steps", "swipes")
        == "2 3 1 2.000000 1 2.000000 1 2.000000 2 1 2 1")
    // No user met w in time: of all four, a and c paid.
    #expect(
      table.cells("persons hits purchase_persons met met_paid_rate others others_paid", of: "steps", "w")
        == "1 1 0 0 - 4 2")
  }

  /// Users who pay early never meet a limit, so the groups must not be compared.
  @Test func theGroupsAreNotCompared() throws {
    let report = try TestStore(lines: Self.lines).report("gates", [])
    #expect(!report.columns.contains { $0.name.hasPrefix("lift") || $0.name.hasPrefix("difference") })
    #expect(report.definition[0].hasPrefix("The report prints no difference between met and others,"))
  }
}
