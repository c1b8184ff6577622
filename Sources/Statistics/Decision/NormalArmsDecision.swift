internal import RealModule

/// A decision between arms by the normal posteriors of their means.
public struct NormalArmsDecision: Hashable, Sendable {
  /// P(arm has the highest mean), one per arm; they sum to 1.
  public var bestProbabilities: [Double]
  /// Expected loss of mean from choosing the arm instead of the best, one per arm; in the unit of the means.
  public var expectedLosses: [Double]
}

/// Returns P(best) and expected loss of independent normal posteriors, by quadrature:
///
///     P(i best) = ∫ f_i ∏_{j≠i} F_j dx,   loss_i = ∫ F_i (1 − ∏_{j≠i} F_j) dx
///
/// The formulas are those of ``betaDecision(_:)``; both integrands are positive.
///
/// - Parameter arms: Two or more, each with a standard error above 0.
/// - Returns: `nil` if the probabilities do not sum to 1 within 10⁻⁹.
public func normalArmsDecision(_ arms: [MeanEstimate]) -> NormalArmsDecision? {
  precondition(arms.count >= 2, "arms.count is \(arms.count), but must be at least 2")
  precondition(arms.allSatisfy { $0.standardError > 0 }, "standardError must be above 0")
  var edges: Set<Double> = []
  for arm in arms {
    for k in [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 14, 20, 28, 40] {
      edges.insert(arm.mean - k * arm.standardError)
      edges.insert(arm.mean + k * arm.standardError)
    }
  }
  let panels = edges.sorted()
  let rule = GaussLegendre.thirty
  var best = [Double](repeating: 0, count: arms.count)
  var losses = best
  for (low, high) in zip(panels, panels.dropFirst()) {
    let (half, middle) = ((high - low) / 2, (high + low) / 2)
    for index in rule.nodes.indices {
      let (x, weight) = (middle + half * rule.nodes[index], half * rule.weights[index])
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
  }
  guard abs(best.reduce(0, +) - 1) < 1e-9 else { return nil }
  return NormalArmsDecision(bestProbabilities: best.map { min(1, $0) }, expectedLosses: losses)
}
