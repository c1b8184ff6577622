import Foundation
import Statistics
import Testing

struct SequentialTests {
  /// mpmath at 50 digits, golden `asymp_cs-001` and `-016`; 3.035 at n = N* by Methods 2.7.
  @Test func asymptoticSequenceAgreesWithItsFormula() throws {
    let sequence = AsymptoticSequence()
    #expect(isClose(sequence.criticalValue(units: 5_000), 3.035208990376253, within: 1e-14))
    let look = try #require(
      sequence.look(Proportion(successes: 120, trials: 1_000), Proportion(successes: 100, trials: 1_000)))
    #expect(isClose(look.halfWidth, 0.04368825907651928, within: 1e-15))
    #expect(isClose(look.logEValue, 0.06306163470860304, within: 1e-14))
    #expect(isClose(look.oneSidedHalfWidth, 0.04036294563134437, within: 1e-15))
    let none = Proportion(successes: 0, trials: 10)
    #expect(sequence.look(none, none) == nil)
  }

  @Test func alwaysValidPNeverIncreases() {
    var p = AlwaysValidP()
    var before = p.value
    for logE in [-1.0, 0.5, 3, 2, -4, 5] {
      p.look(logEValue: logE)
      #expect(p.value <= before)
      before = p.value
    }
  }

  /// mpmath at 50 digits, golden `bernoulli_cs-015` and `-018`.
  @Test func conversionShareAgreesWithItsFormula() {
    let process = ConversionShare(allocation: [0.5, 0.5], concentration: 20)
    #expect(isClose(process.logEValue([100, 140]), 1.8071769834991582, within: 1e-13))
    let ratio = process.rateRatio(control: 100, treatment: 140)
    #expect(isClose(ratio.low, 0.9465738542282347, within: 1e-12))
    #expect(isClose(ratio.high, 2.088669061674088, within: 1e-12))
    let first = ConversionShare(allocation: [1, 1], concentration: 2)
    #expect(first.rateRatio(control: 0, treatment: 12).high == .infinity)
    #expect(first.rateRatioEstimate(control: 0, treatment: 12) == nil && first.logEValue([0, 0]) == 0)
  }

  /// With each conversion, E is multiplied by the predictive share over the planned one.
  @Test func runningEProcessEqualsItsBatch() {
    let (shares, k) = ([0.3, 0.7], 20.0)
    let process = ConversionShare(allocation: shares, concentration: k)
    let generator = CounterGenerator(seed: 11)
    var (counts, running) = ([0.0, 0.0], 0.0)
    for step in 0..<500 {
      let arm = generator.uniform(at: UInt64(step)) < 0.35 ? 0 : 1
      let predicted = (k * shares[arm] + counts[arm]) / (k + counts[0] + counts[1])
      running += log(predicted / shares[arm])
      counts[arm] += 1
      #expect(isClose(process.logEValue(counts), running, within: 1e-11))
    }
  }

  @Test func eProcessKeepsItsDigitsWhenThePlanOutweighsTheUsers() {
    // mpmath at 40 digits.
    let process = ConversionShare(allocation: [0.1, 0.9, 0.1], concentration: 1e6)
    #expect(isClose(process.logEValue([4, 21, 2]) / expectedFlat, 1, within: 1e-8))
  }

  /// Golden `bernoulli_cs-028`, by hand for the first three blocks: 1, 8/9, 64/81.
  @Test func blockEValueAgreesWithTheHandCalculation() {
    var process = BlockEValue(prior: 1)
    process.add(first: false, second: true)
    #expect(isClose(process.eValue, 1, within: 1e-15))
    process.add(first: false, second: false)
    #expect(isClose(process.eValue, 8.0 / 9, within: 1e-15))
    process.add(first: true, second: true)
    #expect(isClose(process.eValue, 64.0 / 81, within: 1e-15) && process.p.value == 1)
  }

  /// By hand: one success of one trial, Beta(½, ½): p > ½·0.05.
  @Test func betaMixtureSequenceOfOneTrial() {
    let interval = betaMixtureSequence(Proportion(successes: 1, trials: 1), a: 0.5, b: 0.5)
    #expect(isClose(interval.low, 0.025, within: 1e-15) && interval.high == 1)
    let none = betaMixtureSequence(Proportion(successes: 0, trials: 0), a: 1, b: 1)
    #expect(none == Interval(low: 0, high: 1))
  }

  /// mpmath at 50 digits, golden `asymp_cs-020`; Statsig's documentation for its critical value.
  @Test func mixtureTests() {
    let look = mixtureSPRT(difference: 0.02, variance: 1e-4, tau: 1e-4)
    #expect(isClose(look.logLambda, 0.6534264097200273, within: 1e-14))
    #expect(isClose(look.halfWidth, 0.03656394871363849, within: 1e-15))
    let statsig = statsigCriticalValue(
      treatmentVariance: 0.1, controlVariance: 0.09, treatmentCount: 1_000, controlCount: 1_000, alpha: 0.05)
    #expect(isClose(statsig.z, 3.5845153597486736, within: 1e-12))
  }

  private let expectedFlat = -1.733328397312099e-5
}
