/// The error levels of a planned test.
public struct TestErrors: Hashable, Sendable {
  /// Two-sided unless a function says otherwise.
  public var alpha: Double
  public var power: Double

  public init(alpha: Double = 0.05, power: Double = 0.8) {
    precondition(alpha > 0 && alpha < 1, "alpha is \(alpha), but must be in (0, 1)")
    precondition(power > 0 && power < 1, "power is \(power), but must be in (0, 1)")
    self.alpha = alpha
    self.power = power
  }

  var twoSidedZ: Double { NormalDistribution.upperQuantile(alpha / 2) }
  var powerZ: Double { NormalDistribution.quantile(power) }
}
