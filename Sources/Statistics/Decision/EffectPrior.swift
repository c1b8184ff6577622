internal import RealModule

/// A prior of the log lifts of an app's tests: most are small, a share π may be large.
///
///     θ ~ (1 − π)·N(0, a²) + π·N(0, b²)
public struct EffectPrior: Hashable, Sendable {
  /// a.
  public let narrow: Double
  /// b, at least a.
  public let wide: Double
  /// π.
  public let wideShare: Double

  /// (1 − π)a² + πb².
  var variance: Double { (1 - wideShare) * narrow * narrow + wideShare * wide * wide }

  /// The share and variance of its two normals.
  var parts: [(share: Double, variance: Double)] {
    [(1 - wideShare, narrow * narrow), (wideShare, wide * wide)]
  }

  /// The priors in the mixture: a ∈ {0.01, 0.02, 0.04, 0.07, 0.11}, b/a ∈ {1, 3, 6, 12}, π ∈ {0.1, 0.2, 0.35, 0.5}; b =
  /// a once, and no b above 0.8.
  public static let grid: [EffectPrior] = [0.01, 0.02, 0.04, 0.07, 0.11].flatMap { narrow in
    [1.0, 3, 6, 12].flatMap { multiple -> [EffectPrior] in
      let wide = narrow * multiple
      if wide > 0.8 { return [] }
      let shares = multiple == 1 ? [0.5] : [0.1, 0.2, 0.35, 0.5]
      return shares.map { EffectPrior(narrow: narrow, wide: wide, wideShare: $0) }
    }
  }

  /// exp(−½·variance/0.3²), normalised to sum to 1: lifts beyond ±30% are rare among product tests.
  public static let gridWeights: [Double] = normalized(grid.map { -0.5 * $0.variance / (0.3 * 0.3) })

  /// Returns weights that sum to 1, from their logarithms.
  static func normalized(_ logWeights: [Double]) -> [Double] {
    let largest = logWeights.max() ?? 0
    let weights = logWeights.map { Double.exp($0 - largest) }
    let total = weights.reduce(0, +)
    return weights.map { $0 / total }
  }
}
