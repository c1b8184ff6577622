/// Returns the users per arm needed to show that a rate is not worse by `margin`, one-sided at `errors.alpha`, if both
/// arms have the rate p: 2pq(z_{1−α} + z_{1−β})²/m².
///
/// - Parameter margin: Absolute, above 0.
public func nonInferioritySampleSize(rate: Double, margin: Double, errors: TestErrors) -> Double {
  precondition(rate > 0 && rate < 1, "rate is \(rate), but must be in (0, 1)")
  precondition(margin > 0, "margin is \(margin), but must be above 0")
  let total = (NormalDistribution.upperQuantile(errors.alpha) + errors.powerZ) / margin
  return 2 * rate * (1 - rate) * total * total
}
