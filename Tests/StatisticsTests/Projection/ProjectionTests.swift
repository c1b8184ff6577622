import Statistics
import Testing

struct ProjectionTests {
  private func counts(_ alive: [Double]) -> RenewalCounts {
    var counts = RenewalCounts()
    counts.add(alive: alive)
    return counts
  }

  /// Fader & Hardie (2007): α 0.668, β 3.806, LL −1611.16 and α 0.704, β 1.182, LL −1680.27.
  @Test(arguments: [
    ([1000.0, 869, 743, 653, 593, 551, 517, 491], 0.668, 3.806, -1611.16),
    ([1000, 631, 468, 382, 326, 289, 262, 241], 0.704, 1.182, -1680.27),
  ])
  func fitsAgreeWithFaderAndHardie(alive: [Double], alpha: Double, beta: Double, logLikelihood: Double) {
    guard case .fitted(let model, let value) = shiftedBetaGeometricFit(counts(alive)) else {
      Issue.record("not fitted")
      return
    }
    #expect(isClose(model.alpha, alpha, within: 6e-4) && isClose(model.beta, beta, within: 6e-4))
    #expect(isClose(value, logLikelihood, within: 6e-3) && !model.hasFiniteLifetime)
  }

  /// Methods 2.11: forecasts for years 8 to 12 of the High End segment, in percent.
  @Test func forecastsOfTheHighEndSegment() throws {
    let renewals = counts([1000, 869, 743, 653, 593, 551, 517, 491])
    guard case .fitted(let geometric, _) = shiftedBetaGeometricFit(renewals) else {
      Issue.record("not fitted")
      return
    }
    let weibull = try #require(betaDiscreteWeibullFit(renewals)).model
    for (t, one, two) in [(8, 46.0, 46.8), (9, 43.6, 44.8), (10, 41.4, 43.2), (11, 39.5, 41.7), (12, 37.8, 40.4)] {
      #expect(isClose(100 * geometric.survival(through: 12)[t], one, within: 0.06))
      #expect(isClose(100 * weibull.survival(through: 12)[t], two, within: 0.06))
    }
  }

  @Test func aGeometricCohortIsHomogeneous() {
    guard case .homogeneous(let churn, _) = shiftedBetaGeometricFit(counts([1_000, 800, 640, 512])) else {
      Issue.record("expected the homogeneous limit")
      return
    }
    #expect(isClose(churn, 0.2, within: 1e-12))
  }

  @Test func churnOnlyAtTheFirstRenewalIsPolarised() {
    guard case .polarised(let churn, _) = shiftedBetaGeometricFit(counts([100, 60, 60, 60])) else {
      Issue.record("expected the polarised limit")
      return
    }
    #expect(isClose(churn, 0.4, within: 1e-15))
  }

  @Test(arguments: [[100.0, 100, 100], [100, 80], [100, 0, 0], [100, 0], [100], []])
  func tooLittleIsNotIdentified(alive: [Double]) {
    #expect(shiftedBetaGeometricFit(counts(alive)) == .notIdentified)
    #expect(betaDiscreteWeibullFit(counts(alive)) == nil)
  }

  @Test func cohortsOfDifferentAgeAddUp() {
    var joined = counts([100, 80, 70])
    joined.add(alive: [50, 45])
    #expect(joined.lost == [25, 10] && joined.kept == [125, 70])
  }

  /// mpmath at 50 digits, golden `sbg_retention-021`; the residual by its definition, term by term.
  @Test func functionsOfTheModel() {
    let model = ShiftedBetaGeometric(alpha: 0.668, beta: 3.806)
    #expect(isClose(model.churn(through: 6)[5], 0.039616685209912066, within: 1e-16))
    #expect(isClose(model.discountedLifetime(discount: 0.1), 5.922596407612764, within: 1e-13))
    let curve = model.survival(through: 400)
    let residual = (3...400).reduce(0) { sum, t in
      sum + curve[t] / curve[2] * (0..<(t - 3)).reduce(1.0) { value, _ in value / 1.1 }
    }
    #expect(isClose(model.discountedResidual(inContractPeriod: 3, discount: 0.1), residual, within: 1e-11))
  }

  /// With 20,000 customers the profile interval of S(2) equals the binomial one, and widens beyond the data.
  @Test func retentionIntervalIsThatOfTheDataAndWidensBeyond() throws {
    let renewals = counts([20_000, 16_000, 13_600, 12_000])
    let within = try #require(retentionIntervals(renewals) { [$0.survival(through: 2)[2]] }?[0])
    let plain = try #require(wilsonInterval(successes: 13_600, trials: 20_000))
    #expect(within.low < 0.68 && within.high > 0.68)
    #expect(isClose(within.high - within.low, plain.high - plain.low, within: 0.004))
    let beyond = try #require(retentionIntervals(renewals) { [$0.survival(through: 12)[12]] }?[0])
    #expect(beyond.high - beyond.low > 2 * (within.high - within.low))
  }

  @Test func retentionIntervalsHoldAtTheLimitsToo() throws {
    let geometric = counts([1_000, 800, 640, 512])
    let interval = try #require(retentionIntervals(geometric) { [$0.survival(through: 6)[6]] }?[0])
    let limit = try #require(shiftedBetaGeometricFit(geometric).survival(through: 6))[6]
    #expect(interval.low < limit && interval.high > limit && interval.high < 0.4)
    let polarised = try #require(retentionIntervals(counts([100, 60, 60, 60])) { [$0.survival(through: 6)[6]] }?[0])
    #expect(polarised.low < 0.6 && polarised.high > 0.6 && polarised.high < 0.75)
    #expect(retentionIntervals(counts([100, 80])) { [$0.alpha] } == nil)
  }
}
