internal import RealModule

/// Returns the interval of the lift m₁/m₀ − 1 by the delta method on ln m: ρ·exp(±c·√(v₁/m₁² + v₀/m₀²)) − 1.
///
/// It never goes below −100%.
///
/// - Parameter critical: The two-sided critical value, z or t.
/// - Returns: `nil` unless both means are positive.
public func logDeltaLift(_ treatment: MeanEstimate, _ control: MeanEstimate, critical: Double) -> Interval? {
  guard treatment.mean > 0, control.mean > 0 else { return nil }
  let own = treatment.standardError / treatment.mean
  let other = control.standardError / control.mean
  let spread = critical * (own * own + other * other).squareRoot()
  let logRatio = Double.log(treatment.mean / control.mean)
  return Interval(low: Double.expMinusOne(logRatio - spread), high: Double.expMinusOne(logRatio + spread))
}
