/// How many came to each renewal and how many made it, over cohorts of any age.
public struct RenewalCounts: Hashable, Sendable {
  /// Who churned at renewal 1, 2, ….
  public private(set) var lost: [Double] = []
  /// Who made renewal 1, 2, ….
  public private(set) var kept: [Double] = []

  public init() {}

  /// - Parameters:
  ///   - lost: Who churned at renewal 1, 2, …; not negative.
  ///   - kept: Who made it, one per renewal.
  public init(lost: [Double], kept: [Double]) {
    precondition(lost.count == kept.count, "one count of either per renewal")
    self.lost = lost
    self.kept = kept
  }

  /// Takes a cohort's customers alive at 0, 1, 2, … renewals; never rising.
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
