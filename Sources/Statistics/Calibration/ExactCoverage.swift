/// Returns the exact coverage of an interval of one proportion: the probability, over all outcomes, that it contains p.
///
/// Coverage is a lattice effect: Wilson's 95% interval at n = 100, p = 1% truly covers 92.1%.
///
/// - Parameter interval: `nil` counts as a miss.
public func exactCoverage(trials: Int, rate: Double, interval: (Proportion) -> Interval?) -> Double {
  likelyOutcomes(trials: trials, rate: rate).reduce(0) { sum, outcome in
    interval(outcome.sample)?.contains(rate) == true ? sum + outcome.probability : sum
  }
}

/// Returns the exact coverage of an interval that compares two proportions.
///
/// - Parameters:
///   - truth: The true value of the compared quantity, such as p₁ − p₂ or p₁/p₂.
///   - interval: `nil` counts as a miss.
public func exactCoverage(
  trials: (Int, Int), rates: (Double, Double), truth: Double, interval: (Proportion, Proportion) -> Interval?
) -> Double {
  let (first, second) = (
    likelyOutcomes(trials: trials.0, rate: rates.0), likelyOutcomes(trials: trials.1, rate: rates.1)
  )
  var coverage = 0.0
  for one in first {
    for two in second where one.probability * two.probability > 1e-15 {
      if interval(one.sample, two.sample)?.contains(truth) == true { coverage += one.probability * two.probability }
    }
  }
  return coverage
}

/// Returns the outcomes that together miss less than 10⁻¹² of the probability.
private func likelyOutcomes(trials: Int, rate: Double) -> [(sample: Proportion, probability: Double)] {
  let law = BinomialDistribution(trials: Double(trials), probability: rate)
  return (0...trials).compactMap { count in
    let probability = law.probability(of: Double(count))
    guard probability > 1e-16 else { return nil }
    return (Proportion(successes: Double(count), trials: Double(trials)), probability)
  }
}
