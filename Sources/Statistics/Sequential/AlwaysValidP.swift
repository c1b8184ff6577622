internal import RealModule

/// The running minimum of min(1, 1/E): it never increases, and may be acted on at any look.
public struct AlwaysValidP: Hashable, Sendable {
  public private(set) var value = 1.0

  public init() {}

  /// Adds a look.
  ///
  /// - Returns: Whether p is now smaller.
  @discardableResult
  public mutating func look(logEValue: Double) -> Bool {
    let before = value
    value = min(value, Double.exp(-logEValue))
    return value < before
  }
}
