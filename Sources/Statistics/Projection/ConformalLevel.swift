internal import RealModule

/// The error rate of the conformal intervals of one series of predictions, which follows the misses so far.
///
/// Source: Gibbs & Candès (2021), Adaptive conformal inference under distribution shift, NeurIPS 34.
public struct ConformalLevel: Hashable, Sendable {
  /// The share of outcomes that intervals are meant to miss.
  public static let target = 0.1
  /// The change of the level by a miss, as a share of it.
  private static let step = 0.02
  private static let range = 0.02...0.3

  /// α, from 0.02 to 0.3.
  public private(set) var alpha = Self.target

  public init() {}

  /// Takes in an outcome: a miss makes the next interval wider, any other a little narrower.
  public mutating func note(isMissed: Bool) {
    let moved = alpha + Self.step * (Self.target - (isMissed ? 1 : 0))
    alpha = min(Self.range.upperBound, max(Self.range.lowerBound, moved))
  }

  /// The fewest scores that an interval needs: ⌈1 ÷ α⌉ − 1.
  public var fewestScores: Int { Self.ceiling(1 / alpha) - 1 }

  /// Returns the half-width of an interval on the scale of the scores: of k scores, the ⌈(k + 1)(1 − α)⌉-th smallest.
  ///
  /// - Parameter scores: How far earlier predictions were off, from 0 to ∞.
  /// - Returns: `nil` if there are too few scores.
  ///
  /// Source: Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), doi:10.1080/01621459.2017.1307116.
  public func halfWidth(_ scores: [Double]) -> Double? {
    if scores.count < fewestScores { return nil }
    let rank = Self.ceiling(Double(scores.count + 1) * (1 - alpha))
    return rank >= 1 && rank <= scores.count ? scores.sorted()[rank - 1] : nil
  }

  /// The least whole number that is not below, but for rounding.
  private static func ceiling(_ value: Double) -> Int { Int((value - 1e-9).rounded(.up)) }
}

/// Returns how far a prediction was off: |ln(actual ÷ predicted)|, or ∞ if one is not above 0.
public func conformalScore(predicted: Double, actual: Double) -> Double {
  predicted > 0 && actual > 0 ? abs(Double.log(actual / predicted)) : .infinity
}
