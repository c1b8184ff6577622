/// A log-rank test of equal hazards between groups.
public struct LogRankTest: Hashable, Sendable {
  /// Weighted events, one per group.
  public var observed: [Double]
  public var expected: [Double]
  /// Cov(O − E), groups × groups.
  public var covariance: [[Double]]
  public var chiSquare: Double
  public var degrees: Int
  public var p: Double
}

/// The weighting of events in a log-rank test.
public enum LogRankWeight: Hashable, Sendable {
  /// Equal weights (Mantel).
  case equal
  /// By the pooled survival just before, S(t−): early differences count more (Peto & Peto; R's ρ = 1).
  case petoPeto
}

/// Tests equal hazards: O − E with the hypergeometric variance at each time, summed over times and strata.
///
/// - Parameter records: Any cause above 0 is the event. Subjects censored at a time are at risk at it.
/// - Returns: `nil` if fewer than two groups are ever at risk of an event, or nothing varies.
///
/// Source: Mantel (1966); Peto & Peto (1972), doi:10.2307/2344317; R `survival::survdiff`.
public func logRankTest(_ records: [SurvivalRecord], weight: LogRankWeight = .equal) -> LogRankTest? {
  guard let causes = records.lazy.map(\.cause).max(), causes > 0 else { return nil }
  let groups = 1 + (records.lazy.map(\.group).max() ?? 0)
  let strata = Dictionary(grouping: records, by: \.stratum)
  var observed = [Double](repeating: 0, count: groups)
  var expected = observed
  var covariance = [[Double]](repeating: observed, count: groups)
  for stratum in strata.keys.sorted() {
    let members = strata[stratum] ?? []
    var atRisk = [Double](repeating: 0, count: groups)
    for member in members { atRisk[member.group] += 1 }
    var survival = 1.0
    for moment in SurvivalTime.table(members, groups: groups, causes: causes) {
      let total = atRisk.reduce(0, +)
      let events = (0..<groups).map { Double(moment.ends(group: $0)) }
      let died = events.reduce(0, +)
      if died > 0 {
        let w = weight == .equal ? 1 : survival
        // With one subject left, the event has no spread.
        let spread = total > 1 ? w * w * died * ((total - died) / (total - 1)) : 0
        for i in 0..<groups {
          observed[i] += w * events[i]
          expected[i] += w * died * (atRisk[i] / total)
          for j in 0..<groups {
            covariance[i][j] += spread * (atRisk[i] / total) * ((i == j ? 1 : 0) - atRisk[j] / total)
          }
        }
        survival *= (total - died) / total
      }
      for i in 0..<groups { atRisk[i] -= events[i] + Double(moment.censored[i]) }
    }
  }
  let live = (0..<groups).filter { expected[$0] > 0 }
  guard live.count >= 2 else { return nil }
  let free = live.dropLast()
  let scores = free.map { observed[$0] - expected[$0] }
  let matrix = free.map { i in free.map { covariance[i][$0] } }
  guard let chiSquare = Cholesky(matrix)?.quadraticForm(scores) else { return nil }
  return LogRankTest(
    observed: observed, expected: expected, covariance: covariance, chiSquare: chiSquare, degrees: free.count,
    p: ChiSquareDistribution.survival(chiSquare, degrees: Double(free.count)))
}
