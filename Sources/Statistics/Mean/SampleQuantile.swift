/// The rule for a quantile between two values of a sample.
public enum QuantileRule: Hashable, Sendable {
  /// Type 7: linear between the values at rank (n − 1)p; the default of R and NumPy.
  case linear
  /// Type 1: the least value at which the cumulative share reaches p.
  case invertedCDF
}

/// Returns the quantile of a sample.
///
/// - Parameters:
///   - sorted: Ascending.
///   - p: In [0, 1].
/// - Returns: `nil` without values.
///
/// Source: Hyndman & Fan (1996), doi:10.1080/00031305.1996.10473566.
public func sampleQuantile(ofSorted sorted: [Double], _ p: Double, rule: QuantileRule = .linear) -> Double? {
  precondition(p >= 0 && p <= 1, "p is \(p), but must be in [0, 1]")
  guard let last = sorted.last else { return nil }
  switch rule {
  case .linear:
    let rank = Double(sorted.count - 1) * p
    let index = Int(rank.rounded(.down))
    guard index + 1 < sorted.count else { return last }
    let (low, high, share) = (sorted[index], sorted[index + 1], rank - rank.rounded(.down))
    // Computes from the nearer end, as NumPy does: share 1 then gives the upper value exactly.
    return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share)
  case .invertedCDF:
    let rank = (Double(sorted.count) * p).rounded(.up)
    return sorted[min(sorted.count - 1, max(0, Int(rank) - 1))]
  }
}
