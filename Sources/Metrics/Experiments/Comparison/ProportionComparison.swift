internal import Statistics

/// Compares shares of users: Miettinen–Nurminen for difference, test and lift, beta posteriors for the probabilities.
enum ProportionComparison {
  /// - Parameters:
  ///   - arms: Control first.
  ///   - immature: One per arm.
  static func readout(
    _ metric: ExperimentMetric, arms: [CumulativeByDay<OutcomeTally>], immature: [Int], _ rules: ComparisonRules
  ) -> MetricReadout {
    let totals = arms.map(\.total)
    var results = zip(totals, immature).map { tally, immature in
      var result = ArmResult(persons: tally.persons, immature: immature, events: tally.events)
      result.estimate = tally.proportion.estimate
      result.interval = wilsonInterval(successes: Double(tally.events), trials: Double(tally.persons), z: rules.z)
      if tally.persons == 0 { result.reason = notYet }
      return result
    }
    var comparisons = totals.indices.dropFirst().map { arm in
      compare(totals[arm], totals[0], looks: looks(arms[arm], arms[0], rules), rules, arm: arm)
    }
    if rules.hasPosteriors { addPosteriors(metric, totals, to: &results, &comparisons) }
    return MetricReadout(metric, rules, arms: results, comparisons: comparisons)
  }

  static let notYet = "no user's horizon is over"

  /// Returns the data of each day's look; the last is now.
  static func looks(
    _ treatment: CumulativeByDay<OutcomeTally>, _ control: CumulativeByDay<OutcomeTally>, _ rules: ComparisonRules
  ) -> [DifferenceLook] {
    let all = CumulativeByDay.looks(treatment, control)
    return (rules.hasLooks ? all[...] : all.suffix(1)).compactMap { day, treatment, control in
      look(treatment, control, daysBefore: day)
    }
  }

  private static func look(_ treatment: OutcomeTally, _ control: OutcomeTally, daysBefore: Int) -> DifferenceLook? {
    let (own, other) = (treatment.proportion, control.proportion)
    guard let p1 = own.estimate, let p0 = other.estimate else { return nil }
    let variance = p1 * (1 - p1) / own.trials + p0 * (1 - p0) / other.trials
    return DifferenceLook(
      daysBefore: daysBefore, estimate: p1 - p0, standardError: variance.squareRoot(),
      z: miettinenNurminenTest(own, other)?.z, treatmentUsers: own.trials, controlUsers: other.trials,
      treatmentEvents: own.successes, controlEvents: other.successes)
  }

  private static func compare(
    _ treatment: OutcomeTally, _ control: OutcomeTally, looks: [DifferenceLook], _ rules: ComparisonRules, arm: Int
  ) -> ArmComparison {
    var comparison = ArmComparison(method: "miettinen_nurminen", golden: "diff_proportions, relative_lift")
    let (own, other) = (treatment.proportion, control.proportion)
    guard let p1 = own.estimate, let p0 = other.estimate else {
      return ArmComparison(method: comparison.method, golden: comparison.golden, reason: notYet)
    }
    let test = miettinenNurminenTest(own, other)
    comparison.difference = p1 - p0
    comparison.standardError = looks.last?.standardError
    comparison.interval = miettinenNurminenDifference(own, other, z: rules.z)
    comparison.p = test?.twoSidedP
    if test == nil { comparison.reason = "all outcomes are equal: nothing to test" }
    if control.events > 0 { comparison.lift = (p1 - p0) / p0 }
    if let ratio = scoreRatio(own, other, z: rules.z) {
      comparison.liftInterval = Interval(low: ratio.low - 1, high: ratio.high - 1)
    }
    if control.events == 0 {
      comparison.liftReason =
        treatment.events == 0 ? "no information: no outcome in either variant" : "unbounded: no outcome in the control"
    }
    comparison.sequential = rules.sequential(arm).reading(looks, fixedP: comparison.p) { critical in
      miettinenNurminenDifference(own, other, z: critical)
    }
    comparison.setDecisionLift(own.meanEstimate, other.meanEstimate)
    return comparison
  }

  /// Adds posteriors from flat priors. For a metric where less is better, they describe its complement.
  private static func addPosteriors(
    _ metric: ExperimentMetric, _ totals: [OutcomeTally], to arms: inout [ArmResult],
    _ comparisons: inout [ArmComparison]
  ) {
    guard totals.count >= 2, totals.allSatisfy({ $0.persons > 0 }) else { return }
    let posteriors = totals.map { tally in
      let (good, bad) = (Double(tally.events) + 1, Double(tally.persons - tally.events) + 1)
      return metric.sign > 0 ? BetaDistribution(a: good, b: bad) : BetaDistribution(a: bad, b: good)
    }
    guard let all = betaDecision(posteriors) else { return }
    for arm in arms.indices {
      arms[arm].chanceBest = all.bestProbabilities[arm]
      arms[arm].expectedLoss = all.expectedLosses[arm]
    }
    for place in comparisons.indices {
      let pair = totals.count == 2 ? all : betaDecision([posteriors[0], posteriors[place + 1]])
      comparisons[place].chanceToBeat = pair?.bestProbabilities[1]
      comparisons[place].expectedLoss = pair?.expectedLosses[1]
    }
  }
}

extension Proportion {
  /// The share with its unpooled standard error; of no trials, 0 of 0.
  var meanEstimate: MeanEstimate {
    let share = estimate ?? 0
    return MeanEstimate(
      mean: share, standardError: trials > 0 ? (share * (failures / trials) / trials).squareRoot() : 0)
  }
}
