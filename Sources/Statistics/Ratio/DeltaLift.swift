/// A relative lift m₁/m₀ − 1, its standard error and interval.
public struct DeltaLift: Hashable, Sendable {
  public var lift: Double
  public var standardError: Double
  public var interval: Interval
}

/// Returns the delta-method lift, with se² = v₁/m₀² + m₁²v₀/m₀⁴.
///
/// Other engines show this interval. It can contradict the test of the difference, which
/// ``fiellerRatio(_:_:critical:)`` never does. For comparison with them only.
///
/// - Parameter critical: The two-sided critical value, z or t.
/// - Returns: `nil` unless the control's mean is above 0: below it, more would be a negative lift.
public func deltaLift(_ treatment: MeanEstimate, _ control: MeanEstimate, critical: Double) -> DeltaLift? {
  guard control.mean > 0 else { return nil }
  let ratio = treatment.mean / control.mean
  let own = treatment.standardError / control.mean
  let other = ratio * (control.standardError / control.mean)
  let error = (own * own + other * other).squareRoot()
  let lift = (treatment.mean - control.mean) / control.mean
  return DeltaLift(
    lift: lift, standardError: error,
    interval: Interval(around: lift, half: critical * error))
}
