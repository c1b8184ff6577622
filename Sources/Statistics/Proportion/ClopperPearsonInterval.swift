internal import RealModule

/// Returns the Clopper–Pearson interval of a proportion, which never covers less than its confidence:
///
///     Beta⁻¹(α/2; x, n − x + 1)  to  Beta⁻¹(1 − α/2; x + 1, n − x)
///
/// - Parameter confidence: In (0, 1).
/// - Returns: Bounds as fractions of 1, exactly 0 at no success and 1 at no failure; `nil` without trials.
///
/// Source: Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404.
public func clopperPearsonInterval(_ sample: Proportion, confidence: Double = 0.95) -> Interval? {
  let (x, n) = (sample.successes, sample.trials)
  guard n > 0 else { return nil }
  let tail = (1 - confidence) / 2
  let edge = Double.log(tail) / n
  let low =
    x == 0 ? 0 : x == n ? Double.exp(edge) : BetaDistribution(a: x, b: n - x + 1).quantile(tail)
  let high =
    x == n ? 1 : x == 0 ? -Double.expMinusOne(edge) : BetaDistribution(a: x + 1, b: n - x).upperQuantile(tail)
  return Interval(low: low, high: high)
}
