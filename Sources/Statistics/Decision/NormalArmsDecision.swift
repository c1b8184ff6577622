internal import RealModule

/// Returns P(best) and expected loss of independent normal posteriors, by quadrature:
///
///     P(i best) = ∫ f_i ∏_{j≠i} F_j dx,   loss_i = ∫ F_i (1 − ∏_{j≠i} F_j) dx
///
/// The formulas are those of ``betaDecision(_:)``; both integrands are positive.
///
/// - Parameter arms: Two or more, each with a standard error above 0.
/// - Returns: `nil` if the probabilities do not sum to 1 within 10⁻⁹.
public func normalArmsDecision(_ arms: [MeanEstimate]) -> ArmsDecision? {
  precondition(arms.count >= 2, "arms.count is \(arms.count), but must be at least 2")
  precondition(arms.allSatisfy { $0.standardError > 0 }, "standardError must be above 0")
  let edges = GaussLegendre.edges(around: arms.map { (mean: $0.mean, deviation: $0.standardError) })
  var best = [Double](repeating: 0, count: arms.count)
  var losses = best
  GaussLegendre.thirty.forEach(in: edges) { x, weight in
    let scores = arms.map { (x - $0.mean) / $0.standardError }
    // ln ∏ F_j, so that 1 − ∏ F_j comes from the small tails and not from 1.
    let others = sumsOfOthers(scores.map { NormalDistribution.logCDF($0) })
    for arm in arms.indices {
      let logOthers = others[arm]
      best[arm] +=
        weight * NormalDistribution.density(scores[arm]) / arms[arm].standardError * Double.exp(logOthers)
      losses[arm] -= weight * NormalDistribution.cdf(scores[arm]) * Double.expMinusOne(logOthers)
    }
  }
  return ArmsDecision(best: best, losses: losses)
}
