internal import RealModule

/// A look at the mixture sequential probability ratio test of a normal difference.
public struct MixtureSPRTLook: Hashable, Sendable {
  public var logLambda: Double
  /// min(1, 1/Λ) of this look.
  public var p: Double
  public var halfWidth: Double
}

/// Returns the mSPRT at one look: Λ = √(V/(V + τ))·exp(τd²/(2V(V + τ))).
///
/// - Parameters:
///   - variance: V of the difference; above 0.
///   - tau: The prior variance of the effect; above 0 and fixed for the whole experiment.
///
/// Source: Johari, Koomen, Pekelis & Walsh (2022), doi:10.1287/opre.2021.2135.
public func mixtureSPRT(difference: Double, variance: Double, tau: Double, alpha: Double = 0.05) -> MixtureSPRTLook {
  precondition(variance > 0 && tau > 0, "variance is \(variance) and tau is \(tau), but both must be above 0")
  let spread = Double.log(onePlus: tau / variance)
  let logLambda = tau / (variance + tau) * (difference / variance * difference) / 2 - spread / 2
  let half = ((spread - 2 * Double.log(alpha)) * variance * (1 + variance / tau)).squareRoot()
  return MixtureSPRTLook(logLambda: logLambda, p: min(1, Double.exp(-logLambda)), halfWidth: half)
}
