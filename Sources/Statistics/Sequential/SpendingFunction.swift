internal import RealModule

/// The part of α, both sides together, that may be spent by a share of the planned information.
///
/// Source: Lan & DeMets (1983), doi:10.1093/biomet/70.3.659.
public enum SpendingFunction: Hashable, Sendable {
  /// Each side spends its own half: 2·2[1 − Φ(z_{α/4}/√t)]. The default, and the convention behind the published
  /// bounds 4.8769, 3.3569, 2.6803, 2.2898, 2.0310 for five looks.
  case obrienFlemingEachSide
  /// 2[1 − Φ(z_{α/2}/√t)] in total: the other convention, earlier in spending.
  case obrienFlemingTotal
  /// α·ln(1 + (e − 1)t).
  case pocock

  /// Returns the cumulative α spent at information fraction t; all of it from 1 on.
  public func spent(at t: Double, alpha: Double) -> Double {
    if t <= 0 { return 0 }
    if t >= 1 { return alpha }
    switch self {
    case .obrienFlemingEachSide:
      return 4 * NormalDistribution.survival(NormalDistribution.upperQuantile(alpha / 4) / t.squareRoot())
    case .obrienFlemingTotal:
      return 2 * NormalDistribution.survival(NormalDistribution.upperQuantile(alpha / 2) / t.squareRoot())
    case .pocock:
      return alpha * Double.log(onePlus: (Double.exp(1) - 1) * t)
    }
  }
}
