/// Returns the Miettinen–Nurminen score interval of a difference of proportions, p₁ − p₂: the default.
///
/// It excludes a margin exactly when ``miettinenNurminenTest(_:_:margin:)`` rejects it at the same level.
///
/// - Parameter z: The two-sided critical value.
/// - Returns: Bounds in −1…1, ±1 when the estimate is; `nil` when an arm has no trials.
///
/// Source: Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211.
public func miettinenNurminenDifference(
  _ treatment: Proportion, _ control: Proportion, z: Double = normalQuantile975
) -> Interval? {
  ScoreDifference(treatment, control, corrected: true)?.interval(critical: z)
}
