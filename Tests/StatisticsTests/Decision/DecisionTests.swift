import Statistics
import Testing

struct DecisionTests {
  /// mpmath's closed form, golden `beta_binomial-013`: 100/1000 against 120/1000, flat priors.
  @Test func twoArmsAgreeWithTheClosedForm() throws {
    let (a, b) = (BetaDistribution(a: 101, b: 901), BetaDistribution(a: 121, b: 881))
    let decision = try #require(betaDecision([a, b]))
    #expect(isClose(decision.bestProbabilities[1], 0.9231834389735597, within: 1e-12))
    #expect(isClose(decision.expectedLosses[0], 0.020444693766675806, within: 1e-14))
    #expect(isClose(decision.expectedLosses[1], 0.00048461392635644376, within: 1e-15))
  }

  /// Rational by hand: uniform posteriors after 0/3, 3/3 and 1/3, golden `beta_binomial-027`.
  @Test func threeArmsAgreeWithTheRationalValue() throws {
    let posteriors = [BetaDistribution(a: 1, b: 4), BetaDistribution(a: 4, b: 1), BetaDistribution(a: 2, b: 3)]
    let decision = try #require(betaDecision(posteriors))
    #expect(isClose(decision.bestProbabilities[0], 8.0 / 770, within: 1e-13))
    #expect(isClose(decision.bestProbabilities.reduce(0, +), 1, within: 1e-13))
  }

  @Test func armsOfVeryDifferentSizeKeepTheirTinyLoss() throws {
    let decision = try #require(betaDecision([BetaDistribution(a: 1, b: 6), BetaDistribution(a: 1, b: 50_001)]))
    #expect(isClose(decision.bestProbabilities[1], 0.00011998320235167077, within: 1e-15))
    #expect(isClose(decision.expectedLosses[0] / 2.399520080626946e-09, 1, within: 1e-11))
  }

  @Test func lossesDifferByTheDifferenceOfMeans() throws {
    for (x, y) in [(3.0, 40.0), (500, 520), (0.5, 9)] {
      let (a, b) = (BetaDistribution(a: x, b: 1_000), BetaDistribution(a: y, b: 900))
      let decision = try #require(betaDecision([a, b]))
      #expect(isClose(decision.expectedLosses[0] - decision.expectedLosses[1], b.mean - a.mean, within: 1e-12))
    }
  }

  /// mpmath at 50 digits: the far tail, where σφ − μΦ cancels.
  @Test func normalLossInTheFarTail() {
    let decision = normalDecision(mean: -20, sd: 1)
    #expect(isClose(decision.controlLoss / 1.3700124947295798e-90, 1, within: 1e-12))
    #expect(isClose(decision.treatmentLoss, 20, within: 1e-14))
    #expect(isClose(decision.chanceToWin / 2.7536241186062337e-89, 1, within: 1e-12))
  }
}
