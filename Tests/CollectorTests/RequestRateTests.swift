import Testing

@testable import Collector

@Suite struct RequestRateTests {
  /// At 10 a second: 10 at once, then one every 100 ms, and never more than 10 saved up.
  @Test func theRateHoldsOverAnyTime() {
    let rate = RequestRate(perSecond: 10)
    let start = ContinuousClock.now
    func taken(at milliseconds: Int, of requests: Int) -> Int {
      (0..<requests).filter { _ in rate.allows(at: start + .milliseconds(milliseconds)) }.count
    }
    #expect(taken(at: 1, of: 25) == 10)
    #expect(taken(at: 99, of: 5) == 0)
    #expect(taken(at: 102, of: 5) == 1)
    #expect(taken(at: 602, of: 25) == 5)
    #expect(taken(at: 3_600_000, of: 25) == 10)
    // A clock reading older than the last one takes no tokens away.
    #expect(taken(at: 3_599_000, of: 25) == 0)
  }
}
