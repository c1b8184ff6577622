import Statistics
import Testing

struct ProportionIntervalTests {
  /// SciPy 1.17.1: `binomtest(x, n).proportion_ci()`.
  @Test(arguments: [
    (3.0, 40.0, 0.015742179851041527, 0.20386474873289898), (0, 20, 0, 0.16843347098308548),
  ])
  func clopperPearsonAgreesWithSciPy(x: Double, n: Double, low: Double, high: Double) throws {
    let interval = try #require(clopperPearsonInterval(Proportion(successes: x, trials: n)))
    #expect(isClose(interval.low, low, within: 1e-14) && isClose(interval.high, high, within: 1e-14))
  }

  /// SciPy 1.17.1: `beta.ppf(0.025, 3.5, 37.5)` and `beta.isf`; 0 without successes, by the rule of Brown, Cai &
  /// DasGupta.
  @Test func jeffreysAgreesWithSciPy() throws {
    let interval = try #require(jeffreysInterval(Proportion(successes: 3, trials: 40)))
    #expect(isClose(interval.low, 0.021576674442978006, within: 1e-14))
    #expect(isClose(interval.high, 0.1868142972376248, within: 1e-14))
    #expect(try #require(jeffreysInterval(Proportion(successes: 0, trials: 40))).low == 0)
  }

  @Test func nothingIsSaidWithoutTrials() {
    let none = Proportion(successes: 0, trials: 0)
    #expect(clopperPearsonInterval(none) == nil && jeffreysInterval(none) == nil)
    #expect(agrestiCoullInterval(none) == nil && waldInterval(none) == nil && none.estimate == nil)
  }

  /// Exact coverage of Wilson at n = 100, p = 1% and n = 1,000, p = 5%.
  @Test func wilsonCoversAsALatticeLetsIt() {
    func coverage(_ trials: Int, _ rate: Double) -> Double {
      exactCoverage(trials: trials, rate: rate) { wilsonInterval(successes: $0.successes, trials: $0.trials) }
    }
    #expect(isClose(coverage(100, 0.01), 0.921, within: 5e-4))
    #expect(isClose(coverage(1_000, 0.05), 0.9504, within: 5e-5))
  }

  /// Mean coverage over p in (0.01, 0.5), 95.18% at n = 50 and 95.09% at 200.
  @Test(arguments: [(50, 0.9518), (200, 0.9509)])
  func wilsonCoversNinetyFivePercentOnAverage(trials: Int, expected: Double) {
    let rates = (0..<490).map { 0.01 + (Double($0) + 0.5) * 0.001 }
    let coverage = rates.map { rate in
      exactCoverage(trials: trials, rate: rate) { wilsonInterval(successes: $0.successes, trials: $0.trials) }
    }
    let mean = coverage.reduce(0, +) / Double(rates.count)
    #expect(isClose(mean, expected, within: 5e-4) && mean > 0.948 && mean < 0.953)
  }

  @Test func clopperPearsonNeverCoversLess() {
    for trials in [5, 20, 50] {
      let intervals = (0...trials).map {
        clopperPearsonInterval(Proportion(successes: Double($0), trials: Double(trials)))
      }
      for rate in stride(from: 0.01, to: 1, by: 0.01) {
        let coverage = exactCoverage(trials: trials, rate: rate) { intervals[Int($0.successes)] }
        #expect(coverage >= 0.95 - 1e-12, "n \(trials), p \(rate)")
      }
    }
  }
}
