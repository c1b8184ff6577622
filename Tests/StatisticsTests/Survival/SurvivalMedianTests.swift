import Statistics
import Testing

/// Compares with the median of the whole curve, which ``SurvivalTests`` compares with other programs.
@Suite struct SurvivalMedianTests {
  @Test(arguments: 0..<200)
  func theMedianWithoutStepsIsThatOfTheCurve(seed: Int) {
    // A small linear congruential generator, with few at risk, so that S is often exactly ½.
    var state = UInt64(seed) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    func next(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    let times = (0..<next(12)).map { Int64($0 * 3) }
    let events = times.map { _ in next(3) }
    let censored = times.map { _ in next(3) }
    let curve = KaplanMeier(times: times, events: events, censored: censored)
    #expect(KaplanMeier.median(times: times, events: events, censored: censored) == curve.median)
  }

  /// By hand: S = ⅔ · ¾ = ½ exactly at the second time.
  @Test func anExactHalfCounts() {
    #expect(KaplanMeier.median(times: [1, 2, 3], events: [2, 1, 0], censored: [0, 0, 3]) == 2)
    #expect(KaplanMeier.median(times: [1, 2], events: [2, 0], censored: [0, 4]) == nil)
    #expect(KaplanMeier.median(times: [], events: [], censored: []) == nil)
  }
}
