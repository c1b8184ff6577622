internal import RealModule

/// Returns the profile-likelihood intervals of quantities of survival under the discrete Weibull model, S(t) =
/// exp(−λ·t^c): all customers alike, with churn that falls (c < 1) or rises with tenure.
///
/// It explains churn that falls with tenure as well as the shifted beta-geometric model does, by the other part of the
/// beta-discrete-Weibull, but extrapolates differently.
///
/// - Parameters:
///   - last: The last renewal that `quantities` uses.
///   - quantities: Functions of S(0)…S(last), a fixed number of them; each must be monotonic in λ.
/// - Returns: One per quantity; `nil` if the counts do not identify two parameters.
///
/// Source: Nakagawa & Osaki (1975), doi:10.1109/TR.1975.5214915.
public func discreteWeibullIntervals(
  _ counts: RenewalCounts, through last: Int, z: Double = normalQuantile975, of quantities: ([Double]) -> [Double]
) -> [Interval]? {
  let (lost, kept) = (counts.lost, counts.kept)
  let informative = lost.indices.count { lost[$0] + kept[$0] > 0 }
  guard informative >= 2, lost.contains(where: { $0 > 0 }), kept.contains(where: { $0 > 0 }) else { return nil }
  /// t^c − (t − 1)^c for t from 1.
  func increments(_ logShape: Double) -> [Double] {
    let shape = Double.exp(logShape)
    return lost.indices.map { Double.pow(Double($0 + 1), shape) - ($0 == 0 ? 0 : Double.pow(Double($0), shape)) }
  }
  func logLikelihood(_ logRate: Double, _ increments: [Double]) -> Double {
    let rate = Double.exp(logRate)
    var sum = 0.0
    for t in lost.indices {
      let hazard = rate * increments[t]
      sum -= kept[t] * hazard
      if lost[t] > 0 { sum += lost[t] * Double.log(-Double.expMinusOne(-hazard)) }
    }
    return sum
  }
  /// Returns the best rate: the likelihood is concave in it, and its slope is 0 where the lost customers' part equals
  /// the renewed ones'.
  func bestRate(_ increments: [Double]) -> Double {
    let taken = Double.log(lost.indices.reduce(0) { $0 + kept[$1] * increments[$1] })
    return fallingRoot(in: -60...10) { logRate in
      let rate = Double.exp(logRate)
      var added = 0.0
      for t in lost.indices where lost[t] > 0 {
        added += lost[t] * increments[t] / Double.expMinusOne(rate * increments[t])
      }
      return Double.log(added) - taken
    }
  }
  func survival(_ logRate: Double, _ logShape: Double) -> [Double] {
    let (rate, shape) = (Double.exp(logRate), Double.exp(logShape))
    return (0...last).map { $0 == 0 ? 1 : Double.exp(-rate * Double.pow(Double($0), shape)) }
  }
  func highest(_ logShape: Double) -> Double {
    let steps = increments(logShape)
    return logLikelihood(bestRate(steps), steps)
  }
  let grid = Array(stride(from: -8.0, through: 2.0, by: 0.25))
  let heights = grid.map(highest)
  let top = heights.indices.max { heights[$0] < heights[$1] } ?? 0
  let (shape, peak) = goldenMaximum(
    from: grid[max(0, top - 1)], to: grid[min(grid.count - 1, top + 1)], rounds: 30, of: highest)
  let floor = max(peak, heights[top]) - z * z / 2
  return profileIntervals(
    (grid + [shape]).sorted(), best: quantities(survival(bestRate(increments(shape)), shape)),
    ends: { logShape in
      let steps = increments(logShape)
      func excess(_ logRate: Double) -> Double { logLikelihood(logRate, steps) - floor }
      let best = bestRate(steps)
      guard excess(best) >= 0 else { return nil }
      return (
        quantities(survival(likelihoodEdge(from: best, step: -0.25, excess), logShape)),
        quantities(survival(likelihoodEdge(from: best, step: 0.25, excess), logShape))
      )
    })
}

/// Returns intervals of quantities of survival that both explanations of falling churn allow: that customers differ
/// (``retentionIntervals(_:z:of:)``) and that each customer's churn changes
/// (``discreteWeibullIntervals(_:through:z:of:)``). The data seldom distinguish them, and they diverge beyond the data.
///
/// - Returns: The smallest interval that contains both; `nil` if the counts cannot be fitted.
///
/// Source: both are the limits of one model in Fader, Hardie, Liu, Davin & Steenburgh (2018), J Interactive Marketing 43:1.
public func retentionRanges(
  _ counts: RenewalCounts, through last: Int, z: Double = normalQuantile975, of quantities: ([Double]) -> [Double]
) -> [Interval]? {
  guard let different = retentionIntervals(counts, z: z, of: { quantities($0.survival(through: last)) }) else {
    return nil
  }
  guard let changing = discreteWeibullIntervals(counts, through: last, z: z, of: quantities) else { return different }
  return zip(different, changing).map { Interval(low: min($0.low, $1.low), high: max($0.high, $1.high)) }
}
