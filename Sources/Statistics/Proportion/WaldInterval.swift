/// Returns the Wald interval, p̂ ± z·√(p̂(1 − p̂)/n), not cut to 0…1.
///
/// A negative control: it has no width without successes, and covers 87% where it claims 95% (`exact_coverage`).
///
/// - Returns: `nil` without trials.
public func waldInterval(_ sample: Proportion, z: Double = normalQuantile975) -> Interval? {
  guard let estimate = sample.estimate else { return nil }
  let half = z * (estimate * (sample.failures / sample.trials) / sample.trials).squareRoot()
  return Interval(around: estimate, half: half)
}
