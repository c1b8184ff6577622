internal import RealModule

/// Two forecasts of survival from one set of renewals, as a range, with the better one by held-out periods.
public struct RetentionForecast: Hashable, Sendable {
  public enum Model: Hashable, Sendable {
    case shiftedBetaGeometric
    case betaDiscreteWeibull
  }

  /// S(0)…S(last), fractions of 1.
  public var shiftedBetaGeometric: [Double]
  /// `nil` if it is not identified.
  public var betaDiscreteWeibull: [Double]?
  /// The model whose fit to the earlier renewals gave the held-out ones the higher likelihood; `nil` if too few
  /// renewals remain to fit both.
  public var better: Model?

  /// The lower and the higher of the two at each renewal.
  public var range: [Interval] {
    shiftedBetaGeometric.indices.map { t in
      let (one, other) = (shiftedBetaGeometric[t], betaDiscreteWeibull?[t] ?? shiftedBetaGeometric[t])
      return Interval(low: min(one, other), high: max(one, other))
    }
  }
}

/// Returns survival through `last` renewals by the shifted beta-geometric and the beta-discrete-Weibull model.
///
/// - Parameter heldOut: The number of latest renewals held out to choose the better model; 1 or more.
/// - Returns: `nil` if even the first model is not identified.
///
/// Source: Fader, Hardie, Liu, Davin & Steenburgh (2018), J Interactive Marketing 43:1.
public func retentionForecast(_ counts: RenewalCounts, through last: Int, heldOut: Int = 2) -> RetentionForecast? {
  precondition(heldOut >= 1, "heldOut is \(heldOut), but must be at least 1")
  guard let geometric = shiftedBetaGeometricFit(counts).survival(through: last) else { return nil }
  let weibull = betaDiscreteWeibullFit(counts)?.model.survival(through: last)
  var better: RetentionForecast.Model?
  let known = counts.lost.count - heldOut
  if known >= 3 {
    let early = RenewalCounts(lost: Array(counts.lost[..<known]), kept: Array(counts.kept[..<known]))
    if let one = shiftedBetaGeometricFit(early).survival(through: counts.lost.count),
      let other = betaDiscreteWeibullFit(early)?.model.survival(through: counts.lost.count)
    {
      better =
        counts.logLikelihood(of: one, from: known) >= counts.logLikelihood(of: other, from: known)
        ? .shiftedBetaGeometric : .betaDiscreteWeibull
    }
  }
  return RetentionForecast(shiftedBetaGeometric: geometric, betaDiscreteWeibull: weibull, better: better)
}

extension RenewalCounts {
  /// Returns Σ lost·ln(1 − r) + kept·ln r over renewals from `first` (from 0), r from a survival curve; −∞ for outcomes
  /// that it rules out.
  fileprivate func logLikelihood(of survival: [Double], from first: Int) -> Double {
    (first..<lost.count).reduce(0) { sum, t in
      let retention = survival[t] > 0 ? survival[t + 1] / survival[t] : 0
      return sum + (lost[t] > 0 ? lost[t] * Double.log(1 - retention) : 0)
        + (kept[t] > 0 ? kept[t] * Double.log(retention) : 0)
    }
  }
}
