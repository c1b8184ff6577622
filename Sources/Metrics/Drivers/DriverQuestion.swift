/// The change that is to be explained: `why REPORT --column NAME --compare SIDE`.
public struct DriverQuestion: Sendable {
  public var column: String
  /// The dimensions of the search; empty for those that a unit has before its outcome.
  public var cuts: [Dimension] = []
  /// The most that a driver's p of the whole search may be.
  public var level = 0.05

  public init(column: String, cuts: [Dimension] = [], level: Double = 0.05) {
    (self.column, self.cuts, self.level) = (column, cuts, level)
  }
}
