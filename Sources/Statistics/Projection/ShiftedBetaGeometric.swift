/// The shifted beta-geometric model of contract renewals: each customer has an own churn rate, drawn from Beta(α, β),
/// so the churn of the remaining customers falls over time.
///
///     r_t = (β + t − 1)/(α + β + t − 1),   S(t) = S(t − 1)·r_t,   P(t) = S(t − 1)·α/(α + β + t − 1)
///
/// Source: Fader & Hardie (2007), doi:10.1002/dir.20074.
public struct ShiftedBetaGeometric: Hashable, Sendable {
  public let alpha: Double
  public let beta: Double

  /// - Precondition: Both above 0.
  public init(alpha: Double, beta: Double) {
    precondition(alpha > 0 && beta > 0, "alpha is \(alpha) and beta is \(beta), but both must be above 0")
    self.alpha = alpha
    self.beta = beta
  }

  /// Returns r_t, the share of those alive at t − 1 who renew at t; t from 1.
  public func retention(at t: Int) -> Double { (beta + Double(t - 1)) / (alpha + beta + Double(t - 1)) }

  /// S(0)…S(last).
  public func survival(through last: Int) -> [Double] {
    var curve = [1.0]
    for t in stride(from: 1, through: last, by: 1) { curve.append(curve[t - 1] * retention(at: t)) }
    return curve
  }

  /// P(1)…P(last): the share that churns at each renewal.
  public func churn(through last: Int) -> [Double] {
    let curve = survival(through: last)
    return stride(from: 1, through: last, by: 1).map { t in curve[t - 1] * (alpha / (alpha + beta + Double(t - 1))) }
  }

  /// Whether the undiscounted lifetime has a mean: α > 1. If not, there is no "1/churn" to show.
  public var hasFiniteLifetime: Bool { alpha > 1 }

  /// Returns Σ S(t)/(1 + d)^t over t ≥ 0: the discounted expected lifetime of a new customer, in periods.
  ///
  /// - Parameter discount: d per period; above 0.
  public func discountedLifetime(discount: Double) -> Double {
    precondition(discount > 0, "discount is \(discount), but must be above 0")
    return 1 + discountedResidual(afterRenewals: 0, discount: discount) / (1 + discount)
  }

  /// Returns the discounted expected residual lifetime of a customer in contract period n, just before its renewal:
  ///
  ///     (β + n − 1)/(α + β + n − 1)·₂F₁(1, β + n; α + β + n; 1/(1 + d))
  ///
  /// Source: Fader & Hardie (2010), Marketing Science 29:85.
  ///
  /// - Parameter period: n, from 1.
  public func discountedResidual(inContractPeriod period: Int, discount: Double) -> Double {
    precondition(period >= 1 && discount > 0)
    return discountedResidual(afterRenewals: period - 1, discount: discount)
  }

  /// Returns Σ over k ≥ 0 of the chance to renew k + 1 more times, discounted by k periods.
  private func discountedResidual(afterRenewals renewals: Int, discount: Double) -> Double {
    let factor = 1 / (1 + discount)
    var (term, sum, t) = (1.0, 0.0, Double(renewals))
    while true {
      term *= (beta + t) / (alpha + beta + t)
      sum += term
      term *= factor
      // The rest is at most a geometric series.
      if term <= sum * discount * factor * 1e-16 { return sum }
      t += 1
    }
  }
}
