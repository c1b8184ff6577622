/// Returns the Wald interval of p₁ − p₂, with each arm's own variance, not cut to −1…1.
///
/// A negative control: it has no width if neither arm has a success.
///
/// - Returns: `nil` when an arm has no trials.
public func waldDifference(
  _ treatment: Proportion, _ control: Proportion, z: Double = normalQuantile975
) -> Interval? {
  guard let p1 = treatment.estimate, let p2 = control.estimate else { return nil }
  func variance(_ sample: Proportion, _ estimate: Double) -> Double {
    estimate * (sample.failures / sample.trials) / sample.trials
  }
  let half = z * (variance(treatment, p1) + variance(control, p2)).squareRoot()
  return Interval(around: p1 - p2, half: half)
}
