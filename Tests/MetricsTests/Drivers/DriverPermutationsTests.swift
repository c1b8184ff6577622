import Testing

@testable import Metrics

struct DriverPermutationsTests {
  /// 280 users meet the column, 61 of them in A, and 30 are of the days now. In a random split, A has x of these 30 with
  /// C(61, x) C(219, 30 − x) ÷ C(280, 30). For each x, the score of 10.5 is the smaller of (x − (61 − x)·k) ÷
  /// √(x + (61 − x)·k²), k = 30 ÷ 250, and (x ÷ 61 − (30 − x) ÷ 219) ÷ √(30 ÷ 280 · 250 ÷ 280 · (1 ÷ 61 + 1 ÷ 219)). It
  /// reaches 1.2 with probability 0.107273, and 0.8 with 0.348323 (sums over x in Python). 20,000 splits differ from that
  /// by less than 4 standard errors of a share, √(p (1 − p) ÷ 20,000). Both scores only change their sign if the sides
  /// are exchanged.
  @Test(arguments: [(limit: 1.2, p: 0.107273), (limit: 0.8, p: 0.348323)], [false, true])
  func splitsAreAsLikelyAsAllOthers(_ expected: (limit: Double, p: Double), isNowLarger: Bool) {
    func side(_ a: Int, _ b: Int) -> [DriverCounts.Row] {
      [("A", a), ("B", b)].map { DriverCounts.Row(values: [$0], count: DriverCounts.Count(units: $1, sum: $1)) }
    }
    let (large, small) = (side(51, 199), side(10, 20))
    let table = DriverCounts(
      [.country], before: isNowLarger ? small : large, now: isNowLarger ? large : small, isOfCount: true,
      scale: isNowLarger ? 250.0 / 30 : 30.0 / 250)
    let a = DriverPermutations.Segment(
      count: DriverCounts.Count(units: 61, sum: 61), aging: .nothing, limit: expected.limit)
    let times = 20_000
    let reached = DriverPermutations(table, segments: [a], [[0, -1]], seed: "test").reaching(times: times)
    let error = (expected.p * (1 - expected.p) / Double(times)).squareRoot()
    #expect(abs(Double(reached) / Double(times) - expected.p) < 4 * error)
  }
}
