import Statistics
import Testing

/// Draws by inversion are quantiles: SciPy 1.15, `binom.ppf`, `poisson.ppf`.
struct DrawsTests {
  @Test(arguments: [
    (10.0, 0.3, 0.5, 3.0), (10, 0.3, 0.0, 0), (10, 0.3, 0.999, 8), (64, 0.5, 0.025, 24), (64, 0.95, 0.5, 61),
    (1, 0.2, 0.79, 0), (1, 0.2, 0.81, 1), (5, 0, 0.9, 0), (5, 1, 0.1, 5), (0, 0.4, 0.7, 0),
  ])
  func binomialQuantiles(trials: Double, probability: Double, uniform: Double, expected: Double) {
    #expect(binomialDraw(trials: trials, probability: probability, uniform: uniform) == expected)
  }

  @Test(arguments: [(3.0, 0.5, 3.0), (3, 0.0, 0), (3, 0.9999, 11), (0, 0.5, 0), (64, 0.975, 80), (64, 0.025, 49)])
  func poissonQuantiles(mean: Double, uniform: Double, expected: Double) {
    #expect(poissonDraw(mean: mean, uniform: uniform) == expected)
  }

  /// Over an even grid of uniforms, mean and variance equal those of the distribution within a thousandth.
  @Test(arguments: [(1_000.0, 0.03), (1_000, 0.5), (200, 0.9), (70, 0.1)])
  func largeCountsKeepMeanAndVariance(trials: Double, probability: Double) {
    let draws = (0..<20_000).map {
      binomialDraw(trials: trials, probability: probability, uniform: (Double($0) + 0.5) / 20_000)
    }
    let mean = draws.reduce(0, +) / 20_000
    let variance = draws.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000
    #expect(abs(mean / (trials * probability) - 1) < 2e-3)
    // Rounding to whole counts adds 1/12 to the variance.
    #expect(abs(variance / (trials * probability * (1 - probability)) - 1) < 0.03)
    #expect(draws.allSatisfy { $0 >= 0 && $0 <= trials && $0 == $0.rounded() })
  }
}
