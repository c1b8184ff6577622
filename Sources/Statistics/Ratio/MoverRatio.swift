/// Returns the MOVER-R interval of a ratio of proportions from the two Wilson intervals (l, u):
///
///     low  = {p̂₁p̂₂ − √[(p̂₁p̂₂)² − l₁u₂(2p̂₁ − l₁)(2p̂₂ − u₂)]} / [u₂(2p̂₂ − u₂)]
///     high = {p̂₁p̂₂ + √[(p̂₁p̂₂)² − u₁l₂(2p̂₁ − u₁)(2p̂₂ − l₂)]} / [l₂(2p̂₂ − l₂)]
///
/// - Returns: Upper bound ∞ without control successes; `nil` when an arm has no trials.
///
/// Source: Donner & Zou (2012), doi:10.1177/0962280210383082; Fagerland, Lydersen & Laake (2015).
public func moverRatio(
  _ treatment: Proportion, _ control: Proportion, z: Double = normalQuantile975
) -> Interval? {
  guard
    let p1 = treatment.estimate, let p2 = control.estimate,
    let one = wilsonInterval(successes: treatment.successes, trials: treatment.trials, z: z),
    let two = wilsonInterval(successes: control.successes, trials: control.trials, z: z)
  else { return nil }
  let product = p1 * p2
  func root(_ own: Double, _ other: Double) -> Double {
    max(0, product * product - own * other * (2 * p1 - own) * (2 * p2 - other)).squareRoot()
  }
  // The lower root is its conjugate's quotient: with few successes in the control 2p̂₂ − u₂ is near 0 or below.
  let low = p1 == 0 ? 0 : one.low * (2 * p1 - one.low) / (product + root(one.low, two.high))
  let high =
    p2 == 0 ? Double.infinity : (product + root(one.high, two.low)) / (two.low * (2 * p2 - two.low))
  return Interval(low: low, high: high)
}
