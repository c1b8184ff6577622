internal import RealModule

/// Returns the beta-mixture confidence sequence of one rate, valid at every look:
///
///     {p : B(a + x, b + n − x)/B(a, b) < p^x (1 − p)^(n − x)/α}
///
/// - Parameters:
///   - a: Parameter of the mixing Beta(a, b), above 0; so is `b`.
/// - Returns: Bounds as fractions of 1, exactly 0 without successes and 1 without failures; 0…1 without trials.
///
/// Source: Robbins (1970); Howard, Ramdas, McAuliffe & Sekhon (2021), doi:10.1214/20-AOS1991.
public func betaMixtureSequence(_ sample: Proportion, a: Double, b: Double, alpha: Double = 0.05) -> Interval {
  let odds = betaMixtureLogOdds(sample, a: a, b: b, alpha: alpha)
  return Interval(
    low: odds.low == -.infinity ? 0 : BetaDistribution.fromLogOdds(odds.low).x,
    high: odds.high == .infinity ? 1 : BetaDistribution.fromLogOdds(odds.high).x)
}

/// Returns ``betaMixtureSequence(_:a:b:alpha:)`` as log-odds, ±∞ for 0 and 1: ratios of rates need no further rounding.
func betaMixtureLogOdds(
  _ sample: Proportion, a: Double, b: Double, alpha: Double
) -> (low: Double, high: Double) {
  let (x, n) = (sample.successes, sample.trials)
  guard n > 0 else { return (-.infinity, .infinity) }
  func power(_ count: Double) -> Double { count == 0 ? 0 : count * Double.log(count / n) }
  // ln of the likelihood at its maximum over the mixture's, and how far below the maximum p may be.
  let peak = power(x) + power(n - x) - (logBeta(a + x, b + n - x) - logBeta(a, b))
  let room = peak - Double.log(alpha)
  /// Returns the fall of the log-likelihood from its maximum, as deviances: nothing large cancels.
  func fall(_ logOdds: Double) -> Double {
    let (p, q) = BetaDistribution.fromLogOdds(logOdds)
    return Gamma.deviance(x, n * p) + Gamma.deviance(n - x, n * q)
  }
  let start = Double.log(max(x, 0.5)) - Double.log(max(n - x, 0.5))
  return (
    x == 0 ? -.infinity : crossing(from: start, direction: -1) { fall($0) < room },
    x == n ? .infinity : crossing(from: start, direction: 1) { fall($0) < room }
  )
}
