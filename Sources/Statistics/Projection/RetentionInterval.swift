internal import RealModule

/// Returns the profile-likelihood interval of anything that follows from a shifted beta-geometric fit, such as S(12)
/// or the revenue of 24 months: its range over the models whose likelihood is not below the best by more than
/// z²/2.
///
/// The region is traced by rays from the best model in ln(α/β) and ln(α + β), where its long axis runs towards the
/// homogeneous and the polarised limit; a ray that never leaves it ends e¹² beyond, at the limit for all purposes.
///
/// - Parameter quantity: Of a model; smooth.
/// - Returns: `nil` when the fit is not identified.
///
/// Source: Venzon & Moolgavkar (1988), doi:10.2307/2347496.
public func retentionInterval(
  _ counts: RenewalCounts, z: Double = normalQuantile975, of quantity: (ShiftedBetaGeometric) -> Double
) -> Interval? {
  let centre: (odds: Double, size: Double)
  let peak: Double
  switch shiftedBetaGeometricFit(counts) {
  case .fitted(let model, let logLikelihood):
    centre = (Double.log(model.alpha / model.beta), Double.log(model.alpha + model.beta))
    peak = logLikelihood
  case .homogeneous(let churn, let logLikelihood):
    (centre, peak) = ((Double.log(churn / (1 - churn)), 12), logLikelihood)
  case .polarised(let churn, let logLikelihood):
    (centre, peak) = ((Double.log(churn / (1 - churn)), -12), logLikelihood)
  case .notIdentified: return nil
  }
  func model(_ odds: Double, _ size: Double) -> ShiftedBetaGeometric {
    let total = Double.exp(min(24, max(-24, size)))
    let share = 1 / (1 + Double.exp(-odds))
    return ShiftedBetaGeometric(alpha: max(1e-300, total * share), beta: max(1e-300, total * (1 - share)))
  }
  let floor = peak - z * z / 2
  // A ray's unit in ln(α/β) is one standard error of a plain share.
  let exposed = counts.lost.reduce(0, +) + counts.kept.reduce(0, +)
  let share = counts.lost.reduce(0, +) / exposed
  let unit = 1 / (exposed * share * (1 - share)).squareRoot()
  let best = quantity(model(centre.odds, centre.size))
  var (low, high) = (best, best)
  for ray in 0..<240 {
    let angle = 2 * Double.pi * Double(ray) / 240
    let (across, along) = (unit * Double.cos(angle), Double.sin(angle))
    func at(_ radius: Double) -> ShiftedBetaGeometric {
      model(centre.odds + radius * across, centre.size + radius * along)
    }
    func isInside(_ radius: Double) -> Bool { counts.logLikelihood(of: at(radius)) >= floor }
    // Rays across leave within some units; along the ridge they may never.
    var (inside, outside) = (0.0, 1 / 64.0)
    while outside < 24 / unit, abs(outside * along) < 12, isInside(outside) {
      (inside, outside) = (outside, outside * 1.3)
    }
    for _ in 0..<40 {
      let middle = (inside + outside) / 2
      if isInside(middle) { inside = middle } else { outside = middle }
    }
    let value = quantity(at(inside))
    (low, high) = (min(low, value), max(high, value))
  }
  return Interval(low: low, high: high)
}
