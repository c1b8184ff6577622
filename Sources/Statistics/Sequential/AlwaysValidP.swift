internal import RealModule

/// The running minimum of min(1, 1/E): it never increases, and may be acted on at any look.
public struct AlwaysValidP: Hashable, Sendable {
  public private(set) var value = 1.0

  public init() {}

  /// ln(1/α): what ln E has to pass for an alarm.
  public static func logThreshold(alpha: Double) -> Double { -Double.log(alpha) }

  /// - Returns: Whether it is less than before.
  @discardableResult
  public mutating func look(logEValue: Double) -> Bool {
    let before = value
    value = min(value, Double.exp(-logEValue))
    return value < before
  }
}
