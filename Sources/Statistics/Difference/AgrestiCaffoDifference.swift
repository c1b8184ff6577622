/// Returns the Agresti–Caffo interval of p₁ − p₂: Wald's with one more success and failure in each arm, not cut to
/// −1…1.
///
/// - Returns: `nil` when an arm has no trials.
///
/// Source: Agresti & Caffo (2000), doi:10.1080/00031305.2000.10474560.
public func agrestiCaffoDifference(
  _ treatment: Proportion, _ control: Proportion, z: Double = normalQuantile975
) -> Interval? {
  guard treatment.trials > 0, control.trials > 0 else { return nil }
  func padded(_ sample: Proportion) -> Proportion {
    Proportion(successes: sample.successes + 1, trials: sample.trials + 2)
  }
  return waldDifference(padded(treatment), padded(control), z: z)
}
