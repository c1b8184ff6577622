/// The N − 1 χ² test of equal proportions, one degree of freedom.
public struct NMinus1Test: Hashable, Sendable {
  public var chiSquare: Double
  public var p: Double
}

/// Tests p₁ = p₂ by (N − 1)/N times Pearson's χ²: the Miettinen–Nurminen test at margin 0.
///
/// - Returns: `nil` when an arm has no trials or all outcomes are equal.
///
/// Source: Campbell (2007), doi:10.1002/sim.2832.
public func nMinus1Test(_ treatment: Proportion, _ control: Proportion) -> NMinus1Test? {
  guard let z = pooledZ(treatment, control) else { return nil }
  let total = treatment.trials + control.trials
  let chiSquare = z * z * ((total - 1) / total)
  return NMinus1Test(chiSquare: chiSquare, p: ChiSquareDistribution.survival(chiSquare, degrees: 1))
}
