import Statistics
import Testing

struct GroupSequentialTests {
  /// Lan & DeMets (1983); five equal looks as published: 4.8769 3.3569 2.6803 2.2898 2.0310.
  @Test func obrienFlemingSpendingAgreesWithThePublishedBounds() {
    let design = GroupSequentialDesign(looks: [0.2, 0.4, 0.6, 0.8, 1])
    for (bound, published) in zip(design.bounds, [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]) {
      #expect(isClose(bound, published, within: 2e-4))
    }
    #expect(isClose(design.crossingProbability(), 0.05, within: 1e-10) && design.spent.last == 0.05)
  }

  /// Jennison & Turnbull (2000), tables 2.1 and 2.3, five looks: 2.413 and 2.040.
  @Test func classicalConstantsAgreeWithJennisonAndTurnbull() {
    #expect(isClose(GroupSequentialDesign.pocock(looks: 5).bounds[4], 2.413, within: 5e-4))
    #expect(isClose(GroupSequentialDesign.obrienFleming(looks: 5).bounds[4], 2.040, within: 5e-4))
  }

  /// Theory of the negative controls at 28 daily looks, 27.47% and 23%.
  @Test func peekingInflatesTheErrorOfAFixedTest() {
    #expect(isClose(GroupSequentialDesign.peekingError(looks: 1, critical: normalQuantile975), 0.05, within: 1e-12))
    #expect(isClose(GroupSequentialDesign.peekingError(looks: 28, critical: normalQuantile975), 0.2747, within: 5e-5))
    // A flat prior's ">95% or <5%" is |z| > 1.645; simulated 45.9 ± 0.35%.
    let bayes = GroupSequentialDesign.peekingError(looks: 28, critical: NormalDistribution.upperQuantile(0.05))
    #expect(isClose(bayes, 0.459, within: 0.0105))
  }

  /// Asymptotic sequence, N* = 5,000, 28 looks at 400 users: theory 1.55%.
  @Test func asymptoticSequenceHoldsItsErrorUnderDailyLooks() {
    let sequence = AsymptoticSequence()
    let looks = (1...28).map { Double($0) / 28 }
    let bounds = (1...28).map { sequence.criticalValue(units: Double($0) * 400) }
    let error = GroupSequentialDesign(looks: looks, bounds: bounds, spent: []).crossingProbability()
    #expect(isClose(error, 0.0155, within: 5e-4))
  }

  /// Power at +20% of 5%, 5,600 an arm: 62.0% and 51.9% against 64.2% fixed.
  @Test func dailyLooksCostLittlePower() {
    let looks = (1...28).map { Double($0) / 28 }
    let error = ((0.05 * 0.95 + 0.06 * 0.94) / 5_600).squareRoot()
    let drift = 0.01 / error
    #expect(isClose(GroupSequentialDesign(looks: looks).crossingProbability(drift: drift), 0.620, within: 0.0105))
    let pocock = GroupSequentialDesign(looks: looks, spending: .pocock)
    #expect(isClose(pocock.crossingProbability(drift: drift), 0.519, within: 0.0105))
  }

  @Test func overrunSpendsTheRest() {
    let design = GroupSequentialDesign(looks: [0.5, 1.1], spending: .pocock)
    #expect(design.spent[1] == 0.05 && isClose(design.crossingProbability(), 0.05, within: 1e-10))
  }

  @Test func oneLookIsTheFixedTest() throws {
    let design = GroupSequentialDesign(looks: [1])
    #expect(isClose(design.bounds[0], normalQuantile975, within: 1e-12))
    let stopped = design.inferenceAfterStopping(look: 0, z: 2.5, standardError: 0.1)
    #expect(isClose(stopped.twoSidedP, NormalDistribution.twoSidedP(2.5), within: 1e-12))
    #expect(isClose(stopped.medianUnbiasedEstimate, 0.25, within: 1e-9))
    #expect(isClose(stopped.interval.low, 0.25 - 0.1 * normalQuantile975, within: 1e-9))
    // The other tail, of 2e-6, is ignored by the formula for one look.
    #expect(isClose(design.inflation(), 1, within: 1e-5))
  }

  @Test func earlyWinnersAreShrunk() {
    let design = GroupSequentialDesign(looks: [0.2, 0.4, 0.6, 0.8, 1], spending: .pocock)
    let stopped = design.inferenceAfterStopping(look: 1, z: 2.6, standardError: 0.1)
    #expect(stopped.medianUnbiasedEstimate < 0.26 && stopped.medianUnbiasedEstimate > 0)
    #expect(stopped.interval.low > 0 && stopped.twoSidedP < 0.05)
    let mirrored = design.inferenceAfterStopping(look: 1, z: -2.6, standardError: 0.1)
    #expect(isClose(mirrored.medianUnbiasedEstimate, -stopped.medianUnbiasedEstimate, within: 1e-9))
    #expect(isClose(mirrored.twoSidedP, stopped.twoSidedP, within: 1e-9))
    let repeated = design.repeatedInterval(look: 1, estimate: 0.26, standardError: 0.1)
    #expect(repeated.low < stopped.interval.low)
  }

  /// Jennison & Turnbull (2000), table 2.2: Pocock, five looks, 90% power, α 5%: inflation 1.207.
  @Test func inflationAgreesWithJennisonAndTurnbull() {
    let inflation = GroupSequentialDesign.pocock(looks: 5).inflation(errors: TestErrors(alpha: 0.05, power: 0.9))
    #expect(isClose(inflation, 1.207, within: 2e-3))
  }
}
