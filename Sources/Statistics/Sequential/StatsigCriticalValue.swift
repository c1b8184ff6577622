internal import RealModule

/// Returns Statsig's mSPRT critical value in standard errors and the τ behind it, for comparison with that tool only.
///
/// Its τ = z²(σ₁² + σ₀²)/(n₁ + n₀) depends on the running n. For balanced arms the critical value is therefore constant
/// in n, and the test is not always-valid in the sense of the paper.
///
/// Source: Statsig documentation, "Sequential testing".
public func statsigCriticalValue(
  treatmentVariance: Double, controlVariance: Double, treatmentCount: Double, controlCount: Double, alpha: Double
) -> (tau: Double, z: Double) {
  let critical = NormalDistribution.upperQuantile(alpha / 2)
  let variance = treatmentVariance / treatmentCount + controlVariance / controlCount
  let tau = critical * critical * (treatmentVariance + controlVariance) / (treatmentCount + controlCount)
  let square = (1 + variance / tau) * (-2 * Double.log(alpha / 2) + Double.log(onePlus: tau / variance))
  return (tau, square.squareRoot())
}
