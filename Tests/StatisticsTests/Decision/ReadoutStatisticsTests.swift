import Statistics
import Testing

/// Tests yearly money, trials, segments, cohorts and pairs: D5 to D8; oracle values by mpmath at 40
/// digits.
struct ReadoutStatisticsTests {
  private static let twoWeeks: [Double] = [131, 140, 128, 150, 171, 160, 118, 139, 137, 125, 148, 168, 172, 121]

  /// D6.7, mpmath.
  @Test func annualImpact() throws {
    let arrivals = try #require(Arrivals(daily: Self.twoWeeks))
    #expect(isClose(arrivals.usersADay, 143.42857142857143, within: 1e-12) && arrivals.days == 14)
    #expect(isClose(arrivals.variance, 1.2653061224489796, within: 1e-13))
    let impact = try #require(
      AnnualImpact(difference: 0.44, standardError: 0.08, critical: 3.04, arrivals: arrivals))
    #expect(isClose(impact.value, 23_034.628571428571, within: 1e-9))
    #expect(isClose(impact.interval.low, 10_290.922282843753, within: 1e-9))
    #expect(isClose(impact.interval.high, 35_778.33486001339, within: 1e-9))
  }

  /// D3.4: the last 28 days, in whole weeks from two on.
  @Test func arrivalsAreOfWholeWeeks() throws {
    #expect(Arrivals(daily: []) == nil)
    let few = try #require(Arrivals(daily: [3, 4, 8]))
    #expect(few.usersADay == 5 && few.days == 3 && few.variance == nil)
    #expect(AnnualImpact(difference: 1, standardError: 1, critical: 2, arrivals: few) == nil)
    // 13 days are not cut, 20 are cut to the last 14, 40 to the last 28.
    #expect(Arrivals(daily: [900] + Array(repeating: 10, count: 12))?.days == 13)
    #expect(Arrivals(daily: Array(repeating: 900, count: 6) + Self.twoWeeks) == Arrivals(daily: Self.twoWeeks))
    let long = Arrivals(daily: Array(repeating: 900, count: 12) + Array(repeating: 10, count: 28))
    #expect(long?.usersADay == 10 && long?.days == 28 && long?.variance == 0)
  }

  /// Worked example 3: cancelled 150 of 290 and 337 of 412 trials of 1,400 each; +22 to +48 pp. The bounds by hand: g =
  /// 290/412, (337/412 − 122/412) ÷ g = 215/290, min(1, 337/290) = 1, each minus 150/290.
  @Test func trialsOfTheTrap() throws {
    let found = TrialConditional(
      treatment: .init(users: 1_400, trials: 412, cancelled: 337),
      control: .init(users: 1_400, trials: 290, cancelled: 150))
    #expect(isClose(found.controlRate, 150.0 / 290, within: 1e-15))
    #expect(isClose(found.treatmentRate, 337.0 / 412, within: 1e-15))
    #expect(isClose(found.composition?.low, 65.0 / 290, within: 1e-15))
    #expect(isClose(found.composition?.high, 140.0 / 290, within: 1e-15))
    #expect(isClose(found.perExposedDifference, 187.0 / 1_400, within: 1e-15))
    // The ratio metric's own variance, from its sums.
    func variance(_ trials: Double, _ cancelled: Double) throws -> Double {
      let sums = RatioSums(
        count: 1_400, numerator: cancelled, numeratorSquares: cancelled, denominator: trials,
        denominatorSquares: trials, products: cancelled)
      return try #require(sums.arm).variance
    }
    let expected = (try variance(412, 337) + variance(290, 150)).squareRoot()
    #expect(isClose(found.standardError, expected, within: 1e-14))
  }

  /// D5.4: fewer starters are the mirror image; without trials there is no rate.
  @Test func compositionMirrors() throws {
    let (more, fewer) = (
      TrialConditional.Arm(users: 1_000, trials: 400, cancelled: 300),
      TrialConditional.Arm(users: 1_000, trials: 300, cancelled: 90)
    )
    let forward = try #require(TrialConditional(treatment: more, control: fewer).composition)
    let back = try #require(TrialConditional(treatment: fewer, control: more).composition)
    #expect(isClose(back.low, -forward.high, within: 1e-15) && isClose(back.high, -forward.low, within: 1e-15))
    let nobody = TrialConditional.Arm(users: 1_000, trials: 0, cancelled: 0)
    let found = TrialConditional(treatment: more, control: nobody)
    #expect(found.difference == nil && found.composition == nil && found.standardError == nil)
    #expect(isClose(found.perExposedDifference, 0.3, within: 1e-15))
  }

  /// D5.6, by hand: half of the treatment's payers 1, 2, 3 and 4 would pay either way, at worst 1 and 2, at best 3 and 4, each
  /// less 2; with three payers in control three quarters, 1 to 3 or 2 to 4.
  @Test func compositionOfMeans() throws {
    func group(_ values: [Double]) throws -> ChosenGroup {
      try #require(ChosenGroup(users: 10, values: values.map { ($0, 1) }))
    }
    let payers = try group([4, 2, 1, 3])
    let bounds = compositionBounds(treatment: payers, control: try group([2, 2]))
    #expect(bounds.low == -0.5 && bounds.high == 1.5)
    let most = compositionBounds(treatment: payers, control: try group([2, 2, 2]))
    #expect(isClose(most.low, 0, within: 1e-15) && isClose(most.high, 1, within: 1e-15))
    // Two and a half of four: (1 + 2 + 1.5)/2.5 and (4 + 3 + 1)/2.5.
    let part = compositionBounds(treatment: payers, control: try #require(ChosenGroup(users: 16, values: [(0, 4)])))
    #expect(isClose(part.low, 1.8, within: 1e-15) && isClose(part.high, 3.2, within: 1e-15))
    let mirrored = compositionBounds(treatment: try group([2, 2]), control: payers)
    #expect(mirrored.low == -1.5 && mirrored.high == 0.5)
    // Of zeros and ones as the rate's own formula.
    let rate = try #require(ChosenGroup(users: 10, group: 4, rate: 0.75))
    let ones = try group([0, 1, 1, 1])
    let of = try group([0, 1])
    let (left, right) = (
      compositionBounds(treatment: rate, control: of), compositionBounds(treatment: ones, control: of)
    )
    #expect(isClose(left.low, right.low, within: 1e-15) && isClose(left.high, right.high, within: 1e-15))
    #expect(ChosenGroup(users: 10, values: []) == nil && ChosenGroup(users: 10, group: 0, rate: nil) == nil)
  }

  /// D8.6: SciPy's `ttest_ind(equal_var=False)`, by two weeks.
  @Test func trendWithinUsers() throws {
    let (treatment, control) = (Moments([1, 0, -1, 2, 0, 0, -2, 1]), Moments([0, 0, 1, 0, -1, 0, 0, 0, 1]))
    let trend = try #require(WithinUserTrend(treatment: treatment, control: control, weeks: 2))
    #expect(
      isClose(trend.slope, 0.0069444444444444475, within: 1e-15)
        && isClose(trend.standardError, 0.24203299638765788, within: 1e-15))
    #expect(
      isClose(trend.p, 0.9776845932644932, within: 1e-13) && isClose(trend.degrees, 9.824430939766405, within: 1e-12))
    #expect(WithinUserTrend(treatment: Moments([1, 1]), control: Moments([0, 0]), weeks: 2) == nil)
  }

  /// D8.5: of zeros and ones a mean's week is a share's.
  @Test func weeksOfMeansAreThoseOfShares() throws {
    let (ones, others) = (Moments([0, 1, 1, 0, 1]), Moments([0, 0, 1]))
    let mean = try #require(CohortTrend.Week(time: 1, ones, others))
    let share = try #require(
      CohortTrend.Week(time: 1, Proportion(successes: 3, trials: 5), Proportion(successes: 1, trials: 3)))
    #expect(isClose(mean.difference, share.difference, within: 1e-15))
    #expect(isClose(mean.variance, share.variance, within: 1e-15))
    #expect(CohortTrend.Week(time: 1, Moments([2, 2]), Moments([2])) == nil)
  }

  private static func lifts(_ cells: [[Double]]) throws -> [LogLift] {
    try cells.map { cell in
      try #require(
        LogLift(Proportion(successes: cell[3], trials: cell[2]), Proportion(successes: cell[1], trials: cell[0])))
    }
  }

  /// D8.2, D8.3, mpmath. The thirds add up to worked example 1, 240 and 372 of 3,000, and print its "up to 22%"; the
  /// rule does not say how its events were distributed over countries.
  @Test func interactionOfSegments() throws {
    let thirds = try #require(
      SegmentInteraction(
        try Self.lifts([[1_000, 79, 1_000, 131], [1_000, 79, 1_000, 119], [1_000, 82, 1_000, 122]])))
    #expect(isClose(thirds.q, 0.38192578203037175, within: 1e-13) && thirds.degrees == 2)
    #expect(isClose(thirds.spreadHigh, 0.22316779952900772, within: 1e-12))
    let uneven = try #require(
      SegmentInteraction(
        try Self.lifts([[900, 60, 950, 90], [400, 45, 380, 30], [1_200, 100, 1_200, 151], [300, 12, 310, 20]])))
    #expect(isClose(uneven.q, 9.5627446595479662, within: 1e-12))
    #expect(isClose(uneven.p, 0.022673146267113384, within: 1e-14))
    #expect(isClose(uneven.overall, 0.28212411555551337, within: 1e-14))
    #expect(isClose(uneven.spreadHigh, 1.0866531622584992, within: 1e-12))
  }

  /// By hand, in Python: exp of the largest |y₁ − y₂| + 1.6448536·√(s₁² + s₂²), less 1, and (2.9264052 ÷ ln 1.1)² times
  /// the largest s₁² + s₂². Two segments of 10 and 14 outcomes have a spread limit of 0, but 1 + lift of one may still
  /// be 2.4 times the other's.
  @Test func closeLiftsThatAreImpreciseMayDiffer() throws {
    func limits(_ cells: [[Double]]) throws -> (high: Double, times: Double) {
      try #require(SegmentInteraction.largestDifference(try Self.lifts(cells), margin: 0.1))
    }
    let thirds = try limits([[1_000, 79, 1_000, 131], [1_000, 79, 1_000, 119], [1_000, 82, 1_000, 122]])
    #expect(isClose(thirds.high, 0.5250928356790967, within: 1e-12))
    #expect(isClose(thirds.times, 35.10118634106542, within: 1e-11))
    let uneven = try limits([[900, 60, 950, 90], [400, 45, 380, 30], [1_200, 100, 1_200, 151], [300, 12, 310, 20]])
    #expect(isClose(uneven.high, 3.4487914648155806, within: 1e-12))
    let equal = try limits([[100, 10, 100, 14], [100, 10, 100, 14]])
    #expect(isClose(equal.high, 1.4197147120164386, within: 1e-12))
    #expect(SegmentInteraction.largestDifference(try Self.lifts([[100, 10, 100, 14]]), margin: 0.1) == nil)
  }

  @Test func equalSegmentsHaveNoSpread() throws {
    let same = try #require(SegmentInteraction(try Self.lifts([[100, 10, 100, 14], [100, 10, 100, 14]])))
    #expect(same.q == 0 && same.p == 1 && same.spreadHigh == 0)
    #expect(SegmentInteraction(try Self.lifts([[100, 10, 100, 14]])) == nil)
    #expect(LogLift(Proportion(successes: 4, trials: 4), Proportion(successes: 9, trials: 9)) == nil)
    #expect(LogLift(Proportion(successes: 0, trials: 0), Proportion(successes: 9, trials: 9)) == nil)
  }

  /// D8.2 for means, by hand: ln 1.5 and (0.03/0.3)² + (0.02/0.2)².
  @Test func logLiftOfMeans() throws {
    let control = MeanEstimate(mean: 0.2, standardError: 0.02)
    let lift = try #require(LogLift(MeanEstimate(mean: 0.3, standardError: 0.03), control))
    #expect(isClose(lift.value, 0.4054651081081644, within: 1e-15) && isClose(lift.variance, 0.02, within: 1e-16))
    #expect(LogLift(MeanEstimate(mean: 0, standardError: 0.03), control) == nil)
  }

  /// mpmath's regularised incomplete gamma function.
  @Test(arguments: [
    (0.05, 1.0, 0.0039321400000195227), (0.05, 2, 0.10258658877510107), (0.05, 7, 2.1673499092980571),
    (0.05, 40, 26.509303196693111), (0.95, 3, 7.81472790325118),
  ])
  func chiSquareQuantile(p: Double, degrees: Double, expected: Double) {
    #expect(isClose(ChiSquareDistribution.lowerQuantile(p, degrees: degrees) / expected, 1, within: 1e-13))
  }

  /// D8.5, mpmath.
  @Test func trendOfCohorts() throws {
    let cells: [[Double]] = [[500, 40, 510, 70], [480, 41, 470, 55], [505, 39, 520, 52], [495, 44, 500, 41]]
    let weeks = try cells.enumerated().map { week, cell in
      try #require(
        CohortTrend.Week(
          time: Double(week), Proportion(successes: cell[3], trials: cell[2]),
          Proportion(successes: cell[1], trials: cell[0])))
    }
    let trend = try #require(CohortTrend(weeks))
    #expect(isClose(trend.slope, -0.020182923155974495, within: 1e-15))
    #expect(isClose(trend.standardError, 0.0083484756711952991, within: 1e-16))
    #expect(isClose(trend.p, 0.015625048726420811, within: 1e-14))
    #expect(CohortTrend(Array(weeks.prefix(2))) == nil)
    let nobody = Proportion(successes: 0, trials: 9)
    #expect(CohortTrend.Week(time: 0, nobody, nobody) == nil)
  }

  /// Worked example 7, and D7.2: b is better than control and c; c and control are not distinguishable.
  @Test func pairsOfThreeArms() throws {
    let arms = [400.0, 545, 430].map { Proportion(successes: $0, trials: 4_000) }
    let pairs = AllPairs(estimates: arms.map(\.estimate), alpha: 0.05) { one, other in
      AsymptoticSequence().look(arms[one], arms[other])?.p
    }
    #expect(pairs.ranking == [1, 2, 0] && pairs.bestGroup == [1])
    #expect(pairs.pairs.filter(\.isShown).map { [$0.first, $0.second] } == [[1, 0], [1, 2]])
    // Holm over three pairs: three times the p of b and control, 2.9773686081918772e-5 by mpmath.
    #expect(isClose(pairs.pairs[0].p, 3 * 2.9773686081918772e-5, within: 1e-17))
  }

  /// D7.2: a tie, an arm without estimate, and a pair that cannot be tested.
  @Test func bestGroupOfMoreThanOne() {
    let pairs = AllPairs(estimates: [0.1, nil, 0.12, 0.13], alpha: 0.05) { one, other in
      [one, other] == [0, 3] ? 0.001 : [one, other] == [0, 2] ? nil : 0.4
    }
    #expect(pairs.bestGroup == [3, 2] && pairs.pairs.count == 3)
    #expect(pairs.pairs.first { $0.second == 0 && $0.first == 2 }?.p == nil)
    #expect(AllPairs(estimates: [nil], alpha: 0.05) { _, _ in nil }.bestGroup == [])
  }
}
