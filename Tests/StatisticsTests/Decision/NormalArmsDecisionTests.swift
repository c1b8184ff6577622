import Statistics
import Testing

struct NormalArmsDecisionTests {
  /// Two arms have a closed form, ``normalDecision(mean:sd:)``.
  @Test(arguments: [(0.0, 1.0, 0.0, 1.0), (0.3, 0.1, 0.1, 0.2), (10.0, 0.5, 7.0, 0.5), (1e-4, 1e-5, 2e-4, 3e-5)])
  func twoArmsAgreeWithTheClosedForm(mean: Double, error: Double, other: Double, otherError: Double) throws {
    let decision = try #require(
      normalArmsDecision([
        MeanEstimate(mean: mean, standardError: error), MeanEstimate(mean: other, standardError: otherError),
      ]))
    let pair = normalDecision(mean: mean - other, sd: (error * error + otherError * otherError).squareRoot())
    #expect(abs(decision.bestProbabilities[0] - pair.chanceToWin) < 1e-12)
    #expect(
      abs(decision.expectedLosses[0] - pair.treatmentLoss) < 1e-10 * max(error, otherError) + 1e-9 * pair.treatmentLoss)
    #expect(
      abs(decision.expectedLosses[1] - pair.controlLoss) < 1e-10 * max(error, otherError) + 1e-9 * pair.controlLoss)
  }

  /// Equal arms: each is best equally often; the loss is the mean of the maximum of three standard normals, 3/(2√π)
  /// (David & Nagaraja 2003, Order Statistics, table 3.2).
  @Test func equalArmsShare() throws {
    let arms = [MeanEstimate](repeating: MeanEstimate(mean: 5, standardError: 2), count: 3)
    let decision = try #require(normalArmsDecision(arms))
    for arm in 0..<3 {
      #expect(abs(decision.bestProbabilities[arm] - 1 / 3.0) < 1e-12)
      #expect(abs(decision.expectedLosses[arm] - 2 * 0.846_284_375_321_634) < 1e-10)
    }
  }
}
