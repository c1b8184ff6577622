/// One past user: when he came, and what came of it.
public struct ReplayPerson: Hashable, Sendable {
  /// Of the exposure, in days from any origin.
  public var day: Int
  public var isConverted: Bool
  /// 0 or more; of who paid nothing 0.
  public var revenue: Double

  public init(day: Int, isConverted: Bool, revenue: Double) {
    precondition(revenue >= 0 && revenue.isFinite, "revenue is \(revenue), but must be 0 or more")
    (self.day, self.isConverted, self.revenue) = (day, isConverted, revenue)
  }
}
