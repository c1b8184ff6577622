internal import Statistics

/// Judges metrics against how much worse they may be, one-sided at half of the plan's α.
enum GuardrailRule {
  static func readouts(
    _ guardrail: ExperimentPlan.Guardrail, _ metric: MetricReadout, treatments: [String], alpha: Double
  ) -> [GuardrailReadout] {
    zip(treatments, metric.comparisons).enumerated().map { place, pair in
      let (variant, comparison) = pair
      var readout = GuardrailReadout(
        metric: metric.metric, margin: guardrail.margin, variant: variant, state: .notEstimable, p: nil,
        difference: comparison.difference, lift: comparison.lift)
      switch guardrail.margin {
      case .absolute(let margin):
        guard
          let p = oneSided(metric, comparison, treatment: metric.arms[place + 1], control: metric.arms[0], margin)
        else { break }
        readout.p = p.nonInferior
        readout.state = p.nonInferior < alpha / 2 ? .nonInferior : p.inferior < alpha / 2 ? .inferior : .undecided
      case .relative(let margin):
        guard let lift = comparison.liftInterval else { break }
        let (worst, best) = metric.metric.sign > 0 ? (lift.low, lift.high) : (-lift.high, -lift.low)
        readout.state = worst > -margin ? .nonInferior : best < -margin ? .inferior : .undecided
      }
      return readout
    }
  }

  /// The p of being worse by the margin or more (rejected: non-inferior), and of not being so (rejected: inferior).
  private static func oneSided(
    _ metric: MetricReadout, _ comparison: ArmComparison, treatment: ArmResult, control: ArmResult, _ margin: Double
  ) -> (nonInferior: Double, inferior: Double)? {
    let sign = metric.metric.sign
    if metric.metric.kind == .proportion {
      guard margin < 1, treatment.persons > 0, control.persons > 0,
        let test = miettinenNurminenTest(
          Proportion(successes: Double(treatment.events), trials: Double(treatment.persons)),
          Proportion(successes: Double(control.events), trials: Double(control.persons)), margin: -sign * margin)
      else { return nil }
      return sign > 0 ? (test.greaterP, test.lessP) : (test.lessP, test.greaterP)
    }
    guard let difference = comparison.difference, let error = comparison.standardError, error > 0 else { return nil }
    let statistic = (sign * difference + margin) / error
    guard let degrees = comparison.degrees else {
      return (NormalDistribution.survival(statistic), NormalDistribution.cdf(statistic))
    }
    return (
      StudentDistribution.survival(statistic, degrees: degrees),
      StudentDistribution.survival(-statistic, degrees: degrees)
    )
  }
}
