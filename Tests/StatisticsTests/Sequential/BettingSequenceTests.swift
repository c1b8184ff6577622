import Statistics
import Testing

struct BettingSequenceTests {
  private func interval(_ values: [Double], cap: Double = 1) -> Interval {
    var sequence = BettingSequence(cap: cap)
    for value in values { sequence.add(value) }
    return sequence.interval
  }

  /// NumPy: the capital of both gamblers on a grid of 2,000,001 means, in steps of 5e-7.
  @Test(arguments: [
    ([Double](repeating: 1, count: 10), 0.5284715, 1.0), (Self.mixed, 0.188155, 0.4542105),
    ([Double](repeating: 0, count: 50) + [0.9, 0.9], 0.0, 0.1691775),
    ([Double](repeating: 0.5, count: 30), 0.396296, 0.603704),
  ])
  func agreesWithABruteForceOverAGridOfMeans(values: [Double], low: Double, high: Double) {
    let found = interval(values)
    #expect(isClose(found.low, low, within: 1e-6) && isClose(found.high, high, within: 1e-6), "\(found)")
  }

  private static let mixed: [Double] = (0..<60).map { (place: Int) -> Double in
    if place % 3 == 0 { return 0 }
    return Double((place * 7) % 11) / 10
  }

  @Test func knowsNothingBeforeTheFirstValueAndScalesWithTheCap() {
    #expect(interval([], cap: 20) == Interval(low: 0, high: 20))
    let (small, large) = (interval([0.1, 0.5, 0.2, 0.9, 0.3]), interval([2, 10, 4, 18, 6], cap: 20))
    #expect(isClose(large.low, 20 * small.low, within: 1e-9) && isClose(large.high, 20 * small.high, within: 1e-9))
  }

  @Test func mirroredValuesGiveTheMirroredInterval() {
    let values = [0.1, 0.7, 0, 1, 0.4, 0.2, 0.3, 0.3]
    let (there, back) = (interval(values), interval(values.map { 1 - $0 }))
    #expect(isClose(there.low, 1 - back.high, within: 1e-9) && isClose(there.high, 1 - back.low, within: 1e-9))
  }
}
