/// Returns the exact two-sided p of a count against its planned share: the probability of outcomes no likelier than the
/// observed one, within a factor 1 + 10⁻⁷, as in R and SciPy.
///
/// - Parameter share: Planned, in (0, 1).
/// - Returns: `nil` without users.
public func exactBinomialTest(_ sample: Proportion, share: Double) -> Double? {
  precondition(share > 0 && share < 1, "share is \(share), but must be in (0, 1)")
  let (x, n) = (sample.successes, sample.trials)
  guard n > 0 else { return nil }
  let law = BinomialDistribution(trials: n, probability: share)
  let bound = law.logProbability(of: x) + 1e-7
  let mode = ((n + 1) * share).rounded(.down)
  if law.logProbability(of: mode) <= bound { return 1 }
  /// Returns the outcome nearest the mode on one side that is no likelier; probabilities decrease away from the mode.
  func edge(from near: Double, to far: Double) -> Double? {
    guard law.logProbability(of: far) <= bound else { return nil }
    var (inside, outside) = (near, far)
    while abs(outside - inside) > 1 {
      let middle = ((inside + outside) / 2).rounded(.down)
      if law.logProbability(of: middle) <= bound { outside = middle } else { inside = middle }
    }
    return outside
  }
  if x > mode { return min(1, law.upperTail(x) + (edge(from: mode, to: 0).map(law.cdf) ?? 0)) }
  return min(1, law.cdf(x) + (edge(from: mode, to: n).map(law.upperTail) ?? 0))
}
