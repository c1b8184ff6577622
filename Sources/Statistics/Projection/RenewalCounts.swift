/// The customers who reached each renewal and those who renewed, over cohorts of any age.
public struct RenewalCounts: Hashable, Sendable {
  /// Customers who churned at renewal 1, 2, ….
  public private(set) var lost: [Double] = []
  /// Customers who renewed at renewal 1, 2, ….
  public private(set) var kept: [Double] = []

  public init() {}

  /// - Parameters:
  ///   - lost: Customers who churned at renewal 1, 2, …; not negative.
  ///   - kept: Customers who renewed, one count per renewal.
  public init(lost: [Double], kept: [Double]) {
    precondition(lost.count == kept.count, "one count of either per renewal")
    self.lost = lost
    self.kept = kept
  }

  /// Adds a cohort by its customers alive at 0, 1, 2, … renewals, which must not increase.
  public mutating func add(alive: [Double]) {
    for renewal in stride(from: 1, to: alive.count, by: 1) {
      precondition(alive[renewal] <= alive[renewal - 1], "alive must not rise")
      if lost.count < renewal {
        lost.append(0)
        kept.append(0)
      }
      lost[renewal - 1] += alive[renewal - 1] - alive[renewal]
      kept[renewal - 1] += alive[renewal]
    }
  }
}
