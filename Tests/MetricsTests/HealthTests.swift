import Testing

/// `health` of a store whose faults are counted in the lines below.
struct HealthTests {
  private static func line(_ id: String, _ event: String, _ day: Int, _ user: String, _ rest: String = "") -> String {
    """
    {"event_id":"\(id)","event":"\(event)","ts":"2026-03-0\(day)T00:00:00Z","app":"steps","user_id":"\(user)"\
    \(rest.isEmpty ? "" : ","){}
    """.replacing("{}", with: rest + "}")
  }

  private static let sale = #""plan":"monthly","product_id":"p","price":"6.99","currency":"USD""#

  /// Days with an event: 1, 2, 5 of the five.
  private static let lines = [
    line("a-seen", "paywall_impression", 1, "a", #""entry_point":"widgets","experiment":"x","variant":"one""#),
    line("a-again", "paywall_impression", 2, "a", #""entry_point":"widgets","experiment":"x","variant":"two""#),
    line("b-seen", "exposure", 1, "b", #""experiment":"x","variant":"one""#),
    // Purchases: a's has an impression, b's has none. Both carry one id, and are of two persons.
    line("a-paid", "conversion", 2, "a", sale + #","subscription_id":"S""#),
    line("b-paid", "conversion", 2, "b", sale + #","subscription_id":"S""#),
    // Began before the data: one of the three subscriptions.
    line("c-renewed", "renewal", 2, "c", sale),
    line("d-trial", "trial_start", 5, "d", #""plan":"monthly","trial_days":7"#),
    // The same event again, and another content under its id; three lines that are no event.
    line("d-trial", "trial_start", 5, "d", #""plan":"monthly","trial_days":7"#),
    line("d-trial", "trial_start", 5, "d", #""plan":"monthly","trial_days":14"#),
    line("e", "seen", 5, "e"),
    line("f", "conversion", 5, "f", #""plan":"monthly","product_id":"p""#),
    "no json",
  ]

  @Test func countsWhatIsMissingAndWhatContradicts() throws {
    let table = try TestStore(lines: Self.lines).table("health")
    func check(_ app: String, _ name: String) -> String { table.cells("cases of", of: app, name) }
    #expect(check("steps", "purchases without an impression") == "1 2")
    #expect(check("steps", "trials without an impression") == "1 1")
    #expect(check("steps", "impressions without an entry point") == "0 2")
    #expect(check("steps", "persons in two variants of an experiment") == "1 2")
    #expect(check("steps", "subscriptions that began before the data") == "1 3")
    #expect(check("steps", "subscription ids of two persons") == "1 -")
    #expect(check("steps", "days without an event") == "2 5")
    #expect(check("(all)", "failed files") == "0 1")
    #expect(check("(all)", "duplicate lines") == "1 12")
    #expect(check("(all)", "conflicting lines") == "1 12")
    #expect(check("(all)", "quarantined: missing:price") == "1 12")
    #expect(check("(all)", "quarantined: not_json_object") == "1 12")
    #expect(check("(all)", "quarantined: unknown_kind") == "1 12")
  }

  @Test func aCleanStoreIsWell() throws {
    let seen = Self.line("a", "paywall_impression", 1, "a", #""entry_point":"widgets""#)
    let report = try TestStore(lines: [seen]).report("health", [])
    let severity = try #require(report.columns.firstIndex { $0.name == "severity" })
    #expect(report.rows.allSatisfy { $0[severity] == .text("ok") })
    #expect(report.rows.count > 7)
  }
}
