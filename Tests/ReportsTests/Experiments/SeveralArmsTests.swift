import Statistics
import Testing

@testable import Metrics
@testable import Reports

/// Readouts of several treatments: which one each number is of, and what the others show.
struct SeveralArmsTests {
  private typealias Examples = WorkedExamples

  /// 510, 501, 264 and 249 of 3,000 are 17.0%, 16.7%, 8.8% and 8.3%: differences of −0.3, −8.2 and −8.7 points.
  private var fourArms: ExperimentReadout {
    var readout = Examples.make(
      "ex_open", arms: ["control", "b", "day_five", "day_three"].map { ($0, 3_000) },
      decision: ExperimentDecision(outcome: .undecided, reason: "primary", treatment: 0), next: .stop,
      metrics: [
        Examples.share(
          .paid, [(3_000, 510), (3_000, 501), (3_000, 264), (3_000, 249)], role: .goal, isPrimary: true,
          intervals: [(-0.038, 0.033), (-0.113, -0.049), (-0.118, -0.055)], lifts: [(-0.2, 0.22), nil, nil],
          standings: [.open, .worse, .worse]),
        Examples.share(
          .retained, [(3_000, 600), (3_000, 630), (3_000, 660), (3_000, 570)], role: .guardrail,
          intervals: [(-0.02, 0.04), (-0.01, 0.05), (-0.04, 0.02)]),
      ])
    readout.money = MoneyReadout(
      currency: "USD", isPartial: false, coveredShares: [1, 1, 1, 1], missing: [:],
      annual: [AnnualImpact(value: -22_000, interval: Interval(low: -108_000, high: 64_600)), nil, nil], weeks: 4)
    return readout
  }

  private func screen(_ readout: ExperimentReadout) throws -> String {
    var options = RenderOptions()
    options.width = 120
    return try render(Examples.report(readout), as: .table, options: options)
  }

  private func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  private func page(_ readout: ExperimentReadout) -> String {
    ExperimentPage(readout, of: Examples.report(readout), links: .none).markup([]).text
  }

  private func memo(_ readout: ExperimentReadout, _ format: Memo.Format) -> String {
    memoText(Examples.report(readout), Memo(format: format, version: "1", command: "c"))
  }

  private let losers = "day_three (−8.7 pp) and day_five (−8.2 pp) are worse than control."

  /// The title of an open test names no variant, so the sentence does.
  @Test func anOpenTestNamesItsVariantAndThoseShownWorse() throws {
    let text = ReadoutText(fourArms)
    let finding = "aid is 16.7% in b against 17.0% in control, and the true lift could be anything from −20% to +22%."
    #expect(text.finding == "p\(finding)")
    #expect(text.answer == "p\(finding) \(losers)")
    #expect(text.year?.hasPrefix("A year of b: between −108,000 and +64,600 USD") == true)
    let answer = "P\(finding) \(losers)"
    let printed = words(try screen(fourArms))
    #expect(printed.contains("UNDECIDED: \(text.answer)"))
    #expect(page(fourArms).contains(answer))
    #expect(page(fourArms).contains("Worth a year, if everyone had b"))
    for format in [Memo.Format.html, .slack] { #expect(memo(fourArms, format).contains(answer), "\(format)") }
    #expect(memo(fourArms, .markdown).contains(text.answer))
    #expect(memo(fourArms, .html).contains("Paid within 14 days in b</span>"))
    let card = VerdictCard(fourArms, links: .none).markup([:]).text
    #expect(card.contains("−0.3 pp paid in b</p>") && card.contains("<p class=\"sm soft\">\(losers)</p>"))
  }

  /// On the first days, the users who are too recent to count are a trouble, a caveat and unfinished: said once.
  @Test func aPageSaysTroublesOnce() {
    var young = Examples.winner
    (young.schedule.analysed, young.schedule.immature) = (1_000, 5_000)
    young.caveats = [.immature(share: 1.0 / 6), .planDateUnknown]
    let text = page(young)
    let sentence = "More than half of the users are still inside their 14 days."
    let health = text.split(separator: "Look here").last?.split(separator: "</section>").first ?? ""
    #expect(health.contains(sentence) && health.split(separator: sentence).count == 2, "\(health)")
    #expect(health.contains("Nobody recorded when the plan was made"))
  }

  @Test func theListNamesThemToo() {
    let list = Report(
      name: "experiments", title: "Experiments seen", definition: [], parameters: [], asOf: [],
      columns: [ReportColumn("app", .key), ReportColumn("experiment", .key)],
      rows: [[.text("demo"), .text("ex_open")]])
    #expect(
      experimentOverview(list, [Examples.report(fourArms)]).rows[0].suffix(2) == [
        .text("undecided: b; worse: day_three and day_five"), .text("−0.3 pp (−3.8 to +3.3)"),
      ])
    var young = fourArms
    young.schedule.analysed = 0
    for place in young.metrics[0].comparisons.indices { young.metrics[0].comparisons[place].standing = .withheld }
    #expect(experimentOverview(list, [Examples.report(young)]).rows[0].last == .text("too recent"))
    var better = Examples.three
    better.metrics[0].comparisons[1].standing = .better
    #expect(ReadoutText(better).listed == "ship b; better: c")
    #expect(ReadoutText(better).shownArms == "c (+0.7 pp) is better than control.")
  }

  /// A shipped variant is in the title; without a verdict nothing is better or worse.
  @Test func oneTreatmentAndNoVerdictNameNoOthers() {
    for readout in [Examples.winner, Examples.small, Examples.mismatch, Examples.three] {
      #expect(ReadoutText(readout).shownArms == nil && ReadoutText(readout).answer == ReadoutText(readout).finding)
    }
    var none = fourArms
    none.decision = ExperimentDecision(outcome: .none, reason: "sample_ratio", treatment: nil)
    #expect(ReadoutText(none).shownArms == nil && ReadoutText(none).listed == "no verdict")
  }

  /// Up to three treatments have a line each; more are counted where nothing is shown. No range is over variants.
  @Test func eachVariantHasItsOwnInterval() throws {
    let text = words(try screen(fourArms))
    for line in [
      "b 21.0% +1.0 pp (−2.0 to +4.0) no harm shown", "day_five 22.0% +2.0 pp (−1.0 to +5.0) no harm shown",
      "day_three 19.0% −1.0 pp (−4.0 to +2.0) no harm shown",
    ] { #expect(text.contains(line), "\(line)") }
    let many = words(try screen(Examples.many(6)))
    #expect(many.contains("5 variants no harm shown"))
    for readout in [fourArms, Examples.many(6), Examples.many(60)] {
      let text = try screen(readout)
      #expect(!text.contains(/[0-9]% to [0-9]/), "\(text)")
    }
  }

  /// Each value and interval lies on its row's bar: 37.0 points of trials cancelled, 13.0 of all users' metrics.
  @Test func barsReachAsFarAsTheirValues() {
    let scorecard = Scorecard(Examples.trap)
    #expect(scorecard.rows.map(scorecard.reach) == [0.13, 0.13, 0.13, 0.37])
    #expect(scorecard.noteOnScale == "Bars of rows per trial or payer have a scale of their own.")
    // 13.0 and 37.0 with a twentieth more, rounded up to half of a power of ten.
    #expect(page(Examples.trap).contains("Bars reach 15 pp and 40 pp in rows per trial or payer to each side."))
    for bar in ["◂", "▸"] { #expect(!page(Examples.trap).contains(bar)) }
    #expect(Scorecard(Examples.winner).noteOnScale == nil)
  }

  /// A share of which few have the outcome has the interval of one look; a goal of few has neither difference nor dot.
  @Test func fewOutcomesAreNotDrawnAsCertain() throws {
    var readout = Examples.winner
    for place in readout.metrics.indices {
      readout.metrics[place].comparisons[0].standing = .withheld
      readout.metrics[place].comparisons[0].sequential.interval = nil
      readout.metrics[place].comparisons[0].interval = Interval(low: -0.009, high: 0.012)
    }
    let rows = Scorecard(readout).rows
    let (goal, refunded) = (try #require(rows.first), try #require(rows.first { $0.role == .guardrail }))
    #expect(refunded.cells[0].isOneLook && refunded.cells[0].bounds == "−0.9 to +1.2")
    #expect(goal.cells[0].difference == nil && goal.cells[0].value == nil && goal.cells[0].reading == "too few")
  }

  /// Control, then by first exposure, as in every table.
  @Test func variantsStandInTheOrderOfTheirFirstExposure() {
    var readout = Examples.three
    readout.variantOrder = ["c", "control", "b"]
    let scorecard = Scorecard(readout)
    #expect(scorecard.arms == ["control", "c", "b"])
    #expect(scorecard.rows[0].values == ["10.0%", "10.8%", "13.6%"])
    #expect(scorecard.column(of: 0) == 1)
    #expect(ReadoutText(readout).armCounts == "control 4,000, c 4,000, b 4,000")
    #expect(VerdictCard(readout, links: .none).markup([:]).text.contains("+3.6 pp paid in b</p>"))
  }

  /// Of seven, the best four and the decision's are shown: its number is not that of a neighbour.
  @Test func theDecisionsColumnIsItsOwnAmongTheFewShown() throws {
    var readout = Examples.many(7)
    readout.decision.treatment = 2
    let scorecard = Scorecard(readout)
    let column = try #require(scorecard.column(of: 2))
    #expect(scorecard.arms[column + 1] == "variant_3" && scorecard.column(of: 0) == nil)
  }

  /// A tie is told once: the next step offers what the ranking calls as good (D7.4).
  @Test func theNextStepAgreesWithATie() {
    var tie = Examples.three
    tie.ranking?.pairs[0].isShown = false
    tie.ranking?.bestGroup = [1, 2]
    #expect(ReadoutText(tie).next == "Give b to everybody; record the day as `shipped_on` in a plan file.")
    #expect(ReadoutText(tie).ranking?.contains("cheaper") == false)
    tie.ranking?.alternatives = [2]
    #expect(
      ReadoutText(tie).next
        == "Give b to everybody, or c if it is cheaper; record the day as `shipped_on` in a plan file.")
    #expect(ReadoutText(tie).ranking?.hasSuffix("c is not shown to be worse: choose the cheaper one.") == true)
    #expect(ReadoutText(Examples.many(4)).next.hasPrefix("Give variant_3 to everybody; "))
  }

  /// Pages and memos have no command line.
  @Test func pagesDoNotSpeakOfOptions() {
    var caveats = Examples.winner
    caveats.caveats = [
      .plannedLate, .partialMoney, .smallWin, .loggingDiffers, .planDateUnknown, .adjustmentDiffers,
    ]
    for readout in [Examples.mismatch, Examples.many(60), caveats] {
      for text in [page(readout), memo(readout, .html), memo(readout, .markdown)] {
        #expect(!text.contains("--all"))
      }
    }
    #expect(memo(Examples.many(60), .markdown).contains("more variants in the full readout."))
  }

  /// Differences that must not be read are not offered either.
  @Test func withoutAVerdictNothingAsksForDifferences() throws {
    func content(_ readout: ExperimentReadout) throws -> String {
      var look = PageLook(links: .none)
      look.why = [("Paid", "/why")]
      return try FinishedReport.readout(Examples.report(readout)).content(look).text
    }
    let (winner, mismatch) = (try content(Examples.winner), try content(Examples.mismatch))
    #expect(winner.contains("Compare the variants in each group of users, by"))
    #expect(!mismatch.contains("Compare the variants in each group"))
  }
}
