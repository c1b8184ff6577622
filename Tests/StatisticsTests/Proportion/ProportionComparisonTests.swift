import Statistics
import Testing

struct ProportionComparisonTests {
  /// Newcombe (1998), Stat Med 17:873, table II, as printed: 4 digits (golden `diff_proportions-166`, `-169`, `-172`).
  @Test(arguments: [
    (56.0, 70.0, 48.0, 80.0, 0.0528, 0.3382), (5, 56, 0, 29, -0.0326, 0.1933), (10, 10, 0, 20, 0.7156, 1),
  ])
  func miettinenNurminenAgreesWithNewcombe(
    x1: Double, n1: Double, x2: Double, n2: Double, low: Double, high: Double
  ) throws {
    let interval = try #require(
      miettinenNurminenDifference(Proportion(successes: x1, trials: n1), Proportion(successes: x2, trials: n2)))
    #expect(isClose(interval.low, low, within: 6e-5) && isClose(interval.high, high, within: 6e-5))
  }

  /// Newcombe (1998), table II, method 10.
  @Test func newcombeAgreesWithHimself() throws {
    let interval = try #require(
      newcombeDifference(Proportion(successes: 56, trials: 70), Proportion(successes: 48, trials: 80)))
    #expect(isClose(interval.low, 0.0524, within: 6e-5) && isClose(interval.high, 0.3339, within: 6e-5))
  }

  /// mpmath at 50 digits, golden `diff_proportions-107`, at which the cubic's root loses its digits.
  @Test func scoreIntervalHoldsAtAHundredMillionUsers() throws {
    let interval = try #require(
      miettinenNurminenDifference(
        Proportion(successes: 5_012_345, trials: 1e8), Proportion(successes: 5_000_000, trials: 1e8)))
    #expect(isClose(interval.low, 6.300455074016854e-05, within: 1e-15))
    #expect(isClose(interval.high, 0.00018389548489341172, within: 1e-15))
  }

  /// Koopman (1984): 36/40 against 16/80 gives 2.94 to 7.15; Fagerland et al. (2015) for MOVER-R.
  @Test func ratiosAgreeWithPublishedExamples() throws {
    let koopman = try #require(
      scoreRatio(Proportion(successes: 36, trials: 40), Proportion(successes: 16, trials: 80), corrected: false))
    #expect(isClose(koopman.low, 2.94, within: 6e-3) && isClose(koopman.high, 7.15, within: 6e-3))
    let mover = try #require(moverRatio(Proportion(successes: 24, trials: 73), Proportion(successes: 53, trials: 65)))
    #expect(isClose(mover.low, 0.282, within: 6e-4) && isClose(mover.high, 0.563, within: 6e-4))
  }

  /// mpmath at 50 digits: almost all users succeed.
  @Test func ratioHoldsWhereNearlyEverybodySucceeds() throws {
    let interval = try #require(
      scoreRatio(Proportion(successes: 1_000, trials: 1_000), Proportion(successes: 999, trials: 1_000)))
    #expect(isClose(interval.low, 0.9971665921909176, within: 1e-14))
    #expect(isClose(interval.high, 1.0056765650943553, within: 1e-14))
  }

  @Test func ratioIsUnboundedWithoutSuccesses() throws {
    let (some, none) = (Proportion(successes: 20, trials: 100), Proportion(successes: 0, trials: 100))
    let upward = try #require(scoreRatio(some, none))
    #expect(isClose(upward.low, 5.3527748411023, within: 1e-12) && upward.high == .infinity)
    #expect(scoreRatio(none, none) == Interval(low: 0, high: .infinity))
    #expect(katzLogRatio(some, none) == nil)
  }

  /// R: `fisher.test(matrix(c(3,1,1,3),2))`, Fisher's tea, 0.4857 and 0.2429; the mid-p by hand.
  @Test func fishersTea() throws {
    let test = try #require(fisherTest(Proportion(successes: 3, trials: 4), Proportion(successes: 1, trials: 4)))
    #expect(isClose(test.twoSidedP, 34.0 / 70, within: 1e-14) && isClose(test.greaterP, 17.0 / 70, within: 1e-14))
    #expect(isClose(test.lessP, 69.0 / 70, within: 1e-14) && isClose(test.midP, 18.0 / 70, within: 1e-14))
  }

  /// SciPy 1.17.1: `boschloo_exact([[7, 2], [18, 23]], n=128)`, arms in columns.
  @Test func boschlooAgreesWithSciPy() throws {
    let p = try boschlooTest(Proportion(successes: 7, trials: 25), Proportion(successes: 2, trials: 25))
    #expect(isClose(p, 0.07862667254277639, within: 1e-9))
    #expect(throws: ExactTestError.self) {
      try boschlooTest(Proportion(successes: 1, trials: 3_000), Proportion(successes: 2, trials: 25))
    }
  }

  /// Cookie Cats, retained after 7 days: the published z test, p = 0.001554.
  @Test func pooledZOfCookieCats() throws {
    let test = try #require(
      pooledZTest(Proportion(successes: 8_279, trials: 45_489), Proportion(successes: 8_502, trials: 44_700)))
    #expect(isClose(test.twoSidedP, 0.001554, within: 5e-7) && test.z < 0)
  }

  /// 1% against 2% at 100,000 an arm: `2 * (1 - cdf)` prints 0.
  @Test func farTailIsNotZero() throws {
    let test = try #require(
      pooledZTest(Proportion(successes: 1_000, trials: 1e5), Proportion(successes: 2_000, trials: 1e5)))
    #expect(test.twoSidedP > 0 && isClose(test.log10P, -75, within: 2))
    let beyond = try #require(pooledZTest(Proportion(successes: 1, trials: 1e8), Proportion(successes: 1, trials: 10)))
    #expect(beyond.twoSidedP == 0 && isClose(beyond.log10P, -1_085_739.456870606, within: 1e-3))
  }

  @Test func nothingIsTestedWhereAllOutcomesAreEqual() {
    let none = Proportion(successes: 0, trials: 10)
    #expect(pooledZTest(none, none) == nil && nMinus1Test(none, none) == nil)
    #expect(miettinenNurminenTest(none, none) == nil)
    #expect(miettinenNurminenTest(none, none, margin: 0.1) != nil)
  }
}
