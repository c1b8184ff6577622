/// A score test of p₁ − p₂ against a margin.
public struct ScoreTest: Hashable, Sendable {
  public var z: Double
  /// One-sided, against "not above the margin".
  public var greaterP: Double
  /// One-sided, against "not below the margin".
  public var lessP: Double
  public var twoSidedP: Double
  /// The most likely rates under the margin.
  public var treatmentNull: Double
  public var controlNull: Double
}

/// Tests p₁ − p₂ = margin by the Miettinen–Nurminen score; at margin 0 it is the N − 1 χ² test.
///
/// - Parameter margin: In (−1, 1); for non-inferiority, the guardrail's margin.
/// - Returns: `nil` if an arm has no trials, or if all outcomes are equal and the margin is 0: nothing varies.
///
/// Source: Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211.
public func miettinenNurminenTest(
  _ treatment: Proportion, _ control: Proportion, margin: Double = 0
) -> ScoreTest? {
  precondition(margin > -1 && margin < 1, "margin is \(margin), but must be in (-1, 1)")
  guard let score = ScoreDifference(treatment, control, corrected: true) else { return nil }
  let (successes, trials) = (treatment.successes + control.successes, treatment.trials + control.trials)
  if margin == 0, successes == 0 || successes == trials { return nil }
  let rates = score.restrictedEstimates(delta: margin)
  let z = score.z(delta: margin)
  return ScoreTest(
    z: z, greaterP: NormalDistribution.survival(z), lessP: NormalDistribution.cdf(z),
    twoSidedP: NormalDistribution.twoSidedP(z), treatmentNull: rates.first, controlNull: rates.second)
}
