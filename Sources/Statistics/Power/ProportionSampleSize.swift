internal import RealModule

/// Users needed in the control arm; the treatment has `ratio` times as many. Round the result up.
public struct ProportionSampleSize: Hashable, Sendable {
  /// [z_{1−α/2}·√(p̄q̄(1 + 1/r)) + z_{1−β}·√(p_c q_c + p_t q_t/r)]²/δ², p̄ = (p_c + r p_t)/(1 + r): the default.
  public var pooledNull: Double
  /// (z_{1−α/2} + z_{1−β})²(p_c q_c + p_t q_t/r)/δ².
  public var unpooled: Double
  /// (z_{1−α/2} + z_{1−β})²(1 + 1/r)/h², h = 2 asin √p_t − 2 asin √p_c.
  public var arcsine: Double
}

/// Returns the users a two-sided comparison of two proportions needs.
///
/// - Parameters:
///   - control: p_c, and `treatment` p_t, in (0, 1).
///   - ratio: r, treatment users per control user; above 0.
/// - Returns: `nil` if the two are equal: no number is enough.
///
/// Source: Fleiss, Levin & Paik (2003), section 4.2; Cohen (1988) for h.
public func proportionSampleSize(
  control: Double, treatment: Double, errors: TestErrors = TestErrors(), ratio: Double = 1
) -> ProportionSampleSize? {
  precondition(control > 0 && control < 1, "control is \(control), but must be in (0, 1)")
  precondition(treatment > 0 && treatment < 1, "treatment is \(treatment), but must be in (0, 1)")
  precondition(ratio > 0, "ratio is \(ratio), but must be above 0")
  let difference = treatment - control
  guard difference != 0 else { return nil }
  let (z, zPower) = (errors.twoSidedZ, errors.powerZ)
  let pooled = (control + ratio * treatment) / (1 + ratio)
  let alternative = control * (1 - control) + treatment * (1 - treatment) / ratio
  let null = pooled * (1 - pooled) * (1 + 1 / ratio)
  let sum = z * null.squareRoot() + zPower * alternative.squareRoot()
  let h = 2 * Double.asin(treatment.squareRoot()) - 2 * Double.asin(control.squareRoot())
  let total = z + zPower
  return ProportionSampleSize(
    pooledNull: sum * sum / (difference * difference),
    unpooled: total * total * alternative / (difference * difference),
    arcsine: total * total * (1 + 1 / ratio) / (h * h))
}
