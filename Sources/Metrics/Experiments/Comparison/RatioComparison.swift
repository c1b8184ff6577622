internal import Statistics

/// Compares quotients of two sums over users: the delta method's variance, Welch for the difference, Fieller for the
/// lift.
enum RatioComparison {
  static func readout(
    _ metric: ExperimentMetric, arms: [CumulativeByDay<RatioTally>], immature: [Int], _ rules: ComparisonRules
  ) -> MetricReadout {
    let totals = arms.map(\.total)
    let estimates = totals.map(\.sums.arm)
    var results = totals.indices.map { arm in
      var result = ArmResult(persons: totals[arm].persons, immature: immature[arm], events: totals[arm].bases)
      result.estimate = estimates[arm]?.mean
      if let estimate = estimates[arm] {
        let half = rules.z * estimate.variance.squareRoot()
        result.interval = Interval(low: estimate.mean - half, high: estimate.mean + half)
      } else {
        result.reason = "no denominator: nobody to divide by"
      }
      return result
    }
    var comparisons = totals.indices.dropFirst().map { arm in
      MeanPair(
        treatment: estimates[arm], control: estimates[0], looks: looks(arms[arm], arms[0], rules), rules: rules,
        arm: arm
      ).comparison(method: "ratio_delta", golden: "ratio_delta")
    }
    if rules.hasPosteriors { metric.addNormalPosteriors(estimates, to: &results, &comparisons) }
    return MetricReadout(metric, rules, arms: results, comparisons: comparisons)
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
