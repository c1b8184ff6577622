/// The smallest effect that a test of a given size finds with its power.
public struct DetectableEffect: Hashable, Sendable {
  /// The effect as a lift of the control's mean, with a variance that grows with the lift; `nil` if no lift, however
  /// large, would be found at this size.
  public var relative: Double?
  /// The effect in the unit of the metric: (z_{1−α/2} + z_{1−β})·√(2σ²/n).
  public var absolute: Double
}

/// Returns the detectable effect of a two-sided comparison of means with equal arms.
///
/// The relative one solves L² = c(1 + (1 + L)²) with c = σ²k²/(nμ²), k = z_{1−α/2} + z_{1−β}; for c ≥ 1 there is no
/// detectable lift at this n.
///
/// - Parameters:
///   - mean: μ of the control, not 0; `variance` σ² per user.
///   - countPerArm: n, above 0.
public func detectableEffect(
  mean: Double, variance: Double, countPerArm n: Double, errors: TestErrors = TestErrors()
) -> DetectableEffect {
  precondition(mean != 0, "mean is 0, but must not be")
  precondition(n > 0 && variance >= 0, "countPerArm must be above 0 and variance not negative")
  let k = errors.twoSidedZ + errors.powerZ
  let c = variance * k * k / n / mean / mean
  let relative = c < 1 ? (c + (c * (2 - c)).squareRoot()) / (1 - c) : nil
  return DetectableEffect(relative: relative, absolute: k * (2 * variance / n).squareRoot())
}

/// Returns the effect that a test with this standard error would find with its power: (z_{1−α/2} + z_{1−β})·se.
///
/// Use this for a running test; the power of the observed effect adds nothing to p.
public func detectableEffect(standardError: Double, errors: TestErrors = TestErrors()) -> Double {
  (errors.twoSidedZ + errors.powerZ) * standardError
}
