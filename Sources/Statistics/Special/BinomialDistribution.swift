internal import RealModule

/// The binomial distribution of successes in `trials` with `probability`.
public struct BinomialDistribution: Hashable, Sendable {
  public let trials: Double
  public let probability: Double

  /// - Precondition: `trials` whole and not negative; `probability` in [0, 1].
  public init(trials: Double, probability: Double) {
    precondition(trials >= 0 && trials.rounded() == trials, "trials is \(trials), but must be a count")
    precondition(probability >= 0 && probability <= 1, "probability is \(probability), but must be in [0, 1]")
    self.trials = trials
    self.probability = probability
  }

  /// Returns ln P(X = k) by Loader's saddle-point form; −∞ for impossible k.
  ///
  /// Source: C. Loader (2000). Three `lgamma`s leave 7 digits at n = 10⁸ (SciPy's `binom.logpmf` is off by 2e-7).
  public func logProbability(of k: Double) -> Double {
    let (n, p, q) = (trials, probability, 1 - probability)
    if k < 0 || k > n { return -.infinity }
    if p == 0 { return k == 0 ? 0 : -.infinity }
    if q == 0 { return k == n ? 0 : -.infinity }
    if k == 0 { return n * Double.log(onePlus: -p) }
    if k == n { return n * Double.log(p) }
    let remainders =
      Gamma.stirlingRemainder(n) - Gamma.stirlingRemainder(k) - Gamma.stirlingRemainder(n - k)
    return remainders - Gamma.deviance(k, n * p) - Gamma.deviance(n - k, n * q) - halfLogTwoPi
      + 0.5 * Double.log(n / k / (n - k))
  }

  public func probability(of k: Double) -> Double { Double.exp(logProbability(of: k)) }

  /// P(X ≤ k) = I_{1−p}(n − k, k + 1).
  public func cdf(_ k: Double) -> Double {
    if k < 0 { return 0 }
    if k >= trials { return 1 }
    return BetaDistribution(a: k + 1, b: trials - k).tails(probability, 1 - probability).upper
  }

  /// P(X ≥ k).
  public func upperTail(_ k: Double) -> Double {
    if k <= 0 { return 1 }
    if k > trials { return 0 }
    return BetaDistribution(a: k, b: trials - k + 1).tails(probability, 1 - probability).lower
  }
}
