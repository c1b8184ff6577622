internal import RealModule

/// Returns the interval of a cumulative incidence on the scale ln(−ln(1 − F)), which stays inside 0…1.
///
/// - Returns: `nil` at an incidence of 0 or 1.
public func cloglogInterval(incidence: Double, variance: Double, z: Double = normalQuantile975) -> Interval? {
  guard incidence > 0, incidence < 1 else { return nil }
  let logRest = Double.log(onePlus: -incidence)
  let spread = Double.exp(z * variance.squareRoot() / ((1 - incidence) * -logRest))
  return Interval(low: -Double.expMinusOne(logRest / spread), high: -Double.expMinusOne(logRest * spread))
}
