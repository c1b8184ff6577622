import Statistics
import Testing

/// Freireich et al. (1963), weeks of remission: 6-MP (group 0) against placebo (group 1).
private let freireich: [SurvivalRecord] = {
  let treated: [(Double, Int)] = [
    (6, 1), (6, 1), (6, 1), (6, 0), (7, 1), (9, 0), (10, 1), (10, 0), (11, 0), (13, 1), (16, 1), (17, 0), (19, 0),
    (20, 0), (22, 1), (23, 1), (25, 0), (32, 0), (32, 0), (34, 0), (35, 0),
  ]
  let placebo: [Double] = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]
  return treated.map { SurvivalRecord(time: $0.0, cause: $0.1, group: 0) }
    + placebo.map { SurvivalRecord(time: $0, cause: 1, group: 1) }
}()

struct SurvivalTests {
  /// Published: χ² = 16.79; R `survival` 3.5.3 for the rest.
  @Test func logRankOfFreireich() throws {
    let test = try #require(logRankTest(freireich))
    #expect(isClose(test.chiSquare, 16.7929409892165, within: 1e-11) && test.degrees == 1)
    #expect(isClose(test.expected[0], 19.2505009480311, within: 1e-11) && test.observed == [9, 21])
    let peto = try #require(logRankTest(freireich, weight: .petoPeto))
    #expect(isClose(peto.chiSquare, 14.4571508187171, within: 1e-11))
  }

  @Test func strataOfOneAddNothingAndGroupsMaySwap() throws {
    let plain = try #require(logRankTest(freireich))
    let swapped = freireich.map { SurvivalRecord(time: $0.time, cause: $0.cause, group: 1 - $0.group) }
    #expect(isClose(logRankTest(swapped)?.chiSquare, plain.chiSquare, within: 1e-11))
    // Each subject is alone in a stratum, so no one is compared.
    let alone = freireich.enumerated().map {
      SurvivalRecord(time: $1.time, cause: $1.cause, group: $1.group, stratum: $0)
    }
    #expect(logRankTest(alone) == nil)
    #expect(logRankTest(freireich.filter { $0.group == 0 }) == nil)
  }

  /// R `survival` 3.5.3: `print(survfit(...), rmean = 28)`.
  @Test func restrictedMeanOfFreireich() {
    let mean = KaplanMeier(freireich.filter { $0.group == 0 }).restrictedMean(horizon: 28)
    #expect(isClose(mean.mean, 20.1501400560224, within: 1e-12))
    #expect(isClose(mean.standardError, 2.02590346653247, within: 1e-12))
  }

  /// R `survival` 3.5.3: `survfit(..., conf.type = "log" and "plain")` at the first event.
  @Test func logAndPlainIntervalsAgreeWithR() throws {
    let estimate = KaplanMeier(freireich.filter { $0.group == 0 })
    let first = try #require(estimate.steps.first)
    let (log, plain) = (try #require(first.logInterval()), try #require(first.plainInterval()))
    #expect(isClose(log.low, 0.71981708391627, within: 1e-14) && log.high == 1)
    #expect(isClose(plain.low, 0.7074793118252, within: 1e-13) && plain.high == 1)
    #expect(estimate.midpointMedian == 23)
  }

  /// R: the median is the middle of the interval where S is ½; definitions 6.5 takes its start.
  @Test func medianOfAFlatHalf() {
    let estimate = KaplanMeier([1, 2, 5, 9].map { SurvivalRecord(time: $0, cause: 1) })
    #expect(estimate.midpointMedian == 3.5 && estimate.median == 2)
  }

  /// Golden `everything_tied_at_day7` (R `cmprsk` 2.2.11): all 20 subjects of each group end on one day.
  @Test func grayTestOfTiesAgreesWithR() throws {
    func group(_ group: Int, _ first: Int, _ second: Int) -> [SurvivalRecord] {
      (0..<20).map { SurvivalRecord(time: 7, cause: $0 < first ? 1 : $0 < first + second ? 2 : 0, group: group) }
    }
    let records = group(0, 8, 10) + group(1, 12, 6)
    #expect(isClose(grayTest(records, cause: 1)?.chiSquare, 1.56, within: 1e-12))
    #expect(isClose(grayTest(records, cause: 2)?.chiSquare, 1.625, within: 1e-12))
    #expect(grayTest(records.filter { $0.group == 0 }, cause: 1) == nil && grayTest(records, cause: 3) == nil)
  }

  /// Golden `six_observations`, by hand: F = 0.4 ± √0.048 against 0.5 ± √0.0625 at 4.5.
  @Test func fixedHorizonDifferenceByHand() {
    let (one, two) = (six, four)
    let result = fixedHorizonDifference(treatment: two, control: one, at: 4.5)
    #expect(isClose(result.difference, 0.1, within: 1e-15))
    #expect(isClose(result.standardError, (0.048 + 0.0625).squareRoot(), within: 1e-15))
    #expect(isClose(result.zCloglog, 0.30054531614911373, within: 1e-12))
    let early = fixedHorizonDifference(treatment: two, control: one, at: 0.5)
    #expect(early.difference == 0 && early.zLinear == nil && early.zCloglog == nil)
  }

  private var six: [SurvivalRecord] {
    [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 0)].map { SurvivalRecord(time: $0.0, cause: $0.1) }
  }

  private var four: [SurvivalRecord] {
    [(1.5, 1), (2.5, 2), (3.5, 1), (4.5, 1)].map { SurvivalRecord(time: $0.0, cause: $0.1) }.filter { $0.time < 4 }
      + [SurvivalRecord(time: 4.8, cause: 2)]
  }

  /// Golden `competing_risks-064`, by hand: 0.4, 1.15, −0.1.
  @Test func pseudoValuesByHand() throws {
    let values = try #require(pseudoValues(six, at: 4))
    for (value, wanted) in zip(values, [0.4, 1.15, 1.15, -0.1, -0.1, -0.1]) {
      #expect(isClose(value, wanted, within: 1e-14))
    }
    let whole = cumulativeIncidence(six, causes: 2, at: 4).estimates[0]
    #expect(isClose(whole, 0.4, within: 1e-15) && pseudoValues([], at: 4) == nil)
  }

  @Test func pseudoValuesAreTheIndicatorsWithoutCensoring() throws {
    let records = [1.0, 2, 3, 4].map { SurvivalRecord(time: $0, cause: $0 == 2 ? 2 : 1) }
    let values = try #require(pseudoValues(records, at: 3))
    for (value, wanted) in zip(values, [1.0, 0, 1, 0]) { #expect(isClose(value, wanted, within: 1e-14)) }
  }

  /// R `cmprsk` 2.2.11, golden `competing_risks-048`, group 1 at times 2 and 3.
  @Test func aalenVarianceAgreesWithR() {
    #expect(isClose(aalenVariance(six, cause: 1, at: 2), 0.04, within: 1e-15))
    #expect(isClose(aalenVariance(six, cause: 1, at: 3), 0.0625, within: 1e-15))
  }

  @Test func cloglogIntervalStaysInside() throws {
    let interval = try #require(cloglogInterval(incidence: 0.01, variance: 0.0004))
    #expect(interval.low > 0 && interval.low < 0.01 && interval.high > 0.01 && interval.high < 1)
    #expect(cloglogInterval(incidence: 0, variance: 0) == nil)
  }
}
