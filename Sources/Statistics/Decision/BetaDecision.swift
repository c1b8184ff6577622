internal import RealModule

/// A decision between arms by the posteriors of their rates or means.
public struct ArmsDecision: Hashable, Sendable {
  /// P(arm has the highest rate or mean), one per arm; they sum to 1.
  public var bestProbabilities: [Double]
  /// Expected loss from choosing the arm instead of the best, one per arm; in the unit of the rates or means.
  public var expectedLosses: [Double]

  /// - Returns: `nil` if the probabilities do not sum to 1 within 10⁻⁹.
  init?(best: [Double], losses: [Double]) {
    guard abs(best.reduce(0, +) - 1) < 1e-9 else { return nil }
    (bestProbabilities, expectedLosses) = (best.map { min(1, $0) }, losses)
  }
}

/// Returns P(best) and expected loss of independent beta posteriors, by quadrature:
///
///     P(i best) = ∫ f_i ∏_{j≠i} F_j dx,   loss_i = ∫ F_i (1 − ∏_{j≠i} F_j) dx
///
/// Both integrands are positive, so tiny losses keep their digits, and the result does not vary between reloads as a
/// simulation would. Panels lie between mean ± k·sd of every arm, and geometrically towards 0 and 1.
///
/// It does not survive peeking: with flat priors ">95% at any of 28 daily looks" is wrong in 23% of A/A tests.
///
/// - Parameter posteriors: One per arm, two or more.
/// - Returns: `nil` if the probabilities do not sum to 1 within 10⁻⁹ (a posterior too narrow for the panels).
///
/// Source: Stucchio, VWO (2015), for the loss.
public func betaDecision(_ posteriors: [BetaDistribution]) -> ArmsDecision? {
  precondition(posteriors.count >= 2, "posteriors.count is \(posteriors.count), but must be at least 2")
  // In the log-odds of a rate, every beta density is smooth, and the ends 0 and 1 are far away.
  let edges = GaussLegendre.edges(
    around: posteriors.map {
      (
        mean: Gamma.digamma($0.a) - Gamma.digamma($0.b),
        deviation: (Gamma.trigamma($0.a) + Gamma.trigamma($0.b)).squareRoot()
      )
    })
  let count = posteriors.count
  var best = [Double](repeating: 0, count: count)
  var losses = best
  var (lower, upper) = (best, best)
  GaussLegendre.thirty.forEach(in: edges.filter { abs($0) < 700 }) { logOdds, weight in
    let (x, y) = BetaDistribution.fromLogOdds(logOdds)
    for (arm, posterior) in posteriors.enumerated() {
      (lower[arm], upper[arm]) = posterior.tails(x, y)
    }
    // ln ∏ F_j, so that 1 − ∏ F_j comes from the small tails and not from 1.
    let others = sumsOfOthers(zip(lower, upper).map { $1 < 0.5 ? Double.log(onePlus: -$1) : Double.log($0) })
    for arm in 0..<count {
      let logOthers = others[arm]
      // In log-odds u, dx = x(1 − x) du; the density's own factor is in its weight.
      best[arm] += weight * Double.exp(posteriors[arm].logWeight(x, y) + logOthers)
      losses[arm] -= weight * x * y * lower[arm] * Double.expMinusOne(logOthers)
    }
  }
  return ArmsDecision(best: best, losses: losses)
}

/// Of each value, the sum of all others: of those before and those behind it, as nothing may be taken from an infinite sum.
func sumsOfOthers(_ values: [Double]) -> [Double] {
  var sums = [Double](repeating: 0, count: values.count)
  var (before, behind) = (0.0, 0.0)
  for place in values.indices {
    sums[place] = before
    before += values[place]
  }
  for place in values.indices.reversed() {
    sums[place] += behind
    behind += values[place]
  }
  return sums
}
