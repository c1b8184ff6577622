import Statistics
import Testing

/// Sizes, lifts and bounds of D2 and D3; oracle values by mpmath at 40 digits from the formulas there.
struct LiftPlanTests {
  private static func plan(
    _ rate: Double, plannedUnits: Double = 5_000, level: Double = 0.05, shares: (Double, Double) = (0.5, 0.5)
  ) -> LiftPlan {
    LiftPlan(
      control: .share(rate), controlShare: shares.0, treatmentShare: shares.1,
      bound: .sequence(AsymptoticSequence(plannedUnits: plannedUnits), alpha: level))
  }

  /// Worked examples 5 and 8: 131,054 and 74,712 users, lifts from 81% and 25% in 56 days at 54 and 300 a day.
  @Test func sizesOfTheWorkedExamples() {
    let small = Self.plan(81.0 / 1_507)
    #expect(small.usersNeeded(lift: 0.1) == 131_054 && small.usersNeededForSameness(margin: 0.1) == 179_189)
    #expect(isClose(small.leastLift(users: 54 * (56 - 14)), 0.81095250742648685, within: 1e-12))
    let early = Self.plan(0.08, plannedUnits: 24_000)
    #expect(early.usersNeeded(lift: 0.1) == 74_712 && early.usersNeededForSameness(margin: 0.1) == 103_223)
    #expect(isClose(early.leastLift(users: 300 * (56 - 14)), 0.2495686090526088, within: 1e-12))
  }

  /// mpmath.
  @Test func sizesOfOtherDesigns() {
    #expect(Self.plan(0.1, level: 0.025, shares: (1.0 / 3, 1.0 / 3)).usersNeeded(lift: 0.1) == 106_009)
    #expect(Self.plan(0.1, shares: (0.8, 0.2)).usersNeeded(lift: 0.1) == 105_483)
    let money = LiftPlan(
      control: .mean(1.42, variance: 90), bound: .sequence(AsymptoticSequence(), alpha: 0.05))
    #expect(money.usersNeeded(lift: 0.1) == 337_647 && money.usersNeededForSameness(margin: 0.1) == 460_589)
    func constant(_ bound: Double) -> Double? {
      LiftPlan(control: .share(0.1), bound: .constant(bound)).usersNeeded(lift: 0.1)
    }
    #expect(constant(NormalDistribution.criticalValue(confidence: 0.95)) == 29_497 && constant(2.0310) == 31_011)
  }

  /// D3.2: empty when m₀(1 + m) ≥ 1 or m₀ = 0.
  @Test func noSizeWithoutSuchATreatment() {
    #expect(Self.plan(0).usersNeeded(lift: 0.1) == nil && Self.plan(0).leastLift(users: 1e6) == nil)
    #expect(Self.plan(0.91).usersNeeded(lift: 0.1) == nil && Self.plan(1).leastLift(users: 1e6) == nil)
    #expect(Self.plan(0.5).leastLift(users: 4) == nil && Self.plan(0.5).leastLift(users: 0.5) == nil)
    let flat = LiftPlan(control: .mean(3, variance: 0), bound: .constant(2))
    #expect(flat.usersNeeded(lift: 0.1) == nil)
    #expect(Self.plan(0.01).usersNeeded(lift: 1e-9) == nil)
  }

  /// D3.7 inverts D3.2: one user fewer does not find the lift, and the least lift needs at most the given users.
  @Test(arguments: [0.004, 0.05, 0.3, 0.6], [400.0, 3_000, 90_000])
  func leastLiftInvertsTheSize(rate: Double, users: Double) throws {
    let plan = Self.plan(rate)
    guard let lift = plan.leastLift(users: users) else { return }
    let needed = try #require(plan.usersNeeded(lift: lift))
    #expect(needed <= users)
    #expect(try #require(plan.usersNeeded(lift: lift * (1 - 1e-9))) > users)
  }

  /// D2.4, mpmath: c(6,000) at α/2 with ρ² of α. At its own α it is the ordinary boundary.
  @Test func criticalValueAtAnotherLevel() throws {
    let sequence = AsymptoticSequence()
    #expect(isClose(sequence.criticalValue(units: 6_000, alpha: 0.025), 3.2792067724416464, within: 1e-14))
    #expect(sequence.criticalValue(units: 700, alpha: 0.05) == sequence.criticalValue(units: 700))
    let (one, two) = (Proportion(successes: 545, trials: 4_000), Proportion(successes: 400, trials: 4_000))
    let own = try #require(sequence.look(one, two))
    let halved = sequence.look(estimate: 0.03625, standardError: own.standardError, units: 8_000, alpha: 0.025)
    #expect(isClose(halved?.interval.low, 0.012589386178917386, within: 1e-14))
    #expect(isClose(halved?.p, own.p, within: 1e-15))
  }

  /// D2.3.
  @Test func readyFrom50Users10WithAnd10Without() {
    func isReady(_ x: Double, _ n: Double) -> Bool {
      let enough = Proportion(successes: 50, trials: 100)
      let arm = Proportion(successes: x, trials: n)
      let both = [AsymptoticSequence.isReady(arm, enough), AsymptoticSequence.isReady(enough, arm)]
      #expect(both[0] == both[1])
      return both[0]
    }
    #expect(isReady(10, 50) && isReady(40, 50) && !isReady(9, 50) && !isReady(41, 50) && !isReady(20, 49))
    #expect(AsymptoticSequence.isReady(users: 50, with: 10, without: nil))
  }

  /// D2.2, mpmath: shares of worked example 1, and means 1.42 (variance 90, 9,000 users) against 1.30 (80, 9,100).
  @Test func liftByFieller() {
    let sequence = AsymptoticSequence()
    func estimate(_ mean: Double, _ variance: Double, _ n: Double) -> MeanEstimate {
      MeanEstimate(mean: mean, standardError: (variance / n).squareRoot())
    }
    let shares = fiellerLift(
      estimate(0.124, 0.124 * 0.876, 3_000), estimate(0.08, 0.08 * 0.92, 3_000),
      critical: sequence.criticalValue(units: 6_000))
    #expect(isClose(shares.interval?.low, 0.22555772835180012, within: 1e-12))
    #expect(isClose(shares.interval?.high, 0.98803790258478666, within: 1e-12))
    let means = fiellerLift(
      estimate(1.42, 90, 9_000), estimate(1.3, 80, 9_100), critical: sequence.criticalValue(units: 18_100))
    #expect(isClose(means.interval?.low, -0.20646312747363502, within: 1e-12))
    #expect(isClose(means.interval?.high, 0.50729714305188207, within: 1e-12))
  }

  /// D2.2: m₀ ≤ c√v₀, and no variance at all.
  @Test func noLiftToShow() {
    let one = MeanEstimate(mean: 0.2, standardError: 0.01)
    for control in [MeanEstimate(mean: 0.03, standardError: 0.01), MeanEstimate(mean: -2, standardError: 0.01)] {
      let lift = fiellerLift(one, control, critical: 3)
      #expect(lift == .controlNotDistinguishableFromZero)
    }
    let flat = MeanEstimate(mean: 0.2, standardError: 0)
    #expect(fiellerLift(flat, flat, critical: 3) == .nothingVaries)
    #expect(fiellerLift(one, flat, critical: 3).interval != nil)
  }

  /// D2.5: strictly inside.
  @Test func sameness() {
    #expect(isSame(Interval(low: -0.0722, high: 0.0882), margin: 0.1))
    #expect(!isSame(Interval(low: -0.1, high: 0.05), margin: 0.1) && !isSame(Interval(low: 0, high: 0.1), margin: 0.1))
    #expect(!isSame(nil, margin: 0.1))
  }
}
