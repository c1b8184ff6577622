/// Φ⁻¹(0.975) in full precision: the critical value of every 95% interval (definitions 1.8).
public let normalQuantile975 = 1.959963984540054

/// Returns the Wilson score interval of a proportion, with x successes in n trials:
///
///     [x + z²/2 ∓ z·√(x(1 − x/n) + z²/4)] / (n + z²)
///
/// The lower bound is computed as x² / (n(n + z²)·upper), the product of the roots, so that it keeps its digits when it
/// is small compared with the terms of the sum.
///
/// - Parameter successes: 0 to `trials`; may be fractional, as for ``AalenJohansen/effectiveTrials(of:)``.
/// - Parameter trials: May be fractional too.
/// - Parameter z: The two-sided critical value; positive.
/// - Returns: Bounds as fractions of 1, exactly 0 at no success and 1 at no failure; `nil` when `trials` is 0.
///
/// Source: E. B. Wilson (1927), doi:10.1080/01621459.1927.10502953; Newcombe (1998a) method 3.
public func wilsonInterval(successes x: Double, trials n: Double, z: Double = normalQuantile975) -> Interval? {
  precondition(x >= 0 && x <= n, "successes is \(x), but must be between 0 and trials, \(n)")
  guard n > 0 else { return nil }
  let z2 = z * z
  let root = z * (x * ((n - x) / n) + z2 / 4).squareRoot()
  let high = x == n ? 1 : min(1, (x + z2 / 2 + root) / (n + z2))
  // At x = n the quotient below would use the forced 1, which is the root itself.
  let low = x == 0 ? 0 : x / n * (x / (n + z2)) / high
  return Interval(low: low, high: high)
}
