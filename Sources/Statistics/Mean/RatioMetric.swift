/// Sums of a ratio metric over the users of one arm, the randomised unit: r = Σm/Σd.
public struct RatioSums: Hashable, Sendable {
  public var count: Double
  /// Σm.
  public var numerator: Double
  /// Σm².
  public var numeratorSquares: Double
  /// Σd.
  public var denominator: Double
  /// Σd².
  public var denominatorSquares: Double
  /// Σmd.
  public var products: Double

  public init(
    count: Double = 0, numerator: Double = 0, numeratorSquares: Double = 0, denominator: Double = 0,
    denominatorSquares: Double = 0, products: Double = 0
  ) {
    self.count = count
    self.numerator = numerator
    self.numeratorSquares = numeratorSquares
    self.denominator = denominator
    self.denominatorSquares = denominatorSquares
    self.products = products
  }

  /// Adds what users have, who are counted apart.
  public mutating func add(numerator m: Double, denominator d: Double, times n: Double = 1) {
    numerator += n * m
    numeratorSquares += n * m * m
    denominator += n * d
    denominatorSquares += n * d * d
    products += n * m * d
  }

  public mutating func merge(_ other: RatioSums) {
    count += other.count
    numerator += other.numerator
    numeratorSquares += other.numeratorSquares
    denominator += other.denominator
    denominatorSquares += other.denominatorSquares
    products += other.products
  }

  /// The arm's ratio and its delta-method variance Σ(m − rd)²/((n − 1)·n·d̄²).
  ///
  /// Computed from sums, as Σm² − 2rΣmd + r²Σd²: m − rd has mean 0, so no centring is needed.
  ///
  /// - Returns: `nil` with fewer than two users or if the denominators sum to 0.
  ///
  /// Source: Deng, Knoblich & Lu (2018), doi:10.1145/3219819.3219919.
  public var arm: MeanArm? {
    guard count > 1, denominator != 0 else { return nil }
    let ratio = numerator / denominator
    var residuals = numeratorSquares - ratio * (2 * products - ratio * denominatorSquares)
    // A rounding error of the three sums is not variance, for example if all payers pay one price.
    let scale = numeratorSquares + 2 * abs(ratio * products) + ratio * ratio * denominatorSquares
    if residuals <= scale * .ulpOfOne * max(16, count) { residuals = 0 }
    let mean = denominator / count
    let variance = max(0, residuals) / (count - 1) / count / (mean * mean)
    return variance.isFinite ? MeanArm(mean: ratio, variance: variance, count: count) : nil
  }
}

/// One user's part in a ratio metric.
public struct RatioUnit: Hashable, Sendable {
  public var numerator: Double
  public var denominator: Double

  public init(numerator: Double, denominator: Double) {
    self.numerator = numerator
    self.denominator = denominator
  }
}

/// Returns an arm's ratio and its variance from its users, in a second pass over m − rd: never negative, without
/// cancellation.
///
/// - Returns: `nil` with fewer than two users or when the denominators sum to 0.
public func ratioArm(_ users: [RatioUnit]) -> MeanArm? {
  let count = Double(users.count)
  let total = users.reduce(into: (numerator: 0.0, denominator: 0.0)) { sums, user in
    sums.numerator += user.numerator
    sums.denominator += user.denominator
  }
  guard count > 1, total.denominator != 0 else { return nil }
  let ratio = total.numerator / total.denominator
  let residuals = users.reduce(0) { sum, user in
    let residual = user.numerator - ratio * user.denominator
    return sum + residual * residual
  }
  let mean = total.denominator / count
  let variance = residuals / (count - 1) / count / (mean * mean)
  return variance.isFinite ? MeanArm(mean: ratio, variance: variance, count: count) : nil
}
