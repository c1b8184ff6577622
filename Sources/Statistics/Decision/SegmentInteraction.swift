internal import RealModule

/// A test of whether a treatment's lift differs between segments, with the largest spread still possible (Decisions.md
/// D8.2, D8.3).
public struct SegmentInteraction: Hashable, Sendable {
  /// Cochran's Q = Σw(y − ȳ)² of the log lifts y, w = 1/variance.
  public var q: Double
  /// The number of segments minus one.
  public var degrees: Double
  /// The p of χ² for one dimension; the caller applies Holm over several dimensions.
  public var p: Double
  /// ȳ = Σwy ÷ Σw, a log lift.
  public var overall: Double
  /// The 95% upper limit of the spread τ of log lifts: Q(τ²) = Σ(y − ȳ_τ)²/(s² + τ²) is the 5% quantile of χ² there.
  ///
  /// 0 if the lifts are closer together than chance predicts: Q(0) is already below that quantile.
  public var spreadHigh: Double

  /// - Parameter lifts: One per segment.
  /// - Returns: `nil` below two segments.
  ///
  /// Source: Cochran (1954), doi:10.2307/3001666; Q-profile: Viechtbauer (2007), doi:10.1002/sim.2514.
  public init?(_ lifts: [LogLift]) {
    guard lifts.count >= 2 else { return nil }
    degrees = Double(lifts.count - 1)
    (q, overall) = Self.heterogeneity(lifts, spread: 0)
    p = ChiSquareDistribution.survival(q, degrees: degrees)
    spreadHigh = Self.upperSpread(lifts, q: q, quantile: ChiSquareDistribution.lowerQuantile(0.05, degrees: degrees))
  }

  /// The 95% upper limit of the largest difference between two segments, and how many times these users could show that
  /// it is below a margin.
  ///
  /// The limit is max |y₁ − y₂| + z₀.₉₅·√(s₁² + s₂²) over pairs of log lifts. It covers the largest true difference with
  /// at least 95%, as the term of that pair alone does. Unlike ``spreadHigh``, it stays wide if imprecise lifts happen
  /// to be close.
  ///
  /// - Returns: High is 0.6 if 1 + lift of one segment may be 1.6 times that of another. With fewer than `times` the
  ///   users, the limit is below the margin in less than 80% of tests with equal lifts. `nil` below two segments.
  ///
  /// Source: Berger & Hsu (1996), doi:10.1214/ss/1032280304 (one-sided tests at 5%, all of which have to reject).
  public static func largestDifference(_ lifts: [LogLift], margin: Double) -> (high: Double, times: Double)? {
    guard lifts.count >= 2 else { return nil }
    let z = NormalDistribution.quantile(0.95)
    var (high, variance) = (0.0, 0.0)
    for (place, one) in lifts.enumerated() {
      for other in lifts[..<place] {
        let sum = one.variance + other.variance
        high = max(high, abs(one.value - other.value) + z * sum.squareRoot())
        variance = max(variance, sum)
      }
    }
    // 80% for an estimate of 0 within both sides of the margin, as in Decisions.md D3.3.
    let needed = (z + NormalDistribution.quantile(0.9)) / Double.log(onePlus: margin)
    return (Double.expMinusOne(high), needed * needed * variance)
  }

  private static func heterogeneity(_ lifts: [LogLift], spread: Double) -> (q: Double, mean: Double) {
    let weights = lifts.map { 1 / ($0.variance + spread * spread) }
    let mean = zip(weights, lifts).reduce(0) { $0 + $1.0 * $1.1.value } / weights.reduce(0, +)
    let q = zip(weights, lifts).reduce(0) { $0 + $1.0 * ($1.1.value - mean) * ($1.1.value - mean) }
    return (q, mean)
  }

  private static func upperSpread(_ lifts: [LogLift], q: Double, quantile: Double) -> Double {
    guard q > quantile else { return 0 }
    // Q(τ²) falls: at τ² = Σ(y − ȳ)²/quantile it is below.
    var (low, high) = (0.0, 1.0)
    while heterogeneity(lifts, spread: high).q > quantile { (low, high) = (high, 2 * high) }
    return leastPlace(from: low, to: high) { !(heterogeneity(lifts, spread: $0).q > quantile) }
  }
}
