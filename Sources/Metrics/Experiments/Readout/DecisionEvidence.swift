internal import Statistics

/// Gathers the evidence for and against each treatment, and decides (Decisions.md D1).
struct DecisionEvidence {
  var plan: ExperimentPlan
  var health: ExperimentHealth
  var primary: MetricReadout
  var metrics: [MetricReadout]
  var guardrails: [GuardrailReadout]
  var treatments: [String]
  var money: MoneyReadout?
  var longTerm: LongTermReadout?
  var unfinished: ExperimentDecision.Unfinished?

  var decision: ExperimentDecision { decision(watching: moneyMetric) }

  func decision(watching money: MetricReadout?) -> ExperimentDecision {
    ExperimentDecision(
      treatments.indices.map { treatment($0, watching: money) }, unreadable: unreadable, unfinished: unfinished,
      aim: plan.aim, moneyMetric: money?.metric.name ?? ExperimentMetric.revenueName)
  }

  /// Returns the arms that may be shipped instead of the decision's if they are cheaper: each is better than control,
  /// its money is for it, and its guardrails hold; implements D7.4.
  ///
  /// - Parameter bestGroup: The arms not shown to be worse than the best; 0 is control.
  func alternatives(to decision: ExperimentDecision, of bestGroup: [Int]) -> [Int] {
    guard decision.outcome == .ship else { return [] }
    return bestGroup.filter { arm in
      guard arm > 0, arm - 1 != decision.treatment else { return false }
      let treatment = treatment(arm - 1, watching: moneyMetric)
      return treatment.isBetter && treatment.money == .inFavor && treatment.guardrails.allSatisfy { $0.state == .holds }
    }
  }

  /// The reason why the test cannot be read; implements D1.2.
  private var unreadable: String? {
    if treatments.isEmpty { return "nothing_to_compare" }
    if health.isSampleRatioOff { return "sample_ratio" }
    if !health.leaks.isEmpty { return "leak" }
    return primary.absence
  }

  private func treatment(_ place: Int, watching money: MetricReadout?) -> ExperimentDecision.Treatment {
    let comparison = primary.comparisons[place]
    var treatment = ExperimentDecision.Treatment(gain: gain(place))
    treatment.isBetter = comparison.standing == .better
    treatment.isWorse = comparison.standing == .worse
    treatment.isSame = comparison.standing == .same
    treatment.isWithheld = comparison.standing == .withheld
    if let margin = plan.margin, let interval = comparison.sequential.interval {
      treatment.isNotWorse = primary.metric.worst(of: interval) > -margin
    }
    treatment.money = watch(money, place)
    treatment.guardrails = guardrails.filter { $0.variant == treatments[place] }.map {
      ExperimentDecision.Guardrail(metric: $0.metric.name, state: $0.state)
    }
    treatment.longTermContradicts = longTerm?.agreement == .contradicts && place == leading
    return treatment
  }

  /// The treatment with the largest gain.
  var leading: Int? { treatments.indices.max { (gain($0) ?? -.infinity) < (gain($1) ?? -.infinity) } }

  /// Returns the gain in the good direction; for a stopped test, the gain at its stop.
  func gain(_ place: Int) -> Double? {
    let comparison = primary.comparisons[place]
    return (comparison.decisionDifference ?? comparison.lift).map { $0 * primary.metric.sign }
  }

  /// The metric that watches the money of a winner: the revenue that decides, or `paid` if revenue is the goal.
  var moneyMetric: MetricReadout? {
    if primary.metric.isRevenue { return metrics.first { $0.metric.name == ExperimentMetric.paid.name } }
    return metrics.decidingRevenue(plan)
  }

  /// Returns the money verdict of a treatment, with ``moneyMetric``; implements D1.4. Partial money can only be worse
  /// (D6.3).
  private func watch(_ metric: MetricReadout?, _ place: Int) -> ExperimentDecision.Money {
    guard let metric, metric.absence == nil, metric.comparisons.indices.contains(place),
      let interval = metric.comparisons[place].sequential.interval,
      let difference = metric.comparisons[place].difference
    else { return .notEstimable }
    let verdict = ExperimentDecision.Money(
      difference: difference, interval: interval, isForWorseAlone: primary.metric.isRevenue)
    return verdict == .worse || primary.metric.isRevenue || money?.isPartial != true ? verdict : .notEstimable
  }
}

extension [MetricReadout] {
  /// Returns the revenue per exposed user that decides: capped revenue if the plan caps, else that in the decision
  /// currency (D6.5); `nil` in an app that never sold anything.
  func decidingRevenue(_ plan: ExperimentPlan) -> MetricReadout? {
    (plan.cap == nil ? nil : first { $0.capped != nil }) ?? first { $0.metric.name == ExperimentMetric.revenueName }
  }
}

extension ExperimentMetric {
  /// Returns the bad end of a difference's interval, positive if it is better than no difference.
  func worst(of interval: Interval) -> Double { sign > 0 ? interval.low : -interval.high }

  /// Returns the good end of a difference's interval.
  func best(of interval: Interval) -> Double { sign > 0 ? interval.high : -interval.low }
}

extension MetricReadout {
  /// Sets each treatment's standing against control; implements D1.3.
  ///
  /// - Parameter isDecided: Whether p by Holm decides, as for the family's metrics, or the interval alone.
  mutating func setStandings(_ plan: ExperimentPlan, isDecided: Bool) {
    for place in comparisons.indices {
      comparisons[place].standing = standing(comparisons[place], plan, isDecided: isDecided)
    }
  }

  private func standing(
    _ comparison: ArmComparison, _ plan: ExperimentPlan, isDecided: Bool
  ) -> ArmComparison.Standing {
    let reading = comparison.sequential
    let gain = (comparison.decisionDifference ?? comparison.lift ?? 0) * metric.sign
    let isProven =
      isDecided
      ? (reading.adjustedP.map { $0 < plan.alpha } ?? reading.isSignificant) && !comparison.hasTurned
      : reading.interval.map { $0.low > 0 || $0.high < 0 } ?? false
    if isProven && gain != 0 && metric.direction != .neither { return gain > 0 ? .better : .worse }
    if reading.interval == nil && (reading.isWithheld || comparison.p == nil) { return .withheld }
    if isPrimary, let margin = plan.margin { return isSame(reading.interval, margin: margin) ? .same : .open }
    return isSame(reading.liftInterval, margin: plan.sameLift) ? .same : .open
  }
}

/// Judges guardrails by the always-valid interval; implements D1.9 and D5.6.
enum GuardrailRule {
  /// - Parameter margin: `nil` if the plan does not set the guardrail.
  static func readouts(
    _ margin: ExperimentPlan.Guardrail.Margin?, _ metric: MetricReadout, treatments: [String]
  ) -> [GuardrailReadout] {
    zip(treatments, metric.comparisons).map { variant, comparison in
      GuardrailReadout(
        metric: metric.metric, margin: margin, variant: variant, state: state(margin, metric, comparison),
        difference: comparison.difference, lift: comparison.lift)
    }
  }

  private static func state(
    _ margin: ExperimentPlan.Guardrail.Margin?, _ readout: MetricReadout, _ comparison: ArmComparison
  ) -> ExperimentDecision.Guardrail.State {
    let metric = readout.metric
    let state: ExperimentDecision.Guardrail.State
    switch margin {
    case nil: state = comparison.standing == .worse ? .failed : .holds
    case .absolute(let margin): state = judged(comparison.sequential.interval, metric, margin)
    case .relative(let margin): state = judged(comparison.sequential.liftInterval, metric, margin)
    }
    guard metric.conditionalOn != nil, state == .failed else { return state }
    // The outcome selects these users, so only bounds for users that either variant would select can fail the
    // guardrail.
    guard let composition = comparison.composition else { return .open }
    let limit =
      switch margin {
      case nil: 0.0
      case .absolute(let margin): margin
      case .relative(let share): share * abs(readout.arms.first?.estimate ?? 0)
      }
    return metric.best(of: composition) < -limit ? .failed : .open
  }

  private static func judged(
    _ interval: Interval?, _ metric: ExperimentMetric, _ margin: Double
  ) -> ExperimentDecision.Guardrail.State {
    guard let interval else { return .open }
    if metric.worst(of: interval) > -margin { return .holds }
    return metric.best(of: interval) < -margin ? .failed : .open
  }
}
