import Statistics
import Testing

struct KaplanMeierTests {
  /// Freireich et al. (1963), 6-MP arm: published survival 0.857 0.807 0.753 0.690 0.627 0.538 0.448;
  /// R `survival` 3.5.3 for the interval and the median.
  @Test func agreesWithRForFreireich() throws {
    let estimate = KaplanMeier(
      times: [6, 7, 9, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 34, 35],
      events: [3, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0],
      censored: [1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 2, 1, 1])
    let published = [6: 0.857, 7: 0.807, 10: 0.753, 13: 0.690, 16: 0.627, 22: 0.538, 23: 0.448]
    for (time, survival) in published { #expect(abs(estimate.survival(at: time) - survival) < 5e-4) }
    let first = try #require(estimate.step(at: 6))
    #expect(isClose(first.standardError, 0.0763603548321213, within: 1e-14))
    let interval = try #require(first.logLogInterval())
    #expect(isClose(interval.low, 0.619717955265984, within: 1e-14))
    #expect(isClose(interval.high, 0.951551747646997, within: 1e-14))
    #expect(estimate.median == 23)
  }

  @Test func survivalIsThePlainFractionWithoutCensoring() {
    let estimate = KaplanMeier(times: [1, 2, 3], events: [1, 1, 1], censored: [0, 0, 46])
    let expected = [48, 47, 46].map { remaining in remaining / 49.0 }
    #expect(estimate.steps.map(\.survival) == expected)
  }

  /// S is exactly ½ after the third time, 16/20 · 10/14 · 7/8, and its rounded factors multiply to just above it.
  @Test func medianIsDecidedOnCountsNotOnRoundedProducts() {
    let reached = KaplanMeier(times: [1, 2, 3], events: [4, 4, 1], censored: [2, 2, 7])
    #expect(reached.steps[2].survival > 0.5)
    #expect(reached.median == 3)
    let missed = KaplanMeier(times: [1, 2, 3], events: [4, 4, 0], censored: [2, 2, 8])
    #expect(missed.median == nil)
  }

  /// 18/21 · 12/16 · 7/9 is ½, and its rounded factors multiply to just below it.
  @Test func aSurvivalOfExactlyHalfIsAtMostHalf() {
    let reached = KaplanMeier(times: [1, 2, 3], events: [3, 4, 2], censored: [2, 3, 7])
    #expect(reached.steps[2].survival < 0.5)
    #expect(reached.median == 3)
  }

  @Test func aLastEventLeavesNoStandardError() throws {
    let estimate = KaplanMeier(times: [5], events: [2], censored: [0])
    let last = try #require(estimate.steps.last)
    #expect(last.survival == 0 && last.standardError == nil && last.logLogInterval() == nil)
    #expect(estimate.median == 5)
  }
}
