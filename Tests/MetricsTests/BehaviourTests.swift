import Testing

@testable import Metrics

/// `cadence`, `gates`, `nudges` and `activity` of stores whose numbers are worked out by hand.
struct BehaviourTests {
  private static func line(_ event: String, _ ts: String, _ user: String, _ rest: String = "") -> String {
    #"{"event_id":"\#(event)-\#(user)-\#(ts)","event":"\#(event)","ts":"\#(ts)Z","app":"steps","user_id":"\#(user)"\#(rest)}"#
  }

  private static let sale = #","product_id":"m","plan":"monthly","price":10,"currency":"USD""#
  private static let trial = #","product_id":"m","plan":"monthly","trial_days":7"#
  private static let seen = #","entry_point":"w""#

  private static let cadenceLines = [
    line("paywall_impression", "2026-01-01T10:00:00", "p", seen),
    line("paywall_impression", "2026-01-03T11:00:00", "p", seen),
    line("trial_start", "2026-01-03T12:00:00", "p", trial),
    line("cancellation", "2026-01-05T12:00:00", "p"),
    line("paywall_impression", "2026-01-20T10:00:00", "p", seen),
    line("paywall_impression", "2026-01-02T10:00:00", "q", seen),
    line("conversion", "2026-01-02T10:00:00", "q", sale),
    // After more than 7 d nobody gets the credit.
    line("paywall_impression", "2026-01-02T10:00:00", "r", seen),
    line("conversion", "2026-01-09T10:00:00", "r", sale),
    line("paywall_impression", "2026-02-25T10:00:00", "s", seen),
    line("activity", "2026-03-01T10:00:00", "z"),
  ]

  /// p sees it three times, a trial comes of the second, 49 h after the first; q buys at the first; r too late; s is immature.
  @Test func cadenceCountsViewsInOrder() throws {
    let table = try TestStore(lines: Self.cadenceLines).table("cadence")
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

  /// Filters leave views out; the number of each stays what it was.
  @Test func cadenceNumbersAreOfAllViews() throws {
    let store = try TestStore(lines: Self.cadenceLines)
    let table = try store.table("cadence", "--from", "2026-01-03", "--to", "2026-01-04")
    #expect(table.column("range") == ["2", "2-3"])
    #expect(try store.table("cadence", "--where", "entry_point=other").rows.isEmpty)
  }

  private static let gateLines = [
    line("gate_hit", "2026-01-01T10:00:00", "a", seen + #","limit_name":"swipes""#),
    line("gate_hit", "2026-01-02T10:00:00", "a", seen + #","limit_name":"swipes""#),
    line("paywall_impression", "2026-01-02T10:00:01", "a", seen),
    line("trial_start", "2026-01-02T10:01:00", "a", trial),
    line("conversion", "2026-01-09T10:00:00", "a", sale),
    line("activity", "2026-01-01T10:00:00", "b"),
    line("gate_hit", "2026-01-03T10:00:00", "b", seen + #","limit_name":"swipes""#),
    line("paywall_impression", "2026-01-01T10:00:00", "c", seen),
    line("conversion", "2026-01-01T10:00:00", "c", sale),
    // A gate without a limit is called by its place; met after the purchase it is not met in time.
    line("gate_hit", "2026-01-02T10:00:00", "c", seen),
    line("activity", "2026-01-01T10:00:00", "d"),
    line("activity", "2026-03-01T10:00:00", "z"),
  ]

  /// Matured are a, b, c, d. Of swipes a and b met it, a paid; of the others, c and d, c paid: a lift of 0.
  @Test func gatesCompareThoseWhoMetThemWithTheOthers() throws {
    let table = try TestStore(lines: Self.gateLines).table("gates")
    #expect(
      table.cells(
        "persons hits paywall_persons hits_before_paywall trial_persons hits_before_trial purchase_persons "
          + "hits_before_purchase met met_paid others others_paid lift", of: "steps", "swipes")
        == "2 3 1 2.000000 1 2.000000 1 2.000000 2 1 2 1 0.000000")
    // Nobody met w in time: of all four, a and c paid.
    #expect(
      table.cells("persons hits purchase_persons met met_paid_rate others others_paid lift", of: "steps", "w")
        == "1 1 0 0 - 4 2 -")
  }

  private static let nudgeLines = [
    line("trial_start", "2026-01-01T12:00:00", "u", trial), line("trial_nudge", "2026-01-05T12:00:00", "u"),
    line("trial_nudge", "2026-01-08T00:00:00", "u"), line("conversion", "2026-01-08T12:00:00", "u", sale),
    line("trial_start", "2026-01-01T12:00:00", "v", trial), line("cancellation", "2026-01-02T12:00:00", "v"),
    // At the end it is too late; exactly 24 h before is of the range from 24 on.
    line("trial_start", "2026-01-01T12:00:00", "w", trial), line("trial_nudge", "2026-01-08T12:00:00", "w"),
    line("trial_start", "2026-01-01T12:00:00", "x", trial), line("trial_nudge", "2026-01-07T12:00:00", "x"),
    line("activity", "2026-03-01T10:00:00", "z"),
  ]

  @Test func nudgesAreByHoursBeforeTheEnd() throws {
    let table = try TestStore(lines: Self.nudgeLines).table("nudges")
    #expect(table.column("hours_before_end") == ["none", "6-24", "24-48"])
    #expect(table.cells("nudges trials converted cancelled difference", of: "steps", "none") == "0 2 0 1 -")
    #expect(table.cells("nudges trials converted cancelled difference", of: "steps", "6-24") == "2 1 1 0 1.000000")
    #expect(table.cells("nudges trials converted difference", of: "steps", "24-48") == "1 1 0 0.000000")
  }

  private static let activityLines = [
    line("activity", "2026-01-05T10:00:00", "u"), line("activity", "2026-01-06T10:00:00", "u"),
    line("activity", "2026-01-06T20:00:00", "u"),
    line("trial_start", "2026-01-05T12:00:00", "v", trial), line("activity", "2026-01-06T10:00:00", "v"),
    line("conversion", "2026-01-05T12:00:00", "w", sale), line("activity", "2026-01-11T10:00:00", "w"),
    // A month later u is back.
    line("activity", "2026-02-04T10:00:00", "u"),
  ]

  /// In the first week u is active on two days, v on one in its trial, w on one paying. The 30 days up to Wednesday,
  /// 2026-02-04, begin on January 6: all three are active in them.
  @Test func activityIsByStatusAndWindow() throws {
    let store = try TestStore(lines: Self.activityLines)
    let table = try store.table("activity")
    let columns = "days daily_active weekly_active monthly_active stickiness"
    func row(_ week: String, _ status: String) -> String { table.cells(columns, of: "steps", week, status) }
    #expect(row("2026-01-05", "all") == "7 0.571429 3 - -")
    #expect(row("2026-01-05", "free") == "7 0.285714 1 - -")
    #expect(row("2026-01-05", "trial") == "7 0.142857 1 - -")
    #expect(row("2026-01-05", "paid") == "7 0.142857 1 - -")
    #expect(row("2026-02-02", "all") == "3 0.333333 1 3 0.111111")
    #expect(row("2026-02-02", "paid") == "3 0.000000 0 1 0.000000")
    let days = try store.table("activity", "--by", "day", "--to", "2026-01-07")
    #expect(days.cells("daily_active", of: "steps", "2026-01-06", "all") == "2.000000")
    #expect(throws: ReportError.self) { try store.table("activity", "--by", "none") }
    #expect(throws: ReportError.self) { try store.table("activity", "--where", "month=2026-01") }
  }

  /// What must always hold: every trial that matured is in one range; views in both splits are the same; the three
  /// statuses add up to all; monthly is not below weekly, nor that below a day.
  @Test(arguments: [1, 2, 3] as [UInt64]) func rangesAddUp(seed: UInt64) throws {
    let lives = RandomLives(seed: seed, persons: 60).lines
    let start = lives[0].ts
    let extra = (0..<300).map { number -> String in
      let kind = ["activity", "paywall_impression", "trial_nudge", "gate_hit"][number % 4]
      return
        #"{"event_id":"x\#(number)","event":"\#(kind)","ts":\#(start + Int64(number * 7_919 % 120) * 43_200_000),"app":"steps","#
        + #""user_id":"u\#(10 + number % 50)","entry_point":"w"}"#
    }
    let store = try TestStore(lines: lives.map(\.text) + extra)
    func sum(_ table: Table, _ column: String, where isIncluded: ([String]) -> Bool = { _ in true }) -> Int {
      table.rows.filter(isIncluded).compactMap { table.number(column, in: $0) }.reduce(0) { $0 + Int($1) }
    }
    let cadence = try store.table("cadence", "--by", "entry_point")
    for column in ["views", "trial_views", "paid_views", "trials", "immature"] {
      #expect(
        sum(cadence, column) { $0[2] == "times_seen" } == sum(cadence, column) { $0[2] == "days_since_last" })
    }
    #expect(sum(cadence, "views") > 0)
    let (nudges, trials) = (try store.table("nudges"), try store.table("trials"))
    #expect(sum(nudges, "trials") == sum(trials, "matured"))
    #expect(sum(nudges, "converted") == sum(trials, "matured_converted"))
    let activity = try store.table("activity", "--by", "day")
    for (_, rows) in Dictionary(grouping: activity.rows, by: { $0[0] + $0[1] }) {
      func value(_ status: String, _ column: String) -> Double {
        rows.first { $0[2] == status }.flatMap { activity.number(column, in: $0) } ?? 0
      }
      for column in ["daily_active", "weekly_active", "monthly_active"] {
        #expect(
          abs(value("all", column) - ["free", "trial", "paid"].reduce(0) { $0 + value($1, column) }) < 1e-5)
      }
      if rows[0][6] != "" { #expect(value("all", "monthly_active") >= value("all", "weekly_active")) }
      if rows[0][5] != "" { #expect(value("all", "weekly_active") >= value("all", "daily_active")) }
    }
  }
}
