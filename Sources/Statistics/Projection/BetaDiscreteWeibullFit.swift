internal import RealModule

/// Fits the beta-discrete-Weibull model by maximum likelihood, from several starts of a simplex in (ln α, ln β, ln c).
///
/// Its likelihood is flat: compare survival curves, not parameters.
///
/// - Returns: `nil` if it is not identified (fewer than three renewals, no churn, or no customer left), or if the
///   parameters run off to a bound.
public func betaDiscreteWeibullFit(
  _ counts: RenewalCounts
) -> (model: BetaDiscreteWeibull, logLikelihood: Double)? {
  let (lost, kept) = (counts.lost, counts.kept)
  guard lost.count >= 3, lost.contains(where: { $0 > 0 }), (kept.last ?? 0) > 0 else { return nil }
  func misfit(_ point: [Double]) -> Double {
    guard point.allSatisfy({ abs($0) < 16 }) else { return .infinity }
    let model = BetaDiscreteWeibull(
      alpha: Double.exp(point[0]), beta: Double.exp(point[1]), c: Double.exp(point[2]))
    var (sum, before) = (0.0, 0.0)
    for t in lost.indices {
      let after = model.logSurvival(t + 1)
      let logRetention = after - before
      if kept[t] > 0 { sum += kept[t] * logRetention }
      if lost[t] > 0 { sum += lost[t] * Double.log(-Double.expMinusOne(logRetention)) }
      before = after
    }
    return sum.isFinite ? -sum : .infinity
  }
  var best: (point: [Double], value: Double)?
  for start in [[0, 1, 0.0], [-1, 0.5, 0.4], [0.5, 1.5, -0.4], [-1, -1, 0]] {
    var found = simplexMinimum(from: start, step: 0.5, of: misfit)
    // Restarts free a simplex that collapsed next to the valley's floor.
    for _ in 0..<4 { found = simplexMinimum(from: found.point, step: 0.05, of: misfit) }
    if best == nil || found.value < best!.value { best = found }
  }
  guard let best, best.value.isFinite, best.point.allSatisfy({ abs($0) < 12 }) else { return nil }
  return (
    BetaDiscreteWeibull(
      alpha: Double.exp(best.point[0]), beta: Double.exp(best.point[1]), c: Double.exp(best.point[2])),
    -best.value
  )
}
