import Foundation
import Statistics

/// The rule that decides a simulated experiment at daily looks (Decisions.md D4.2).
enum LookRule: Sendable {
  /// Without a plan.
  case alwaysValid(plannedUnits: Double)
  /// With a planned number of days.
  case planned(PlannedLooks)

  static func planned(days: Int, treatments: Int = 1) -> LookRule {
    .planned(PlannedLooks(days: days, treatments: treatments))
  }
}

/// Lan and DeMets' O'Brien–Fleming bounds for a test planned for a number of days.
struct PlannedLooks: Sendable {
  /// Holm's levels, the strictest first: α/m, …, α/1.
  private let designs: [GroupSequentialDesign]
  /// The look of each day; `nil` on skipped days.
  private let looks: [Int?]

  /// Skips looks that add less than 1/32 of the planned information, as `experiment` does.
  init(days: Int, treatments: Int) {
    let step = max(1, Int((Double(days) / 32).rounded(.up)))
    let last = Array(stride(from: days, to: 0, by: -step).reversed())
    looks = (1...days).map { last.firstIndex(of: $0) }
    let fractions = last.map { Double($0) / Double(days) }
    designs = (1...treatments).reversed().map { GroupSequentialDesign(looks: fractions, alpha: 0.05 / Double($0)) }
  }

  /// Returns the |z| to cross after `day` days, at each of Holm's levels; empty on a day without a look.
  func bounds(day: Int) -> [Double] {
    guard day <= looks.count, let look = looks[day - 1] else { return [] }
    return designs.map { $0.bounds[look] }
  }
}

/// A simulated experiment on a rate: reads control and treatments every day as `experiment` does.
struct WatchedTest {
  /// The evidence on one treatment over all looks so far.
  private struct Course {
    /// The least p so far.
    var p = 1.0
    /// The estimate at the look with the least p.
    var decidingEstimate = 0.0

    mutating func look(p now: Double, estimate: Double) {
      if now < p { (p, decidingEstimate) = (now, estimate) }
    }
  }

  private let rule: LookRule
  private let unplanned: UnplannedConversion
  private let sequence: AsymptoticSequence
  private var courses: [Course]
  /// The largest lift that does not matter.
  static let margin = 0.1
  static let alpha = 0.05

  init(rule: LookRule, treatments: Int = 1) {
    self.rule = rule
    var units = 5_000.0
    if case .alwaysValid(let planned) = rule { units = planned }
    unplanned = UnplannedConversion(plannedUnits: units)
    sequence = AsymptoticSequence(plannedUnits: units)
    courses = [Course](repeating: Course(), count: treatments)
  }

  /// Reads the experiment at the end of a day.
  ///
  /// - Parameters:
  ///   - day: From 1.
  ///   - money: Revenue per user of the arms, control first; `nil` if revenue is not watched.
  /// - Returns: `nil` on a day without a look.
  mutating func look(day: Int, _ arms: [Proportion], money: [MeanArm]? = nil) -> ExperimentDecision? {
    let control = arms[0]
    var critical: Double
    switch rule {
    case .alwaysValid:
      for place in courses.indices {
        let (treatment, units) = (arms[place + 1], arms[place + 1].trials + control.trials)
        guard units > 0, let logE = unplanned.logEValue(treatment: treatment, control: control) else { continue }
        courses[place].look(p: min(1, exp(-logE)), estimate: Self.difference(treatment, control))
      }
      critical = sequence.criticalValue(
        units: arms[1].trials + control.trials, alpha: Self.alpha / Double(courses.count))
    case .planned(let looks):
      let bounds = looks.bounds(day: day)
      guard let strictest = bounds.first else { return nil }
      for place in courses.indices {
        guard let z = pooledZTest(arms[place + 1], control)?.z,
          let level = bounds.firstIndex(where: { abs(z) >= $0 })
        else { continue }
        courses[place].look(p: Self.alpha / Double(courses.count - level) * (1 - 1e-9), estimate: z)
      }
      critical = strictest
    }
    let adjusted = courses.count == 1 ? [courses[0].p] : Adjustment.holm.adjusted(courses.map(\.p))
    return ExperimentDecision(
      courses.indices.map { place in
        let arm = arms[place + 1]
        var treatment = ExperimentDecision.Treatment(gain: Self.difference(arm, control))
        let isShown = (adjusted[place] ?? 1) < Self.alpha
        treatment.isBetter = isShown && courses[place].decidingEstimate > 0
        treatment.isWorse = isShown && courses[place].decidingEstimate < 0
        treatment.isWithheld = !AsymptoticSequence.isReady(arm, control)
        treatment.isSame =
          !treatment.isWithheld && isSame(Self.lift(arm, control, critical), margin: Self.margin)
        if let money { treatment.money = Self.money(money[place + 1], money[0], critical) }
        return treatment
      })
  }

  private static func difference(_ treatment: Proportion, _ control: Proportion) -> Double {
    (treatment.estimate ?? 0) - (control.estimate ?? 0)
  }

  private static func lift(_ treatment: Proportion, _ control: Proportion, _ critical: Double) -> Interval? {
    func estimate(_ arm: Proportion) -> MeanEstimate {
      let rate = arm.successes / arm.trials
      return MeanEstimate(mean: rate, standardError: (rate * (1 - rate) / arm.trials).squareRoot())
    }
    return fiellerLift(estimate(treatment), estimate(control), critical: critical).interval
  }

  private static func money(
    _ treatment: MeanArm, _ control: MeanArm, _ critical: Double
  ) -> ExperimentDecision.Money {
    let difference = treatment.mean - control.mean
    let half = critical * (treatment.variance + control.variance).squareRoot()
    if half == 0 { return .notEstimable }
    return ExperimentDecision.Money(
      difference: difference, interval: Interval(low: difference - half, high: difference + half))
  }
}
