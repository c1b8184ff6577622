internal import RealModule

/// Returns P(B > A) for beta posteriors in closed form, as a cross-check of the quadrature:
///
///     Σ_{i < a_B} B(a_A + i, b_A + b_B) / [(b_B + i)·B(1 + i, b_B)·B(a_A, b_A)]
///
/// - Parameter second: Its `a` must be whole; the run time grows with it.
///
/// Source: E. Miller (2015), "Formulas for Bayesian A/B testing"; Cook (2005).
public func chanceToBeat(_ first: BetaDistribution, by second: BetaDistribution) -> Double {
  precondition(second.a.rounded() == second.a, "a is \(second.a), but must be whole")
  let constant = logBeta(first.a, first.b)
  var sum = 0.0
  for i in stride(from: 0, to: second.a, by: 1) {
    sum += Double.exp(
      logBeta(first.a + i, first.b + second.b) - Double.log(second.b + i) - logBeta(1 + i, second.b) - constant)
  }
  return min(1, sum)
}
