internal import RealModule

/// The χ² distribution, through the regularised incomplete gamma function.
public enum ChiSquareDistribution {
  /// Returns P(X > x) with `degrees` of freedom (above 0), computed from the tail.
  public static func survival(_ x: Double, degrees: Double) -> Double {
    precondition(degrees > 0, "degrees is \(degrees), but must be above 0")
    if x <= 0 { return 1 }
    if degrees == 1 { return Double.erfc((x / 2).squareRoot()) }
    return upperIncompleteGamma(degrees / 2, x / 2)
  }

  /// Returns the x with P(X ≤ x) = p, by bisection in ln x.
  ///
  /// - Parameter p: In [0.001, 0.999]; beyond, use the smaller tail.
  public static func lowerQuantile(_ p: Double, degrees: Double) -> Double {
    precondition(p >= 0.001 && p <= 0.999, "p is \(p), but must be in [0.001, 0.999]")
    var (low, high) = (Double.leastNormalMagnitude, degrees + 100 * (1 + degrees.squareRoot()))
    while true {
      let middle = high > 2 * low ? low.squareRoot() * high.squareRoot() : low + (high - low) / 2
      if middle <= low || middle >= high { return high }
      if survival(middle, degrees: degrees) > 1 - p { low = middle } else { high = middle }
    }
  }

  /// Returns Q(a, x) = Γ(a, x) / Γ(a): the series for its complement below a + 1, else Legendre's continued fraction.
  ///
  /// Source: Abramowitz & Stegun 6.5.29 and 6.5.31; the prefactor in Loader's form.
  static func upperIncompleteGamma(_ a: Double, _ x: Double) -> Double {
    // x^a e^(−x) / Γ(a).
    let weight = Double.exp(
      0.5 * Double.log(a) - halfLogTwoPi - Gamma.stirlingRemainder(a) - Gamma.deviance(a, x))
    if x < a + 1 {
      var (term, sum, n) = (1 / a, 1 / a, a)
      while term > sum * 1e-17 {
        n += 1
        term *= x / n
        sum += term
      }
      return max(0, 1 - weight * sum)
    }
    var b = x + 1 - a
    var c = 1e300
    var d = 1 / b
    var value = d
    var i = 1.0
    while i < 1e6 {
      let numerator = -i * (i - a)
      b += 2
      d = 1 / (numerator * d + b)
      c = b + numerator / c
      let factor = c * d
      value *= factor
      if abs(factor - 1) < 1e-16 { break }
      i += 1
    }
    return weight * value
  }
}
