import Statistics
import Testing

struct MeanTests {
  /// SciPy 1.17.1: `ttest_ind(a, b, equal_var=False)`.
  @Test func welchAgreesWithSciPy() throws {
    let result = try welch([3, 1, 4, 1, 5, 9, 2.5], [2, 7, 1, 8, 2.9, 8])
    let test = try #require(result)
    #expect(isClose(test.t, -0.7001506046505459, within: 1e-14))
    #expect(isClose(test.twoSidedP, 0.49971394838741895, within: 1e-13))
    #expect(isClose(test.degrees, 10.05374068714654, within: 1e-12))
  }

  private func welch(_ treatment: [Double], _ control: [Double]) throws -> WelchTest? {
    let (own, other) = (try #require(MeanArm(Moments(treatment))), try #require(MeanArm(Moments(control))))
    return welchTest(own, other)
  }

  /// By hand: the variance of 10⁹, 10⁹ + 1, …, 10⁹ + 9 is 9⅙; from Σx² − (Σx)²/n it is 0 or worse.
  @Test func variancesSurviveALargeMean() {
    let moments = Moments((0..<10).map { 1e9 + Double($0) })
    #expect(isClose(moments.variance, 55.0 / 6, within: 1e-12) && moments.mean == 1e9 + 4.5)
  }

  /// By hand: 1e-8 + 1e8 + 3 − 1e8 is 3.00000001, of which a plain sum has 3.0000000149.
  @Test func meansKeepSmallTermsBesideLargeOnesThatCancel() throws {
    let values = [1e-8, 1e8, 3, -1e8]
    var merged = Moments(values.prefix(2))
    merged.merge(Moments(values.dropFirst(2)))
    for moments in [Moments(values), Moments(values.reversed()), merged] { #expect(moments.mean == 0.7500000025) }
    // All 256 resamples are symmetric about the mean.
    let bootstrap = try #require(idealBootstrap(ofMean: values))
    #expect(bootstrap.mean == 0.7500000025 && bootstrap.median == 0.7500000025)
  }

  @Test func undefinedIsNil() throws {
    #expect(Moments().mean == nil && Moments([3]).variance == nil && Moments([3, 3]).skewness == nil)
    #expect(MeanArm(Moments([3])) == nil)
    #expect(try welch([3, 3], [3, 3]) == nil)
    #expect(sampleQuantile(ofSorted: [], 0.5) == nil && winsorisingCap(pooled: []) == nil)
  }

  @Test func mergingInAnyOrderGivesTheSameMoments() throws {
    let generator = CounterGenerator(seed: 7)
    let values = (0..<997).map { place in 1e6 + 50 * generator.uniform(at: UInt64(place)) }
    let whole = Moments(values)
    for size in [1, 10, 313] {
      var parts = stride(from: 0, to: values.count, by: size).map { start in
        Moments(values[start..<min(values.count, start + size)])
      }
      for reversed in [false, true] {
        if reversed { parts.reverse() }
        var merged = Moments()
        for part in parts { merged.merge(part) }
        #expect(isClose(merged.mean, try #require(whole.mean), within: 1e-9))
        #expect(isClose(try #require(merged.variance) / whole.variance!, 1, within: 1e-12))
        #expect(isClose(merged.skewness, try #require(whole.skewness), within: 1e-9))
      }
    }
  }

  /// NumPy: `quantile([-3, -1, 0, 2, 8, 100], p)`, by rule.
  @Test func quantilesAgreeWithNumPy() {
    let sorted = [-3.0, -1, 0, 2, 8, 100]
    #expect(sampleQuantile(ofSorted: sorted, 0.5) == 1)
    #expect(isClose(sampleQuantile(ofSorted: sorted, 0.999), 99.54, within: 1e-12))
    #expect(sampleQuantile(ofSorted: sorted, 0.5, rule: .invertedCDF) == 0)
    #expect(sampleQuantile(ofSorted: sorted, 1) == 100 && sampleQuantile(ofSorted: [7.5], 0.9) == 7.5)
  }

  @Test func winsorisingSaysWhatItCut() throws {
    let values = [3.0, 1, 4, 1, 5]
    let cap = try #require(winsorisingCap(pooled: values, quantile: 0.95))
    let capped = winsorised(values, cap: cap)
    #expect(isClose(cap, 4.8, within: 1e-15) && capped.cappedCount == 1)
    #expect(isClose(capped.cappedAmount, 0.2, within: 1e-15) && capped.values[4] == cap)
  }

  /// By hand: the four resamples of −5 and 5.
  @Test func idealBootstrapOfTwoValues() throws {
    let bootstrap = try #require(idealBootstrap(ofMean: [-5, 5]))
    #expect(bootstrap.quantile025 == -5 && bootstrap.median == 0 && bootstrap.quantile975 == 5)
    #expect(isClose(bootstrap.standardDeviation, 12.5.squareRoot(), within: 1e-15))
    #expect(idealBootstrap(ofMean: [Double](repeating: 0, count: 10)) == nil)
  }

  @Test func bootstrapTIsReproducibleAndNearWelchForNormalData() throws {
    let generator = CounterGenerator(name: "experiment")
    func normal(_ place: Int) -> Double {
      NormalDistribution.quantile((generator.uniform(at: UInt64(place)) + 1e-12) * (1 - 1e-11))
    }
    let (one, two) = ((0..<60).map(normal), (60..<120).map(normal))
    let interval = try #require(
      bootstrapTDifference(treatment: one, control: two, resamples: 499, generator: generator))
    let again = bootstrapTDifference(treatment: one, control: two, resamples: 499, generator: generator)
    #expect(interval == again)
    let result = try welch(one, two)
    let test = try #require(result)
    // Two standard errors of the bootstrap's own quantiles at 499 resamples are a tenth of the width.
    #expect(
      isClose(interval.low, test.interval.low, within: 0.1) && isClose(interval.high, test.interval.high, within: 0.1))
  }

  private static func user(_ before: Double, _ after: Double, count: Int = 1) -> HistoryGroup {
    HistoryGroup(
      before: RatioUnit(numerator: before, denominator: 1), after: RatioUnit(numerator: after, denominator: 1),
      count: count)
  }

  /// By hand: after = 2·before exactly, so that only the effect varies within arms.
  @Test func cupedTakesOffWhatHistoryExplains() throws {
    let control = [1.0, 2, 3, 4].map { Self.user($0, 2 * $0 + ($0 == 2 ? 0.1 : 0)) }
    let treatment = [1.0, 2, 3, 4].map { Self.user($0, 2 * $0 + 1) }
    let result = try #require(cupedTest(treatment: treatment, control: control))
    #expect(isClose(result.adjustment.theta, 2, within: 0.02) && result.adjustment.hasHistory)
    #expect(
      isClose(result.adjusted.difference, 0.975, within: 1e-12) && result.adjustment.varianceReduction > 0.99)
    let fresh = (treatment + control).map { Self.user(0, $0.after.numerator) }
    let without = try #require(cupedTest(treatment: Array(fresh[0..<4]), control: Array(fresh[4...])))
    #expect(without.adjustment.theta == 0 && without.adjustment.varianceReduction == 0)
    #expect(!without.adjustment.hasHistory)
  }

  /// Users counted in groups are the same users; the golden files have single ones.
  @Test func groupsCountAsTheirUsers() throws {
    let groups = [(0.0, 1.0, 3), (2.0, 1.0, 2), (1.0, 4.0, 4)].map { Self.user($0, $1, count: $2) }
    let users = groups.flatMap { Array(repeating: HistoryGroup(before: $0.before, after: $0.after), count: $0.count) }
    let others = [Self.user(1, 2, count: 5), Self.user(3, 3, count: 1)]
    let (one, all) = (cupedTest(treatment: groups, control: others), cupedTest(treatment: users, control: others))
    #expect(isClose(one?.adjusted.standardError, try #require(all).adjusted.standardError, within: 1e-12))
    let ratios = (cupedRatio(treatment: groups, control: others), cupedRatio(treatment: users, control: others))
    #expect(isClose(ratios.0?.standardError, try #require(ratios.1).standardError, within: 1e-12))
    #expect(cupedTest(treatment: [HistoryGroup](), control: []) == nil)
  }

  /// By hand: two users, 0/1 and 3/4.
  @Test func ratioMetricsOfSumsAndOfUsersAgree() throws {
    let users = [RatioUnit(numerator: 0, denominator: 1), RatioUnit(numerator: 3, denominator: 4)]
    let arm = try #require(ratioArm(users))
    #expect(isClose(arm.mean, 0.6, within: 1e-15) && isClose(arm.variance, 0.0576, within: 1e-15))
    let sums = RatioSums(
      count: 2, numerator: 3, numeratorSquares: 9, denominator: 5, denominatorSquares: 17, products: 12)
    #expect(isClose(sums.arm?.variance, 0.0576, within: 1e-15))
    #expect(ratioArm([RatioUnit(numerator: 1, denominator: 0), RatioUnit(numerator: 2, denominator: 0)]) == nil)
  }

  /// All payers pay one price: the ratio is that price, and nothing varies, whatever rounding error the sums have.
  @Test(arguments: [0.99, 1.09, 4.49, 4.99, 9.99, 12.99, 59.99])
  func onePriceHasNoVariance(price: Double) throws {
    var sums = RatioSums(
      count: 500, numerator: 0, numeratorSquares: 0, denominator: 0, denominatorSquares: 0, products: 0)
    for _ in 0..<37 {
      sums.numerator += price
      sums.numeratorSquares += price * price
      sums.denominator += 1
      sums.denominatorSquares += 1
      sums.products += price
    }
    let arm = try #require(sums.arm)
    #expect(isClose(arm.mean, price, within: 1e-12) && arm.variance == 0)
    // A user who pays a cent more is not a rounding error: 36 residuals of 0.01/37 and one of 0.36/37.
    sums.numerator += 0.01
    sums.numeratorSquares += 2 * price * 0.01 + 0.0001
    sums.products += 0.01
    let varied = try #require(sums.arm)
    let residuals = 0.0001 - 0.0001 / 37
    #expect(isClose(varied.variance, residuals / 499 / 500 / (0.074 * 0.074), within: 1e-12))
  }

  /// Methods 2.3: Fieller's set excludes 1 exactly when the test of the means rejects.
  @Test func fiellerAgreesWithTheTestOfTheMeans() {
    let control = MeanEstimate(mean: 1, standardError: 0.1)
    for step in 0...60 {
      let treatment = MeanEstimate(mean: 0.5 + Double(step) / 50, standardError: 0.12)
      let z = (treatment.mean - 1) / (control.variance + treatment.variance).squareRoot()
      guard abs(abs(z) - normalQuantile975) > 1e-9 else { continue }
      guard case .bounded(let ends) = fiellerRatio(treatment, control, critical: normalQuantile975) else {
        Issue.record("unbounded at \(treatment.mean)")
        continue
      }
      #expect(ends.contains(1) == (abs(z) < normalQuantile975))
    }
  }

  @Test func fiellerIsUnboundedWhenTheControlMayBeZero() {
    let noise = MeanEstimate(mean: 0.1, standardError: 0.1)
    #expect(fiellerRatio(noise, noise, critical: normalQuantile975) == .wholeLine)
    let clear = fiellerRatio(MeanEstimate(mean: 5, standardError: 0.1), noise, critical: normalQuantile975)
    guard case .complement = clear else {
      Issue.record("expected a complement, not \(clear)")
      return
    }
  }

  /// mpmath at 50 digits, golden `relative_lift-064` and `-065`.
  @Test func liftsByTheDeltaMethod() throws {
    let (one, two) = (MeanEstimate(mean: 1.2, standardError: 0.05), MeanEstimate(mean: 1, standardError: 0.05))
    let delta = try #require(deltaLift(one, two, critical: normalQuantile975))
    #expect(isClose(delta.interval.low, 0.046921919249573216, within: 1e-14))
    let log = try #require(logDeltaLift(one, two, critical: normalQuantile975))
    #expect(isClose(log.low, 0.0562833672666794, within: 1e-14))
    #expect(logDeltaLift(MeanEstimate(mean: -1, standardError: 1), two, critical: 2) == nil)
    #expect(deltaLift(one, MeanEstimate(mean: 0, standardError: 1), critical: 2) == nil)
    // From −2 to 1 is more, though 1 ÷ −2 − 1 is less than 0.
    #expect(deltaLift(one, MeanEstimate(mean: -2, standardError: 1), critical: 2) == nil)
  }

  /// By hand: g₁ of 99 zeros and a one is (1 − 2p)/√(pq) with p = 0.01.
  @Test func skewnessGatesUnequalArmsOnly() throws {
    let rare = Moments([Double](repeating: 0, count: 99) + [1])
    #expect(isClose(rare.skewness, 0.98 / 0.0099.squareRoot(), within: 1e-12))
    #expect(isClose(rare.leastCountForNormalMean, 355 * 0.98 * 0.98 / 0.0099, within: 1e-8))
    let equal = try #require(normalityGate(treatment: rare, control: rare))
    #expect(equal.isNearlyNormal && equal.skewness == 0)
    var larger = rare
    larger.merge(rare)
    #expect(try #require(normalityGate(treatment: rare, control: larger)).isNearlyNormal == false)
    let sums = Moments(count: 10, sum: 3, sumOfSquares: 2)
    #expect(normalityGate(treatment: rare, control: sums) == nil && sums.skewness == nil)
  }
}
