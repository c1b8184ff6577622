/// Returns the exact power of the two-sided pooled z test, by enumeration of both arms' outcomes.
///
/// - Returns: `nil` above two million outcomes, where the normal approximation is good enough.
public func exactPooledZPower(
  control: Double, treatment: Double, controlCount: Int, treatmentCount: Int, alpha: Double = 0.05
) -> Double? {
  guard (controlCount + 1) * (treatmentCount + 1) <= 2_000_000 else { return nil }
  let z = NormalDistribution.upperQuantile(alpha / 2)
  func law(_ count: Int, _ rate: Double) -> [Double] {
    let binomial = BinomialDistribution(trials: Double(count), probability: rate)
    return (0...count).map { binomial.probability(of: Double($0)) }
  }
  let (own, other) = (law(treatmentCount, treatment), law(controlCount, control))
  var power = 0.0
  for (x1, chance1) in own.enumerated() {
    for (x0, chance0) in other.enumerated() {
      let statistic = pooledZ(
        Proportion(successes: Double(x1), trials: Double(treatmentCount)),
        Proportion(successes: Double(x0), trials: Double(controlCount)))
      if let statistic, abs(statistic) > z { power += chance1 * chance0 }
    }
  }
  return power
}
