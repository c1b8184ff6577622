internal import RealModule

/// A two-sided test of equal proportions by a normal statistic.
public struct PooledZTest: Hashable, Sendable {
  public var z: Double
  public var twoSidedP: Double
  /// log₁₀ of the two-sided p: finite also where p underflows to 0.
  public var log10P: Double
}

/// Tests p₁ = p₂ by z = (p̂₁ − p̂₂)/√[p̄(1 − p̄)(1/n₁ + 1/n₂)], p̄ pooled.
///
/// - Returns: `nil` when an arm has no trials or all outcomes are equal.
public func pooledZTest(_ treatment: Proportion, _ control: Proportion) -> PooledZTest? {
  guard let z = pooledZ(treatment, control) else { return nil }
  let logP = min(0, Double.log(2) + NormalDistribution.logSurvival(abs(z)))
  return PooledZTest(z: z, twoSidedP: NormalDistribution.twoSidedP(z), log10P: logP / Double.log(10))
}

func pooledZ(_ treatment: Proportion, _ control: Proportion) -> Double? {
  let (n1, n2) = (treatment.trials, control.trials)
  let (successes, failures) = (treatment.successes + control.successes, treatment.failures + control.failures)
  guard n1 > 0, n2 > 0, successes > 0, failures > 0 else { return nil }
  // x₁n₂ − x₂n₁ is exact below 2⁵³; the difference of two rounded rates is not.
  let difference = treatment.successes * n2 - control.successes * n1
  return difference / (successes * failures * (n1 / (n1 + n2)) * n2).squareRoot()
}
