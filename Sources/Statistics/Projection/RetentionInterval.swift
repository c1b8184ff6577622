internal import RealModule

/// Returns the profile-likelihood intervals of several quantities of a shifted beta-geometric fit, such as S(12) or
/// the revenue of 24 months: each one's range over the models with a log-likelihood at most z²/2 below the best.
///
/// For each α + β, from the polarised limit at e⁻²⁴ to the homogeneous one at e²⁴, such models have shares α/(α + β)
/// between two ends, where the quantity is smallest and largest; over α + β the extremes are searched on a grid, then
/// between its points.
///
/// - Parameter quantities: Functions of a model, a fixed number of them; each must be monotonic in α/β at constant α +
///   β.
/// - Returns: One per quantity; `nil` if the fit is not identified.
///
/// Source: Venzon & Moolgavkar (1988), doi:10.2307/2347496.
public func retentionIntervals(
  _ counts: RenewalCounts, z: Double = normalQuantile975, of quantities: (ShiftedBetaGeometric) -> [Double]
) -> [Interval]? {
  let best: ShiftedBetaGeometric
  let peak: Double
  switch shiftedBetaGeometricFit(counts) {
  case .fitted(let model, let logLikelihood): (best, peak) = (model, logLikelihood)
  case .homogeneous(let churn, let logLikelihood):
    (best, peak) = (RetentionProfile.model(churn, RetentionProfile.sizes.upperBound), logLikelihood)
  case .polarised(let churn, let logLikelihood):
    (best, peak) = (RetentionProfile.model(churn, RetentionProfile.sizes.lowerBound), logLikelihood)
  case .notIdentified: return nil
  }
  let profile = RetentionProfile(counts, floor: peak - z * z / 2)
  let sizes = RetentionProfile.sizes
  let own = Double.log(best.alpha + best.beta)
  let grid = (Array(stride(from: sizes.lowerBound, through: sizes.upperBound, by: 1)) + [own]).sorted()
  return profileIntervals(
    grid.filter(sizes.contains), best: quantities(best),
    ends: { size in
      guard let low = profile.edge(size, isHigh: false), let high = profile.edge(size, isHigh: true) else { return nil }
      return (quantities(low), quantities(high))
    })
}

/// The models of a given ln(α + β) with a high enough likelihood.
private struct RetentionProfile {
  static let sizes = -24.0...24.0

  private let counts: RenewalCounts
  private let floor: Double
  private let allLost: Double

  init(_ counts: RenewalCounts, floor: Double) {
    self.counts = counts
    self.floor = floor
    allLost = counts.lost.reduce(0, +)
  }

  /// - Parameters:
  ///   - share: α/(α + β).
  ///   - size: ln(α + β).
  static func model(_ share: Double, _ size: Double) -> ShiftedBetaGeometric {
    let total = Double.exp(size)
    return ShiftedBetaGeometric(alpha: max(1e-300, total * share), beta: max(1e-300, total * (1 - share)))
  }

  /// Returns the model at one end of the shares; `nil` if no share is likely enough.
  func edge(_ size: Double, isHigh: Bool) -> ShiftedBetaGeometric? {
    let top = bestOdds(size)
    guard excess(top, size) >= 0 else { return nil }
    let odds = likelihoodEdge(from: top, step: isHigh ? 0.25 : -0.25) { excess($0, size) }
    return Self.model(Self.share(odds), size)
  }

  private static func share(_ odds: Double) -> Double { 1 / (1 + Double.exp(-odds)) }

  private func excess(_ odds: Double, _ size: Double) -> Double {
    counts.logLikelihood(of: Self.model(Self.share(odds), size)) - floor
  }

  /// Returns ln(α/β) of the most likely model: the likelihood is concave in the share, and its slope falls from +∞ to
  /// below 0; it is 0 where the lost customers' part equals the renewed ones'.
  private func bestOdds(_ size: Double) -> Double {
    let total = Double.exp(size)
    return fallingRoot(in: -60...60) { odds in
      let rest = total * Self.share(-odds)
      var taken = 0.0
      for (renewal, kept) in counts.kept.enumerated() where kept > 0 {
        taken += kept * total / (rest + Double(renewal))
      }
      return Double.log(allLost / Self.share(odds)) - Double.log(taken)
    }
  }
}
