/// Returns the users per arm that a two-sided comparison of means needs: 2σ²(z_{1−α/2} + z_{1−β})²/δ².
///
/// - Parameters:
///   - difference: The difference to detect, not 0.
///   - standardDeviation: Per user, including zeros; from the app's own history, never assumed.
public func meanSampleSize(
  difference: Double, standardDeviation: Double, errors: TestErrors = TestErrors()
) -> Double {
  precondition(difference != 0, "difference is 0, but must not be")
  let total = (errors.twoSidedZ + errors.powerZ) * standardDeviation / difference
  return 2 * total * total
}
