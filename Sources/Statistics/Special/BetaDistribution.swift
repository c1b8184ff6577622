internal import RealModule

/// The beta distribution of x in (0, 1), through the regularised incomplete beta function, with full relative
/// accuracy in both tails.
///
/// Points are given as x and its complement 1 − x, because near 1 the complement has the digits.
public struct BetaDistribution: Hashable, Sendable {
  public let a: Double
  public let b: Double

  /// - Precondition: Both above 0.
  public init(a: Double, b: Double) {
    precondition(a > 0 && b > 0, "a is \(a) and b is \(b), but both must be above 0")
    self.a = a
    self.b = b
  }

  public var mean: Double { a / (a + b) }

  public var standardDeviation: Double { (a / (a + b) * (b / (a + b)) / (a + b + 1)).squareRoot() }

  /// P(X ≤ x).
  public func cdf(_ x: Double) -> Double { tails(x, 1 - x).lower }

  /// P(X > x).
  public func survival(_ x: Double) -> Double { tails(x, 1 - x).upper }

  /// ln[x^a (1 − x)^b / B(a, b)]: the density times x(1 − x).
  ///
  /// In Loader's form: with n = a + b the power part is exp(−deviances) about the mean, the rest Stirling's.
  func logWeight(_ x: Double, _ y: Double) -> Double {
    let n = a + b
    let remainders = Gamma.stirlingRemainder(n) - Gamma.stirlingRemainder(a) - Gamma.stirlingRemainder(b)
    return 0.5 * Double.log(a * (b / n)) - halfLogTwoPi + remainders - Gamma.deviance(a, n * x)
      - Gamma.deviance(b, n * y)
  }

  /// P(X ≤ x) and P(X > x); `y` is 1 − x.
  public func tails(_ x: Double, _ y: Double) -> (lower: Double, upper: Double) {
    let log = logTails(x, y)
    return (Double.exp(log.lower), Double.exp(log.upper))
  }

  /// Returns ln P(X ≤ x) and ln P(X > x); −∞ for 0.
  public func logTails(_ x: Double, _ y: Double) -> (lower: Double, upper: Double) {
    if x <= 0 { return (-.infinity, 0) }
    if y <= 0 { return (0, -.infinity) }
    // The fraction converges fast only on the near side of the mean; the other tail is the complement.
    if x <= (a + 1) / (a + b + 2) {
      let lower = min(0, logWeight(x, y) - Double.log(Self.fraction(a, b, x, y)))
      return (lower, Self.logOfRest(lower))
    }
    let upper = min(0, logWeight(x, y) - Double.log(Self.fraction(b, a, y, x)))
    return (Self.logOfRest(upper), upper)
  }

  /// ln(1 − e^value).
  private static func logOfRest(_ value: Double) -> Double {
    value > -0.6931471805599453
      ? Double.log(-Double.expMinusOne(value)) : Double.log(onePlus: -Double.exp(value))
  }

  /// The continued fraction f with I_x(a, b) = x^a (1 − x)^b / B(a, b) / f, by Lentz's method.
  ///
  /// Source: DiDonato & Morris (1992), ACM TOMS 708, function BFRAC.
  private static func fraction(_ a: Double, _ b: Double, _ x: Double, _ y: Double) -> Double {
    func denominator(_ m: Double) -> Double {
      m + m * (b - m) * x / (a + 2 * m - 1) + (a + m) * (a * y - b * x + 1 + m * (1 + y)) / (a + 2 * m + 1)
    }
    let tiny = 1e-300
    // At m = 0 the middle term is 0 for every a, but a = 1 would make it 0/0.
    var value = a * (a * y - b * x + 1) / (a + 1)
    if value == 0 { value = tiny }
    var (c, d, m) = (value, 0.0, 1.0)
    while m < 1e6 {
      let odd = a + 2 * m - 1
      let numerator = (a + m - 1) / odd * ((a + b + m - 1) / odd) * m * (b - m) * x * x
      let next = denominator(m)
      d = next + numerator * d
      if d == 0 { d = tiny }
      c = next + numerator / c
      if c == 0 { c = tiny }
      d = 1 / d
      let factor = c * d
      value *= factor
      if abs(factor - 1) < 1e-16 { break }
      m += 1
    }
    return value
  }
}
