internal import Statistics

/// Compares quotients of two sums over users: the delta method's variance, Welch for the difference, Fieller for the
/// lift.
enum RatioComparison {
  static func readout(
    _ metric: ExperimentMetric, arms: [CumulativeByDay<RatioTally>], immature: [Int], _ rules: ComparisonRules
  ) -> MetricReadout {
    let totals = arms.map(\.total)
    let reasons = totals.indices.map { reason(metric, totals[$0], variant: rules.variants[$0]) }
    let estimates = totals.indices.map { reasons[$0] == nil ? totals[$0].sums.arm : nil }
    var results = totals.indices.map { arm in
      var result = ArmResult(persons: totals[arm].persons, immature: immature[arm], events: totals[arm].bases)
      result.estimate = totals[arm].sums.arm?.mean
      result.reason = reasons[arm]
      if let estimate = estimates[arm] {
        let half = rules.z * estimate.variance.squareRoot()
        result.interval = Interval(around: estimate.mean, half: half)
      }
      return result
    }
    var comparisons = totals.indices.dropFirst().map { arm in
      MeanPair(
        treatment: estimates[arm], control: estimates[0], looks: looks(arms[arm], arms[0], rules), rules: rules,
        arm: arm
      ).comparison(method: "ratio_delta", golden: "ratio_delta", notKnown: reasons[0] ?? reasons[arm])
    }
    if rules.hasPosteriors { metric.addNormalPosteriors(estimates, to: &results, &comparisons) }
    return MetricReadout(metric, rules, arms: results, comparisons: comparisons)
  }

  /// Payers that a mean of theirs needs for an interval (statistics 2.13).
  private static let leastPayers = 5

  /// Why an arm's quotient has no interval; `nil` where it has one.
  private static func reason(_ metric: ExperimentMetric, _ tally: RatioTally, variant: String) -> String? {
    if metric.conditionalOn == "payers" {
      if tally.bases < leastPayers { return "fewer than \(leastPayers) payers in \(variant)" }
      if !tally.hasSpread { return "all payers in \(variant) paid the same amount" }
    }
    return tally.sums.arm == nil ? "the denominator in \(variant) is 0" : nil
  }

  static func looks(
    _ treatment: CumulativeByDay<RatioTally>, _ control: CumulativeByDay<RatioTally>, _ rules: ComparisonRules
  ) -> [DifferenceLook] {
    let all = CumulativeByDay.looks(treatment, control)
    return (rules.hasLooks ? all[...] : all.suffix(1)).compactMap { day, treatment, control in
      MeanPair.look(
        treatment.sums.arm, control.sums.arm, events: (Double(treatment.bases), Double(control.bases)),
        daysBefore: day)
    }
  }
}
