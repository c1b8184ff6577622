internal import RealModule

/// Fisher's exact test of two proportions.
public struct FisherTest: Hashable, Sendable {
  /// The probability of tables no likelier than the observed one, within a factor 1 + 10⁻⁷ as in R.
  public var twoSidedP: Double
  /// The probability of as many or more successes in the treatment.
  public var greaterP: Double
  /// The probability of as many or fewer successes in the treatment.
  public var lessP: Double
  /// The two-sided p minus half the probability of the observed table and of the equally likely one, if any.
  public var midP: Double
}

/// Tests p₁ = p₂ given all margins: the treatment's successes are then hypergeometric.
///
/// - Parameters: Whole counts. The time grows with the smallest margin.
/// - Returns: `nil` when an arm has no trials.
///
/// Source: Fisher (1935); the point probability in Loader's form, the others by their ratios.
public func fisherTest(_ treatment: Proportion, _ control: Proportion) -> FisherTest? {
  guard treatment.trials > 0, control.trials > 0 else { return nil }
  let table = Hypergeometric(
    successes: treatment.successes + control.successes, failures: treatment.failures + control.failures,
    draws: treatment.trials)
  let x = treatment.successes
  let observed = table.probability(of: x)
  let (below, above) = (table.tail(from: x, step: -1), table.tail(from: x, step: 1))
  // Both tails are unimodal: the tables no likelier than the observed one are those beyond it on its side, and the far
  // end of the other side.
  let likely = observed * (1 + 1e-7)
  let ownSide = x >= table.mode ? above : below
  let other = table.farTail(from: x, notAbove: likely, below: x >= table.mode)
  let twoSided = min(1, ownSide + other.sum)
  let tied = other.first >= observed * (1 - 1e-7) ? observed + other.first : observed
  return FisherTest(
    twoSidedP: twoSided, greaterP: min(1, above), lessP: min(1, below), midP: twoSided - tied / 2)
}

/// The number of successes among `draws` of `successes + failures`, without replacement.
struct Hypergeometric {
  let successes: Double
  let failures: Double
  let draws: Double

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
