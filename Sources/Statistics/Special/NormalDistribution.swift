internal import RealModule

/// The standard normal distribution, with full relative accuracy in both tails.
public enum NormalDistribution {
  /// φ(x).
  public static func density(_ x: Double) -> Double { Double.exp(-0.5 * x * x) * 0.3989422804014327 }

  /// Φ(x).
  public static func cdf(_ x: Double) -> Double { 0.5 * Double.erfc(-x * 0.7071067811865476) }

  /// 1 − Φ(x), computed from the tail: `1 - cdf` would be 0 beyond 8.3.
  public static func survival(_ x: Double) -> Double { cdf(-x) }

  /// 2(1 − Φ(|z|)).
  public static func twoSidedP(_ z: Double) -> Double { min(1, 2 * survival(abs(z))) }

  /// ln(1 − Φ(x)); finite also where the probability underflows.
  public static func logSurvival(_ x: Double) -> Double {
    if x < -1 { return Double.log(onePlus: -cdf(x)) }
    if x < 30 { return Double.log(survival(x)) }
    return -0.5 * x * x - halfLogTwoPi + Double.log(millsRatio(x))
  }

  /// ln Φ(x).
  public static func logCDF(_ x: Double) -> Double { logSurvival(-x) }

  /// (1 − Φ(x)) / φ(x).
  public static func millsRatio(_ x: Double) -> Double {
    x < 5 ? survival(x) / density(x) : 1 / (x + millsRemainder(x))
  }

  /// K of Laplace's continued fraction 1/(x + K) for the Mills ratio, x ≥ 5: K = 1/(x + 2/(x + 3/(x + …))).
  static func millsRemainder(_ x: Double) -> Double {
    var value = 0.0
    for level in stride(from: 80.0, through: 1, by: -1) { value = level / (x + value) }
    return value
  }

  /// Φ⁻¹(p) for p in (0, 1).
  public static func quantile(_ p: Double) -> Double { p < 0.5 ? -upperQuantile(p) : upperQuantile(1 - p) }

  /// Returns the x with 1 − Φ(x) = p: for tails too small to be distinguished from 1 at the other end.
  public static func upperQuantile(_ p: Double) -> Double {
    precondition(p > 0 && p < 1, "p is \(p), but must be in (0, 1)")
    if p > 0.5 { return -upperQuantile(1 - p) }
    if p == 0.5 { return 0 }
    // Starts with Hastings' rational approximation (Abramowitz & Stegun 26.2.23, within 5e-4), then Halley's steps on
    // ln(1 − Φ).
    let logP = Double.log(p)
    let t = (-2 * logP).squareRoot()
    var x =
      t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    for _ in 0..<4 {
      let mills = millsRatio(x)
      let miss = logSurvival(x) - logP
      let step = miss * mills
      // d²/dx² ln(1 − Φ) = (x − 1/mills)/mills.
      x += step / (1 + 0.5 * step * (x - 1 / mills))
      if abs(step) < 1e-9 { break }
    }
    return x
  }

  /// The two-sided critical value Φ⁻¹((1 + confidence)/2).
  public static func criticalValue(confidence: Double) -> Double {
    precondition(confidence > 0 && confidence < 1, "confidence is \(confidence), but must be in (0, 1)")
    return upperQuantile((1 - confidence) / 2)
  }
}
