/// The power of a two-sided test of two proportions, including both rejection tails.
public struct ProportionPower: Hashable, Sendable {
  /// With the pooled variance under the null, as in the test itself.
  public var pooledNull: Double
  public var unpooled: Double
}

/// Returns the power at given sizes, in the normal approximation.
///
/// - Parameters:
///   - control: p_c, and `treatment` p_t, in (0, 1).
///   - controlCount: Users, above 0; `treatmentCount` too.
public func proportionPower(
  control: Double, treatment: Double, controlCount: Double, treatmentCount: Double, alpha: Double = 0.05
) -> ProportionPower {
  precondition(control > 0 && control < 1, "control is \(control), but must be in (0, 1)")
  precondition(treatment > 0 && treatment < 1, "treatment is \(treatment), but must be in (0, 1)")
  precondition(controlCount > 0 && treatmentCount > 0, "both counts must be above 0")
  let z = NormalDistribution.upperQuantile(alpha / 2)
  let total = controlCount + treatmentCount
  let pooled = (control * controlCount + treatment * treatmentCount) / total
  let null = (pooled * (1 - pooled) * (1 / controlCount + 1 / treatmentCount)).squareRoot()
  let alternative =
    (control * (1 - control) / controlCount + treatment * (1 - treatment) / treatmentCount).squareRoot()
  let difference = treatment - control
  func power(_ threshold: Double) -> Double {
    NormalDistribution.survival((threshold - difference) / alternative)
      + NormalDistribution.survival((threshold + difference) / alternative)
  }
  return ProportionPower(pooledNull: power(z * null), unpooled: power(z * alternative))
}
