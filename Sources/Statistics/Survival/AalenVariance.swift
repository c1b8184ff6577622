/// Returns the Aalen-type variance of F_j at a horizon, as R `cmprsk` prints it:
///
///     V = Σg²w − 2F(t)·Σ(g/S)w + F(t)²·Σw/S²,   w = S_−²k/n²·(1 − (k − 1)/(n − 1))
///
/// over times u and causes, with k tied ends, S and F after u, g = F/S for other causes and 1 + F/S for cause j.
/// For comparison only; the default is the Greenwood type of ``AalenJohansen``.
///
/// - Parameter cause: From 1.
public func aalenVariance(_ records: some Collection<SurvivalRecord>, cause: Int, at horizon: Double) -> Double {
  let causes = max(cause, records.lazy.map(\.cause).max() ?? 1)
  let table = SurvivalTime.table(
    records.map { SurvivalRecord(time: $0.time, cause: $0.cause) }, groups: 1, causes: causes)
  var (survival, incidence, atRisk) = (1.0, 0.0, Double(records.count))
  var (squares, cross, inverse) = (0.0, 0.0, 0.0)
  for moment in table {
    if moment.time > horizon { break }
    let own = Double(moment.ends[0][cause - 1])
    let all = Double(moment.ends(group: 0))
    let after = survival * ((atRisk - all) / atRisk)
    incidence += survival * (own / atRisk)
    func add(_ tied: Double, own: Bool) {
      guard tied > 0, own || after > 0 else { return }
      let weight = survival * survival * tied / atRisk / atRisk * (tied > 1 ? 1 - (tied - 1) / (atRisk - 1) : 1)
      let reciprocal = after > 0 ? 1 / after : 0
      let gain = (own ? 1 : 0) + incidence * reciprocal
      squares += gain * gain * weight
      cross += gain * reciprocal * weight
      inverse += reciprocal * reciprocal * weight
    }
    add(all - own, own: false)
    add(own, own: true)
    survival = after
    atRisk -= all + Double(moment.censored[0])
  }
  return max(0, squares - 2 * incidence * cross + incidence * incidence * inverse)
}
