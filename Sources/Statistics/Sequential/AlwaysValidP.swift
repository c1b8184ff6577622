internal import RealModule

/// The running minimum of min(1, 1/E): it never increases, and may be acted on at any look.
public struct AlwaysValidP: Hashable, Sendable {
  public private(set) var value = 1.0

  public init() {}

  public mutating func look(logEValue: Double) { value = min(value, Double.exp(-logEValue)) }
}
