/// The score statistic of a difference of proportions δ = p₁ − p₂:
///
///     z(δ) = (p̂₁ − p̂₂ − δ) / √{[p̃₁q̃₁/n₁ + p̃₂q̃₂/n₂]·c}
///
/// with (p̃₁, p̃₂) the most likely pair that differs by δ, and c = N/(N − 1) for Miettinen & Nurminen, 1 for Mee.
///
/// Source: Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211, appendix; Mee (1984).
struct ScoreDifference {
  let first: Proportion
  let second: Proportion
  /// The c above.
  let varianceFactor: Double
  let estimate: Double

  /// - Returns: `nil` when an arm has no trials.
  init?(_ first: Proportion, _ second: Proportion, corrected: Bool) {
    guard let one = first.estimate, let other = second.estimate else { return nil }
    self.first = first
    self.second = second
    estimate = one - other
    let total = first.trials + second.trials
    varianceFactor = corrected ? total / (total - 1) : 1
  }

  /// Returns the most likely (p₁, p₂) with p₁ − p₂ = delta.
  ///
  /// The published method is the trigonometric root of a cubic, whose coefficients cancel: for 12 against 3 successes
  /// in 10⁸ it moves a bound by 0.3%. This code solves for the score itself, which decreases in p, by Newton's steps
  /// inside a bracket. It uses the smaller of the two probabilities and counts the rarer outcome, so that both keep
  /// their digits.
  func restrictedEstimates(delta: Double) -> (first: Double, second: Double) {
    let total = first.trials + second.trials
    if 2 * (first.successes + second.successes) > total {
      let mirrored = Self.ordered(first.complement, second.complement, delta: -delta)
      return (1 - mirrored.first, 1 - mirrored.second)
    }
    return Self.ordered(first, second, delta: delta)
  }

  private static func ordered(
    _ first: Proportion, _ second: Proportion, delta: Double
  ) -> (first: Double, second: Double) {
    if delta < 0 {
      let low = lowerProbability(low: first, high: second, gap: -delta)
      return (low, low - delta)
    }
    let low = lowerProbability(low: second, high: first, gap: delta)
    return (low + delta, low)
  }

  /// Returns the p in [0, 1 − gap] that maximises the likelihood of p in `low` and p + gap in `high`.
  private static func lowerProbability(low: Proportion, high: Proportion, gap: Double) -> Double {
    func quotient(_ count: Double, _ probability: Double) -> Double { count == 0 ? 0 : count / probability }
    func score(_ p: Double) -> Double {
      quotient(low.successes, p) - quotient(low.failures, 1 - p)
        + quotient(high.successes, p + gap) - quotient(high.failures, 1 - p - gap)
    }
    func slope(_ p: Double) -> Double {
      let (lowQ, highP, highQ) = (1 - p, p + gap, 1 - p - gap)
      return quotient(quotient(low.successes, p), p) + quotient(quotient(low.failures, lowQ), lowQ)
        + quotient(quotient(high.successes, highP), highP) + quotient(quotient(high.failures, highQ), highQ)
    }
    var (floor, ceiling) = (0.0, 1 - gap)
    if ceiling <= 0 || score(0) <= 0 { return 0 }
    // With failures in `high` the score falls to −∞; 1 − p − gap, rounded, may miss 0 on the wrong side.
    if high.failures == 0, score(ceiling) >= 0 { return ceiling }
    // Starts at the pooled rate minus the share of the gap that the other arm takes.
    let total = low.trials + high.trials
    var p = (low.successes + high.successes) / total - gap * (high.trials / total)
    if !(p > floor && p < ceiling) { p = ceiling / 2 }
    for _ in 0..<200 {
      let value = score(p)
      if value == 0 { return p }
      if value > 0 { floor = p } else { ceiling = p }
      var next = p + value / slope(p)
      if !(next > floor && next < ceiling) {
        // Halves the exponent's distance while the root may be decades lower.
        next = floor == 0 ? ceiling / 16 : ceiling / floor > 4 ? (floor * ceiling).squareRoot() : (floor + ceiling) / 2
      }
      if abs(next - p) <= 2e-16 * p { return next }
      p = next
    }
    return p
  }

  /// Returns z(δ); 0 if numerator and variance are both 0, ±∞ if only the variance is.
  func z(delta: Double) -> Double {
    let (p1, p2) = restrictedEstimates(delta: delta)
    let variance =
      (max(0, p1) * max(0, 1 - p1) / first.trials + max(0, p2) * max(0, 1 - p2) / second.trials) * varianceFactor
    let distance = estimate - delta
    return distance == 0 ? 0 : distance / variance.squareRoot()
  }

  /// Returns {δ: |z(δ)| ≤ critical}, by bisection: z decreases in δ.
  func interval(critical: Double) -> Interval {
    let low = estimate <= -1 ? -1 : boundary(from: -1, to: estimate) { delta in z(delta: delta) > critical }
    let high = estimate >= 1 ? 1 : boundary(from: estimate, to: 1) { delta in z(delta: delta) >= -critical }
    return Interval(low: low, high: high)
  }

  /// Returns where `isBefore` changes from true to false.
  private func boundary(from start: Double, to end: Double, isBefore: (Double) -> Bool) -> Double {
    var (low, high) = (start, end)
    // An absolute 2⁻⁶⁰ is far below the rounding of the estimate itself.
    while high - low > 0x1p-60 {
      let middle = low + (high - low) / 2
      if middle <= low || middle >= high { break }
      if isBefore(middle) { low = middle } else { high = middle }
    }
    return low + (high - low) / 2
  }
}
