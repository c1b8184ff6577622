internal import RealModule

/// Student's t distribution; degrees of freedom may be fractional, as in Welch's test.
public enum StudentDistribution {
  /// Returns P(T > t) = ½ I_x(df/2, ½) at x = df/(df + t²); for positive t directly from the tail.
  public static func survival(_ t: Double, degrees: Double) -> Double {
    let tail = 0.5 * twoSidedP(t, degrees: degrees)
    return t >= 0 ? tail : 1 - tail
  }

  /// P(|T| > |t|).
  public static func twoSidedP(_ t: Double, degrees: Double) -> Double {
    Double.exp(logTwoSidedP(t, degrees: degrees))
  }

  /// ln P(|T| > |t|); finite also where the probability underflows.
  public static func logTwoSidedP(_ t: Double, degrees: Double) -> Double {
    precondition(degrees > 0, "degrees is \(degrees), but must be above 0")
    if t == 0 { return 0 }
    // The smaller of t²/df and its inverse keeps its digits; their sums with 1 do not.
    let ratio = t / degrees * t
    let (x, y) = (1 / (1 + ratio), ratio / (1 + ratio))
    return BetaDistribution(a: degrees / 2, b: 0.5).logTails(ratio.isInfinite ? 0 : x, ratio.isInfinite ? 1 : y).lower
  }

  /// The t with P(T ≤ t) = p.
  public static func quantile(_ p: Double, degrees: Double) -> Double {
    p < 0.5 ? -upperQuantile(p, degrees: degrees) : upperQuantile(1 - p, degrees: degrees)
  }

  /// The t with P(T > t) = p.
  public static func upperQuantile(_ p: Double, degrees: Double) -> Double {
    precondition(p > 0 && p < 1, "p is \(p), but must be in (0, 1)")
    precondition(degrees > 0, "degrees is \(degrees), but must be above 0")
    if p > 0.5 { return -upperQuantile(1 - p, degrees: degrees) }
    if p == 0.5 { return 0 }
    // t² = df (1 − x)/x, so only the quantile of the log-odds of x is needed.
    let beta = BetaDistribution(a: degrees / 2, b: 0.5)
    let logOdds = 2 * p <= 0.5 ? beta.lowerLogOdds(2 * p) : beta.upperLogOdds(1 - 2 * p)
    return degrees.squareRoot() * Double.exp(-logOdds / 2)
  }

  /// Returns the two-sided critical value at a confidence in (0, 1).
  public static func criticalValue(confidence: Double, degrees: Double) -> Double {
    upperQuantile((1 - confidence) / 2, degrees: degrees)
  }
}
