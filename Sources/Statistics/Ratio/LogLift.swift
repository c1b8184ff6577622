internal import RealModule

/// The log of a lift, ln(treatment ÷ control), with its variance: the scale on which effects of experiments add up.
public struct LogLift: Hashable, Sendable {
  public var value: Double
  /// Above 0.
  public var variance: Double

  public init(value: Double, variance: Double) {
    (self.value, self.variance) = (value, variance)
  }

  public var standardError: Double { variance.squareRoot() }

  /// Creates the log lift of two proportions, with ½ added to successes and trials so that zero successes can be
  /// estimated too:
  ///
  ///     y  = ln((x₁ + ½)/(n₁ + ½)) − ln((x₀ + ½)/(n₀ + ½))
  ///     s² = 1/(x₁ + ½) − 1/(n₁ + ½) + 1/(x₀ + ½) − 1/(n₀ + ½)
  ///
  /// - Returns: `nil` if an arm has no trials, or if all users in both arms succeeded (s² = 0).
  ///
  /// Source: Walter (1975), Biometrika 62:371; Pettigrew, Gart & Thomas (1986), Biometrika 73:425; Decisions.md D8.2.
  public init?(_ treatment: Proportion, _ control: Proportion) {
    guard treatment.trials > 0, control.trials > 0 else { return nil }
    func log(_ arm: Proportion) -> Double { Double.log((arm.successes + 0.5) / (arm.trials + 0.5)) }
    // 1/(x + ½) − 1/(n + ½) over one denominator, as the difference would cancel if almost all users succeed.
    func variance(_ arm: Proportion) -> Double { arm.failures / ((arm.successes + 0.5) * (arm.trials + 0.5)) }
    self.init(value: log(treatment) - log(control), variance: variance(treatment) + variance(control))
    guard self.variance > 0 else { return nil }
  }

  /// Creates the log lift of two means by the delta method: ln(m₁/m₀), s² = v₁/m₁² + v₀/m₀².
  ///
  /// - Returns: `nil` unless both means are above 0 and one has a standard error.
  public init?(_ treatment: MeanEstimate, _ control: MeanEstimate) {
    guard treatment.mean > 0, control.mean > 0 else { return nil }
    let (one, other) = (treatment.standardError / treatment.mean, control.standardError / control.mean)
    self.init(value: Double.log(treatment.mean / control.mean), variance: one * one + other * other)
    guard variance > 0 else { return nil }
  }
}
