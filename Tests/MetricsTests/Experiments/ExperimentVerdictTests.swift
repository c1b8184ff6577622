import EventModel
import Metrics
import Testing

/// What is said to do, on arms whose counts are known. Figures beside them: R's `prop.test` and the formulas named.
struct ExperimentVerdictTests {
  private typealias Events = ExperimentEvents

  private func readout(_ arms: [[String]], _ yaml: String? = nil) throws -> ExperimentReadout {
    let end = Events.line("activity", "end", ms: Events.days(60, ms: -1))
    return try TestStore(lines: arms.joined() + [end]).readout(yaml: yaml)
  }

  /// 40 and 80 of 400: p = 8e-5 at one look, z = 3.95 over the sequence's critical 3.04 at 800 users.
  @Test func aWinnerShips() throws {
    let readout = try readout([
      Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 80),
    ])
    #expect(readout.verdict.decision == .ship(variant: "new") && readout.verdict.reason == .primary)
    let comparison = try #require(readout.comparison("paid"))
    #expect(abs((comparison.difference ?? 0) - 0.1) < 1e-12)
    // N − 1 χ²: z² = 799/800 · (40/800)²·… = 15.67; two-sided p from the normal tail.
    #expect(abs((comparison.p ?? 0) - 7.5e-5) < 1e-5)
    #expect(comparison.sequential.method == .asymptoticSequence && comparison.sequential.isSignificant)
  }

  @Test func aLoserDoesNot() throws {
    let readout = try readout([
      Events.arm("control", persons: 400, paying: 80), Events.arm("new", persons: 400, paying: 40),
    ])
    #expect(readout.verdict.decision == .doNotShip(variant: "new") && readout.verdict.reason == .primary)
  }

  /// 60 and 62 of 400: 0.5 percentage points; what the always-valid interval has room for is the bound.
  @Test func aNullIsNoDifferenceBeyondItsInterval() throws {
    let readout = try readout([
      Events.arm("control", persons: 400, paying: 60), Events.arm("new", persons: 400, paying: 62),
    ])
    #expect(readout.verdict.decision == .noDifference)
    let interval = try #require(readout.comparison("paid")?.sequential.interval)
    #expect(readout.verdict.bound == max(-interval.low, interval.high))
  }

  /// 40 and 58 of 400: p = 0.047 at one look, far from the sequence's bound.
  @Test func whatOnlyOneLookFindsIsUndecided() throws {
    let arms = [Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 59)]
    let readout = try readout(arms)
    #expect(readout.verdict.decision == .undecided(variant: "new"))
    // Where one look was planned, it decides.
    let once = try self.readout(arms, "looks: once")
    #expect(once.verdict.decision == .ship(variant: "new"))
    #expect(once.comparison("paid")?.sequential.method == .once)
  }

  /// Nine conversions in an arm are too few for a sequence; the e-process says what can be said.
  @Test func fewConversionsAreLeftToTheirShare() throws {
    let readout = try readout([
      Events.arm("control", persons: 300, paying: 4), Events.arm("new", persons: 300, paying: 9),
    ])
    let sequential = try #require(readout.comparison("paid")?.sequential)
    #expect(sequential.method == .conversionShare && sequential.interval == nil)
    #expect(sequential.liftInterval != nil && (sequential.p ?? 0) > 0.05)
    #expect(readout.verdict.decision == .noDifference)
  }

  @Test func nobodyPayingIsNotEstimable() throws {
    let none = try readout([
      Events.arm("control", persons: 60, paying: 0), Events.arm("new", persons: 60, paying: 0),
      [Events.conversion("stranger", ms: 0, "10")],
    ])
    #expect(none.primary?.metric.name == "paid")
    #expect(none.verdict.decision == .none)
    #expect(none.verdict.reason == .notEstimable("all outcomes are equal: nothing to test"))
    // An app that never sold anything is judged by who comes back.
    let free = try readout([Events.arm("control", persons: 60, paying: 0), Events.arm("new", persons: 60, paying: 0)])
    #expect(free.primary?.metric.name == "retained")
  }

  @Test func beforeAnyHorizonIsOverThereIsNone() throws {
    let persons = (0..<60).flatMap { index in
      ["control", "new"].map { Events.exposure("\($0)\(index)", $0, ms: Int64(index)) }
    }
    let readout = try TestStore(lines: persons + [Events.conversion("new1", ms: Events.days(10), "10")]).readout()
    #expect(readout.verdict.decision == .none)
    #expect(readout.verdict.reason == .notEstimable("no person's horizon is over"))
    #expect(readout.comparison("paid")?.difference == nil)
  }

  /// New wins `paid` (90 against 40 of 400) at 2.00 instead of 10.00: 0.45 against 1.00 a person.
  @Test func aWinThatLosesMoneyIsNotShipped() throws {
    let readout = try readout([
      Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 90, price: "2"),
    ])
    #expect(readout.verdict.decision == .doNotShip(variant: "new"))
    #expect(readout.verdict.reason == .watched(metric: "revenue:USD"))
    let split = try #require(readout.revenue.first?.arms.last)
    #expect(abs((split.revenueLift ?? 0) + 0.55) < 1e-12)
    // The parts multiply to the whole.
    let parts = (1 + (split.conversionLift ?? 0)) * (1 + (split.revenuePerPayerLift ?? 0))
    #expect(abs(parts - 1 - (split.revenueLift ?? 0)) < 1e-12)
  }

  /// Three arms: p is adjusted for both treatments, and the better winner ships.
  @Test func theBetterOfTwoWinnersShips() throws {
    let readout = try readout([
      Events.arm("control", persons: 400, paying: 40), Events.arm("b", persons: 400, paying: 85),
      Events.arm("c", persons: 400, paying: 100),
    ])
    #expect(readout.treatments == ["b", "c"])
    #expect(readout.verdict.decision == .ship(variant: "c"))
    let primary = try #require(readout.primary)
    #expect(primary.familySize == 2 && abs(primary.confidence - 0.975) < 1e-12)
    let p = primary.comparisons.compactMap(\.sequential.p)
    let adjusted = primary.comparisons.compactMap(\.sequential.adjustedP)
    // Holm: the least twice, the other once but not below it.
    #expect(adjusted[1] == min(1, 2 * p[1]) && adjusted[0] == max(p[0], 2 * p[1]))
    let best = primary.arms.compactMap(\.chanceBest)
    #expect(best.count == 3 && abs(best.reduce(0, +) - 1) < 1e-9 && best[2] > 0.8)
  }

  @Test func guardrailsAreHeldAgainstTheirMargins() throws {
    let arms = [Events.arm("control", persons: 400, paying: 40), Events.arm("new", persons: 400, paying: 80)]
    func verdict(_ guardrail: String) throws -> (ExperimentVerdict, GuardrailReadout.State?) {
      let readout = try readout(arms, "guardrails:\n  - \(guardrail)")
      return (readout.verdict, readout.guardrails.first?.state)
    }
    // Nobody refunds: 0 of 400 against 0 of 400 is within one point (z = 2.01) and not shown to be within a tenth of one.
    let held = try verdict("{metric: refunded, margin: 0.02}")
    #expect(held.1 == .nonInferior && held.0.decision == .ship(variant: "new"))
    let open = try verdict("{metric: refunded, margin: 0.001}")
    #expect(open.1 == .undecided && open.0.decision == .undecided(variant: "new"))
    #expect(open.0.reason == .guardrailOpen(metric: "refunded"))
    let revenue = try verdict("{metric: revenue, relative_margin: 0.05}")
    #expect(revenue.1 == .nonInferior)
  }

  /// 3,000 and 2,600 exposures of an even split: χ² = 28.6, ln BF = 28.6/2 − ½ ln(1 + 5600/500) = 13 > ln 1000.
  @Test func aBrokenSampleRatioAllowsNoVerdict() throws {
    let readout = try readout([
      Events.arm("control", persons: 3_000, paying: 300), Events.arm("new", persons: 2_600, paying: 600),
    ])
    #expect(readout.health.isSampleRatioOff)
    #expect(abs((readout.health.chiSquare?.chiSquare ?? 0) - 28.571_428_571) < 1e-6)
    #expect(readout.verdict.decision == .none && readout.verdict.reason == .sampleRatio)
    // As planned, it is none.
    let planned = try self.readout(
      [Events.arm("control", persons: 3_000, paying: 300), Events.arm("new", persons: 2_600, paying: 600)],
      "variants: {control: 30, new: 26}")
    #expect(!planned.health.isSampleRatioOff && planned.verdict.decision == .ship(variant: "new"))
  }

  /// One platform lost its treatment: 300 and 200 there, 700 each elsewhere.
  @Test func aSliceOfTheSampleRatioAlarmsAlone() throws {
    let arms =
      Events.arm("control", persons: 700, paying: 0) + Events.arm("new", persons: 700, paying: 0)
      + (0..<300).map { Events.exposure("c\($0)", "control", ms: Int64($0) * 5_000_000, #","platform":"web""#) }
      + (0..<190).map { Events.exposure("n\($0)", "new", ms: Int64($0) * 8_000_000, #","platform":"web""#) }
    let readout = try readout([arms])
    let platform = try #require(readout.health.slices.first { $0.dimension == "platform" })
    #expect(platform.slices.map(\.value) == ["ios", "web"])
    // R: binom.test would serve too; χ² = 110²/490 = 24.69, p = 6.7e-7, by Holm 1.3e-6.
    #expect(abs((platform.worst?.adjustedP ?? 1) - 1.34e-6) < 1e-7)
    #expect(readout.health.alarmedSlices.map(\.slice.value) == ["web"])
  }

  /// A plan makes the primary group-sequential: O'Brien and Fleming's bounds let the end decide as one look nearly does.
  @Test func aPlanSpendsItsErrorByInformation() throws {
    let arms = [Events.arm("control", persons: 1_000, paying: 100), Events.arm("new", persons: 1_000, paying: 137)]
    let open = try readout(arms)
    #expect(open.verdict.decision == .undecided(variant: "new"))
    let planned = try readout(arms, "planned_users: 2000")
    let sequential = try #require(planned.comparison("paid")?.sequential)
    #expect(sequential.method == .groupSequential && sequential.informationFraction == 1)
    #expect(sequential.isSignificant && planned.verdict.decision == .ship(variant: "new"))
    // Stopped at its end, the interval of the stage-wise order excludes 0, as the test does.
    #expect((sequential.interval?.low ?? -1) > 0)
    let running = try readout(arms, "planned_users: 4000").comparison("paid")?.sequential
    #expect(running?.informationFraction == 0.5 && running?.isSignificant == false)
    #expect(running?.reason == "the planned size is not reached")
    // At half of the information the bound is 2.96 and more: the interval is wider than that of one look.
    #expect((running?.interval?.low ?? 0) < 0)
  }

  /// In ten days 40 and 100 of 400, in the next thirty 272 and 160 of 1,600: what was proved is that the new one is better,
  /// and what is there now is 2.6 points less, z = 2.35 at one look. Neither is a reason to ship, nor proof of harm; a test
  /// that was planned has stopped while the new one was ahead.
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
    let open = try readout(arms)
    let comparison = try #require(open.comparison("paid"))
    #expect(abs((comparison.difference ?? 0) + 0.026) < 1e-12 && comparison.sequential.isSignificant)
    #expect((comparison.sequential.decidingEstimate ?? 0) > 0)
    #expect(open.verdict.decision == .undecided(variant: "new"))
    let planned = try readout(arms, "planned_users: 4000")
    let stopped = try #require(planned.comparison("paid"))
    #expect(planned.verdict.decision == .ship(variant: "new"))
    let (estimate, interval) = (try #require(stopped.decisionDifference), try #require(stopped.sequential.interval))
    #expect(interval.low > 0 && interval.low < estimate && estimate < interval.high)
    #expect((stopped.sequential.stoppedInformationFraction ?? 1) < 0.5 && stopped.sequential.informationFraction == 1)
  }

  /// Persons of a variant, each of whom has an event of such a weight on day 1.
  private func weighing(_ weights: [Int], in variant: String) -> [String] {
    weights.enumerated().flatMap { place, weight in
      let user = "\(variant)-\(place)"
      return [
        Events.exposure(user, variant),
        Events.line("activity", user, ms: Events.days(1), #","properties":{"weight":\#(weight)}"#),
      ]
    }
  }

  /// By hand: weights 1, 2, 3 against 2, 3, 4: −1 with a standard error of √(2/3) at 4 degrees of freedom. With a margin of 3,
  /// t² = 6, and the tail of t at 4 degrees is ½ − ⅜·√2.4·(1 − 2.4/12) = 0.035242; the normal one would be 0.0072.
  @Test func guardrailsOfMeansAreTests() throws {
    let readout = try readout(
      [weighing([2, 3, 4], in: "control"), weighing([1, 2, 3], in: "new")],
      """
      metrics: [{name: own, kind: mean, event: activity, value: "property:weight", window: 14}]
      guardrails: [{metric: own, margin: 3}]
      """)
    let guardrail = try #require(readout.guardrails.first)
    #expect(abs((guardrail.p ?? 0) - 0.035_242) < 1e-6 && guardrail.state == .undecided)
  }

  /// −11 against −15: a lift of what is below 0 says the opposite of what it seems to.
  @Test func belowZeroThereIsNoLift() throws {
    let readout = try readout(
      [weighing([-10, -11, -12], in: "control"), weighing([-14, -15, -16], in: "new")],
      """
      metrics: [{name: own, kind: mean, event: activity, value: "property:weight", window: 14}]
      guardrails: [{metric: own, relative_margin: 0.05}]
      """)
    let comparison = try #require(readout.comparison("own"))
    #expect(comparison.difference == -4 && comparison.lift == nil && comparison.liftInterval == nil)
    #expect(readout.guardrails.first?.state == .notEstimable)
  }

  /// Of 2,000 at 10 %: √(2·0.1·0.9/1000)·(1.96 + 0.8416) = 3.76 points, and 14 users a day for none who come any more.
  @Test func sizesSayWhatCanBeFound() throws {
    let readout = try readout([
      Events.arm("control", persons: 1_000, paying: 100), Events.arm("new", persons: 1_000, paying: 100),
    ])
    let size = try #require(readout.sizes.first { $0.metric.name == "paid" })
    #expect(abs((size.detectable ?? 0) - 0.037_587) < 1e-5)
    #expect(abs((size.detectableLift ?? 0) - 0.375_87) < 1e-4)
    #expect((size.detectableSequentially ?? 0) > (size.detectable ?? 0))
    // The last exposure was 40 days before the as-of.
    #expect(size.usersPerDay == 0 && size.daysNeeded == nil && size.reason != nil)
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
    // An earlier as-of says what that day's point says: the counts are of whole days before the as-of.
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
    // Together they are the whole.
    #expect(readout.counts("paid", "control") == "300 20 0" && readout.counts("paid", "new") == "300 50 0")
  }
}
