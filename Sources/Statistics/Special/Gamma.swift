internal import RealModule

/// ln Γ and its relatives for positive arguments.
public enum Gamma {
  /// ln Γ(x) for x > 0.
  public static func log(_ x: Double) -> Double { Double.logGamma(x) }

  /// ψ(x), the derivative of ln Γ, for x > 0: upward recurrence to 12, then the asymptotic series.
  ///
  /// Source: Abramowitz & Stegun 6.3.5 and 6.3.18.
  public static func digamma(_ x: Double) -> Double {
    var (x, shift) = (x, 0.0)
    while x < 12 {
      shift += 1 / x
      x += 1
    }
    let square = 1 / (x * x)
    let series =
      square
      * (1.0 / 12 - square
        * (1.0 / 120 - square
          * (1.0 / 252 - square * (1.0 / 240 - square * (1.0 / 132 - square * (691.0 / 32760 - square / 12))))))
    return Double.log(x) - 0.5 / x - series - shift
  }

  /// ψ′(x) for x > 0: upward recurrence to 12, then the asymptotic series.
  ///
  /// Source: Abramowitz & Stegun 6.4.6 and 6.4.12.
  public static func trigamma(_ x: Double) -> Double {
    var (x, shift) = (x, 0.0)
    while x < 12 {
      shift += 1 / (x * x)
      x += 1
    }
    let square = 1 / (x * x)
    let series =
      square
      * (1.0 / 6 - square
        * (1.0 / 30 - square
          * (1.0 / 42 - square * (1.0 / 30 - square * (5.0 / 66 - square * (691.0 / 2730 - square * 7 / 6))))))
    return 1 / x + square / 2 + series / x + shift
  }

  /// Stirling's remainder δ(x) = ln Γ(x) − (x − ½) ln x + x − ½ ln 2π, for x > 0.
  ///
  /// In quotients of gammas with large arguments, each logarithm is 10⁹ and the quotient is about 1: the remainders
  /// keep its digits.
  static func stirlingRemainder(_ x: Double) -> Double {
    var (x, shift) = (x, 0.0)
    while x < 12 {
      shift += (x + 0.5) * Double.log(onePlus: 1 / x) - 1
      x += 1
    }
    let square = 1 / (x * x)
    let series =
      1.0 / 12 - square
      * (1.0 / 360 - square
        * (1.0 / 1260 - square * (1.0 / 1680 - square * (1.0 / 1188 - square * (691.0 / 360360 - square / 156)))))
    return series / x + shift
  }

  /// Loader's deviance k ln(k/m) + m − k ≥ 0, without cancellation when k is near m.
  ///
  /// Source: C. Loader (2000), "Fast and accurate computation of binomial probabilities".
  static func deviance(_ k: Double, _ m: Double) -> Double {
    if k == 0 { return m }
    let difference = k - m
    guard abs(difference) < 0.1 * (k + m) else { return k * Double.log(k / m) + m - k }
    let ratio = difference / (k + m)
    let square = ratio * ratio
    var (sum, term, power) = (difference * ratio, 2 * k * ratio, 3.0)
    while true {
      term *= square
      let next = sum + term / power
      if next == sum { return sum }
      sum = next
      power += 2
    }
  }
}
