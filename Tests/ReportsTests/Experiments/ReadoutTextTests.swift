import Statistics
import Testing

@testable import Metrics
@testable import Reports

/// The sentences of the worked examples.
struct ReadoutTextTests {
  private typealias Examples = WorkedExamples

  private func text(_ readout: ExperimentReadout) -> ReadoutText { ReadoutText(readout) }

  @Test func aClearWinnerIsShipped() {
    let text = text(Examples.winner)
    #expect(text.banner == "SHIP b")
    #expect(
      text.sentence
        == "Ship b: paid is 12.4% against 8.0% in control, +4.4 pp (+2.0 to +6.8), and revenue is +0.44 USD "
        + "a user (+0.20 to +0.67).")
    #expect(text.money.first == "A year: +22,500 USD (+10,300 to +34,600) at 141 users a day.")
    #expect(text.money.last?.hasPrefix("If 141 users a day keep coming, all get b, and the effect stays") == true)
    #expect(
      text.segments == [
        "No difference between countries is shown; lifts may still differ by up to 53%.",
        "Showing that lifts differ by less than 10% would take at least 36 times as many users.",
      ])
    #expect(text.next == "Give b to everybody; record the day as `shipped_on` in a plan file.")
    #expect(text.planLine == "no plan: intervals hold however often you look")
    // With a plan file, even one without a size.
    var planned = Examples.winner
    planned.plan.owner = "Dana"
    #expect(ReadoutText(planned).next == "Give b to everybody; record the day in the plan (`shipped_on`).")
    #expect(ReadoutText(planned).planLine == "no planned size: intervals hold however often you look")
    #expect(
      text.health == [
        "Data checks passed: even split, as assumed (p = 0.42); nobody saw both variants; all users are counted; "
          + "100% of amounts in USD."
      ])
    #expect(ReadoutText(planned).health.first?.hasPrefix("Data checks passed: split as planned (p = 0.42); ") == true)
  }

  @Test func aClearLoserIsNot() {
    let text = text(Examples.loser)
    #expect(text.banner == "DO NOT SHIP b")
    #expect(text.sentence == "Do not ship b: paid is 7.0% against 11.0% in control, −4.0 pp (−6.2 to −1.8).")
    #expect(text.money.first == "A year of b would cost 20,700 USD (9,070 to 32,400) at 143 users a day.")
    #expect(text.next == "Keep control.")
  }

  @Test func aTrapSaysWhatItWinsAndLoses() {
    let text = text(Examples.trap)
    #expect(
      text.sentence
        == "Do not ship free_week: it wins trials (29.4% against 20.7%) but loses paid, 7.7% against 14.3%, "
        + "−6.6 pp (−10.2 to −3.0).")
    #expect(
      text.caveats == [
        "82% of free_week trials are cancelled, against 52% in control. The extra starters do not explain it (+22 to "
          + "+48 pp for those who start either way)."
      ])
    // If the bounds contain 0, the extra starters can explain all of it (D5.4).
    var mild = Examples.trap
    mild.metrics[3].comparisons[0].composition = Interval(low: -0.1, high: 0.2)
    #expect(
      ReadoutText(mild).caveats
        == [
          "More users start trials with free_week; that alone can explain the difference in trial cancellations."
        ])
  }

  @Test func samenessNamesItsMargin() {
    #expect(
      text(Examples.same).sentence
        == "No difference that matters: paid is 30.1% against 30.0% in control; a lift beyond "
        + "±10% is ruled out (−7.2 to +8.8%).")
    #expect(text(Examples.same).next == "Keep whichever is cheaper; the question is settled.")
    // A bound inside the margin is not rounded to the margin.
    var near = Examples.same
    near.metrics[0].comparisons[0].sequential.liftInterval = Interval(low: -0.0998, high: 0.09996)
    #expect(ReadoutText(near).sentence.hasSuffix("(−9.98 to +9.996%)."))
  }

  @Test func scarceDataSaysWhatIsPossibleAndHowLongItTakes() {
    let text = text(Examples.small)
    #expect(
      text.sentence
        == "Undecided: paid is 6.3% against 5.4% in control, and the true lift could be anything from −26% to "
        + "+89%.")
    #expect(text.caveatsOrNone == ["No caveats beyond the wide range above."])
    #expect(
      text.next
        == "Stop, unless you expect a lift of 81% or more, which this traffic can show in 56 days: finding a lift "
        + "of 10% would take 131,054 users, more than two years at 54 a day.")
    // Once the data rule that lift out, nothing is left to wait for.
    var narrow = Examples.small
    narrow.metrics[0].comparisons[0].sequential.liftInterval = Interval(low: -0.26, high: 0.8)
    #expect(
      ReadoutText(narrow).next
        == "Stop. Finding a lift of 10% would take 131,054 users, more than two years at 54 a day. With this traffic, "
        + "only a lift of 81% or more would show in 56 days: test a bolder change, or all paywalls together.")
  }

  @Test func aSplitThatIsOffOnSomeDaysNamesThem() {
    var drifted = Examples.mismatch
    drifted.health.chiSquare = sampleRatioTest(observed: [88, 88], weights: [1, 1])
    drifted.health.slices = [
      ExperimentHealth.Slicing(
        dimension: "day",
        slices: [
          ExperimentHealth.Slice(value: "2026-01-05", persons: [88, 0], p: 1e-20, adjustedP: 1e-20),
          ExperimentHealth.Slice(value: "2026-01-06", persons: [44, 44], p: 1, adjustedP: 1),
        ])
    ]
    let text = text(drifted)
    #expect(text.sentence.hasPrefix("No verdict: on 1 of 2 days, users were not split evenly, although in all days"))
    #expect(
      text.health == [
        "The split is even in all days together (control 2,700, b 2,200), but off on 1 of 2 days (p < 0.0001): "
          + "control : b was 88 : 0 on 5 Jan 2026."
      ])
  }

  /// A third of 200 users of a day without c are 67, so it has stopped.
  @Test func aVariantThatStoppedIsComparedWithoutItsDays() {
    func advice(_ days: [[Int]]) -> String {
      var readout = Examples.three
      readout.decision = ExperimentDecision(outcome: .none, reason: "sample_ratio", treatment: nil)
      readout.next = .fix
      readout.health.sequential?.p = 1e-9
      readout.health.slices = [
        ExperimentHealth.Slicing(
          dimension: "day",
          slices: days.enumerated().map { place, persons in
            ExperimentHealth.Slice(value: "2026-03-1\(place + 1)", persons: persons, p: nil, adjustedP: nil)
          })
      ]
      return ReadoutText(readout).next
    }
    #expect(
      advice([[100, 100, 100], [100, 100, 0]])
        == "c took users only until 11 Mar 2026. Compare from then: `--from 2026-03-12`.")
    #expect(
      advice([[100, 100, 0], [100, 100, 100]])
        == "c took users only from 12 Mar 2026 on. Compare from then: `--from 2026-03-12`.")
    #expect(advice([[100, 100, 90], [100, 100, 90]]).hasPrefix("If you did not split evenly"))
  }

  @Test func aMismatchHasNoEstimates() throws {
    let text = text(Examples.mismatch)
    #expect(text.banner == "NO VERDICT")
    #expect(
      text.sentence
        == "No verdict: 2,700 and 2,200 users are not an even split. If the split was meant to be even, whatever lost "
        + "users may also explain the difference.")
    // 2,700 ÷ 4,900 = 55%.
    #expect(
      text.next
        == "If you did not split evenly, write the shares into a plan, such as variants: {control: 55, b: 45}. "
        + "Otherwise, find where users of b get lost, by version and by day; start again after the fix.")
    var planned = Examples.mismatch
    planned.plan = try ExperimentPlan(
      yaml: "experiment: ex\nvariants: {control: 1, b: 1}\n", experiment: "ex", file: "plan.yaml")
    #expect(
      self.text(planned).sentence
        == "No verdict: 2,700 and 2,200 users are not the planned halves. The fault that lost users may also have "
        + "caused the difference.")
    #expect(
      self.text(planned).next == "Find where users of b get lost, by version and by day; start again after the fix.")
    #expect(text.money.isEmpty && text.segments.isEmpty && text.trend == nil)
    for format in Memo.Format.allCases {
      let memo = memoText(Examples.report(Examples.mismatch), Memo(format: format, version: "1", command: "c"))
      for word in ["better", "worse", "+3.6 pp", "Course", "Money"] {
        #expect(!memo.contains(word), "\(format) \(word)")
      }
    }
  }

  /// Fading within users, money that is paid early, and a plan to wait for (D8.6, D3.6).
  @Test func trendsWithinUsersAndPlansAreTold() {
    var readout = Examples.winner
    readout.within = WithinUserReadout(
      variant: "b", first: .init(number: 2, control: 0.2, treatment: 0.25),
      last: .init(number: 4, control: 0.2, treatment: 0.2), users: 5_000, slope: -0.025, standardError: 0.006,
      degrees: 4_000, p: 0.0001, answer: .fades, isMoney: false)
    #expect(
      ReadoutText(readout).trends
        == ["Fades within users: +5.0 pp in week 2 and 0.0 pp in week 4 after the exposure (p = 0.0001)."])
    readout.within?.answer = .noneShown
    #expect(ReadoutText(readout).within == "No trend within users is shown (−3.7 to −1.3 pp per week).")
    (readout.decision.outcome, readout.next) = (.undecided, .wait)
    readout.plan.plannedUsers = 24_000
    (readout.schedule.isPlanOpen, readout.schedule.daysToLook) = (true, 54)
    #expect(
      ReadoutText(readout).next
        == "Wait until 11 May: then the planned 24,000 users have come, and their 14 days are over.")
  }

  @Test func threeVariantsAreRanked() {
    let text = text(Examples.three)
    #expect(
      text.sentence == "Ship b: paid is 13.6% against 10.0% in control, +3.6 pp (+1.3 to +6.0).")
    #expect(
      text.ranking
        == "b first (13.6%), then c (10.8%), control (10.0%). b is better than c and control; c and control "
        + "cannot be told apart.")
    #expect(text.money.first == "A year: +37,600 USD (+13,000 to +62,200) at 286 users a day.")
    // A tie (D7.2).
    var tie = Examples.three
    tie.ranking?.pairs[0].isShown = false
    tie.ranking?.bestGroup = [1, 2]
    tie.ranking?.alternatives = [2]
    #expect(
      ReadoutText(tie).ranking?.hasSuffix(
        "b is better than control; b and c cannot be told apart, nor can c and control. c is not shown to be worse: choose the cheaper one."
      ) == true)
  }

  @Test func anEarlyEndIsNotSettledByOneLook() {
    let text = text(Examples.early)
    #expect(
      text.sentence
        == "Undecided: the test ended at 12% of its planned size; paid is 10.0% against 8.0% in control, which "
        + "the bound for that size does not settle.")
    #expect(
      text.next
        == "Stop here. Finding a lift of 10% would take 74,712 users, about 8 months at 300 a day. With this traffic, "
        + "only a lift of 25% or more would show in 56 days: test a bolder change, or all paywalls together.")
    #expect(text.caveats == ["Ended early, at 12% of the planned size."])
  }

  /// From 5 January on; the goal counts 14 days.
  @Test func usersWhoAreTooRecentAreNoUsersWithoutOutcome() {
    var readout = Examples.winner
    readout.decision = ExperimentDecision(outcome: .undecided, reason: "too_few", treatment: 0)
    readout.schedule.immature = 1_200
    #expect(ReadoutText(readout).sentence.hasSuffix("too few to say more; 1,200 more are too recent to count."))
    (readout.schedule.analysed, readout.next) = (0, .wait)
    #expect(
      ReadoutText(readout).sentence
        == "Undecided: none of the 6,000 users counts yet, as paid is known 14 days after the first exposure: from 19 "
        + "January 2026 on.")
    #expect(ReadoutText(readout).next == "Wait until 19 January 2026: the first users count then.")
  }

  /// Each reason has a sentence (D1.6).
  @Test func whateverBlocksAWinIsNamed() {
    func sentence(_ outcome: ExperimentDecision.Outcome, _ reason: String) -> String {
      var readout = Examples.winner
      readout.decision = ExperimentDecision(outcome: outcome, reason: reason, treatment: 0)
      readout.metrics[1].comparisons[0].difference = -0.55
      readout.metrics[1].comparisons[0].sequential.interval = Interval(low: -1.01, high: -0.10)
      readout.plan.guardrails = [.init(metric: "refunded", margin: .absolute(0.01))]
      return ReadoutText(readout).sentence
    }
    #expect(
      sentence(.doNotShip, "watched:revenue")
        == "Do not ship b: paid is up (+4.4 pp), but revenue is down 0.55 USD a user (−1.01 to −0.10).")
    #expect(
      sentence(.doNotShip, "guardrail:refunded")
        == "Do not ship b: paid is up (+4.4 pp), but refunded is worse by more than the margin of 1.0 pp.")
    #expect(
      sentence(.undecided, "watched_open:revenue")
        == "Undecided: paid is up (+4.4 pp), but revenue a user is 0.55 USD below control (−1.01 to −0.10 USD).")
    #expect(
      sentence(.undecided, "guardrail_open:refunded")
        == "Undecided: paid is up (+4.4 pp), but refunded may still be worse than the margin of 1.0 pp allows.")
    #expect(
      sentence(.undecided, "too_few")
        == "Undecided: 372 users of b and 240 of control with paid so far are too few to say more.")
    var one = Examples.winner
    one.decision = ExperimentDecision(outcome: .undecided, reason: "too_few", treatment: 0)
    one.metrics[0].arms[1].events = 1
    #expect(ReadoutText(one).finding.hasPrefix("1 user of b and 240 of control"))
  }

  /// A planned look is still to come (D4.3).
  @Test func aPlannedLookIsWaitedFor() {
    var readout = Examples.early
    readout.decision = ExperimentDecision(outcome: .undecided, reason: "not_yet", treatment: 0)
    #expect(
      ReadoutText(readout).sentence
        == "Too early to read: planned for one look at 24,000 users, 3,000 joined long enough ago.")
  }

  /// A wait names its day (D3.5, D3.6).
  @Test func waitingHasADay() {
    var readout = Examples.small
    readout.next = .wait
    readout.schedule.usersNeeded = 5_000
    readout.schedule.target = 5_000
    readout.schedule.daysMore = 38
    // 18 March and 38 days.
    #expect(
      ReadoutText(readout).next
        == "Wait until 25 April: 2,000 more users, about 38 days, find a lift of 10% with 80%.")
    readout.next = .restart
    #expect(
      ReadoutText(readout).next == "Start again with 5,000 users (107 days) and a plan; these data are not added.")
  }

  @Test(arguments: [
    (1, "1 day"), (120, "120 days"), (120.2, "about 4 months"), (729, "about 24 months"), (730, "more than two years"),
    (3_651, "more than two years"), (57_079, "far more than two years"), (Double.infinity, "far more than two years"),
  ])
  func timesAreNotMorePreciseThanTheyAre(_ days: Double, _ expected: String) {
    #expect(durationText(days: days) == expected)
  }

  /// Partial money gives no annual figure and names the missing rates (D6.3).
  @Test func partialMoneyNamesTheRatesItLacks() {
    var readout = Examples.winner
    readout.money = MoneyReadout(
      currency: "USD", isPartial: true, coveredShares: [0.8, 0.77], missing: ["EUR": 42, "GBP": 1], annual: [nil],
      weeks: 4, payers: [240, 372])
    let expected =
      "Money is not compared: only 78% of payers paid at a rate known in USD. Payments without a rate: 42 in EUR and 1 in "
      + "GBP. Add rates with `tollgate rates import`."
    #expect(ReadoutText(readout).money == [expected])
    #expect(
      ReadoutText(readout).health == [
        "Money counts payments in USD only, which covers 78% of payers.",
        "Other checks passed: even split, as assumed (p = 0.42); nobody saw both variants; all users are counted.",
      ])
  }

  @Test func moneyThatMayBeALossIsNoGain() throws {
    var readout = Examples.winner
    readout.money?.annual = [AnnualImpact(value: 5_000, interval: Interval(low: -2_413, high: 12_460))]
    #expect(
      ReadoutText(readout).money.first
        == "Worth about +5,000 USD a year at 141 new users a day (−2,410 to +12,500 however often you look). It is not known "
        + "to be a gain. The decision rests on paid; lower revenue would have blocked it.")
    #expect(ReadoutText(readout).caveatsOrNone == ["No caveats beyond the open range of money above."])
    // As many digits of users a day as of the amount: 365 × 37.6 × 1.35 is 18,500, but 365 × 38 × 1.35 is 18,700.
    var small = readout
    small.schedule.usersADay = 37.571_429
    let year = ReadoutText(small).money
    #expect(year.first?.hasPrefix("Worth about +5,000 USD a year at 37.6 new users a day (") == true)
    #expect(year.last?.hasPrefix("If 37.6 users a day keep coming, ") == true)
    // One look's interval of the difference is half as wide, and so is a year's: 5,000 ± 3,717.
    let revenue = try #require(readout.metrics.firstIndex { $0.metric.baseName == "revenue" })
    let always = try #require(readout.metrics[revenue].comparisons[0].sequential.interval)
    let middle = (always.low + always.high) / 2
    readout.metrics[revenue].comparisons[0].interval = Interval(
      low: (always.low + middle) / 2, high: (always.high + middle) / 2)
    readout.money?.annual = [AnnualImpact(value: 5_000, interval: Interval(low: -2_434, high: 12_434))]
    #expect(
      ReadoutText(readout).money.first?.contains(
        "a day (+1,280 to +8,720 if you looked once, −2,430 to +12,400 however often you look). A gain is likely, but not "
          + "proven. ") == true)
    readout.decision = ExperimentDecision(outcome: .undecided, reason: "not_yet", treatment: 0)
    #expect(
      ReadoutText(readout).money.first
        == "A year: between −2,430 and +12,400 USD; not known to be a gain (at 141 users a day).")
    // A gain that is shown does not decide (D1.3): the goal is another metric.
    readout.decision.reason = "primary"
    readout.money?.annual = [AnnualImpact(value: 5_000, interval: Interval(low: 1_000, high: 9_000))]
    #expect(
      ReadoutText(readout).money.first
        == "A year: +5,000 USD (+1,000 to +9,000) at 141 users a day. This does not decide: the goal is “paid”. For a "
        + "test of prices or plans, write `primary: revenue` into its plan.")
    // Nor does it of a variant that fewer users pay for.
    let gain = ReadoutText(readout).money.first
    readout.decision = ExperimentDecision(outcome: .doNotShip, reason: "primary", treatment: 0)
    #expect(ReadoutText(readout).money.first == gain)
    // Lower revenue does not block a variant that only has to be not worse (D1.11, D11.10).
    readout.decision = ExperimentDecision(outcome: .ship, reason: "not_worse", treatment: 0)
    readout.money?.annual = [AnnualImpact(value: -1_310, interval: Interval(low: -27_300, high: 24_700))]
    #expect(
      ReadoutText(readout).money.first
        == "A year: between −27,300 and +24,700 USD; not known to be a gain (at 141 users a day).")
  }

  /// One country of two has an interval: that lifts differ is known, but not how.
  @Test func segmentsOfFewAreNotNamed() {
    var readout = Examples.winner
    readout.segments[0].answer = .differs
    readout.segments[0].segments[0].interval = Interval(low: 0.01, high: 0.07)
    #expect(
      ReadoutText(readout).segments.first
        == "The lift differs by country (p = 0.81), but countries have too few users to say how.")
    readout.segments[0].segments[1].interval = Interval(low: 0.01, high: 0.07)
    #expect(ReadoutText(readout).segments.first == "The lift differs by country (p = 0.81): DE +55%, US +55%.")
  }

  /// A readout of some users says so, in a chat as well.
  @Test func usersAskedForAreNamed() {
    var readout = Examples.winner
    readout.caveats = [.partOfUsers(filters: ["country=US", "platform=ios"])]
    let sentence =
      "This covers only users with `country=US` and `platform=ios`. Of many groups, some win or lose by chance: decide on "
      + "all users."
    #expect(ReadoutText(readout).caveats == [sentence])
    #expect(ReadoutText(readout).next == "Read the test for all users before you ship: a group may win by chance.")
    readout.caveats.append(.smallWin)
    let chat = slackText(readout, command: "", isAlone: true).split(separator: "\n")
    #expect(chat[0].hasSuffix(", only users with country=US and platform=ios*"))
    #expect(chat.contains { $0.hasPrefix("The gain is smaller than") })
  }

  /// The interval comes first and the point in brackets; without renewals there is no point (D6.9).
  @Test func laterValueIsNotLedByItsPoint() {
    var readout = Examples.winner
    readout.longTerm = LongTermReadout(
      basis: .predicted, daysOfData: 70, values: [5.4, 7.5],
      intervals: [.init(low: 5, high: 6), .init(low: 6.1, high: 9.2)],
      differences: [2.1], differenceIntervals: [.init(low: -0.1, high: 4.2)], agreement: .agrees)
    #expect(
      ReadoutText(readout).longTerm
        == "Value at 12 months (predicted): control 5.00 to 6.00 USD (5.40 USD), b 6.10 to 9.20 USD (7.50 USD). It points the "
        + "same way as paid.")
    // An interval on one side of zero agrees; one that includes zero, as above, only leans.
    readout.longTerm?.differenceIntervals = [.init(low: 0.1, high: 4.2)]
    #expect(ReadoutText(readout).longTerm?.hasSuffix(" It agrees with paid.") == true)
    // A fit at its boundary has no point; its interval weighs all the same (D6.10).
    readout.longTerm?.values = [nil, nil]
    readout.longTerm?.differences = [nil]
    readout.longTerm?.differenceIntervals = [.init(low: -6.35, high: -2.35)]
    readout.longTerm?.agreement = .contradicts
    readout.decision = ExperimentDecision(outcome: .undecided, reason: "long_term", treatment: 0)
    #expect(
      ReadoutText(readout).longTerm
        == "Value at 12 months (predicted): control 5.00 to 6.00 USD, b 6.10 to 9.20 USD. It contradicts paid.")
    #expect(
      ReadoutText(readout).sentence
        == "Undecided: paid is up (+4.4 pp), but value at 12 months is down (−6.35 to −2.35 USD, predicted).")
    readout.longTerm?.basis = nil
    readout.longTerm?.intervals = [nil, nil]
    #expect(ReadoutText(readout).longTerm == "Value at 12 months: not known yet (70 days of data).")
  }

  /// A prediction is a range in the scorecard as well (D6.9): a point beside a range would look certain.
  @Test func laterValuesOfTheScorecardAreRanges() {
    var readout = Examples.winner
    readout.longTerm = LongTermReadout(
      basis: .predicted, daysOfData: 70, values: [5.4, nil],
      intervals: [.init(low: 5, high: 6), .init(low: 6.1, high: 9.2)],
      differences: [nil], differenceIntervals: [.init(low: -0.1, high: 4.2)], agreement: .agrees)
    func values() -> [String]? { Scorecard(readout).rows.first { $0.role == .longTerm }?.values }
    #expect(values() == ["5.00 to 6.00 USD", "6.10 to 9.20 USD"])
    readout.longTerm?.basis = .seen
    #expect(values() == ["5.40 USD", "6.10 to 9.20 USD"])
  }

  /// No two shares differ by more than 100 pp: such an interval is not one.
  @Test func impossibleIntervalsAreNotShown() throws {
    var readout = Examples.trap
    let place = readout.metrics.count - 1
    readout.metrics[place].comparisons[0].interval = Interval(low: -1.09, high: 0.42)
    readout.metrics[place].comparisons[0].standing = .withheld
    let cell = try #require(Scorecard(readout).rows.last?.cells.first)
    #expect(cell.change == "–" && cell.interval == nil && cell.reading == "too few")
  }

  /// 300 of 6,000 users saw both variants: no check that passed.
  @Test func checksThatFailedAreNotAmongThosePassed() {
    var readout = Examples.winner
    readout.health.crossed = 300
    readout.schedule.immature = 40
    #expect(
      ReadoutText(readout).health == [
        "300 users (5.0%) were seen with two variants and are left out.", "40 users are too recent to count.",
        "Other checks passed: even split, as assumed (p = 0.42).",
      ])
  }

  /// An effect that helps in one country and harms in another is no reason to drop it.
  @Test func segmentsThatDisagreeAreNamed() {
    var readout = Examples.small
    readout.segments = Examples.winner.segments
    readout.segments[0].answer = .differs
    readout.segments[0].segments[0].interval = Interval(low: -0.07, high: -0.01)
    readout.segments[0].segments[0].lift = -0.4
    readout.segments[0].segments[1].interval = Interval(low: 0.01, high: 0.07)
    readout.caveats = [.segmentsDisagree(dimension: "country")]
    #expect(
      ReadoutText(readout).caveats == [
        "It helps some users and harms others, by country: DE −40%, US +55%. Test these groups on their own before you "
          + "drop it."
      ])
  }

  /// At most four caveats.
  @Test func atMostFourCaveatsAreShown() {
    var readout = Examples.winner
    readout.caveats = [
      .plannedLate, .partialMoney, .smallWin, .loggingDiffers, .planDateUnknown, .adjustmentDiffers,
    ]
    let shown = ReadoutText(readout).shownCaveats(rest: "with --all")
    #expect(shown.count == 5 && shown.last == "And 2 more with --all.")
    #expect(ReadoutText(readout).caveatsOrNone.last == "And 2 more in the full readout.")
    #expect(shown[2] == "The gain is smaller than a lift of 10%, the smallest worth having (`minimum_lift`).")
    readout.plan.minimumLift = 0.15
    #expect(
      ReadoutText(readout).shownCaveats(rest: "")[2]
        == "The gain is smaller than the lift of 15% that you called worth having.")
    readout.caveats = []
    #expect(ReadoutText(readout).caveatsOrNone == ["None."])
  }

  /// Dimensions of one spread are named together (D8.3).
  @Test func spreadsThatAreStillPossibleAreNamed() {
    var readout = Examples.winner
    for (dimension, spread) in [("platform", 0.98), ("store", 0.98), ("week", 0.44)] {
      var segments = readout.segments[0]
      segments.dimension = dimension
      segments.differenceHigh = spread
      readout.segments.append(segments)
    }
    #expect(
      ReadoutText(readout).segments == [
        "No difference between segments is shown; lifts may still differ by up to 53% between "
          + "countries, 98% between platforms or stores and 44% between weeks of entry.",
        "Showing that lifts differ by less than 10% would take at least 36 times as many users.",
      ])
    // Where platforms differ, the others do not contradict that.
    readout.segments[1].answer = .differs
    #expect(ReadoutText(readout).segments.contains { $0.hasPrefix("No other difference between segments is shown; ") })
  }

  /// No promises, and "users" instead of "persons" in all texts.
  @Test func noSentencePromisesOrSaysPersons() {
    for readout in Examples.all {
      let text = ReadoutText(readout)
      let all = [text.sentence, text.next] + text.summary
      for sentence in all {
        for word in ["will ", "proves", "significant", "almost", "person", "-", "nil", "beyond ±26"] {
          #expect(
            !sentence.replacing("first-30-day", with: "").replacing("--all", with: "").contains(word), "\(sentence)")
        }
      }
    }
  }

  /// Revenue of 30 days after the last exposure, on 15 February, is complete on 17 March, so in the data of 18 March.
  @Test func aWinnerWaitsForRevenueThatIsNotKnownYet() {
    var readout = Examples.winner
    readout.asOf = Examples.start + 60 * Examples.day
    readout.metrics.remove(at: 1)
    readout.money = nil
    readout.caveats = [.moneyNotEstimable]
    readout.schedule.exposures = Examples.start...(Examples.start + 41 * Examples.day + 1)
    #expect(
      ReadoutText(readout).next
        == "Wait for revenue until 18 March; more users pay, but they may pay less. Then ship b unless revenue is lower."
    )
    // Nobody in control paid: the purchases may not be logged.
    readout.asOf = Examples.asOf
    readout.metrics[0].arms[0].events = 0
    #expect(
      ReadoutText(readout).caveats == [
        "Revenue cannot be compared: none of 3,000 users in control paid. Check that control logs purchases."
      ])
    #expect(ReadoutText(readout).next == "Check that control logs purchases; give b to everybody only if it does.")
    // Nobody at all paid: control is no worse logged than b.
    readout.metrics[0].arms[1].events = 0
    #expect(
      ReadoutText(readout).caveats == ["Revenue cannot be compared, so it has not confirmed this result."])
    #expect(ReadoutText(readout).next.hasPrefix("Give b to everybody"))
  }

  /// Revenue below control by less than a cent is not called below (D11.8).
  @Test func revenueThatMayStillTurnIsLookedAtAgain() {
    var readout = Examples.winner
    readout.decision = ExperimentDecision(outcome: .undecided, reason: "watched_open:revenue", treatment: 0)
    (readout.next, readout.schedule.isEnded) = (.keepControl, false)
    readout.asOf = Examples.start + 60 * Examples.day
    readout.metrics[1].comparisons[0].difference = -0.001
    readout.metrics[1].comparisons[0].sequential.interval = Interval(low: -1.02, high: 0.98)
    #expect(
      ReadoutText(readout).sentence
        == "Undecided: paid is up (+4.4 pp), but revenue a user is about equal to control's so far (−1.02 to +0.98 USD)."
    )
    #expect(
      ReadoutText(readout).next
        == "Keep control for now; revenue of the users so far is known on 17 March: look again then.")
  }

  /// Two of three variants are left to choose from (D1.7).
  @Test func onlyVariantsThatAreNotWorseAreOffered() {
    var readout = Examples.three
    readout.decision = ExperimentDecision(outcome: .noDifference, reason: "primary", treatment: 0)
    readout.next = .keepControl
    readout.metrics[0].comparisons[0].standing = .same
    readout.metrics[0].comparisons[1].standing = .worse
    #expect(ReadoutText(readout).next == "Keep whichever of control and b is cheaper; the question is settled.")
  }

  /// Only undecided tests have a risk.
  @Test func riskIsOfUndecidedTestsOnly() {
    #expect(ReadoutText(Examples.winner).risk == nil)
    var readout = Examples.winner
    readout.decision = ExperimentDecision(outcome: .undecided, reason: "primary", treatment: 0)
    readout.metrics[1].comparisons[0].sequential.interval = Interval(low: -0.21, high: 0.8)
    #expect(
      ReadoutText(readout).risk
        == "If you take b and it is worse, it costs at most 0.21 USD a user (lower end of the interval).")
  }
}
