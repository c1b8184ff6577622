import Testing

@testable import Metrics

/// The oracle is Swift's own sort.
@Suite struct SortedTimesTests {
  @Test(arguments: [0, 1, 256, 257, 5_000], [Int64(1), 2_000, 1 << 31, 1 << 50, .max])
  func timesAreInOrder(count: Int, bound: Int64) {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let times = (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(state >> 1) % bound
    }
    #expect(sortedTimes(times) == times.sorted())
    // A time before the start, too.
    #expect(sortedTimes(times + [-5]) == (times + [-5]).sorted())
  }
}
