import EventModel
import Metrics
import Statistics
import Testing

/// Decisions on arms with known counts. Numbers come from R's `prop.test` and the formulas named.
struct ExperimentDecisionTests {
  private typealias Events = ExperimentEvents

  /// 40 and 80 of 400: p = 8e-5 at one look, z = 3.95 over the sequence's critical 3.04 at 800 users.
  @Test func aWinnerShips() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 80),
    ])
    #expect(readout.told == "ship new primary" && readout.next == nil)
    let comparison = try #require(readout.comparison("paid"))
    #expect(abs((comparison.difference ?? 0) - 0.1) < 1e-12)
    // N − 1 χ²: z² = 799/800 · (40/800)²·… = 15.67; two-sided p from the normal tail.
    #expect(abs((comparison.p ?? 0) - 7.5e-5) < 1e-5)
    #expect(comparison.sequential.method == .asymptoticSequence && comparison.sequential.isSignificant)
  }

  @Test func aLoserDoesNot() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 400, paying: 80), Events.arm("new", persons: 400, paying: 40),
    ])
    #expect(readout.told == "do_not_ship new primary" && readout.next == .keepControl)
  }

  /// 60 and 62 of 400: the lift interval reaches far beyond ±10%, so nothing is ruled out (D1.8).
  @Test func scarceDataAreUndecided() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 400, paying: 60), Events.arm("new", persons: 400, paying: 62),
    ])
    #expect(readout.told == "undecided new primary")
    let lift = try #require(readout.comparison("paid")?.sequential.liftInterval)
    #expect(lift.low < -0.1 && lift.high > 0.1)
  }

  /// 40 and 59 of 400: p = 0.047 at one look, far from the sequence's bound. One look decides only if it was planned
  /// with a size that is reached (D4.3).
  @Test func oneLookDecidesOnlyWherePlanned() throws {
    let arms = [Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 59)]
    let open = try Events.readout(arms)
    #expect(open.told == "undecided new primary" && open.schedule.isEnded)
    #expect(open.schedule.oneLookP == open.comparison("paid")?.p)
    #expect(open.caveats.contains { if case .endedWithoutPlan = $0 { true } else { false } })
    #expect(try Events.readout(arms, "looks: once").told == "undecided new primary")
    let once = try Events.readout(arms, "{looks: once, planned_users: 800}")
    #expect(once.told == "ship new primary" && once.comparison("paid")?.sequential.method == .once)
    #expect(once.caveats.contains(.planDateUnknown))
    let dated = try Events.readout(arms, "{looks: once, planned_users: 800, planned_on: 2025-12-01}")
    #expect(dated.told == "ship new primary" && dated.caveats.isEmpty)
    // A quarter of the users came in the first 5 of 20 days (D4.6).
    let late = try Events.readout(arms, "{looks: once, planned_users: 800, planned_on: 2026-01-07}")
    #expect(late.told == "undecided new primary" && late.caveats.contains(.plannedLate))
  }

  /// A test that ended at a third of 2,400 is read by the sequence with N* = 2,400 (D4.4). A running one is not read at
  /// all (D4.3).
  @Test func aTestPlannedForOneLookIsNotReadBefore() throws {
    let arms = [Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 59)]
    let plan = "{looks: once, planned_users: 2400, planned_on: 2025-12-01}"
    let ended = try Events.readout(arms, plan)
    #expect(ended.told == "undecided new ended_early")
    #expect(ended.comparison("paid")?.sequential.method == .asymptoticSequence)
    #expect(ended.caveats.first == .endedEarly(share: 1.0 / 3))
    let running = try Events.readout(arms, plan, asOf: Events.days(26))
    #expect(running.told == "undecided new not_yet" && running.comparison("paid")?.decisionP == nil)
    #expect(running.comparison("paid")?.sequential.interval == nil)
    // 1,600 more users at 40 a day, plus 14 days (D3.6); the plan cannot be reached within 50 days.
    #expect(running.next == .wait && running.schedule.daysToLook == 54)
    let impatient = try Events.readout(arms, plan.replacing("{", with: "{patience_days: 50, "), asOf: Events.days(26))
    #expect(impatient.next == .stop && impatient.schedule.daysToLook == nil)
    // 60 days plus 14, of which 26 are over.
    let days = try Events.readout(
      arms, "{looks: once, planned_days: 60, planned_on: 2025-12-01, patience_days: 20}", asOf: Events.days(26))
    #expect(days.next == .wait && days.schedule.daysToLook == 48)
    let daily = try Events.readout(arms, "{planned_days: 60, planned_on: 2025-12-01}", asOf: Events.days(26))
    #expect(daily.next == .wait && daily.schedule.isPlanOpen)
  }

  /// D5.6: of 60 and 100 trials, 30 each convert: 50 against 30%. At best, all users who start under either variant,
  /// 30 of 60, convert: 0. At worst, none does.
  @Test func conditionalGuardrailsHaveBounds() throws {
    func arm(_ variant: String, trials: Int, paying: Int) -> [String] {
      (0..<400).flatMap { index -> [String] in
        let user = "\(variant)-\(index)"
        let ms = Int64(index) * 4_000_000
        var lines = [Events.exposure(user, variant, ms: ms)]
        if index < trials { lines.append(Events.trial(user, ms: ms + 1_000)) }
        if index < paying { lines.append(Events.conversion(user, ms: ms + 7 * Events.day, "10")) }
        return lines
      }
    }
    let arms = [arm("control", trials: 60, paying: 30), arm("new", trials: 100, paying: 30)]
    let readout = try Events.readout(arms, "guardrails: [{metric: trial_to_paid, margin: 0.05}]")
    let bounds = try #require(readout.comparison("trial_to_paid")?.composition)
    #expect(abs(bounds.low + 0.5) < 1e-9 && abs(bounds.high) < 1e-9)
    #expect(readout.guardrails.first?.state == .open)
    #expect(readout.caveats.contains(.conditionalGuardrail(metric: "trial_to_paid")))
    // Every payer pays 10.
    #expect(readout.comparison("revenue_per_payer")?.composition == Interval(low: 0, high: 0))
  }

  /// D8.2 for means: two platforms with equal payers, so that Q is 0; 20 and 40 of 100 pay 10, a lift of 100%.
  /// Two lifts so imprecise are not told the same: s² of each is 0.24/(0.16·99) + 0.16/(0.04·99) = 1/18, so that the
  /// largest difference has a limit of exp(1.6448536·√(1/9)) − 1.
  @Test func segmentsOfRevenue() throws {
    let arms = ["ios", "android"].flatMap { platform in
      [("control", 20), ("new", 40)].map { variant, paying in
        (0..<100).flatMap { index -> [String] in
          let (user, ms) = ("\(variant)-\(platform)-\(index)", Int64(index * 37 % 100) * 20 * Events.day / 100)
          let exposure = Events.exposure(user, variant, ms: ms, #","platform":"\#(platform)""#)
          return index < paying ? [exposure, Events.conversion(user, ms: ms + 60_000, "10")] : [exposure]
        }
      }
    }
    let readout = try Events.readout(arms, "primary: revenue")
    let platforms = try #require(readout.segments.first { $0.dimension == "platform" })
    #expect(abs(platforms.q ?? 1) < 1e-12 && platforms.spreadHigh == 0 && platforms.answer == .notKnown)
    #expect(abs((platforms.differenceHigh ?? 0) - 0.730282245) < 1e-6)
    #expect(platforms.segments.allSatisfy { abs(($0.lift ?? 0) - 1) + abs(($0.control.estimate ?? 0) - 2) < 1e-12 })
    #expect(platforms.segments.map(\.treatment.outcomes) == [40, 40])
    // Everything is paid in the first week: +2 USD there, nothing in the fourth.
    let within = try #require(readout.within)
    #expect(abs(within.first.difference - 2) < 1e-12 && within.last.difference == 0 && within.isMoney)
    #expect(abs(within.slope + 2.0 / 3) < 1e-12 && within.answer == .fades && !readout.caveats.contains(.fading))
  }

  /// `new` sells to 30% of the users of the first 18 days, and then to 10%, as control does. Revenue counts after 30 days: of
  /// two whole weeks, the last two are all; of three, they are a part (D8.7).
  @Test(arguments: [(Int64(48), false), (55, true)])
  func aYearOfTheLastWeeksNeedsEarlierOnes(asOf: Int64, isShown: Bool) throws {
    let arms = ["control", "new"].map { variant in
      (0..<28 * 40).flatMap { index -> [String] in
        let (user, ms) = ("\(variant)-\(index)", Int64(index) * Events.day / 40)
        let payers = variant == "new" && index < 18 * 40 ? 3 : 1
        return [Events.exposure(user, variant, ms: ms)]
          + (index % 10 < payers ? [Events.conversion(user, ms: ms + 1_000, "10")] : [])
      }
    }
    let readout = try Events.readout(arms, asOf: Events.days(asOf))
    #expect(readout.trend?.answer == .fades)
    #expect((readout.money?.annualOfLastWeeks != nil) == isShown)
  }

  /// D8.6, derived by hand: in week 2 all users of new and half of control return, in week 4 half of both: −50 pp in
  /// two weeks. Half of new lose 1: s² = 60/59 · ¼, and control does not change.
  @Test func retentionFadesWithinUsers() throws {
    let arms = [("control", 30), ("new", 60)].map { variant, early in
      (0..<60).flatMap { index -> [String] in
        let user = "\(variant)-\(index)"
        let ms = Int64(index) * 20_000_000
        var lines = [Events.exposure(user, variant, ms: ms)]
        if index < early { lines.append(Events.line("activity", user, ms: ms + 9 * Events.day)) }
        if index < 30 { lines.append(Events.line("activity", user, ms: ms + 23 * Events.day)) }
        return lines
      }
    }
    let readout = try Events.readout(arms, "primary: retained")
    let within = try #require(readout.within)
    #expect(within.first.number == 2 && within.last.number == 4 && within.users == 120)
    #expect(abs(within.first.difference - 0.5) < 1e-12 && abs(within.last.difference) < 1e-12)
    #expect(abs(within.slope + 0.25) < 1e-12)
    #expect(abs(within.standardError - (0.25 / 59).squareRoot() / 2) < 1e-12)
    #expect(within.answer == .fades && readout.caveats.contains(.fading))
    // Users of less than four weeks have no fourth week.
    #expect(try Events.readout(arms, "primary: retained", asOf: Events.days(27)).within == nil)
    // The plan's own count gives an equal result.
    let own = """
      primary: own
      metrics: [{name: own, kind: mean, event: activity, window: 28}]
      """
    let counted = try #require(try Events.readout(arms, own).within)
    #expect(counted.first.number == 1 && counted.last.number == 4 && counted.users == 120)
  }

  /// Nine conversions in an arm are too few for an interval (D2.3); the e-process still gives a p.
  @Test func fewConversionsAreTooFew() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 300, paying: 4), Events.arm("new", persons: 300, paying: 9),
    ])
    let sequential = try #require(readout.comparison("paid")?.sequential)
    #expect(sequential.method == .conversionShare && sequential.interval == nil && sequential.liftInterval == nil)
    #expect((sequential.p ?? 0) > 0.05 && readout.told == "undecided new too_few")
  }

  /// Too few users without the outcome are like too few with it.
  @Test func nearlyEverybodyIsTooFew() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 100, paying: 95), Events.arm("new", persons: 100, paying: 97),
    ])
    #expect(readout.told == "undecided new too_few")
  }

  @Test func noOutcomeAtAllIsTooFew() throws {
    let none = try Events.readout([
      Events.arm("control", persons: 60, paying: 0), Events.arm("new", persons: 60, paying: 0),
      [Events.conversion("stranger", ms: 0, "10")],
    ])
    #expect(none.primary?.metric.name == "paid" && none.told == "undecided new too_few")
    // In an app that never sold anything, `retained` decides, which needs usage events (D5.1).
    let arms = [Events.arm("control", persons: 60, paying: 0), Events.arm("new", persons: 60, paying: 0)]
    let free = try Events.readout(arms)
    #expect(free.primary?.metric.name == "retained" && free.told == "none  no_usage_events" && free.next == .fix)
    let used = try Events.readout(arms + [[Events.line("activity", "new-1", ms: Events.days(50))]])
    #expect(used.told == "undecided new too_few")
  }

  @Test func beforeAnyHorizonIsOverThereAreTooFew() throws {
    let persons = (0..<60).flatMap { index in
      ["control", "new"].map { Events.exposure("\($0)\(index)", $0, ms: Int64(index)) }
    }
    let readout = try TestStore(lines: persons + [Events.conversion("new1", ms: Events.days(5), "10")]).readout()
    #expect(readout.told == "undecided new too_few" && readout.next == .wait)
    #expect(readout.comparison("paid")?.difference == nil)
  }

  /// New wins `paid` (90 against 40 of 400) at 2.00 instead of 10.00: 0.45 against 1.00 per user.
  @Test func aWinThatLosesMoneyIsNotShipped() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 90, price: "2"),
    ])
    #expect(readout.told == "do_not_ship new watched:revenue")
    let split = try #require(readout.revenue.first?.arms.last)
    #expect(abs((split.revenueLift ?? 0) + 0.55) < 1e-12)
    // The parts multiply to the total lift.
    let parts = (1 + (split.conversionLift ?? 0)) * (1 + (split.revenuePerPayerLift ?? 0))
    #expect(abs(parts - 1 - (split.revenueLift ?? 0)) < 1e-12)
  }

  /// Three arms: p is adjusted for both treatments, and the better winner ships.
  @Test func theBetterOfTwoWinnersShips() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 400, paying: 40), Events.arm("b", persons: 400, paying: 85),
      Events.arm("c", persons: 400, paying: 100),
    ])
    #expect(readout.treatments == ["b", "c"])
    #expect(readout.told == "ship c primary")
    // 25, 21.25 and 10%, with each pair's z against c = 3.04 at 800 users: c and b cannot be distinguished (D7.2).
    let ranking = try #require(readout.ranking)
    #expect(ranking.order == [2, 1, 0] && ranking.bestGroup == [2, 1] && ranking.pairs.count == 3)
    #expect(ranking.alternatives == [1])
    let primary = try #require(readout.primary)
    #expect(primary.familySize == 2 && abs(primary.confidence - 0.975) < 1e-12)
    let p = primary.comparisons.compactMap(\.sequential.p)
    let adjusted = primary.comparisons.compactMap(\.sequential.adjustedP)
    // Holm: the smaller p twice, the larger once but not below the other.
    #expect(adjusted[1] == min(1, 2 * p[1]) && adjusted[0] == max(p[0], 2 * p[1]))
    let best = primary.arms.compactMap(\.chanceBest)
    #expect(best.count == 3 && abs(best.reduce(0, +) - 1) < 1e-9 && best[2] > 0.8)
  }

  /// c is the best of the two; b is no alternative if its revenue is below control's (85 · 4 < 40 · 10 of 400), or if the
  /// decision is not to ship (D7.4).
  @Test func aTreatmentWhoseMoneyIsAgainstItIsNoAlternative() throws {
    let control = Events.arm("control", persons: 400, paying: 40)
    let cheap = try Events.readout([
      control, Events.arm("b", persons: 400, paying: 85, price: "4"), Events.arm("c", persons: 400, paying: 100),
    ])
    #expect(cheap.told == "ship c primary")
    #expect(cheap.ranking?.bestGroup == [2, 1] && cheap.ranking?.alternatives == [])
    let blocked = try Events.readout([
      control, Events.arm("b", persons: 400, paying: 85, price: "4"),
      Events.arm("c", persons: 400, paying: 100, price: "3"),
    ])
    #expect(blocked.decision.outcome != .ship && blocked.ranking?.alternatives == [])
  }

  /// With three of 103 payers in EUR, USD decides (D6.1, D6.3). A year's money is in USD, whatever the goal is.
  @Test func aYearIsInTheDecisionCurrency() throws {
    let euros = ["control", "new"].flatMap { variant in
      (0..<3).flatMap {
        [Events.exposure("eur-\(variant)\($0)", variant), Events.conversion("eur-\(variant)\($0)", ms: 1, "9", "EUR")]
      }
    }
    let arms = [
      Events.arm("control", persons: 400, paying: 100), Events.arm("new", persons: 400, paying: 140), euros,
    ]
    let paid = try Events.readout(arms).money?.annual.first ?? nil
    let ofEuros = try Events.readout(arms, "primary: revenue:EUR").money?.annual.first ?? nil
    #expect(paid?.value ?? 0 > 0 && ofEuros?.value == paid?.value)
  }

  @Test func guardrailsAreHeldAgainstTheirMargins() throws {
    let arms = [Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 80)]
    func told(_ guardrail: String) throws -> String {
      let readout = try Events.readout(arms, "guardrails:\n  - \(guardrail)")
      return "\(readout.told) \(readout.guardrails.first?.state.rawValue ?? "")"
    }
    // No user is refunded: too few for an interval, so a margin stays open; without a margin nothing is shown to be
    // worse (D1.9).
    #expect(try told("{metric: refunded, margin: 0.02}") == "undecided new guardrail_open:refunded open")
    #expect(try told("{metric: refunded}") == "ship new primary holds")
    #expect(try told("{metric: revenue, relative_margin: 0.05}") == "ship new primary holds")
    // The arms have 10 and 20% payers, so revenue per payer compares users selected by the outcome (D5.6).
    let conditional = try Events.readout(arms, "guardrails: [{metric: revenue_per_payer, margin: 0.1}]")
    #expect(conditional.caveats.contains(.conditionalGuardrail(metric: "revenue_per_payer")))
  }

  /// 3,000 and 2,600 exposures of an even split: χ² = 28.6, ln BF = 28.6/2 − ½ ln(1 + 5600/500) = 13 > ln 1000.
  @Test func aBrokenSampleRatioAllowsNoVerdict() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 3_000, paying: 300), Events.arm("new", persons: 2_600, paying: 600),
    ])
    #expect(readout.health.isSampleRatioOff)
    #expect(abs((readout.health.chiSquare?.chiSquare ?? 0) - 28.571_428_571) < 1e-6)
    #expect(readout.told == "none  sample_ratio" && readout.next == .fix)
    // If planned that way, the ratio matches.
    let planned = try Events.readout(
      [Events.arm("control", persons: 3_000, paying: 300), Events.arm("new", persons: 2_600, paying: 600)],
      "variants: {control: 30, new: 26}")
    #expect(!planned.health.isSampleRatioOff && planned.told == "ship new primary")
  }

  /// One platform lost treatment users: 300 and 200 there, 700 each elsewhere.
  @Test func aSliceOfTheSampleRatioAlarmsAlone() throws {
    let arms =
      Events.arm("control", persons: 700, paying: 0) + Events.arm("new", persons: 700, paying: 0)
      + (0..<300).map { Events.exposure("c\($0)", "control", ms: Int64($0) * 5_000_000, #","platform":"web""#) }
      + (0..<190).map { Events.exposure("n\($0)", "new", ms: Int64($0) * 8_000_000, #","platform":"web""#) }
    let readout = try Events.readout([arms])
    let platform = try #require(readout.health.slices.first { $0.dimension == "platform" })
    #expect(platform.slices.map(\.value) == ["ios", "web"])
    // R: binom.test would serve too; χ² = 110²/490 = 24.69, p = 6.7e-7, by Holm 1.3e-6.
    #expect(abs((platform.worst?.adjustedP ?? 1) - 1.34e-6) < 1e-7)
    #expect(readout.health.alarmedSlices.map(\.slice.value) == ["web"])
  }

  /// A plan makes the primary group-sequential: with O'Brien and Fleming's bounds, the end decides almost like one
  /// look.
  @Test func aPlanSpendsItsErrorByInformation() throws {
    let arms = [Events.arm("control", persons: 1_000, paying: 100), Events.arm("new", persons: 1_000, paying: 137)]
    let open = try Events.readout(arms)
    #expect(open.told == "undecided new primary")
    let planned = try Events.readout(arms, "planned_users: 2000")
    let sequential = try #require(planned.comparison("paid")?.sequential)
    #expect(sequential.method == .groupSequential && sequential.informationFraction == 1)
    #expect(sequential.isSignificant && planned.told == "ship new primary")
    // At the stop, the interval of the stage-wise order excludes 0, as the test does.
    #expect((sequential.interval?.low ?? -1) > 0)
    let running = try Events.readout(arms, "planned_users: 4000").comparison("paid")?.sequential
    #expect(running?.informationFraction == 0.5 && running?.isSignificant == false)
    #expect(running?.reason == "the planned size is not reached")
    // At half of the information the bound is at least 2.96, so the interval is wider than that of one look.
    #expect((running?.interval?.low ?? 0) < 0)
  }

  /// In ten days 40 and 100 of 400 pay, in the next thirty 272 and 160 of 1,600. Early data proved that new is better;
  /// now it is 2.6 points worse, with z = 2.35 at one look. Neither is a reason to ship, nor proof of harm. A planned
  /// test stopped while new was ahead.
  @Test func anEarlyProofIsNoneOfTheOppositeLater() throws {
    func arm(_ variant: String, early: Int, late: Int) -> [String] {
      func cohort(_ name: String, from day: Int64, days: Int64, persons: Int, paying: Int) -> [String] {
        (0..<persons).flatMap { index -> [String] in
          let user = "\(variant)-\(name)-\(index)"
          let ms = Events.days(day) + Int64(index * 7_919 % persons) * days * Events.day / Int64(persons)
          let exposure = Events.exposure(user, variant, ms: ms)
          return index < paying ? [exposure, Events.conversion(user, ms: ms + 60_000, "10")] : [exposure]
        }
      }
      return cohort("early", from: 0, days: 10, persons: 400, paying: early)
        + cohort("late", from: 10, days: 30, persons: 1_600, paying: late)
    }
    let arms = [arm("control", early: 40, late: 272), arm("new", early: 100, late: 160)]
    let open = try Events.readout(arms)
    let comparison = try #require(open.comparison("paid"))
    #expect(abs((comparison.difference ?? 0) + 0.026) < 1e-12 && comparison.sequential.isSignificant)
    #expect((comparison.sequential.decidingEstimate ?? 0) > 0)
    #expect(open.told == "undecided new primary")
    let planned = try Events.readout(arms, "planned_users: 4000")
    let stopped = try #require(planned.comparison("paid"))
    // The watch on money also counts the later days: 260 payers of 2,000 against 312 (D1.4).
    #expect(planned.told == "undecided new watched_open:revenue")
    let (estimate, interval) = (try #require(stopped.decisionDifference), try #require(stopped.sequential.interval))
    #expect(interval.low > 0 && interval.low < estimate && estimate < interval.high)
    #expect((stopped.sequential.stoppedInformationFraction ?? 1) < 0.5 && stopped.sequential.informationFraction == 1)
  }

  /// Returns users of a variant, each with an event of the given weight on day 1.
  private func weighing(_ weights: [Int], in variant: String) -> [String] {
    weights.enumerated().flatMap { place, weight in
      let user = "\(variant)-\(place)"
      return [
        Events.exposure(user, variant),
        Events.line("activity", user, ms: Events.days(1), #","properties":{"weight":\#(weight)}"#),
      ]
    }
  }

  /// −11 against −15: a lift over a negative value would have the opposite sign of the difference.
  @Test func belowZeroThereIsNoLift() throws {
    let readout = try Events.readout(
      [weighing([-10, -11, -12], in: "control"), weighing([-14, -15, -16], in: "new")],
      """
      metrics: [{name: own, kind: mean, event: activity, value: "property:weight", window: 14}]
      guardrails: [{metric: own, relative_margin: 0.05}]
      """)
    let comparison = try #require(readout.comparison("own"))
    #expect(comparison.difference == -4 && comparison.lift == nil && comparison.liftInterval == nil)
    #expect(readout.guardrails.first?.state == .open)
  }

  /// For 2,000 users at 10%: √(2·0.1·0.9/1000)·(1.96 + 0.8416) = 3.76 points. 100 users a day came (D3.4); the days are
  /// those of D3.5, with a horizon of 14.
  @Test func sizesSayWhatCanBeFound() throws {
    let readout = try Events.readout([
      Events.arm("control", persons: 1_000, paying: 100), Events.arm("new", persons: 1_000, paying: 100),
    ])
    let size = try #require(readout.sizes.first { $0.metric.name == "paid" })
    #expect(abs((size.detectable ?? 0) - 0.037_587) < 1e-5)
    #expect(abs((size.detectableLift ?? 0) - 0.375_87) < 1e-4)
    #expect((size.detectableSequentially ?? 0) > (size.detectable ?? 0))
    let missing = try #require(size.usersNeeded) - 2_000
    #expect(size.usersPerDay == 100 && size.daysNeeded == (missing / 100).rounded(.up) + 14)
  }

  @Test func theEffectByDayEndsWhereTheReadoutDoes() throws {
    let lines = Events.arm("control", persons: 400, paying: 40) + Events.arm("new", persons: 400, paying: 80)
    let store = try TestStore(lines: lines + [Events.line("activity", "end", ms: Events.days(60, ms: -1))])
    let readout = try store.readout(overTime: true)
    let last = try #require(readout.overTime.last?.comparisons.first)
    let primary = try #require(readout.comparison("paid"))
    #expect(last.difference == primary.difference && last.sequential.p == primary.sequential.p)
    #expect(last.sequential.interval == primary.sequential.interval)
    let p = readout.overTime.compactMap { $0.comparisons.first?.sequential.p }
    #expect(p.count > 10 && zip(p, p.dropFirst()).allSatisfy { $0 >= $1 })
    // An earlier as-of agrees with that day's point, because the counts are in whole days before the as-of.
    let point = readout.overTime[readout.overTime.count / 2]
    let past = try store.readout("test", ["--as-of", "\(Instant(millisecondsSince1970: point.instant))"])
    #expect(past.asOf == point.instant)
    #expect(past.comparison("paid")?.difference == point.comparisons.first?.difference)
  }

  @Test func slicesAreCorrectedForTheirNumber() throws {
    let lines =
      Events.arm("control", persons: 200, paying: 20) + Events.arm("new", persons: 200, paying: 50)
      + (0..<100).flatMap { index -> [String] in
        ["control", "new"].map {
          Events.exposure("w\($0)\(index)", $0, ms: Int64(index) * 1_000_000, #","platform":"web""#)
        }
      }
    let store = try TestStore(lines: lines + [Events.line("activity", "end", ms: Events.days(60, ms: -1))])
    let readout = try store.readout("test", ["--by", "platform"])
    #expect(readout.slices.map(\.values) == [["ios"], ["web"]])
    #expect(readout.slices.map { $0.metric.arms.map(\.persons) } == [[200, 200], [100, 100]])
    #expect(readout.slices.allSatisfy { $0.metric.familySize == 2 && abs($0.metric.confidence - 0.975) < 1e-12 })
    // Together they add up to the whole.
    #expect(readout.counts("paid", "control") == "300 20 0" && readout.counts("paid", "new") == "300 50 0")
  }
}
