internal import Lifecycle
internal import Statistics

/// Computes the effect that can be found now, and the time until the wanted one can be found (Methods.md 2.12).
struct SizeRule {
  var plan: ExperimentPlan
  var outcomes: Outcomes
  /// From the first exposure to the as-of, in ms.
  var span: Int64

  private static let recentDays = 14
  private static let power = 0.8

  func readout(_ metric: MetricReadout, arm: Int, variant: String, rule: SequentialRule) -> SizeReadout {
    let arms = [0, arm]
    var readout = SizeReadout(
      metric: metric.metric, variant: variant, wantedLift: plan.minimumLift, usersPerDay: usersPerDay(arms))
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
    let wanted = plan.minimumLift * control
    var needed = users
    // The bound changes slowly with the size, so a few steps are enough.
    for _ in 0..<20 {
      let ratio = (criticalValue(rule, users: needed) + power) * error / wanted
      needed = users * ratio * ratio
    }
    // In users; trial to paid counts users who started a trial.
    let persons = Double(exposed(arms)) / users
    let perUser = metric.metric.kind == .incidence ? max(1, persons) : 1
    let total = (needed * perUser).rounded(.up)
    readout.usersNeeded = total
    readout.daysNeeded = days(until: total, arms, horizon: metric.metric.horizon, perDay: readout.usersPerDay)
    if readout.daysNeeded == nil { readout.reason = "no user joined in the last \(Self.recentDays) days" }
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

  private func exposed(_ arms: [Int]) -> Int { arms.reduce(0) { $0 + outcomes.ages[$1].values.reduce(0, +) } }

  private func usersPerDay(_ arms: [Int]) -> Double {
    let days = max(1, min(Int64(Self.recentDays), span / day))
    let recent = arms.reduce(0) { sum, arm in
      outcomes.ages[arm].reduce(sum) { $1.key < Int(days) ? $0 + $1.value : $0 }
    }
    return Double(recent) / Double(days)
  }

  /// Returns the days until enough users of both arms have been exposed for the horizon.
  private func days(until needed: Double, _ arms: [Int], horizon: Int64, perDay: Double) -> Double? {
    let horizonDays = Int((horizon + day - 1) / day)
    let there = Double(exposed(arms))
    if there >= needed {
      // Users already exposed only have to mature.
      for wait in 0...horizonDays {
        let mature = arms.reduce(0) { sum, arm in
          outcomes.ages[arm].reduce(sum) { $1.key >= horizonDays - wait ? $0 + $1.value : $0 }
        }
        if Double(mature) >= needed { return Double(wait) }
      }
    }
    return testDuration(users: needed - there, usersPerDay: perDay, maturity: Double(horizonDays))?.totalDays
  }
}
