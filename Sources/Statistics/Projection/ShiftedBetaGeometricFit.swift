internal import RealModule

/// Fits the shifted beta-geometric model by maximum likelihood,
///
///     LL = Σ lost_t·ln P(t) + alive_T·ln S(T) = Σ_t lost_t·ln(1 − r_t) + kept_t·ln r_t
///
/// by damped Newton steps in (ln α, ln β). The two boundary cases are detected from the slope of the likelihood there,
/// so that diverged parameters are never reported.
///
/// Source: Fader & Hardie (2007), doi:10.1002/dir.20074.
///
/// - Parameter start: The starting point; the fit of similar counts saves most steps.
public func shiftedBetaGeometricFit(
  _ counts: RenewalCounts, from start: ShiftedBetaGeometric? = nil
) -> RetentionFit {
  let (lost, kept) = (counts.lost, counts.kept)
  let (allLost, allKept) = (lost.reduce(0, +), kept.reduce(0, +))
  let informative = lost.indices.count { lost[$0] + kept[$0] > 0 }
  guard informative >= 2, allLost > 0, allKept > 0 else { return .notIdentified }
  if lost.dropFirst().allSatisfy({ $0 == 0 }) {
    let share = lost[0] / (lost[0] + kept[0])
    guard share < 1 else { return .notIdentified }
    return .polarised(
      churn: share, logLikelihood: lost[0] * Double.log(share) + kept[0] * Double.log(onePlus: -share))
  }
  // With c = α/(α + β) and s = 1/(α + β), the slope in s at 0, with c at its best there. If it is not positive, spread
  // does not help.
  let churn = allLost / (allLost + allKept)
  var slope = 0.0
  for t in lost.indices { slope += Double(t) * (kept[t] * (churn / (1 - churn)) - lost[t]) }
  if slope <= 1e-12 * (allLost + allKept) {
    return .homogeneous(
      churn: churn, logLikelihood: allLost * Double.log(churn) + allKept * Double.log(onePlus: -churn))
  }
  let model = counts.maximum(churn: churn, from: start)
  return .fitted(model.model, logLikelihood: model.logLikelihood)
}

extension RenewalCounts {
  /// Σ_t lost_t·ln(1 − r_t) + kept_t·ln r_t.
  func logLikelihood(of model: ShiftedBetaGeometric) -> Double {
    let left = Double.log(model.alpha)
    var sum = 0.0
    for t in lost.indices {
      let (i, all) = (Double(t), lost[t] + kept[t])
      if all == 0 { continue }
      let total = Double.log(model.alpha + model.beta + i)
      if lost[t] > 0 { sum += lost[t] * (left - total) }
      if kept[t] > 0 { sum += kept[t] * (Double.log(model.beta + i) - total) }
    }
    return sum
  }

  /// Newton's method in (ln α, ln β): steps are halved until the likelihood rises, with Levenberg's shift where it is
  /// not concave.
  fileprivate func maximum(
    churn: Double, from start: ShiftedBetaGeometric?
  ) -> (model: ShiftedBetaGeometric, logLikelihood: Double) {
    var (u, v) = start.map { (Double.log($0.alpha), Double.log($0.beta)) } ?? (0, Double.log((1 - churn) / churn))
    func value(_ u: Double, _ v: Double) -> Double {
      logLikelihood(of: ShiftedBetaGeometric(alpha: Double.exp(u), beta: Double.exp(v)))
    }
    var best = value(u, v)
    var shift = 0.0
    for _ in 0..<500 {
      let (a, b) = (Double.exp(u), Double.exp(v))
      var (ga, gb, haa, hab, hbb) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for t in lost.indices {
        let i = Double(t)
        let (all, total, rest) = (lost[t] + kept[t], a + b + i, b + i)
        ga += lost[t] / a - all / total
        gb += kept[t] / rest - all / total
        haa += all / total / total - lost[t] / a / a
        hab += all / total / total
        hbb += all / total / total - kept[t] / rest / rest
      }
      let (gu, gv) = (a * ga, b * gb)
      let (huu, huv, hvv) = (a * a * haa + gu, a * b * hab, b * b * hbb + gv)
      let (muu, mvv) = (-huu + shift, -hvv + shift)
      let determinant = muu * mvv - huv * huv
      guard muu > 0, determinant > 0 else {
        shift = max(2 * shift, 1e-3 * (abs(huu) + abs(hvv)))
        continue
      }
      let (du, dv) = ((mvv * gu + huv * gv) / determinant, (huv * gu + muu * gv) / determinant)
      let length = max(abs(du), abs(dv))
      // The next step would be about the square of this one: below rounding.
      if length < 1e-8, shift == 0 {
        (u, v) = (u + du, v + dv)
        best = value(u, v)
        break
      }
      var scale = min(1, 2 / max(length, 1e-300))
      var next = value(u + scale * du, v + scale * dv)
      while next < best, scale > 1e-10 {
        scale /= 2
        next = value(u + scale * du, v + scale * dv)
      }
      // At the top, the rise of the likelihood is only rounding; the last step is taken as it is.
      if length < 1e-13 || (scale <= 1e-10 && shift == 0) { break }
      if scale > 1e-10 { (u, v, best) = (u + scale * du, v + scale * dv, next) }
      shift = scale > 1e-10 ? (shift < 1e-12 ? 0 : shift / 4) : shift * 4
    }
    let model = ShiftedBetaGeometric(alpha: Double.exp(u), beta: Double.exp(v))
    return (model, best)
  }
}
