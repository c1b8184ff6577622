import Testing

@testable import Metrics
@testable import Reports

struct ExperimentScreenTests {
  private typealias Examples = WorkedExamples

  private func screen(_ readout: ExperimentReadout, width: Int = 80) throws -> String {
    var options = RenderOptions()
    options.width = width
    return try render(Examples.report(readout), as: .table, options: options)
  }

  /// Verdict, next step, money, scorecard and health fit on one screen.
  @Test func theFirstScreenHasRoomOnATerminal() throws {
    for readout in Examples.all {
      let text = try screen(readout)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count <= 24, "\(readout.experiment): \(lines.count)")
      #expect(lines.allSatisfy { displayWidth(String($0)) <= 80 }, "\(text)")
      #expect(text.contains(ReadoutText(readout).banner))
    }
  }

  /// Four variants and more fit, with only the best few of many; pairs are not listed.
  @Test(arguments: [4, 5, 6, 7, 60]) func manyVariantsHaveRoom(count: Int) throws {
    let text = try screen(Examples.many(count))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 46, "\(lines.count)\n\(text)")
    #expect(lines.allSatisfy { displayWidth(String($0)) <= 80 }, "\(text)")
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("SHIP variant_\(count - 1)"))
    #expect(words.contains("variant_\(count - 1) is better than control"))
    #expect(words.contains("more variants with --all") == (count > 6))
    #expect(words.contains("no other two can be told apart") == (count <= 6))
    // The decision's variant is shown although it is the last of the file.
    #expect(Scorecard(Examples.many(count)).arms.contains("variant_\(count - 1)"))
    let pairs = experimentRows(Examples.report(Examples.many(count))).rows.filter { $0[2] == .text("pairs") }
    #expect(pairs.count == (count <= 20 ? count * (count - 1) / 2 : 2 * count - 3))
  }

  @Test func theScreensAreAsRecorded() throws {
    let text = try Examples.all.map { try screen($0) }.joined(separator: String(repeating: "=", count: 80) + "\n")
    try expectGolden(text, "experiment.80.txt")
    try expectGolden(try screen(Examples.winner, width: 120), "experiment.120.txt")
  }

  @Test func everythingIsThereWhenAskedFor() throws {
    var options = RenderOptions()
    options.parts = Set(ExperimentPart.allCases)
    let text = try render(Examples.report(Examples.winner), as: .table, options: options)
    for heading in ["Metrics", "Paid by segment", "Health checks"] {
      #expect(text.contains("\n\(heading)\n"), "\(heading)")
    }
    #expect(text.replacing("\n", with: " ").contains("Later renewals are not included."))
  }

  /// Only what is named is printed, below a line that says of what; what there is not is named.
  @Test func sectionsArePrintedByName() throws {
    var options = RenderOptions()
    (options.parts, options.hasVerdict) = ([.metrics, .health, .pairs], false)
    for format in [ReportFormat.table, .markdown] {
      let text = try render(Examples.report(Examples.winner), as: format, options: options)
      for heading in ["Metrics", "Health checks"] { #expect(text.contains("\(heading)\n"), "\(heading)") }
      for other in [ReadoutText(Examples.winner).banner, "Detectable effects", "Scorecard", "--all"] {
        #expect(!text.contains(other), "\(other)")
      }
      #expect(text.contains(Examples.winner.experiment) && text.contains("Not in this readout: pairs."))
    }
  }

  /// The card's sentence has the range of the lift, which decides, and its bar that of the difference: −1.7 and +3.5 pp of
  /// 81 in 1,507.
  @Test func theCardHasOneInterval() {
    let card = VerdictCard(Examples.small, links: .none).markup([:]).text
    #expect(card.contains("the true lift could be anything from −26% to +89%"), "\(card)")
    #expect(card.contains("−1.7 to +3.5") && !card.contains("−32%"))
    // The page says below its charts what share of control's value the difference is.
    let page = ExperimentPage(Examples.small, of: Examples.report(Examples.small), links: .none).markup([]).text
    #expect(page.contains("the true lift could be anything from −26% to +89%"))
    #expect(page.contains("is −32% to +65% of that 5.4% in control."), "\(page)")
  }

  /// The overview does not tell readers to ship without the worst caveat.
  @Test func theCardOfAWinnerHasItsCaveat() {
    var readout = Examples.winner
    readout.caveats = [.smallWin, .plannedLate]
    let card = VerdictCard(readout, links: .none).markup([:]).text
    #expect(card.contains("<b>Caveat:</b> The gain is smaller than a lift of 10%"), "\(card)")
    #expect(!card.contains("The plan was made"))
    readout.decision = Examples.small.decision
    #expect(!VerdictCard(readout, links: .none).markup([:]).text.contains("Caveat"))
  }

  /// A caveat bears on the decision although the data are sound: it stands below the line on them, not inside its fold.
  @Test func thePageShowsCaveatsWithoutAClick() throws {
    let page = ExperimentPage(Examples.trap, of: Examples.report(Examples.trap), links: .none).markup([]).text
    let list = try #require(page.firstRange(of: "</details><ul class=\"finds\">"))
    let caveat = "82% of free_week trials are cancelled, against 52% in control."
    #expect(page[list.upperBound...].contains(caveat) && !page[..<list.lowerBound].contains(caveat))
  }

  /// Segments without an interval, which has too few users, have no difference to read.
  @Test func segmentsWithTooFewUsersAreNotKnown() throws {
    let readout = Examples.winner
    let page = ExperimentPage(readout, of: Examples.report(readout), links: .none).markup([]).text
    #expect(page.contains("<td class=\"nw dif\">not known</td>"))
    #expect(page.contains("The funnel shows different shares of payers."))
    var options = RenderOptions()
    options.parts = [.segments]
    let words = try render(Examples.report(readout), as: .table, options: options)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("country DE b 3,000 8.0% 12.4% not known"), "\(words)")
  }

  /// Values of a dimension are one table of 80 columns, without p, and never folded into two.
  @Test func dimensionsAreOneTableOnANarrowScreen() throws {
    var readout = Examples.winner
    var paid = readout.metrics[0]
    paid.comparisons[0].interval = .init(low: -0.133, high: -0.068)
    paid.familySize = 2
    readout.by = ["country"]
    readout.slices = ["DE", "US"].map { SliceReadout(values: [$0], metric: paid) }
    var options = RenderOptions()
    options.width = 80
    let text = try render(Examples.report(readout), as: .table, options: options)
    let section = try #require(text.components(separatedBy: "Paid by country").last)
    #expect(section.split(separator: "\n").count { $0.hasPrefix("country") } == 1, "\(section)")
    #expect(section.contains("Intervals hold for all 2 comparisons together. Segments"), "\(section)")
  }

  /// Readings follow the direction of the metric (D1.9, D10.1).
  @Test func readingsFollowTheDirectionOfTheMetric() throws {
    let rows = Scorecard(Examples.trap).rows
    #expect(
      rows.map(\.name) == [
        "paid within 14 days", "used again in week 2", "trials within 7 days", "cancelled in trial, of trials",
      ])
    #expect(rows.map { $0.cells[0].reading } == ["worse", "no harm shown", "better", "worse"])
    #expect(rows.map(\.arrow) == ["↑", "↑", "↑", "↓"])
    #expect(rows.map { $0.cells[0].isOneLook } == [false, false, false, true])
    let absent = try #require(Scorecard(Examples.small).rows.last)
    #expect(absent.cells[0].reading == "absent: no usage events" && absent.values == ["–", "–"])
    #expect(Scorecard(Examples.mismatch).rows.allSatisfy { $0.cells.isEmpty })
  }

  /// A sentence's numbers equal those of the rows after rounding.
  @Test func rowsHaveTheSentenceAndItsNumbers() throws {
    let report = experimentRows(Examples.report(Examples.winner))
    let places = Dictionary(uniqueKeysWithValues: report.columns.enumerated().map { ($1.name, $0) })
    func row(_ section: String, _ measure: String, variant: String? = nil, metric: String? = nil) -> [ReportValue]? {
      report.rows.first { row in
        row[2] == .text(section) && row[6] == .text(measure) && (variant.map { row[4] == .text($0) } ?? true)
          && (metric.map { row[3] == .text($0) } ?? true)
      }
    }
    let text = try #require(places["text"])
    #expect(row("verdict", "decision")?[text] == .text("ship"))
    #expect(row("verdict", "sentence")?[text] == .text(ReadoutText(Examples.winner).sentence))
    #expect(
      row("verdict", "annual_impact", variant: "b")?[7...9] == [.number(22_468), .number(10_321), .number(34_614)])
    let difference = try #require(row("metrics", "difference_always_valid", metric: "paid"))
    #expect(difference[8...9] == [.number(0.0203), .number(0.0677)])
    #expect(row("segments", "interaction_p")?[text] == .text("not_known"))
    let role = try #require(places["role"])
    #expect(difference[role] == .text("goal") && difference[role + 1] == .text("up"))
    // An absent metric has one row, with its reason.
    let absent = experimentRows(Examples.report(Examples.small)).rows.filter { $0[3] == .text("retained") }
    let reason = try #require(places["reason"])
    #expect(absent.count == 1 && absent.first?[reason] == .text("no_usage_events"))
  }
}
