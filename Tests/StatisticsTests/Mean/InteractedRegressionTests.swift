import Statistics
import Testing

struct InteractedRegressionTests {
  private func users(_ histories: [Double?], _ outcomes: [Double]) -> [CovariateUser] {
    zip(histories, outcomes).map { CovariateUser(history: $0, outcome: $1) }
  }

  /// statsmodels 0.15, `OLS(y, [1, T, x - mean(x), T*(x - mean(x))]).fit(cov_type="HC2")`, the coefficient of T.
  @Test func agreesWithStatsmodels() throws {
    let control = zip([1.0, 0, 3, 2, 0, 5, 4, 1], [2.0, 1, 4, 2, 0, 7, 4, 3])
      .map { CovariateUser(covariates: [$0], outcome: $1) }
    let treatment = zip([0.0, 2, 1, 6, 3, 0], [1.0, 4, 2, 9, 3, 2])
      .map { CovariateUser(covariates: [$0], outcome: $1) }
    let result = try #require(interactedRegression(treatment: treatment, control: control))
    #expect(isClose(result.adjusted.difference, 0.625, within: 1e-13))
    #expect(isClose(result.adjusted.standardError, 0.5612676624870062, within: 1e-13))
    #expect(result.used == [0] && result.varianceReduction > 0.5)
  }

  /// That regression with x = 0 and an indicator for users without a history.
  @Test func usersWithoutAHistoryAreAStratum() throws {
    let result = try #require(
      interactedRegression(
        treatment: users([0, 2, nil, 6, 3, nil, 1, nil], [1, 4, 2, 9, 3, 2, 2.5, 0]),
        control: users([1, nil, 3, 2, nil, 5, 4, 1, 0, 2], [2, 1, 4, 2, 0, 7, 4, 3, 1, 2.5])))
    #expect(isClose(result.adjusted.difference, 0.6201687899801114, within: 1e-12))
    #expect(isClose(result.adjusted.standardError, 0.47142588831143883, within: 1e-12))
    #expect(result.used == [0, 1])
  }

  @Test func withoutAnythingToAdjustByItIsWelchsTest() throws {
    let (one, two) = ([1.0, 4, 2, 9, 3, 2], [2.0, 1, 4, 2, 0, 7, 4, 3])
    let (treatment, control) = (try #require(MeanArm(Moments(one))), try #require(MeanArm(Moments(two))))
    let welch = try #require(welchTest(treatment, control))
    for history in [nil, 3.0] {
      let result = try #require(
        interactedRegression(
          treatment: users(one.map { _ in history }, one), control: users(two.map { _ in history }, two)))
      #expect(result.used.isEmpty)
      #expect(isClose(result.adjusted.standardError, welch.standardError, within: 1e-14))
      #expect(isClose(result.adjusted.degrees, welch.degrees, within: 1e-11))
      #expect(isClose(result.varianceReduction, 0, within: 1e-13))
    }
  }

  /// A single user with a history determines the slope of its arm: its residual says nothing, so the covariate is left
  /// out.
  @Test func aCovariateThatOneUserDecidesIsLeftOut() throws {
    let result = try #require(
      interactedRegression(
        treatment: users([nil, nil, nil, 5], [1, 2, 3, 9]), control: users([1, nil, 2, nil], [1, 2, 2, 4])))
    #expect(result.used.isEmpty && result.adjusted.standardError.isFinite)
    #expect(interactedRegression(treatment: users([1], [2]), control: users([1, 2], [2, 3])) == nil)
    #expect(interactedRegression(treatment: users([1, 2], [2, 2]), control: users([1, 2], [2, 2])) == nil)
  }
}
