internal import Lifecycle
internal import Statistics

/// Lists the caveats of a decision, worst first.
struct CaveatRule {
  let readout: ExperimentReadout
  let evidence: DecisionEvidence
  let isPlannedLate: Bool
  /// p of the one-day usage shares, by treatment; `nil` without usage events (D5.2).
  let loggingP: [Double?]
  /// Whether the days asked for leave out users of the test.
  let isPartOfTest: Bool
  /// The values that `--where` asks for.
  let filters: [String]
  /// The longest trials of the app, in ms; 0 without trials.
  let trialLength: Int64

  private static let loggingAlpha = 0.001
  /// The largest share of users of several variants that needs no caveat.
  private static let mostCrossed = 0.05
  /// One look's p of a guardrail without an interval (D2.3): so small that looking often does not explain it.
  private static let guardrailAlpha = 0.0001

  private var place: Int? { readout.decision.treatment }

  var caveats: [Caveat] {
    let asked: [Caveat] = filters.isEmpty ? [] : [.partOfUsers(filters: filters)]
    if readout.decision.outcome == .none && readout.decision.reason == "nothing_to_compare" { return asked }
    // Where the whole split is off, it is off in most segments, too.
    if readout.health.isSampleRatioOff { return asked }
    var found: [Caveat] = readout.health.alarmedSlices.map {
      .sampleRatio(dimension: $0.dimension, value: $0.slice.value)
    }
    if readout.decision.outcome == .none { return asked + found }
    found = asked + guardrailsOfFew + found
    let crossed = Double(readout.health.crossed) / Double(max(1, readout.health.persons))
    if crossed > Self.mostCrossed { found.append(.crossed(share: crossed)) }
    if let share = readout.schedule.plannedShare, evidence.unfinished == .endedEarly {
      found.append(.endedEarly(share: share))
    }
    if isPlannedLate { found.append(.plannedLate) }
    if isPartOfTest { found.append(.partOfTest) }
    if let goal = readout.primary?.metric, goal.name == ExperimentMetric.paid.name || goal.isRevenue, trialLength > 0,
      trialLength >= goal.horizon
    {
      found.append(.trialsOutlastGoal(trialDays: Int(trialLength / day), goalDays: Int(goal.horizon / day)))
    }
    if hasReturned { found.append(.intervalReturned) }
    if readout.decision.outcome == .undecided, ["primary", "too_few"].contains(readout.decision.reason),
      let p = readout.schedule.oneLookP,
      let last = readout.schedule.exposures?.upperBound
    {
      found.append(.endedWithoutPlan(lastExposure: last, oneLookP: p))
    }
    if readout.longTerm?.agreement == .leansAgainst { found.append(.longTermLeansAgainst) }
    for guardrail in readout.guardrails where guardrail.metric.conditionalOn != nil {
      let caveat = Caveat.conditionalGuardrail(metric: guardrail.metric.name)
      if !found.contains(caveat) { found.append(caveat) }
    }
    found += composition
    if let money = readout.money, money.isPartial { found.append(.partialMoney) }
    // With revenue as the goal, the verdict is money itself.
    if readout.decision.outcome == .ship, readout.primary?.metric.isRevenue != true, !isMoneyEstimable {
      found.append(.moneyNotEstimable)
    }
    if isCapDecisive { found.append(.cap) }
    if isAdjustmentDecisive { found.append(.adjustmentDiffers) }
    if loggingP.contains(where: { ($0 ?? 1) < Self.loggingAlpha }) { found.append(.loggingDiffers) }
    // Money paid once is paid early, so a decline within users is not fading.
    if readout.trend?.answer == .fades || readout.within.map({ $0.answer == .fades && !$0.isMoney }) ?? false {
      found.append(.fading)
    }
    for segments in readout.segments {
      found += segments.segments.filter(\.isOpposite).map {
        .oppositeSegment(dimension: segments.dimension, value: $0.value)
      }
    }
    if readout.decision.outcome == .undecided, let place {
      found += readout.segments.filter { segments in
        segments.answer == .differs && segments.variant == readout.treatments[place]
          && segments.segments.contains { ($0.interval?.low ?? 0) > 0 }
          && segments.segments.contains { ($0.interval?.high ?? 0) < 0 }
      }.map { .segmentsDisagree(dimension: $0.dimension) }
    }
    if isSmallWin { found.append(.smallWin) }
    if let share = readout.schedule.maturedShare, share < 0.5 { found.append(.immature(share: share)) }
    if readout.plan.primary == nil, readout.primary?.metric.name == ExperimentMetric.retained.name {
      found.append(.usageDecides)
    }
    if readout.plan.control == nil, readout.plan.shares == nil, let first = readout.arms.first?.variant,
      first != ExposedPersons.standardControl
    {
      found.append(.controlAssumed)
    }
    if readout.plan.isPlanned, readout.plan.plannedOn == nil { found.append(.planDateUnknown) }
    return found
  }

  /// Whether the goal decides by a bound that was crossed before, while its interval includes zero now.
  private var hasReturned: Bool {
    guard let place, [.ship, .doNotShip].contains(readout.decision.outcome),
      let comparison = readout.primary?.comparisons[place],
      comparison.standing == .better || comparison.standing == .worse, let interval = comparison.sequential.interval
    else { return false }
    return interval.low <= 0 && interval.high >= 0
  }

  private var isMoneyEstimable: Bool {
    guard let place, let metric = evidence.moneyMetric else { return false }
    return metric.comparisons[place].sequential.interval != nil
  }

  private var guardrailsOfFew: [Caveat] {
    guard let place, readout.decision.outcome == .ship || readout.decision.isHeldBack else { return [] }
    return readout.metrics.filter { metric in
      let direction = metric.metric.direction
      guard metric.role == .guardrail, direction != .neither, metric.absence == nil,
        metric.comparisons.indices.contains(place)
      else { return false }
      let comparison = metric.comparisons[place]
      guard comparison.sequential.interval == nil, let difference = comparison.difference, let p = comparison.p else {
        return false
      }
      return p < Self.guardrailAlpha && (direction == .up) == (difference < 0)
    }.map { .guardrailTooFew(metric: $0.metric.name) }
  }

  private var composition: [Caveat] {
    guard let metric = readout.metrics.first(where: { $0.metric.name == ExperimentMetric.trialCancelledName }) else {
      return []
    }
    return zip(readout.treatments, metric.comparisons).filter { _, comparison in
      comparison.composition != nil && (comparison.standing == .better || comparison.standing == .worse)
    }.map { .composition(variant: $0.0) }
  }

  /// Whether capping changes the sign of the difference, more than half of it, or the decision.
  private var isCapDecisive: Bool {
    guard let place, let money = readout.metrics.first(where: \.metric.isRevenue),
      let capped = readout.metrics.first(where: { $0.capped != nil }),
      let plain = money.comparisons[place].difference, let cut = capped.comparisons[place].difference
    else { return false }
    return plain * cut < 0 || abs(cut) < abs(plain) / 2
      || evidence.decision(watching: capped) != evidence.decision(watching: money)
  }

  /// Whether the adjusted difference would decide otherwise.
  private var isAdjustmentDecisive: Bool {
    guard let place, let comparison = readout.primary?.comparisons[place],
      let adjustment = comparison.covariate?.adjustment, let critical = comparison.sequential.criticalValue
    else { return false }
    let adjusted = adjustment.difference / adjustment.standardError
    let isAdjustedProven = abs(adjusted) > critical
    let isPlainProven = comparison.standing == .better || comparison.standing == .worse
    return isAdjustedProven != isPlainProven
  }

  /// Whether the whole lift interval is below the least lift worth having; implements D1.10.
  private var isSmallWin: Bool {
    guard let place, readout.decision.outcome == .ship, let primary = readout.primary,
      let lift = primary.comparisons[place].sequential.liftInterval
    else { return false }
    return primary.metric.best(of: lift) < readout.plan.minimumLift
  }
}
