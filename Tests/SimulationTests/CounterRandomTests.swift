import Testing

@testable import Simulation

struct CounterRandomTests {
  /// The first outputs of Vigna's `splitmix64.c` for the seed 1234567, as listed at Rosetta Code, "Pseudo-random
  /// numbers/Splitmix64".
  @Test func agreesWithSplitMix64() {
    var random = CounterRandom(key: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test func numberStaysInItsRangeAndReachesItsEnds() {
    var random = CounterRandom(key: 5)
    let drawn = Set((0..<1_000).map { _ in random.within(-2..<3) })
    #expect(drawn == [-2, -1, 0, 1, 2])
  }

  /// 40,000 draws: the standard error of a share is at most 0.0025, hence 0.01 (4 of them).
  @Test func picksByShares() {
    var random = CounterRandom(key: 9)
    var counts = [0, 0, 0]
    for _ in 0..<40_000 { counts[random.pick([2, 1, 1])] += 1 }
    for (count, share) in zip(counts, [0.5, 0.25, 0.25]) {
      #expect(abs(Double(count) / 40_000 - share) < 0.01)
    }
  }
}
