internal import RealModule

/// Welch's test of two means, with the interval of their difference.
public struct WelchTest: Hashable, Sendable {
  /// Treatment minus control.
  public var difference: Double
  public var standardError: Double
  public var degrees: Double
  public var t: Double
  public var twoSidedP: Double
  /// log₁₀ of the two-sided p: finite also where p underflows to 0.
  public var log10P: Double
  /// The two-sided critical value of t at the given confidence.
  public var critical: Double
  public var interval: Interval
}

/// Tests equality of means without assuming equal variances, with Satterthwaite's degrees of freedom
/// (v₁ + v₀)² / (v₁²/(n₁ − 1) + v₀²/(n₀ − 1)), v = s²/n.
///
/// The p is computed from the tail: 2(1 − cdf) would be 0 for 1% against 2% at 100,000 users an arm.
///
/// - Parameter confidence: The confidence of the interval, in (0, 1).
/// - Returns: `nil` when an arm has fewer than two users, or nothing varies in either.
///
/// Source: Welch (1947), doi:10.1093/biomet/34.1-2.28.
public func welchTest(_ treatment: MeanArm, _ control: MeanArm, confidence: Double = 0.95) -> WelchTest? {
  guard let found = WelchStatistic(treatment, control) else { return nil }
  let (difference, error, degrees) = (found.difference, found.standardError, found.degrees)
  let logP = StudentDistribution.logTwoSidedP(found.t, degrees: degrees)
  let critical = StudentDistribution.criticalValue(confidence: confidence, degrees: degrees)
  return WelchTest(
    difference: difference, standardError: error, degrees: degrees, t: found.t, twoSidedP: Double.exp(logP),
    log10P: logP / Double.log(10), critical: critical,
    interval: Interval(around: difference, half: critical * error))
}

/// The statistic of Welch's test, without quantiles, which cost a hundred times as much.
struct WelchStatistic {
  var difference: Double
  var standardError: Double
  var degrees: Double

  var t: Double { difference / standardError }

  /// - Returns: `nil` when an arm has fewer than two users, or nothing varies in either.
  init?(_ treatment: MeanArm, _ control: MeanArm) {
    let (v1, v0) = (treatment.variance, control.variance)
    guard treatment.count > 1, control.count > 1, v1 + v0 > 0, (v1 + v0).isFinite else { return nil }
    // Shares of the variance rather than its square, which underflows for means of 10⁻⁸⁰.
    let (share1, share0) = (v1 / (v1 + v0), v0 / (v1 + v0))
    degrees = 1 / (share1 * share1 / (treatment.count - 1) + share0 * share0 / (control.count - 1))
    difference = treatment.mean - control.mean + (treatment.meanRest - control.meanRest)
    standardError = (v1 + v0).squareRoot()
  }

  /// Returns whether the two-sided p is below α.
  func isSignificant(alpha: Double) -> Bool {
    // Student's tails are heavier than the normal ones, so most looks need only the latter.
    NormalDistribution.twoSidedP(t) < alpha && StudentDistribution.logTwoSidedP(t, degrees: degrees) < Double.log(alpha)
  }
}
