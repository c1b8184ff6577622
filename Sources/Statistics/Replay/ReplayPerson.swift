/// One past user: the day of exposure, the outcome and the history.
public struct ReplayPerson: Hashable, Sendable {
  /// The day of the exposure, from any origin.
  public var day: Int
  public var isConverted: Bool
  /// 0 without payments; below 0 if more was refunded than paid.
  public var revenue: Double
  /// Whether there was a payment, even if it was refunded.
  public var hasPaid: Bool
  /// Whether the user was active before.
  public var wasActive: Bool
  /// The revenue before the exposure.
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
