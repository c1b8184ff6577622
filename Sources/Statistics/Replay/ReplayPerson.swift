/// One past user: when he came, what came of it, and what had been before.
public struct ReplayPerson: Hashable, Sendable {
  /// Of the exposure, in days from any origin.
  public var day: Int
  public var isConverted: Bool
  /// Of who paid nothing 0; below 0 where more was given back than paid.
  public var revenue: Double
  /// Whether there was a payment, whatever was given back.
  public var hasPaid: Bool
  /// Whether the user was active before.
  public var wasActive: Bool
  /// Before.
  public var revenueBefore: Double

  public init(
    day: Int, isConverted: Bool, revenue: Double, hasPaid: Bool? = nil, wasActive: Bool = false,
    revenueBefore: Double = 0
  ) {
    precondition(revenue.isFinite, "revenue is \(revenue), but must be finite")
    precondition(revenueBefore.isFinite, "revenueBefore is \(revenueBefore), but must be finite")
    (self.day, self.isConverted, self.revenue) = (day, isConverted, revenue)
    (self.hasPaid, self.wasActive, self.revenueBefore) = (hasPaid ?? (revenue != 0), wasActive, revenueBefore)
  }
}
