internal import RealModule

/// Returns the Katz log interval of a ratio of proportions, θ̂·exp(±z·√(1/x₁ − 1/n₁ + 1/x₂ − 1/n₂)).
///
/// - Returns: `nil` when an arm has no success or no trials: use ``scoreRatio(_:_:z:corrected:)``.
///
/// Source: Katz et al. (1978), Biometrics 34:469.
public func katzLogRatio(
  _ treatment: Proportion, _ control: Proportion, z: Double = normalQuantile975
) -> Interval? {
  guard let p1 = treatment.estimate, let p2 = control.estimate, p1 > 0, p2 > 0 else { return nil }
  func term(_ sample: Proportion) -> Double { sample.failures / sample.successes / sample.trials }
  let spread = z * (term(treatment) + term(control)).squareRoot()
  let ratio = p1 / p2
  return Interval(low: ratio * Double.exp(-spread), high: ratio * Double.exp(spread))
}
