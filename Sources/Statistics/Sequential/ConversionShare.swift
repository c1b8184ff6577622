internal import RealModule

/// The conversion-share e-process: while the arms convert alike, the arm of each conversion is a coin flip of known
/// bias, so two counters give an exact, always-valid test from the first conversion on.
///
/// With allocation shares ρ_i, conversions s_i, S = Σs_i and a Dirichlet(kρ) mixture:
///
///     ln E = lnΓ(k) − lnΓ(k + S) + Σ[lnΓ(kρ_i + s_i) − lnΓ(kρ_i)] − Σ s_i ln ρ_i
///
/// It needs a constant allocation (a change starts a new factor). Its null is "equal conversion *processes*": if arms
/// differ in trial length or delay, use matured outcomes in order of maturity.
///
/// Source: Lindon & Malek (2022), arXiv 2011.03567.
public struct ConversionShare: Hashable, Sendable {
  /// One per arm, above 0; scaled to sum to 1.
  public let allocation: [Double]
  /// k: the weight of the plan, frozen at the start.
  public let concentration: Double

  public init(allocation: [Double], concentration: Double) {
    precondition(allocation.count >= 2 && allocation.allSatisfy { $0 > 0 }, "allocation must have positive shares")
    precondition(concentration > 0, "concentration is \(concentration), but must be above 0")
    let total = allocation.reduce(0, +)
    self.allocation = allocation.map { $0 / total }
    self.concentration = concentration
  }

  /// k = max(2, S*/(−2 ln α + ln(1 − 2 ln α))) for S* planned conversions in all arms together.
  public static func tunedConcentration(plannedConversions: Double, alpha: Double = 0.05) -> Double {
    let twice = -2 * Double.log(alpha)
    return max(2, plannedConversions / (twice + Double.log(onePlus: twice)))
  }

  /// Returns ln E of the counts so far, one per arm.
  ///
  /// At 10⁸ users each log-gamma is 10⁹ while ln E is about 1. By Stirling's formula their large parts combine to
  /// deviances of α_i + s_i from ρ_i(k + S), which are small as long as ln E is.
  public func logEValue(_ conversions: [Double]) -> Double {
    precondition(conversions.count == allocation.count, "one count per arm")
    let (k, total) = (concentration, conversions.reduce(0, +))
    func small(_ weight: Double, _ count: Double) -> Double {
      Gamma.stirlingRemainder(weight + count) - Gamma.stirlingRemainder(weight)
        - 0.5 * Double.log(onePlus: count / weight)
    }
    var value = -small(k, total)
    for (share, count) in zip(allocation, conversions) {
      let weight = k * share
      value += Gamma.deviance(weight + count, share * (k + total)) + small(weight, count)
    }
    return total == 0 ? 0 : value
  }

  /// Returns the always-valid interval of the rate ratio treatment / control, for two arms, control first: all θ =
  /// share of treatment with E(θ) < 1/α, as θ/(1 − θ)·ρ₀/ρ₁.
  ///
  /// - Returns: 0 as lower bound while the treatment has no conversion, ∞ as upper bound while the control has none.
  public func rateRatio(control: Double, treatment: Double, alpha: Double = 0.05) -> Interval {
    precondition(allocation.count == 2, "allocation has \(allocation.count) arms, but must have 2")
    let (own, other) = (allocation[1], allocation[0])
    let odds = betaMixtureLogOdds(
      Proportion(successes: treatment, trials: treatment + control), a: concentration * own,
      b: concentration * other, alpha: alpha)
    let scale = other / own
    return Interval(low: Double.exp(odds.low) * scale, high: Double.exp(odds.high) * scale)
  }

  /// Returns the ratio of rates so far; `nil` while the control has no conversion.
  public func rateRatioEstimate(control: Double, treatment: Double) -> Double? {
    control == 0 ? nil : treatment / control * (allocation[0] / allocation[1])
  }
}
