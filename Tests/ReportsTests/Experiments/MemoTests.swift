import Testing

@testable import Metrics
@testable import Reports

struct MemoTests {
  private typealias Examples = WorkedExamples

  private func memo(_ format: Memo.Format, _ name: String) -> Memo {
    Memo(
      format: format, version: "1.0.0", command: "tollgate experiment \(name) --memo html")
  }

  /// All of the text of two worked examples.
  @Test func theChatTextsAreThoseOfTheExamples() {
    #expect(
      memoText(Examples.report(Examples.winner), memo(.slack, "ex_winner")) == """
        *Ship b: ex_winner*
        Paid is 12.4% against 8.0% in control, +4.4 pp (+2.0 to +6.8), and revenue is +0.44 USD a user (+0.20 to +0.67).
        A year: +22,500 USD (+10,300 to +34,600) at 141 users a day.
        No difference between countries is shown; lifts may still differ by up to 53%.
        Next: give b to everybody; record the day in a plan file.
        tollgate experiment ex_winner --memo html

        """)
    #expect(
      memoText(Examples.report(Examples.small), memo(.slack, "ex_small")) == """
        *Undecided: ex_small*
        Paid is 6.3% against 5.4% in control, and the true lift could be anything from −26% to +89%.
        Next: stop, unless you expect a lift of 81% or more, which this traffic can show in 56 days: finding a lift of \
        10% would take 131,054 users, more than two years at 54 a day.
        tollgate experiment ex_small --memo html

        """)
  }

  /// At most 6 lines and 600 characters.
  @Test func aChatTextHasRoomInAMessage() {
    for var readout in Examples.all {
      readout.caveats = [.endedWithoutPlan(lastExposure: Examples.asOf, oneLookP: 0.03)] + readout.caveats
      readout.experiment = String(repeating: "long_name_", count: 12)
      let text = memoText(Examples.report(readout), memo(.slack, readout.experiment))
      #expect(text.split(separator: "\n").count <= 6 && text.count <= 601, "\(text.count): \(text)")
    }
    var hostile = Examples.winner
    hostile.experiment = "<!channel> & co"
    let text = memoText(Examples.report(hostile), memo(.slack, "x"))
    #expect(text.hasPrefix("*Ship b: &lt;!channel&gt; &amp; co*\n"))
  }

  /// Headings and their order.
  @Test func theMarkdownHasTheSectionsInOrder() throws {
    var readout = Examples.trap
    readout.plan.hypothesis = "worked example"
    readout.plan.owner = "Dana"
    readout.overTime = (1...20).map { day in
      OverTimePoint(
        instant: Examples.start + Int64(day + 14) * Examples.day,
        comparisons: [
          OverTimePoint.Comparison(
            variant: "free_week", controlPersons: day * 70, treatmentPersons: day * 70, difference: -0.066,
            sequential: {
              var reading = SequentialReading(method: .asymptoticSequence)
              let half = 0.16 / Double(day).squareRoot()
              reading.interval = .init(low: -0.066 - half, high: -0.066 + half)
              return reading
            }())
        ])
    }
    let text = memoText(Examples.report(readout), memo(.markdown, "ex_trap"))
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map(String.init)
    #expect(
      headings == [
        "# DO NOT SHIP free_week · ex_trap", "## Question", "## Scorecard", "## Course", "## Money",
        "## Segments and trend", "## Health", "## Caveats", "## Next step",
      ])
    try expectGolden(text, "memo.trap.md")
    try expectGolden(memoText(Examples.report(readout), memo(.html, "ex_trap")), "memo.trap.html")
  }

  @Test func thePageHasNoScriptAndNothingFromElsewhere() {
    for readout in Examples.all {
      let page = memoText(Examples.report(readout), memo(.html, readout.experiment))
      #expect(!page.contains("<script") && !page.contains("http://") && !page.contains("https://"))
      #expect(page.contains("data 3f9c2a7b01de ") && page.contains("margin:14mm"))
      for heading in ["Question", "Scorecard", "Health", "Caveats", "Next step"] {
        #expect(page.contains("<h2>\(heading)</h2>"), "\(heading)")
      }
    }
  }

  @Test func namesOfAnyOriginStayText() {
    var readout = Examples.winner
    readout.arms[1].variant = "<img src=x onerror=alert(1)>"
    readout.plan.hypothesis = "a | b <b>"
    #expect(!memoText(Examples.report(readout), memo(.html, "x")).contains("<img"))
    #expect(!memoText(Examples.report(readout), memo(.html, "x")).contains("<b>\u{2028}"))
    #expect(!memoText(Examples.report(readout), memo(.markdown, "x")).contains("a | b"))
  }
}
