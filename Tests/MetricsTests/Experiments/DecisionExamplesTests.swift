import EventModel
import Metrics
import Statistics
import Testing

/// Worked examples of the decision (D1); `WorkedExamples` of `ReportsTests` has their sentences.
struct DecisionExamplesTests {
  private typealias Events = ExperimentEvents

  /// Returns percentage points with one decimal, as in the examples.
  private func points(_ interval: Interval?) -> [Double] {
    interval.map { [$0.low, $0.high].map { ($0 * 1_000).rounded() / 10 } } ?? []
  }

  private func example(
    _ arms: [(String, Int, Int)], days: Int64, after: Int64 = 31, _ yaml: String? = nil
  ) throws -> ExperimentReadout {
    try Events.readout(
      arms.map { Events.arm($0.0, persons: $0.1, paying: $0.2, days: days) }, yaml, asOf: Events.days(days + after))
  }

  @Test func clearWinner() throws {
    let readout = try example([("control", 3_000, 240), ("b", 3_000, 372)], days: 42)
    #expect(readout.told == "ship b primary")
    #expect(points(readout.comparison("paid")?.sequential.interval) == [2.0, 6.8])
  }

  @Test func clearLoser() throws {
    let readout = try example([("control", 3_000, 330), ("b", 3_000, 210)], days: 42)
    #expect(readout.told == "do_not_ship b primary")
    #expect(points(readout.comparison("paid")?.sequential.interval) == [-6.2, -1.8])
  }

  @Test func equivalence() throws {
    let readout = try example([("control", 7_000, 2_100), ("b", 7_000, 2_110)], days: 42)
    #expect(readout.told == "no_difference b primary" && readout.next == .keepControl)
    #expect(points(readout.comparison("paid")?.sequential.liftInterval) == [-7.2, 8.8])
    // A wider margin never undoes the decision.
    #expect(
      try example([("control", 7_000, 2_100), ("b", 7_000, 2_110)], days: 42, "minimum_lift: 0.2").told
        == "no_difference b primary")
  }

  /// 54 users a day for 55.5 days are analysed; those of the last 14 days are not yet.
  @Test func underpoweredAndRunning() throws {
    let late = (0..<756).map { index in
      Events.exposure(
        "late-\(index)", index % 2 == 0 ? "control" : "b",
        ms: Events.days(56, ms: 3_600_000) + Int64(index) * 13 * Events.day / 757)
    }
    let arms = [
      Events.arm("control", persons: 1_507, paying: 81, days: 55),
      Events.arm("b", persons: 1_493, paying: 94, days: 55),
    ]
    let readout = try Events.readout(arms + [late], asOf: Events.days(70))
    #expect(readout.told == "undecided b primary" && readout.next == .stop && !readout.schedule.isEnded)
    let lift = try #require(readout.comparison("paid")?.sequential.liftInterval)
    #expect([lift.low, lift.high].map { ($0 * 100).rounded() } == [-26, 89])
    #expect(readout.schedule.usersNeeded == 131_054)
    #expect(readout.schedule.analysed == 3_000 && readout.schedule.immature == 756)
    #expect(readout.schedule.leastLift.map { ($0 * 100).rounded() } == 81)
    #expect(readout.metrics.first { $0.metric.name == "retained" }?.absence == "no_usage_events")
  }

  @Test func sampleRatioMismatch() throws {
    let readout = try example([("control", 2_700, 270), ("b", 2_200, 220)], days: 42)
    #expect(readout.told == "none  sample_ratio" && readout.next == .fix && readout.segments.isEmpty)
  }

  @Test func threeArms() throws {
    let readout = try example([("control", 4_000, 400), ("b", 4_000, 545), ("c", 4_000, 430)], days: 42)
    #expect(readout.told == "ship b primary")
    #expect(points(readout.comparison("paid")?.sequential.interval) == [1.3, 6.0])
    let ranking = try #require(readout.ranking)
    let names = ranking.order.map { readout.arms[$0].variant }
    #expect(names == ["b", "c", "control"] && ranking.bestGroup.map { readout.arms[$0].variant } == ["b"])
    let open = ranking.pairs.filter { !$0.isShown }.map {
      readout.arms[$0.first].variant + readout.arms[$0.second].variant
    }
    #expect(open == ["ccontrol"])
  }

  /// 300 users a day for 10 days, of 24,000 planned.
  @Test func endedEarly() throws {
    let readout = try example(
      [("control", 1_500, 120), ("b", 1_500, 150)], days: 10,
      "{planned_users: 24000, looks: once, planned_on: 2025-12-01}")
    #expect(readout.told == "undecided b ended_early" && readout.next == .stop)
    #expect(readout.schedule.usersNeeded == 74_712 && readout.schedule.plannedShare == 0.125)
    #expect(readout.schedule.leastLift.map { ($0 * 100).rounded() } == 25)
  }
}
