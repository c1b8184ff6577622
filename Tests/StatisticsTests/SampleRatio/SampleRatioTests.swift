import Statistics
import Testing

struct SampleRatioTests {
  /// Cookie Cats: 44,700 against 45,489, χ² = 6.90, p = 0.0086.
  @Test func cookieCats() {
    let test = sampleRatioTest(observed: [44_700, 45_489], weights: [1, 1])
    #expect(isClose(test.chiSquare, 6.90, within: 5e-3) && isClose(test.p, 0.0086, within: 5e-5))
    #expect(test.degrees == 1 && !test.isLeaking)
  }

  @Test func usersInAnArmOfWeightZeroAreALeak() {
    let test = sampleRatioTest(observed: [5_000, 5_000, 7], weights: [1, 1, 0])
    #expect(test.isLeaking && test.degrees == 1 && test.chiSquare == 0)
    #expect(!sampleRatioTest(observed: [5_000, 5_000, 0], weights: [1, 1, 0]).isLeaking)
  }

  @Test func nothingIsEstimableWithoutUsers() {
    let test = sampleRatioTest(observed: [0, 0], weights: [1, 1])
    #expect(test.chiSquare == nil && test.p == nil)
    #expect(exactBinomialTest(Proportion(successes: 0, trials: 0), share: 0.5) == nil)
    #expect(exactMultinomialTest(observed: [0, 0], shares: [0.5, 0.5]) == nil)
  }

  /// SciPy 1.17.1: `binomtest(x, n, p).pvalue`; the last by hand, both modes equally likely.
  @Test(arguments: [(0.0, 10.0, 0.5, 0.001953125), (10, 20, 0.3, 0.08344502962981207), (4, 9, 0.5, 1)])
  func exactBinomialAgreesWithSciPy(x: Double, n: Double, share: Double, p: Double) {
    #expect(isClose(exactBinomialTest(Proportion(successes: x, trials: n), share: share), p, within: 1e-14))
  }

  @Test func multinomialOfTwoArmsIsTheBinomial() {
    for x in stride(from: 0.0, through: 12, by: 1) {
      let binomial = exactBinomialTest(Proportion(successes: x, trials: 12), share: 0.3)
      #expect(isClose(exactMultinomialTest(observed: [x, 12 - x], shares: [0.3, 0.7]), binomial ?? -1, within: 1e-12))
    }
  }

  /// mpmath at 50 digits, golden `srm-025`: 520 against 480 a day, κ = 10,000.
  @Test func sequentialCheckAgreesWithItsFormula() {
    var check = SequentialSampleRatio(weights: [0.5, 0.5], concentration: 10_000)
    check.add([520, 480])
    #expect(isClose(check.logBayesFactor, 0.025076682393854265, within: 1e-14))
    check.add([520, 480])
    #expect(isClose(check.logBayesFactor, 0.17552592089748642, within: 1e-14))
    #expect(isClose(check.p.value, 0.8390156488529736, within: 1e-14) && !check.isAlarmed)
  }

  /// Methods 2.8: planned users / 16.5 at α = 0.001.
  @Test func concentrationIsTunedToThePlan() {
    #expect(isClose(SequentialSampleRatio.tunedConcentration(plannedUsers: 28_000), 28_000 / 16.5, within: 5))
    #expect(SequentialSampleRatio.tunedConcentration(plannedUsers: nil) == 500)
  }
}
