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

/// Returns the difference of F_1 between two arms at a horizon (trial length + grace), by Aalen–Johansen.
///
/// Source: Klein, Logan, Harhoff & Andersen (2007), doi:10.1002/sim.2864.
public func fixedHorizonDifference(
  treatment: some Collection<SurvivalRecord>, control: some Collection<SurvivalRecord>, at horizon: Double
) -> FixedHorizonDifference {
  func arm(_ records: some Collection<SurvivalRecord>) -> (incidence: Double, variance: Double) {
    let causes = max(1, records.lazy.map(\.cause).max() ?? 1)
    let incidence = cumulativeIncidence(records, causes: causes, at: horizon)
    return (incidence.estimates[0], incidence.variances[0])
  }
  return FixedHorizonDifference(treatment: arm(treatment), control: arm(control))
}

extension FixedHorizonDifference {
  /// The difference of two estimated incidences that are independent of each other.
  ///
  /// - Parameter treatment: The estimate F and its variance; `control` likewise.
  public init(
    treatment: (incidence: Double, variance: Double), control: (incidence: Double, variance: Double)
  ) {
    let difference = treatment.incidence - control.incidence
    let variance = treatment.variance + control.variance
    let linear = variance > 0 ? difference / variance.squareRoot() : nil
    func cloglog(_ arm: (incidence: Double, variance: Double)) -> (value: Double, variance: Double)? {
      guard arm.incidence > 0, arm.incidence < 1 else { return nil }
      let logRest = Double.log(onePlus: -arm.incidence)
      let slope = 1 / ((1 - arm.incidence) * logRest)
      return (Double.log(-logRest), arm.variance * slope * slope)
    }
    var transformed: Double?
    if let one = cloglog(treatment), let two = cloglog(control), one.variance + two.variance > 0 {
      transformed = (one.value - two.value) / (one.variance + two.variance).squareRoot()
    }
    self.init(
      control: control.incidence, treatment: treatment.incidence, difference: difference,
      standardError: variance.squareRoot(), zLinear: linear, pLinear: linear.map(NormalDistribution.twoSidedP),
      zCloglog: transformed, pCloglog: transformed.map(NormalDistribution.twoSidedP))
  }
}
