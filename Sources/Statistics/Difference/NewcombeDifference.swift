/// Returns Newcombe's hybrid score interval of p₁ − p₂, from the two Wilson intervals (l, u):
///
///     δ̂ − √[(p̂₁ − l₁)² + (u₂ − p̂₂)²]  to  δ̂ + √[(u₁ − p̂₁)² + (p̂₂ − l₂)²]
///
/// It has a closed form and is slightly wide at small counts: for charts and SQL.
///
/// - Returns: Bounds in −1…1; `nil` when an arm has no trials.
///
/// Source: Newcombe (1998), Stat Med 17:873, method 10.
public func newcombeDifference(
  _ treatment: Proportion, _ control: Proportion, z: Double = normalQuantile975
) -> Interval? {
  guard
    let p1 = treatment.estimate, let p2 = control.estimate,
    let one = wilsonInterval(successes: treatment.successes, trials: treatment.trials, z: z),
    let two = wilsonInterval(successes: control.successes, trials: control.trials, z: z)
  else { return nil }
  let (below1, above1) = (p1 - one.low, one.high - p1)
  let (below2, above2) = (p2 - two.low, two.high - p2)
  return Interval(
    low: max(-1, p1 - p2 - (below1 * below1 + above2 * above2).squareRoot()),
    high: min(1, p1 - p2 + (above1 * above1 + below2 * below2).squareRoot()))
}
