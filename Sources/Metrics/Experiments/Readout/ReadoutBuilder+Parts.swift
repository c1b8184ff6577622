internal import Statistics

/// The parts of a readout besides its metrics, and what they decide.
extension ReadoutBuilder {
  func incidence() -> IncidenceReadout? {
    metrics.trialToPaid.flatMap { metric in
      outcomes.incidences[metric.name].map { IncidenceComparison.over(metric, arms: $0, asOf: exposed.asOf) }
    }
  }

  /// Returns the plan's guardrails and the metrics that guard by their role (D1.9).
  func guardrails(_ all: [MetricReadout]) -> [GuardrailReadout] {
    let planned = plan.guardrails.flatMap { guardrail in
      (metrics.metric(named: guardrail.metric).flatMap { metric in all.first { $0.metric.name == metric.name } })
        .map { GuardrailRule.readouts(guardrail.margin, $0, treatments: treatments) } ?? []
    }
    let byRole = all.filter { readout in
      !readout.isPrimary && readout.absence == nil && readout.capped == nil
        && !planned.contains { $0.metric.name == readout.metric.name }
        && (plan.roles[readout.metric.name] ?? readout.metric.defaultRole) == .guardrail
    }
    return planned + byRole.flatMap { GuardrailRule.readouts(nil, $0, treatments: treatments) }
  }

  func sizes(_ all: [MetricReadout]) -> [SizeReadout] {
    let rule = SizeRule(
      plan: plan, outcomes: outcomes, usersADay: self.rule.arrivals?.usersADay ?? 0)
    return all.filter { $0.capped == nil }.flatMap { metric in
      treatments.indices.map { place in
        rule.readout(
          metric, arm: place + 1, variant: treatments[place], plan: liftPlan(metric, arm: place + 1),
          rule: sequentialRule(metric.metric, arm: place + 1, alpha: 1 - metric.confidence, isWhole: true))
      }
    }
  }

  func revenue() -> [RevenueSplit] {
    [metrics.money?.currency].compactMap { $0 }.compactMap { currency in
      outcomes.ratios[ExperimentMetric.revenuePerPayer(currency).name].map { arms in
        RevenueSplit(currency: currency, arms: arms.map(\.total))
      }
    }
  }

  // MARK: Decision

  func schedule(
    _ main: MetricReadout, _ decision: ExperimentDecision
  ) -> (TestSchedule, RemainingTest) {
    let place = decision.treatment ?? 0
    let size = main.comparisons.indices.contains(place) ? liftPlan(main, arm: place + 1) : nil
    var (schedule, remaining) = rule.schedule(size, hasControlOutcome: (main.arms.first?.events ?? 0) > 0)
    if schedule.isEnded, !rule.isPlanned, main.comparisons.indices.contains(place) {
      schedule.oneLookP = main.comparisons[place].p
    }
    return (schedule, remaining)
  }

  /// Returns the plan that tells how many users the primary needs.
  func liftPlan(_ main: MetricReadout, arm: Int) -> LiftPlan? {
    guard let mean = main.arms[0].estimate else { return nil }
    let control: LiftPlan.Control
    if main.metric.kind == .proportion {
      control = .share(mean)
    } else {
      // The variance between users, the larger of the two arms.
      let variances = estimates(main.metric, of: [0, arm]).compactMap { $0.map { $0.variance * $0.count } }
      guard let variance = variances.max() else { return nil }
      control = .mean(mean, variance: variance)
    }
    let alpha = 1 - main.confidence
    let bound: LiftPlan.Bound =
      switch reading(of: main.metric) {
      case .alwaysValid: .sequence(sequence(arm), alpha: alpha)
      case .groupSequential: .constant(finalBound(main.metric, arm: arm, alpha: alpha))
      case .once, .notYet: .constant(NormalDistribution.upperQuantile(alpha / 2))
      }
    return LiftPlan(
      control: control, controlShare: exposed.shares[0], treatmentShare: exposed.shares[arm], bound: bound)
  }

  /// Returns the bound at the planned size, after the looks so far.
  func finalBound(_ metric: ExperimentMetric, arm: Int, alpha: Double) -> Double {
    let rules = rules(metric)
    let looks = metrics.looks(metric, arm: arm, of: outcomes, rules)
    let times = rules.sequential(arm).informationTimes(looks).compactMap(\.self)
    return GroupSequentialDesign(looks: times.filter { $0 < 1 } + [1], alpha: alpha).bounds.last ?? .infinity
  }

  /// Returns the current estimates of all arms, or of some; `nil` for an arm without one.
  func estimates(_ metric: ExperimentMetric, of places: [Int]? = nil) -> [MeanArm?] {
    func arms<Arm>(_ all: [String: [Arm]]) -> [Arm] {
      let arms = all[metric.name] ?? []
      return places?.map { arms[$0] } ?? arms
    }
    return switch metric.kind {
    case .proportion:
      arms(outcomes.shares).map { arm in
        let share = arm.total.proportion
        return share.estimate.map { MeanArm(mean: $0, variance: share.meanEstimate.variance, count: share.trials) }
      }
    case .mean: arms(outcomes.means).map { MeanArm($0.total.moments) }
    case .ratio: arms(outcomes.ratios).map { $0.total.sums.arm }
    case .incidence:
      arms(outcomes.incidences).map {
        IncidenceComparison.Estimate(IncidenceHistory($0), asOf: exposed.asOf, horizon: metric.horizon)?.arm
      }
    }
  }

  /// Returns the ranking; implements D7.1.
  func ranking(_ main: MetricReadout) -> RankingReadout? {
    guard exposed.names.count >= 3, main.absence == nil else { return nil }
    let arms = estimates(main.metric)
    guard arms.count == exposed.names.count else { return nil }
    var pairs = AllPairs(estimates: arms.map { $0.map { $0.mean * main.metric.sign } }, alpha: plan.alpha) {
      one, other in
      guard let left = arms[one], let right = arms[other] else { return nil }
      let isShare = main.metric.kind == .proportion
      for place in [one, other] {
        let (users, events) = (Double(main.arms[place].persons), Double(main.arms[place].events))
        guard AsymptoticSequence.isReady(users: users, with: events, without: isShare ? users - events : nil) else {
          return nil
        }
      }
      return sequence(max(one, other)).look(
        estimate: left.mean - right.mean, standardError: (left.variance + right.variance).squareRoot(),
        units: left.count + right.count)?.p
    }
    // A pair with control is read as the decision reads it, among the treatments only.
    for place in pairs.pairs.indices where pairs.pairs[place].first == 0 || pairs.pairs[place].second == 0 {
      var pair = pairs.pairs[place]
      let treatment = max(pair.first, pair.second)
      let comparison = main.comparisons[treatment - 1]
      pair.p = comparison.decisionP
      pair.isShown = comparison.standing == .better || comparison.standing == .worse
      if pair.isShown { (pair.first, pair.second) = comparison.standing == .better ? (treatment, 0) : (0, treatment) }
      pairs.pairs[place] = pair
    }
    return RankingReadout(order: pairs.ranking, pairs: pairs.pairs, bestGroup: pairs.bestGroup)
  }

  func segments(
    _ main: MetricReadout, _ decision: ExperimentDecision
  ) throws -> SegmentRule.Readouts {
    guard let place = decision.treatment else { return SegmentRule.Readouts() }
    let isGain: Bool? =
      switch decision.outcome {
      case .ship: true
      case .doNotShip: main.comparisons[place].standing == .better
      case .noDifference, .undecided, .none: nil
      }
    return try segmentRule(primary).readouts(arm: place + 1, isGain: isGain)
  }

  private func segmentRule(_ metric: ExperimentMetric) -> SegmentRule {
    SegmentRule(exposed: exposed, primary: metric, plan: plan, alpha: 1 - rules(metric).confidence) { arm, alpha in
      sequentialRule(metric, arm: arm, alpha: alpha, isWhole: false)
    }
  }

  /// Returns p of each treatment's share of users with usage on the first day; implements D5.2.
  func loggingP() -> [Double?] {
    guard metrics.hasUsage, let arms = outcomes.shares[PersonOutcomes.usedOnFirstDay.name] else { return [] }
    return arms.dropFirst().map {
      miettinenNurminenTest($0.total.proportion, arms[0].total.proportion)?.twoSidedP
    }
  }

  func money(_ all: [MetricReadout]) -> MoneyReadout? {
    guard let coverage = metrics.money else { return nil }
    let arrivals = rule.arrivals
    let decides = all.decidingRevenue(plan)
    return MoneyReadout(
      currency: coverage.currency, isPartial: coverage.isPartial, coveredShares: coverage.shares,
      missing: coverage.missing,
      annual: treatments.indices.map { place in
        // Without new users, a year's money would be 0, however good the variant is.
        guard !coverage.isPartial, let arrivals, arrivals.usersADay > 0, let comparison = decides?.comparisons[place],
          let difference = comparison.difference, let error = comparison.standardError,
          let critical = comparison.sequential.criticalValue
        else { return nil }
        return AnnualImpact(difference: difference, standardError: error, critical: critical, arrivals: arrivals)
      }, weeks: arrivals?.variance == nil ? 0 : Int((arrivals?.days ?? 0) / 7), payers: coverage.payers)
  }

  /// Returns a year's money by the revenue of the last two weeks' users, if the effect fades and that is less (D8.7).
  func annualOfLastWeeks(_ readout: ExperimentReadout) throws -> AnnualImpact? {
    guard readout.trend?.answer == .fades, let place = readout.decision.treatment, let money = readout.money,
      let annual = money.annual[place], let arrivals = rule.arrivals
    else { return nil }
    guard
      let weeks = try segmentRule(.revenue(money.currency)).lastWeeks(arm: place + 1, cap: plan.cap)
    else { return nil }
    let low = AnnualImpact(
      difference: weeks.difference, standardError: weeks.standardError, critical: weeks.critical, arrivals: arrivals)
    return low.flatMap { $0.value < annual.value ? $0 : nil }
  }

  func overTime() -> [OverTimePoint] {
    let rules = rules(primary)
    let looks = treatments.indices.map { metrics.looks(primary, arm: $0 + 1, of: outcomes, rules) }
    return OverTime.points(asOf: exposed.asOf, treatments: treatments, looks: looks, rules: rules)
  }

  func slices() -> [SliceReadout] {
    let by = exposed.query.by
    guard !by.isEmpty else { return [] }
    var rules = rules(primary, slices: metrics.table.slices.count)
    rules.hasPosteriors = false
    var slices = zip(exposed.source.slices, metrics.table.slices).map { codes, outcomes in
      SliceReadout(
        values: zip(by, codes).map { exposed.query.label($0, $1) },
        metric: metrics.readout(primary, of: outcomes, rules, looksBack: true))
    }
    slices.sort { precedesInBytes($0.values, $1.values) }
    let places = slices.indices.flatMap { slice in slices[slice].metric.comparisons.indices.map { (slice, $0) } }
    let adjusted = Adjustment.holm.adjusted(places.map { slices[$0.0].metric.comparisons[$0.1].sequential.p })
    for (place, p) in zip(places, adjusted) { slices[place.0].metric.comparisons[place.1].sequential.adjustedP = p }
    return slices
  }
}
