/// A decision for or against the treatment by a normal posterior of the difference.
public struct NormalDecision: Hashable, Sendable {
  /// P(difference > 0).
  public var chanceToWin: Double
  /// E[max(−difference, 0)], in the unit of the difference.
  public var treatmentLoss: Double
  /// E[max(difference, 0)].
  public var controlLoss: Double
}

/// Returns the chance to win and the expected losses for a normal posterior of the difference: loss = σφ(μ/σ) −
/// μΦ(−μ/σ).
///
/// Beyond 5 σ the two terms cancel, so it uses σφ(z)·K/(z + K) with K of the Mills ratio's continued fraction.
///
/// - Parameter sd: Above 0.
public func normalDecision(mean: Double, sd: Double) -> NormalDecision {
  precondition(sd > 0, "sd is \(sd), but must be above 0")
  let z = mean / sd
  /// E[max(−Z − z, 0)].
  func loss(_ z: Double) -> Double {
    if z <= 5 { return NormalDistribution.density(z) - z * NormalDistribution.survival(z) }
    let remainder = NormalDistribution.millsRemainder(z)
    return NormalDistribution.density(z) * (remainder / (z + remainder))
  }
  return NormalDecision(
    chanceToWin: NormalDistribution.cdf(z), treatmentLoss: sd * loss(z), controlLoss: sd * loss(-z))
}
