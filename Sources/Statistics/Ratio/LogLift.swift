internal import RealModule

/// A lift on the log scale, ln(m₁/m₀), and its variance.
public struct LogLift: Hashable, Sendable {
  public var value: Double
  public var variance: Double

  public init(value: Double, variance: Double) {
    (self.value, self.variance) = (value, variance)
  }

  /// Of shares: ln((x₁ + ½)/(n₁ + ½)) − ln((x₀ + ½)/(n₀ + ½)), with 1/(x + ½) − 1/(n + ½) of each arm as variance.
  ///
  /// - Returns: `nil` when an arm has nobody, or everybody in both has the outcome: nothing varies.
  ///
  /// Source: decisions.md D8.2.
  public init?(_ treatment: Proportion, _ control: Proportion) {
    guard treatment.trials > 0, control.trials > 0 else { return nil }
    func part(_ arm: Proportion) -> (log: Double, variance: Double) {
      let (x, n) = (arm.successes + 0.5, arm.trials + 0.5)
      return (Double.log(x / n), arm.failures / x / n)
    }
    let (one, other) = (part(treatment), part(control))
    (value, variance) = (one.log - other.log, one.variance + other.variance)
    guard variance > 0 else { return nil }
  }

  /// Of means, by the delta method: v₁/m₁² + v₀/m₀².
  ///
  /// - Returns: `nil` unless both means are above 0 and something varies.
  public init?(_ treatment: MeanEstimate, _ control: MeanEstimate) {
    guard treatment.mean > 0, control.mean > 0 else { return nil }
    let (one, other) = (treatment.standardError / treatment.mean, control.standardError / control.mean)
    (value, variance) = (Double.log(treatment.mean / control.mean), one * one + other * other)
    guard variance > 0 else { return nil }
  }
}
