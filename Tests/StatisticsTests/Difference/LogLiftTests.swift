import Statistics
import Testing

struct LogLiftTests {
  /// mpmath with 25 digits, from ln((x₁ + ½)/(n₁ + ½)) − ln((x₀ + ½)/(n₀ + ½)) and its variance.
  @Test(arguments: [
    (372.0, 3_000.0, 240.0, 3_000.0, 0.4375169482737983, 0.006176012342322432),
    (0, 50, 3, 60, -1.7652401202998317, 2.2493833798964312),
  ])
  func agreesWithMpmath(x1: Double, n1: Double, x0: Double, n0: Double, value: Double, variance: Double) {
    let lift = LogLift(Proportion(successes: x1, trials: n1), Proportion(successes: x0, trials: n0))
    #expect(isClose(lift?.value, value, within: 1e-13))
    #expect(isClose(lift?.variance, variance, within: 1e-13))
  }

  @Test func exchangingTheArmsChangesTheSignOnly() throws {
    let (one, other) = (Proportion(successes: 31, trials: 400), Proportion(successes: 12, trials: 380))
    let (there, back) = (try #require(LogLift(one, other)), try #require(LogLift(other, one)))
    #expect(there.value == -back.value && isClose(there.variance, back.variance, within: 1e-15))
  }

  @Test func isNotEstimableWithoutTrialsOrVariation() {
    let none = Proportion(successes: 0, trials: 0)
    #expect(LogLift(none, Proportion(successes: 1, trials: 10)) == nil)
    #expect(LogLift(Proportion(successes: 10, trials: 10), Proportion(successes: 9, trials: 9)) == nil)
    #expect(LogLift(MeanEstimate(mean: 0, standardError: 1), MeanEstimate(mean: 1, standardError: 1)) == nil)
  }

  /// By hand: ln(1.2/1) and 0.06²/1.2² + 0.05².
  @Test func ofMeansItIsTheDeltaMethod() {
    let lift = LogLift(MeanEstimate(mean: 1.2, standardError: 0.06), MeanEstimate(mean: 1, standardError: 0.05))
    #expect(isClose(lift?.value, 0.1823215567939546, within: 1e-15))
    #expect(isClose(lift?.variance, 0.005, within: 1e-15))
  }
}
