internal import RealModule

/// Returns ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a + b) for a, b > 0.
///
/// For a + b of 10⁸ each of the three logarithms is 10⁹, which would leave 7 digits of their difference; so the large
/// parts are cancelled analytically and Stirling's remainders kept.
///
/// Source: DiDonato & Morris (1992), ACM TOMS 708, doi:10.1145/131766.131776.
public func logBeta(_ first: Double, _ second: Double) -> Double {
  let (a, b) = (min(first, second), max(first, second))
  if b < 10 { return Double.logGamma(a) + Double.logGamma(b) - Double.logGamma(a + b) }
  if a < 10 { return Double.logGamma(a) + logGammaQuotient(a, b) }
  let remainders = Gamma.stirlingRemainder(a) + Gamma.stirlingRemainder(b) - Gamma.stirlingRemainder(a + b)
  let ratio = a / b
  return halfLogTwoPi - 0.5 * Double.log(b) + remainders + (a - 0.5) * Double.log(ratio / (1 + ratio))
    - b * Double.log(onePlus: ratio)
}

/// ½ ln 2π.
let halfLogTwoPi = 0.9189385332046727

/// Returns ln Γ(b) − ln Γ(a + b) for b ≥ 10, exact to rounding of the result.
func logGammaQuotient(_ a: Double, _ b: Double) -> Double {
  let remainders = Gamma.stirlingRemainder(b) - Gamma.stirlingRemainder(a + b)
  return remainders + a - (a + b - 0.5) * Double.log(onePlus: a / b) - a * Double.log(b)
}
