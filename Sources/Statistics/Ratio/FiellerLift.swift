/// The interval of a lift over control, or the reason why there is none.
public enum FiellerLift: Hashable, Sendable {
  /// The interval of m₁/m₀ − 1; both ends are finite.
  case between(Interval)
  /// The control's mean is not above c standard errors: a ratio to it says nothing.
  case controlNotDistinguishableFromZero
  /// Neither arm varies: an interval would have no width.
  case nothingVaries

  public var interval: Interval? {
    if case .between(let interval) = self { interval } else { nil }
  }
}

/// Returns Fieller's interval of the lift: {r : |m₁ − r·m₀| ≤ c·√(v₁ + r²v₀)} − 1.
///
/// It excludes 0 exactly when the difference ± c standard errors does.
///
/// - Parameter critical: From the rule that decides: c(n) of an ``AsymptoticSequence``, a bound of a
///   ``GroupSequentialDesign``, or the two-sided normal quantile of one look.
///
/// Source: Fieller (1954), J R Stat Soc B 16:175; implements D2.2.
public func fiellerLift(_ treatment: MeanEstimate, _ control: MeanEstimate, critical: Double) -> FiellerLift {
  guard treatment.standardError > 0 || control.standardError > 0 else { return .nothingVaries }
  guard control.mean > critical * control.standardError,
    case .bounded(let ratio) = fiellerRatio(treatment, control, critical: critical)
  else { return .controlNotDistinguishableFromZero }
  return .between(Interval(low: ratio.low - 1, high: ratio.high - 1))
}
