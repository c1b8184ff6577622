/// A confidence, credible or prediction interval, both ends included.
///
/// An end may be infinite if the method allows it (a ratio against a control without successes); it is never NaN.
public struct Interval: Hashable, Sendable {
  public var low: Double
  public var high: Double

  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// Creates the interval `middle` ± `half`.
  public init(around middle: Double, half: Double) { self.init(low: middle - half, high: middle + half) }

  /// Returns both ends times a factor that is not negative.
  public func scaled(by factor: Double) -> Interval { Interval(low: low * factor, high: high * factor) }

  public func contains(_ value: Double) -> Bool { low <= value && value <= high }
}
