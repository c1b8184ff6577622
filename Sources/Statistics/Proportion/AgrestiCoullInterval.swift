/// Returns the Agresti–Coull interval, p̃ ± z·√(p̃(1 − p̃)/ñ) with ñ = n + z² and p̃ = (x + z²/2)/ñ, not cut to 0…1.
///
/// For comparison with other tools; Wilson's interval has the same centre and never leaves 0…1.
///
/// - Returns: `nil` without trials.
///
/// Source: Agresti & Coull (1998), doi:10.1080/00031305.1998.10480550.
public func agrestiCoullInterval(_ sample: Proportion, z: Double = normalQuantile975) -> Interval? {
  guard sample.trials > 0 else { return nil }
  let trials = sample.trials + z * z
  let centre = (sample.successes + z * z / 2) / trials
  let half = z * (centre * ((sample.failures + z * z / 2) / trials) / trials).squareRoot()
  return Interval(around: centre, half: half)
}
