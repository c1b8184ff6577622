@testable import Metrics
@testable import Statistics

/// Handmade readouts with the counts and bounds of eight worked examples of the decision (D1).
enum WorkedExamples {
  static let day: Int64 = 86_400_000
  /// 2026-01-05T00:00:00Z.
  static let start: Int64 = 1_767_571_200_000
  /// 2026-03-18T00:00:00Z: 31 days after the last exposure.
  static let asOf: Int64 = start + 72 * day

  static func paid() -> ExperimentMetric { .paid }

  static func share(
    _ metric: ExperimentMetric, _ counts: [(n: Int, x: Int)], role: MetricRole, isPrimary: Bool = false,
    intervals: [(Double, Double)?] = [], lifts: [(Double, Double)?] = [],
    standings: [ArmComparison.Standing] = []
  ) -> MetricReadout {
    let rates = counts.map { Double($0.x) / Double($0.n) }
    return readout(
      metric, arms: zip(counts, rates).map { ($0.n, $0.x, $1) }, role: role, isPrimary: isPrimary,
      intervals: intervals, lifts: lifts, standings: standings)
  }

  static func readout(
    _ metric: ExperimentMetric, arms: [(n: Int, x: Int, value: Double)], role: MetricRole, isPrimary: Bool = false,
    intervals: [(Double, Double)?] = [], lifts: [(Double, Double)?] = [],
    standings: [ArmComparison.Standing] = []
  ) -> MetricReadout {
    func interval(_ all: [(Double, Double)?], _ place: Int) -> Interval? {
      all.indices.contains(place) ? all[place].map { Interval(low: $0.0, high: $0.1) } : nil
    }
    return MetricReadout(
      metric: metric, isPrimary: isPrimary, role: role, confidence: 0.95,
      arms: arms.map { arm in
        var result = ArmResult(persons: arm.n, immature: 0, events: arm.x)
        result.estimate = arm.value
        return result
      },
      comparisons: arms.dropFirst().enumerated().map { place, arm in
        var comparison = ArmComparison(method: "miettinen_nurminen", golden: "")
        comparison.difference = arm.value - arms[0].value
        comparison.lift = arm.value / arms[0].value - 1
        comparison.sequential = SequentialReading(method: .asymptoticSequence)
        comparison.sequential.interval = interval(intervals, place)
        comparison.sequential.liftInterval = interval(lifts, place)
        comparison.standing = standings.indices.contains(place) ? standings[place] : .open
        return comparison
      })
  }

  static func revenue(
    _ values: [Double], _ intervals: [(Double, Double)?], payers: [Int], n: Int,
    standing: ArmComparison.Standing = .open
  ) -> MetricReadout {
    readout(
      .revenue("USD"), arms: zip(values, payers).map { (n, $1, $0) }, role: .money, intervals: intervals,
      standings: [standing])
  }

  static func make(
    _ name: String, arms: [(String, Int)], decision: ExperimentDecision, next: NextStep? = nil,
    metrics: [MetricReadout],
    schedule: TestSchedule? = nil, plan: ExperimentPlan = ExperimentPlan(), p: Double = 0.42
  ) -> ExperimentReadout {
    let total = arms.reduce(0) { $0 + $1.1 }
    var own = TestSchedule(
      rule: .alwaysValid, exposures: start...(start + 41 * day), isEnded: true, analysed: total, immature: 0,
      horizonDays: 14)
    own.usersADay = Double(total) / 42
    var readout = ExperimentReadout(
      app: "demo", experiment: name, asOf: asOf, plan: plan,
      arms: arms.map { ExperimentReadout.Arm(variant: $0.0, share: 1 / Double(arms.count), persons: $0.1) },
      decision: decision, next: next, schedule: schedule ?? own,
      health: ExperimentHealth(
        sequential: ExperimentHealth.Sequential(logBayesFactor: 0, p: p, concentration: 100), chiSquare: nil,
        slices: [],
        crossed: 0, persons: total, leaks: [], immature: 0),
      metrics: metrics, revenue: [], guardrails: [], sizes: [], overTime: [], slices: [], by: [])
    readout.dataHash = "3f9c2a7b01de55"
    return readout
  }

  /// Worked example 1.
  static var winner: ExperimentReadout {
    var readout = make(
      "ex_winner", arms: [("control", 3_000), ("b", 3_000)],
      decision: ExperimentDecision(outcome: .ship, reason: "primary", treatment: 0),
      metrics: [
        share(
          .paid, [(3_000, 240), (3_000, 372)], role: .goal, isPrimary: true, intervals: [(0.0203, 0.0677)],
          lifts: [(0.22, 0.94)], standings: [.better]),
        revenue([0.80, 1.24], [(0.2003, 0.6718)], payers: [240, 372], n: 3_000, standing: .better),
        share(.refunded, [(3_000, 3), (3_000, 5)], role: .guardrail, intervals: [(-0.004, 0.006)]),
        share(
          .trialStart, [(3_000, 500), (3_000, 700)], role: .secondary, intervals: [(0.03, 0.10)], standings: [.better]),
      ])
    readout.schedule.usersADay = 141
    readout.money = MoneyReadout(
      currency: "USD", isPartial: false, coveredShares: [1, 1], missing: [:],
      annual: [AnnualImpact(value: 22_468, interval: Interval(low: 10_321, high: 34_614))], weeks: 4)
    readout.segments = [
      SegmentsReadout(
        dimension: "country", variant: "b",
        segments: ["DE", "US"].map { value in
          SegmentsReadout.Segment(
            value: value, control: SegmentArm(users: 1_500, outcomes: 120, estimate: 0.08),
            treatment: SegmentArm(users: 1_500, outcomes: 186, estimate: 0.124), difference: 0.044, lift: 0.55)
        }, q: 0.4, p: 0.81, spreadHigh: 0.22, differenceHigh: 0.53, timesUsers: 35.1, answer: .notKnown)
    ]
    return readout
  }

  /// Worked example 2.
  static var loser: ExperimentReadout {
    var readout = make(
      "ex_loser", arms: [("control", 3_000), ("b", 3_000)],
      decision: ExperimentDecision(outcome: .doNotShip, reason: "primary", treatment: 0), next: .keepControl,
      metrics: [
        share(
          .paid, [(3_000, 330), (3_000, 210)], role: .goal, isPrimary: true, intervals: [(-0.0620, -0.0180)],
          standings: [.worse])
      ])
    readout.money = MoneyReadout(
      currency: "USD", isPartial: false, coveredShares: [1, 1], missing: [:],
      annual: [AnnualImpact(value: -20_730, interval: Interval(low: -32_390, high: -9_070))], weeks: 4)
    return readout
  }

  /// Worked example 3.
  static var trap: ExperimentReadout {
    var cancelled = share(
      .trialCancelled(horizon: 14 * day), [(290, 150), (412, 337)], role: .secondary, standings: [.worse])
    cancelled.comparisons[0].composition = Interval(low: 0.224, high: 0.482)
    cancelled.comparisons[0].interval = Interval(low: 0.23, high: 0.37)
    var readout = make(
      "ex_trap", arms: [("control", 1_400), ("free_week", 1_400)],
      decision: ExperimentDecision(outcome: .doNotShip, reason: "primary", treatment: 0), next: .keepControl,
      metrics: [
        share(
          .paid, [(1_400, 200), (1_400, 108)], role: .goal, isPrimary: true, intervals: [(-0.1020, -0.0296)],
          standings: [.worse]),
        share(.retained, [(1_400, 280), (1_400, 300)], role: .guardrail, intervals: [(-0.03, 0.06)]),
        share(
          .trialStart, [(1_400, 290), (1_400, 412)], role: .secondary, intervals: [(0.04, 0.13)], standings: [.better]),
        cancelled,
      ])
    readout.caveats = [.composition(variant: "free_week")]
    return readout
  }

  /// Worked example 4.
  static var same: ExperimentReadout {
    make(
      "ex_same", arms: [("control", 7_000), ("b", 7_000)],
      decision: ExperimentDecision(outcome: .noDifference, reason: "primary", treatment: 0), next: .keepControl,
      metrics: [
        share(
          .paid, [(7_000, 2_100), (7_000, 2_110)], role: .goal, isPrimary: true, intervals: [(-0.0223, 0.0252)],
          lifts: [(-0.072, 0.088)], standings: [.same])
      ])
  }

  /// Worked example 5.
  static var small: ExperimentReadout {
    var readout = make(
      "ex_small", arms: [("control", 1_507), ("b", 1_493)],
      decision: ExperimentDecision(outcome: .undecided, reason: "primary", treatment: 0), next: .stop,
      metrics: [
        share(
          .paid, [(1_507, 81), (1_493, 94)], role: .goal, isPrimary: true, intervals: [(-0.017, 0.035)],
          lifts: [(-0.26, 0.89)])
      ])
    var retained = share(.retained, [(1, 0), (1, 0)], role: .guardrail)
    retained.remove(reason: "no_usage_events")
    readout.metrics.append(retained)
    readout.schedule.isEnded = false
    readout.schedule.usersADay = 54
    readout.schedule.usersNeeded = 131_054
    readout.schedule.target = 131_054
    readout.schedule.daysMore = 2_386
    readout.schedule.leastLift = 0.81
    return readout
  }

  /// Worked example 6.
  static var mismatch: ExperimentReadout {
    make(
      "ex_srm", arms: [("control", 2_700), ("b", 2_200)],
      decision: ExperimentDecision(outcome: .none, reason: "sample_ratio", treatment: nil), next: .fix,
      metrics: [
        share(
          .paid, [(2_700, 270), (2_200, 300)], role: .goal, isPrimary: true, intervals: [(0.0, 0.07)],
          standings: [.better])
      ], p: 1e-9)
  }

  /// Worked example 7.
  static var three: ExperimentReadout {
    var readout = make(
      "ex_three", arms: [("control", 4_000), ("b", 4_000), ("c", 4_000)],
      decision: ExperimentDecision(outcome: .ship, reason: "primary", treatment: 0),
      metrics: [
        share(
          .paid, [(4_000, 400), (4_000, 545), (4_000, 430)], role: .goal, isPrimary: true,
          intervals: [(0.0127, 0.0598), (-0.015, 0.030)], standings: [.better, .open]),
        share(
          .trialStart, [(4_000, 800), (4_000, 900), (4_000, 810)], role: .secondary,
          intervals: [(-0.01, 0.06), (-0.03, 0.04)], standings: [.open, .open]),
      ])
    readout.money = MoneyReadout(
      currency: "USD", isPartial: false, coveredShares: [1, 1, 1], missing: [:],
      annual: [AnnualImpact(value: 37_600, interval: Interval(low: 13_000, high: 62_200)), nil], weeks: 4)
    readout.ranking = RankingReadout(
      order: [1, 2, 0],
      pairs: [
        AllPairs.Pair(first: 1, second: 2, p: 0.004, isShown: true),
        AllPairs.Pair(first: 1, second: 0, p: 0.0001, isShown: true),
        AllPairs.Pair(first: 2, second: 0, p: 1, isShown: false),
      ], bestGroup: [1])
    return readout
  }

  /// Worked example 8.
  static var early: ExperimentReadout {
    var plan = ExperimentPlan()
    plan.plannedUsers = 24_000
    var readout = make(
      "ex_early", arms: [("control", 1_500), ("b", 1_500)],
      decision: ExperimentDecision(outcome: .undecided, reason: "ended_early", treatment: 0), next: .stop,
      metrics: [
        share(.paid, [(1_500, 120), (1_500, 150)], role: .goal, isPrimary: true, intervals: [(-0.02, 0.06)])
      ], plan: plan)
    readout.schedule.rule = .groupSequential
    readout.schedule.plannedShare = 0.125
    readout.schedule.usersADay = 300
    readout.schedule.usersNeeded = 74_712
    readout.schedule.target = 74_712
    readout.schedule.leastLift = 0.25
    readout.caveats = [.endedEarly(share: 0.125)]
    return readout
  }

  /// Returns a readout in which each variant gains a little more than the previous one; only the last differs from
  /// control.
  static func many(_ count: Int) -> ExperimentReadout {
    let places = Array(0..<count)
    let intervals = places.dropFirst().map { Optional((-0.02 + Double($0) * 1e-5, 0.03 + Double($0) * 1e-5)) }
    var standings = [ArmComparison.Standing](repeating: .open, count: count - 1)
    standings[count - 2] = .better
    func shares(_ metric: ExperimentMetric, _ x: Int, _ role: MetricRole, isPrimary: Bool = false) -> MetricReadout {
      share(
        metric, places.map { (4_000, x + $0) }, role: role, isPrimary: isPrimary, intervals: intervals,
        standings: isPrimary ? standings : [])
    }
    var readout = make(
      "ex_many", arms: places.map { ($0 == 0 ? "control" : "variant_\($0)", 4_000) },
      decision: ExperimentDecision(outcome: .ship, reason: "primary", treatment: count - 2),
      metrics: [
        shares(.paid, 400, .goal, isPrimary: true),
        Self.readout(
          .revenue("USD"), arms: places.map { (4_000, 400, 0.8 + Double($0) * 1e-3) }, role: .money,
          intervals: intervals),
        shares(.refunded, 50, .guardrail), shares(.retained, 900, .guardrail), shares(.trialStart, 800, .secondary),
        shares(.trialToPaid(horizon: 10 * day), 300, .secondary),
      ])
    readout.ranking = RankingReadout(
      order: places.reversed(),
      pairs: places.flatMap { one in
        places.filter { $0 > one }.map { other in
          AllPairs.Pair(first: other, second: one, p: 0.5, isShown: other == count - 1 && one == 0)
        }
      }, bestGroup: places.dropFirst().reversed())
    return readout
  }

  static var all: [ExperimentReadout] { [winner, loser, trap, same, small, mismatch, three, early] }

  static func report(_ readout: ExperimentReadout) -> ExperimentReport {
    ExperimentReport(
      experiment: readout.experiment, definition: ["users by their first exposure (8.1)"], parameters: [],
      asOf: [Report.AppInstant(app: readout.app, asOf: readout.asOf, notes: [])], readouts: [readout])
  }
}
