/// An arm of a comparison of means: the estimate, its variance, and the number of users.
public struct MeanArm: Hashable, Sendable {
  public var mean: Double
  /// The rounding error of the mean, which shows in the difference of two relatively large means.
  var meanRest = 0.0
  /// The variance of `mean`, s²/n; not negative.
  public var variance: Double
  public var count: Double

  public init(mean: Double, variance: Double, count: Double) {
    self.mean = mean
    self.variance = variance
    self.count = count
  }

  /// - Returns: `nil` with fewer than two values.
  public init?(_ moments: Moments) {
    guard let mean = moments.mean, let variance = moments.varianceOfMean else { return nil }
    self.init(mean: mean, variance: variance, count: moments.count)
    meanRest = moments.meanRest
  }

  public var estimate: MeanEstimate { MeanEstimate(mean: mean, standardError: variance.squareRoot()) }
}
