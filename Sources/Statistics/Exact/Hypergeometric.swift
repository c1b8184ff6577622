/// The number of successes among `draws` of `successes + failures`, without replacement.
public struct Hypergeometric: Sendable {
  let successes: Double
  let failures: Double
  let draws: Double

  public init(successes: Double, failures: Double, draws: Double) {
    (self.successes, self.failures, self.draws) = (successes, failures, draws)
  }

  var least: Double { max(0, draws - failures) }
  var most: Double { min(draws, successes) }
  var mode: Double {
    min(most, max(least, ((draws + 1) * (successes + 1) / (successes + failures + 2)).rounded(.down)))
  }

  /// P(X = x), as three binomial probabilities with a common rate, so that nothing large cancels.
  func probability(of x: Double) -> Double {
    guard x >= least, x <= most else { return 0 }
    let total = successes + failures
    let rate = draws / total
    if rate == 0 || rate == 1 { return 1 }
    return Double.exp(
      BinomialDistribution(trials: successes, probability: rate).logProbability(of: x)
        + BinomialDistribution(trials: failures, probability: rate).logProbability(of: draws - x)
        - BinomialDistribution(trials: total, probability: rate).logProbability(of: draws))
  }

  /// P(X = x + 1) / P(X = x).
  private func rise(at x: Double) -> Double {
    (successes - x) / (x + 1) * ((draws - x) / (failures - draws + x + 1))
  }

  /// Returns P(X ≥ x) for step 1, P(X ≤ x) for step −1, summed from the smallest relevant term.
  func tail(from x: Double, step: Double) -> Double {
    // Towards the mode the terms increase first: the other side is then the smaller sum.
    if step > 0, x < mode { return max(0, 1 - sum(from: x - 1, step: -1)) }
    if step < 0, x > mode { return max(0, 1 - sum(from: x + 1, step: 1)) }
    return sum(from: x, step: step)
  }

  /// Sums terms from x outwards, until they are negligible.
  private func sum(from x: Double, step: Double) -> Double {
    var (term, total, place) = (probability(of: x), 0.0, x)
    while place >= least, place <= most, term > 0 {
      total += term
      if term < total * 1e-18 { break }
      term = step > 0 ? term * rise(at: place) : term / rise(at: place - 1)
      place += step
    }
    return total
  }

  /// Returns the tail on the other side of the mode from x with terms of at most `bound`, and its largest term.
  func farTail(from x: Double, notAbove bound: Double, below: Bool) -> (sum: Double, first: Double) {
    // Terms decrease away from the mode, so bisection finds the first small enough one.
    let nearest = below ? min(mode, x - 1) : max(mode, x + 1)
    guard nearest >= least, nearest <= most else { return (0, 0) }
    var (inside, outside) = (nearest, below ? least - 1 : most + 1)
    if probability(of: nearest) <= bound {
      outside = nearest
    } else {
      while abs(outside - inside) > 1 {
        let middle = ((inside + outside) / 2).rounded(.down)
        if probability(of: middle) <= bound { outside = middle } else { inside = middle }
      }
    }
    return (sum(from: outside, step: below ? -1 : 1), probability(of: outside))
  }
}
