/// Pearson's χ² test that several groups have the same shares (Pearson 1900).
public struct Homogeneity: Sendable {
  public let statistic: Double
  /// At least 1.
  public let degrees: Double
  /// The least count that is expected in a cell; below 5, χ² is a poor approximation.
  public let leastExpected: Double
  /// All units.
  public let total: Double

  /// - Parameter groups: The counts of each group, all in the same classes. Groups and classes without a unit count for
  ///   nothing.
  /// - Returns: `nil` with fewer than two groups or two classes.
  public init?(_ groups: [[Int]]) {
    let sums = groups.map { $0.reduce(0, +) }
    let classes = (groups.first ?? []).indices.map { place in groups.reduce(0) { $0 + $1[place] } }
    let (filled, used) = (sums.indices.filter { sums[$0] > 0 }, classes.indices.filter { classes[$0] > 0 })
    guard filled.count > 1, used.count > 1 else { return nil }
    let total = Double(sums.reduce(0, +))
    var (statistic, leastExpected) = (0.0, Double.infinity)
    for group in filled {
      for place in used {
        let expected = Double(sums[group]) * Double(classes[place]) / total
        let gap = Double(groups[group][place]) - expected
        statistic += gap * gap / expected
        leastExpected = min(leastExpected, expected)
      }
    }
    (self.statistic, self.leastExpected, self.total) = (statistic, leastExpected, total)
    degrees = Double((filled.count - 1) * (used.count - 1))
  }

  public var p: Double { ChiSquareDistribution.survival(statistic, degrees: degrees) }

  /// p by the N − 1 χ², which holds its level with few units (Campbell 2007).
  public var pOfFew: Double { ChiSquareDistribution.survival(statistic * (total - 1) / total, degrees: degrees) }
}
