/// Returns Mee's score interval of p₁ − p₂: Miettinen & Nurminen's without the factor N/(N − 1).
///
/// - Returns: Bounds in −1…1; `nil` when an arm has no trials.
///
/// Source: Mee (1984), Biometrics 40:1175.
public func meeDifference(
  _ treatment: Proportion, _ control: Proportion, z: Double = normalQuantile975
) -> Interval? {
  ScoreDifference(treatment, control, corrected: false)?.interval(critical: z)
}
