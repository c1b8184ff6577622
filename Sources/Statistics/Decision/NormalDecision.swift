/// What a normal posterior of a difference says about choosing the treatment.
public struct NormalDecision: Hashable, Sendable {
  /// P(difference > 0).
  public var chanceToWin: Double
  /// E[max(−difference, 0)], in the unit of the difference.
  public var treatmentLoss: Double
  /// E[max(difference, 0)].
  public var controlLoss: Double
}

/// Returns chance to win and expected losses of a difference with a normal posterior: loss = σφ(μ/σ) − μΦ(−μ/σ).
///
/// Beyond 5 σ the two terms cancel; there it is σφ(z)·K/(z + K) with K of the Mills ratio's continued fraction.
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
