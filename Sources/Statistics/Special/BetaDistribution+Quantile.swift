internal import RealModule

extension BetaDistribution {
  /// Returns the x with P(X ≤ x) = p, p in [0, 1].
  public func quantile(_ p: Double) -> Double {
    p <= 0 ? 0 : p >= 1 ? 1 : Self.fromLogOdds(p <= 0.5 ? lowerLogOdds(p) : upperLogOdds(1 - p)).x
  }

  /// Returns the x with P(X > x) = p: for tails too small to be distinguished from 1 at the other end.
  public func upperQuantile(_ p: Double) -> Double {
    p <= 0 ? 1 : p >= 1 ? 0 : Self.fromLogOdds(p <= 0.5 ? upperLogOdds(p) : lowerLogOdds(1 - p)).x
  }

  /// Returns ln[x/(1 − x)] of the x with P(X ≤ x) = p.
  func lowerLogOdds(_ p: Double) -> Double {
    // ln X/(1 − X) has this mean and variance, and is nearly normal when a and b are large.
    let mean = Gamma.digamma(a) - Gamma.digamma(b)
    let deviation = (Gamma.trigamma(a) + Gamma.trigamma(b)).squareRoot()
    var u = mean + NormalDistribution.quantile(p) * deviation
    let target = Double.log(p)
    var (low, high) = (-Double.infinity, Double.infinity)
    // Newton's steps on ln P as a function of the log-odds, both nearly linear in the far tail; a step that leaves the
    // bracket of the root is replaced by bisection.
    for _ in 0..<200 {
      let (x, y) = Self.fromLogOdds(u)
      let value = x == 0 ? a * u - Double.log(a) - logBeta(a, b) : logTails(x, y).lower
      let miss = value - target
      if miss == 0 { return u }
      if miss < 0 { low = u } else { high = u }
      let slope = x == 0 ? a : Double.exp(logWeight(x, y) - value)
      var next = u - miss / slope
      if !(next > low && next < high) {
        next = low.isInfinite ? u - 2 * deviation : high.isInfinite ? u + 2 * deviation : (low + high) / 2
      }
      let moved = abs(next - u)
      u = next
      if moved <= 4e-16 * max(1, abs(u)) { return u }
    }
    return u
  }

  /// Returns ln[x/(1 − x)] of the x with P(X > x) = p.
  func upperLogOdds(_ p: Double) -> Double { -BetaDistribution(a: b, b: a).lowerLogOdds(p) }

  static func fromLogOdds(_ u: Double) -> (x: Double, y: Double) {
    let small = Double.exp(-abs(u))
    let (far, near) = (small / (1 + small), 1 / (1 + small))
    return u < 0 ? (far, near) : (near, far)
  }
}
