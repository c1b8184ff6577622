internal import Lifecycle
internal import Statistics

/// Computes the effect that can be found now, and the time until the wanted one can be found (Methods.md 2.12).
struct SizeRule {
  var plan: ExperimentPlan
  var outcomes: Outcomes
  /// Exposures per day in all variants (D3.4).
  var usersADay: Double

  private static let power = 0.8

  /// - Parameter size: The plan for the metric's size (D3.2); `nil` if it cannot be planned.
  func readout(
    _ metric: MetricReadout, arm: Int, variant: String, plan size: LiftPlan?, rule: SequentialRule
  ) -> SizeReadout {
    let arms = [0, arm]
    var readout = SizeReadout(
      metric: metric.metric, variant: variant, wantedLift: plan.minimumLift, usersPerDay: usersADay)
    let comparison = metric.comparisons[arm - 1]
    let users = Double(arms.reduce(0) { $0 + metric.arms[$1].persons })
    guard let error = comparison.standardError, error > 0 else {
      readout.reason = comparison.reason ?? "nothing varies"
      return readout
    }
    let errors = TestErrors(alpha: 1 - metric.confidence, power: Self.power)
    readout.detectable = detectableEffect(standardError: error, errors: errors)
    let power = NormalDistribution.quantile(Self.power)
    readout.detectableSequentially = (criticalValue(rule, users: users) + power) * error
    guard let control = metric.arms[0].estimate, control > 0 else {
      readout.reason = "a lift has no meaning: the control's value is not above 0"
      return readout
    }
    readout.detectableLift = readout.detectable.map { $0 / control }
    guard let size, let needed = size.usersNeeded(lift: plan.minimumLift) else {
      readout.reason = "a lift of this size is not possible"
      return readout
    }
    // Trial to paid counts users who started a trial, and the size all exposed users.
    let perUser =
      metric.metric.kind == .incidence && users > 0
      ? max(1, Double(arms.reduce(0) { $0 + outcomes.ages[$1].values.reduce(0, +) }) / users) : 1
    let total = (needed * perUser).rounded(.up)
    readout.usersNeeded = total
    let horizon = Int((metric.metric.horizon + day - 1) / day)
    let known = outcomes.ages.reduce(0) { sum, ages in
      ages.reduce(sum) { $1.key >= horizon ? $0 + $1.value : $0 }
    }
    if Double(known) >= total {
      readout.daysNeeded = 0
    } else if usersADay > 0 {
      readout.daysNeeded = ((total - Double(known)) / usersADay).rounded(.up) + Double(horizon)
    } else {
      readout.reason = "no new users"
    }
    return readout
  }

  private func criticalValue(_ rule: SequentialRule, users: Double) -> Double {
    switch rule.kind {
    case .alwaysValid:
      return AsymptoticSequence(plannedUnits: rule.plannedUnits, alpha: rule.planAlpha)
        .criticalValue(units: max(1, users), alpha: rule.alpha)
    // At the end, O'Brien and Fleming's bound is a few percent above that of one look.
    case .groupSequential: return NormalDistribution.upperQuantile(rule.alpha / 2) * 1.05
    case .once, .notYet: return NormalDistribution.upperQuantile(rule.alpha / 2)
    }
  }
}
