internal import RealModule

/// Returns the profile-likelihood interval of anything that follows from a shifted beta-geometric fit, such as S(12)
/// or the revenue of 24 months: see ``retentionIntervals(_:z:of:)``.
///
/// - Parameter quantity: Of a model; smooth.
/// - Returns: `nil` when the fit is not identified.
public func retentionInterval(
  _ counts: RenewalCounts, z: Double = normalQuantile975, of quantity: (ShiftedBetaGeometric) -> Double
) -> Interval? {
  retentionIntervals(counts, z: z) { [quantity($0)] }?[0]
}

/// Returns the profile-likelihood intervals of several quantities that follow from a shifted beta-geometric fit: each
/// one's range over the models whose likelihood is not below the best by more than z²/2.
///
/// The region's edge is traced by rays from the best model in ln(α/β) and ln(α + β), where its long axis runs towards the
/// homogeneous and the polarised limit; a ray that never leaves it ends e¹² beyond, at the limit for all purposes.
/// Between rays the extreme is looked for by parabolas.
///
/// - Parameter quantities: Of a model; smooth, as many each time.
/// - Returns: One per quantity; `nil` when the fit is not identified.
///
/// Source: Venzon & Moolgavkar (1988), doi:10.2307/2347496.
public func retentionIntervals(
  _ counts: RenewalCounts, z: Double = normalQuantile975, of quantities: (ShiftedBetaGeometric) -> [Double]
) -> [Interval]? {
  guard let region = RetentionRegion(counts, z: z) else { return nil }
  let rays = 72
  let spacing = 2 * Double.pi / Double(rays)
  let edge = (0..<rays).map { quantities(region.edge(at: spacing * Double($0))) }
  let best = quantities(region.centre)
  return best.indices.map { place in
    func extreme(_ sign: Double) -> Double {
      func value(_ angle: Double) -> Double { sign * quantities(region.edge(at: angle))[place] }
      let values = edge.map { sign * $0[place] }
      guard let top = values.indices.max(by: { values[$0] < values[$1] }) else { return best[place] }
      var (angle, width, highest) = (spacing * Double(top), spacing, values[top])
      var (left, right) = (values[(top + rays - 1) % rays], values[(top + 1) % rays])
      for _ in 0..<3 {
        let bend = left - 2 * highest + right
        if bend >= 0 { break }
        let next = angle + max(-1, min(1, 0.5 * (left - right) / bend)) * width
        let found = value(next)
        if found > highest { (angle, highest) = (next, found) }
        width /= 8
        (left, right) = (value(angle - width), value(angle + width))
      }
      return sign * max(highest, sign * best[place])
    }
    return Interval(low: extreme(-1), high: extreme(1))
  }
}

/// The models of a fit's region of likelihood.
private struct RetentionRegion {
  let counts: RenewalCounts
  /// In ln(α/β) and ln(α + β).
  private let middle: (odds: Double, size: Double)
  private let peak: Double
  private let drop: Double
  /// One standard error of a plain share: a ray's unit in ln(α/β).
  private let unit: Double

  init?(_ counts: RenewalCounts, z: Double) {
    self.counts = counts
    switch shiftedBetaGeometricFit(counts) {
    case .fitted(let model, let logLikelihood):
      middle = (Double.log(model.alpha / model.beta), Double.log(model.alpha + model.beta))
      peak = logLikelihood
    case .homogeneous(let churn, let logLikelihood):
      (middle, peak) = ((Double.log(churn / (1 - churn)), 12), logLikelihood)
    case .polarised(let churn, let logLikelihood):
      (middle, peak) = ((Double.log(churn / (1 - churn)), -12), logLikelihood)
    case .notIdentified: return nil
    }
    drop = z * z / 2
    let exposed = counts.lost.reduce(0, +) + counts.kept.reduce(0, +)
    let share = counts.lost.reduce(0, +) / exposed
    unit = 1 / (exposed * share * (1 - share)).squareRoot()
  }

  var centre: ShiftedBetaGeometric { Self.model(middle.odds, middle.size) }

  private static func model(_ odds: Double, _ size: Double) -> ShiftedBetaGeometric {
    let total = Double.exp(min(24, max(-24, size)))
    let share = 1 / (1 + Double.exp(-odds))
    return ShiftedBetaGeometric(alpha: max(1e-300, total * share), beta: max(1e-300, total * (1 - share)))
  }

  /// The model where a ray leaves the region.
  func edge(at angle: Double) -> ShiftedBetaGeometric {
    let (across, along) = (unit * Double.cos(angle), Double.sin(angle))
    func model(_ radius: Double) -> ShiftedBetaGeometric {
      Self.model(middle.odds + radius * across, middle.size + radius * along)
    }
    func excess(_ radius: Double) -> Double { counts.logLikelihood(of: model(radius)) - peak + drop }
    // Rays across leave within some units; along the ridge they may never.
    var (inside, outside) = (0.0, 0.25)
    var (above, below) = (drop, excess(outside))
    while outside < 24 / unit, abs(outside * along) < 12, below >= 0 {
      (inside, above) = (outside, below)
      outside *= 1.6
      below = excess(outside)
    }
    if below >= 0 { return model(outside) }
    // Regula falsi, the end that stays given half its weight: Dowell & Jarratt (1971), doi:10.1007/BF01934364.
    var lastSide = 0
    for _ in 0..<60 where outside - inside > 1e-9 * outside {
      let middle = (inside * below - outside * above) / (below - above)
      let value = excess(middle)
      if value >= 0 {
        (inside, above) = (middle, value)
        if lastSide == 1 { below /= 2 }
        lastSide = 1
      } else {
        (outside, below) = (middle, value)
        if lastSide == -1 { above /= 2 }
        lastSide = -1
      }
      if abs(value) < 1e-10 { return model(middle) }
    }
    return model(inside)
  }
}
