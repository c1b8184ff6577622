import Testing

/// Definitions 3 on `Fixtures/funnel` and `Fixtures/calendar`; counts derived by hand, all other bytes in
/// `FixtureTests`.
///
/// All users of the funnel enter on 2026-03-02 (B) unless stated otherwise; all trials have 7 d, so H = 7 + 7 + 3 = 17
/// d.
struct FunnelTests {
  private static let asOf = "2026-04-01T00:00:00Z"
  private static let steps = "users trial_users trial_paid_users direct_paid_users paid_users paid_later_users immature"

  /// - a, settings_card: `trial-last-ms` starts in the last ms of the 7 d and pays at its end; `trial-at-7d` a ms
  ///   later: no step, but a purchase: paid later; `app-trial` pays after the app's own trial: direct; `both-ways` does
  ///   both.
  /// - a, widgets: `matured-to-the-ms` entered exactly 17 d before the as-of; `immature-by-a-ms` 1 ms later.
  /// - b, widgets: `direct-last-ms`; `direct-at-7d` is paid later; `trial-before` pays after a trial older than the
  ///   entry.
  /// - c, settings_card: `two-paywalls` entered at B − 10 d; its trial at B is past those 7 d.
  @Test func countsStepsFromTheFirstPaywall() throws {
    let table = try TestStore(fixture: "funnel").table("funnel", "--as-of", Self.asOf, "--by", "variant,entry_point")
    #expect(table.rows.count == 4)
    #expect(table.cells(Self.steps, of: "steps", "a", "settings_card") == "4 2 2 2 3 1 0")
    #expect(table.cells(Self.steps, of: "steps", "a", "widgets") == "1 0 0 0 0 0 1")
    #expect(table.cells(Self.steps, of: "steps", "b", "widgets") == "3 0 0 2 2 1 0")
    #expect(table.cells(Self.steps, of: "steps", "c", "settings_card") == "1 0 0 0 0 0 0")
    // 2 of 4; Wilson: (2 + z²/2 ∓ z·√(2·½ + z²/4)) ÷ (4 + z²) with z² = 3.841459, z = 1.959964: (3.920729 ∓
    // 1.959964·1.400130) ÷ 7.841459 = 0.150039 and 0.849961. Without a trial the rate is empty.
    #expect(
      table.cells("trial_rate trial_rate_low trial_rate_high", of: "steps", "a", "settings_card")
        == "0.500000 0.150039 0.849961")
    #expect(table.cells("trial_rate trial_to_paid_rate", of: "steps", "b", "widgets") == "0.000000 -")
  }

  /// By view, `two-paywalls` is a unit of two rows, and its trial belongs to the second. Events 7 d after the
  /// impression (`trial-at-7d`, `direct-at-7d`) or before it (the trial of `trial-before`) belong to no row:
  /// (unattributed).
  @Test func countsEachPaywallOfAPersonByView() throws {
    let store = try TestStore(fixture: "funnel")
    let table = try store.table("funnel", "--as-of", Self.asOf, "--unit", "view", "--by", "variant,entry_point")
    #expect(table.cells(Self.steps, of: "steps", "a", "settings_card") == "4 2 2 2 3 0 0")
    #expect(table.cells(Self.steps, of: "steps", "a", "widgets") == "2 1 0 0 0 0 1")
    #expect(table.cells(Self.steps, of: "steps", "b", "widgets") == "3 0 0 1 1 0 0")
    #expect(table.cells(Self.steps, of: "steps", "c", "settings_card") == "1 0 0 0 0 0 0")
    // With one row for all, everything belongs to it, and each user is one pair. 4 + 1 + 3 + 1 matured.
    let all = try store.table("funnel", "--as-of", Self.asOf, "--unit", "view", "--by", "none")
    #expect(all.cells(Self.steps, of: "steps") == "9 2 2 4 5 2 1")
    #expect(try all == store.table("funnel", "--as-of", Self.asOf, "--by", "none"))
  }

  /// With 30 d, users of B (30 d before the as-of) have matured and those of B + 13 d have not; `two-paywalls` is
  /// older.
  @Test func horizonIsAnOption() throws {
    let table = try TestStore(fixture: "funnel").table(
      "funnel", "--as-of", Self.asOf, "--horizon", "30", "--by", "variant,entry_point")
    #expect(table.column("users") == ["4", "0", "3", "1"])
    #expect(table.column("immature") == ["0", "2", "0", "0"])
  }

  /// L is the least length that 99% of the trials do not exceed. With 1 trial of 30 d among 100 it is 7 d (99 of 100),
  /// among 99 it is 30 d (98 of 99 are 98.99%). H is 17 d or 40 d; 20 d have passed.
  @Test(arguments: [(99, "100", "0"), (98, "0", "99")])
  func horizonCoversNinetyNinePercentOfTrials(short: Int, users: String, immature: String) throws {
    let trials = (0...short).flatMap { number in
      let common = "\"ts\":\"2026-03-02T00:00:00Z\",\"app\":\"steps\",\"user_id\":\"u\(number)\""
      return [
        "{\"event_id\":\"i\(number)\",\"event\":\"paywall_impression\",\"entry_point\":\"widgets\",\(common)}",
        "{\"event_id\":\"t\(number)\",\"event\":\"trial_start\",\"plan\":\"monthly\",\"trial_days\":\(number == short ? 30 : 7),"
          + "\(common)}",
      ]
    }
    let store = try TestStore(lines: trials)
    let table = try store.table("funnel", "--as-of", "2026-03-22T00:00:00Z")
    #expect(table.cells("users immature", of: "steps", "(none)") == "\(users) \(immature)")
    let report = try store.report("funnel", ["--as-of", "2026-03-22T00:00:00Z"])
    let late = "the data end on 2026-03-02: later days count as days on which nothing happened"
    #expect(report.asOf.map(\.notes) == [["horizon \(short == 99 ? 17 : 40) d", late]])
    #expect(report.asOf.map(\.warnings) == [[late]])
  }

  /// Only 2026-03-02: without `two-paywalls` (−10 d) and the users of B + 13 d; completions count on any day.
  @Test func daysFilterEntriesOnly() throws {
    let table = try TestStore(fixture: "funnel").table(
      "funnel", "--as-of", Self.asOf, "--from", "2026-03-02", "--to", "2026-03-03")
    #expect(table.column("users") == ["4", "3"])
    #expect(table.column("paid_users") == ["3", "2"])
  }

  @Test func filtersByValuesOfAFieldAndOfAProperty() throws {
    let store = try TestStore(fixture: "funnel")
    let places = try store.table(
      "funnel", "--as-of", Self.asOf, "--where", "entry_point=widgets,route_map", "--where", "variant=a,b")
    #expect(places.column("variant") == ["a", "b"])
    #expect(places.column("users") == ["1", "3"])
    // An unknown field is a property. spring: trial-last-ms and matured-to-the-ms; fall, excluded: direct-last-ms.
    let campaigns = try store.table(
      "funnel", "--as-of", Self.asOf, "--by", "property:campaign", "--where", "property:campaign=spring,(none)")
    #expect(campaigns.column("property:campaign") == ["(none)", "spring"])
    #expect(campaigns.cells(Self.steps, of: "steps", "(none)") == "6 1 1 3 3 2 1")
    #expect(campaigns.cells(Self.steps, of: "steps", "spring") == "2 1 1 0 1 0 0")
  }

  /// A filter without users, no known data and an empty store all give no row, and the usual columns.
  @Test func nothingIsNoRow() throws {
    let store = try TestStore(fixture: "funnel")
    #expect(try store.table("funnel", "--as-of", Self.asOf, "--where", "variant=z").rows.isEmpty)
    #expect(try store.table("funnel", "--as-of", "2026-01-01T00:00:00Z").rows.isEmpty)
    let empty = try TestStore(lines: [])
    for report in ["funnel", "trials", "savings", "cancellations"] {
      let table = try empty.table(report)
      #expect(table.rows.isEmpty && !table.columns.isEmpty, "\(report)")
      #expect(try empty.table(report, "--attribution", "all", "--grace", "5", "--by", "month").rows.isEmpty)
    }
    #expect(throws: (any Error).self) { try store.report("funnel", ["--app", "nowhere"]) }
  }

  /// Clocks in Berlin go forward on 2026-03-29, a Sunday. Before that, days start at 23:00 UTC, then at 22:00. The six
  /// users enter in the first and last ms of such days, of the week from 2026-03-30 and of April.
  @Test func daysWeeksAndMonthsAreThoseOfTheTimeZone() throws {
    let store = try TestStore(fixture: "calendar")
    func cells(_ dimension: String, _ zone: String) throws -> [String] {
      let table = try store.table("funnel", "--as-of", "2026-05-01T00:00:00Z", "--by", dimension, "--timezone", zone)
      return zip(table.column(dimension), table.column("users")).map { "\($0) \($1)" }
    }
    #expect(
      try cells("day", "Europe/Berlin")
        == ["2026-03-28 1", "2026-03-29 2", "2026-03-30 1", "2026-03-31 1", "2026-04-01 1"])
    #expect(try cells("week", "Europe/Berlin") == ["2026-03-23 3", "2026-03-30 3"])
    #expect(try cells("month", "Europe/Berlin") == ["2026-03 5", "2026-04 1"])
    #expect(try cells("day", "UTC") == ["2026-03-28 2", "2026-03-29 2", "2026-03-31 2"])
    #expect(try cells("week", "UTC") == ["2026-03-23 4", "2026-03-30 2"])
    #expect(try cells("month", "UTC") == ["2026-03 6"])

    let sunday = try store.table(
      "funnel", "--as-of", "2026-05-01T00:00:00Z", "--by", "day", "--timezone", "Europe/Berlin", "--from", "2026-03-29",
      "--to", "2026-03-30")
    #expect(sunday.column("users") == ["2"])
    let filtered = try store.table(
      "funnel", "--as-of", "2026-05-01T00:00:00Z", "--by", "none", "--timezone", "Europe/Berlin", "--where",
      "day=2026-03-28,2026-03-30")
    #expect(filtered.column("users") == ["2"])
  }
}
