internal import RealModule

/// The difference of two cumulative incidences at a horizon: the number that people decide on.
public struct FixedHorizonDifference: Hashable, Sendable {
  public var control: Double
  public var treatment: Double
  /// Treatment minus control.
  public var difference: Double
  public var standardError: Double
  /// `nil` if neither has a variance.
  public var zLinear: Double?
  public var pLinear: Double?
  /// On the scale ln(−ln(1 − F)); `nil` if an incidence is 0 or 1.
  public var zCloglog: Double?
  public var pCloglog: Double?
}

/// Returns the difference of F_j between two arms at a horizon (trial length + grace), by Aalen–Johansen.
///
/// - Parameter cause: From 1.
///
/// Source: Klein, Logan, Harhoff & Andersen (2007), doi:10.1002/sim.2864.
public func fixedHorizonDifference(
  treatment: some Collection<SurvivalRecord>, control: some Collection<SurvivalRecord>, cause: Int = 1,
  at horizon: Double
) -> FixedHorizonDifference {
  func arm(_ records: some Collection<SurvivalRecord>) -> (estimate: Double, variance: Double) {
    let causes = max(cause, records.lazy.map(\.cause).max() ?? 1)
    let incidence = cumulativeIncidence(records, causes: causes, at: horizon)
    return (incidence.estimates[cause - 1], incidence.variances[cause - 1])
  }
  let (own, other) = (arm(treatment), arm(control))
  let difference = own.estimate - other.estimate
  let variance = own.variance + other.variance
  let linear = variance > 0 ? difference / variance.squareRoot() : nil
  func cloglog(_ arm: (estimate: Double, variance: Double)) -> (value: Double, variance: Double)? {
    guard arm.estimate > 0, arm.estimate < 1 else { return nil }
    let logRest = Double.log(onePlus: -arm.estimate)
    let slope = 1 / ((1 - arm.estimate) * logRest)
    return (Double.log(-logRest), arm.variance * slope * slope)
  }
  var transformed: Double?
  if let one = cloglog(own), let two = cloglog(other), one.variance + two.variance > 0 {
    transformed = (one.value - two.value) / (one.variance + two.variance).squareRoot()
  }
  return FixedHorizonDifference(
    control: other.estimate, treatment: own.estimate, difference: difference, standardError: variance.squareRoot(),
    zLinear: linear, pLinear: linear.map(NormalDistribution.twoSidedP), zCloglog: transformed,
    pCloglog: transformed.map(NormalDistribution.twoSidedP))
}
