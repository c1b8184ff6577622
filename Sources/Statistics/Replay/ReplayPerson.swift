/// One past user: when he came, and what came of it.
public struct ReplayPerson: Hashable, Sendable {
  /// Of the exposure, in days from any origin.
  public var day: Int
  public var isConverted: Bool
  /// Of who paid nothing 0; below 0 where more was given back than paid.
  public var revenue: Double

  public init(day: Int, isConverted: Bool, revenue: Double) {
    precondition(revenue.isFinite, "revenue is \(revenue), but must be finite")
    (self.day, self.isConverted, self.revenue) = (day, isConverted, revenue)
  }
}
