import Metrics

/// One experiment in one app on a terminal: verdict, next step, money, scorecard and health on a screen of 80 by 40.
struct ExperimentScreen {
  private let readout: ExperimentReadout
  private let text: ReadoutText
  private let width: Int
  private let style: TerminalStyle

  init(_ readout: ExperimentReadout, width: Int, _ style: TerminalStyle) {
    (self.readout, self.width, self.style) = (readout, width, style)
    text = ReadoutText(readout)
  }

  /// Blocks of lines, separated by blank lines.
  var blocks: [[String]] {
    let scorecard = Scorecard(readout)
    var verdict = lines("\(text.banner): \(text.finding)")
    verdict[0] = verdict[0].replacing(text.banner, with: style.bold(text.banner), maxReplacements: 1)
    if let ranking = text.ranking { verdict += lines(ranking) }
    verdict += lines("Next: \(text.nextClause)")
    var facts: [String] = []
    if let money = text.money.first { facts += lines(money) }
    if let longTerm = text.longTerm { facts += lines(longTerm) }
    if let risk = text.risk { facts += lines(risk) }
    for caveat in text.shownCaveats where readout.money?.isPartial != true || !text.health.contains(caveat) {
      facts += listed(caveat)
    }
    // The money line states its own coverage.
    var end = text.health.filter { !text.shownCaveats.contains($0) }.flatMap(lines)
    if text.isReadable { end += lines((text.segments.prefix(3) + text.trends).joined(separator: " ")) }
    // With many variants, only the rows of goal and money have intervals.
    let isMarked = scorecard.arms.count <= 3 || scorecard.rows.first?.isConditional == true
    let notes = scorecard.notes(readout, countsOmitted: false).filter { isMarked || !$0.hasPrefix("¹") }
      .joined(separator: " ")
    return [
      header, verdict, facts, ScorecardTable(scorecard, width: width, style).lines,
      wrapped(notes, to: width).map(style.dim) + end,
    ].filter { !$0.isEmpty }
  }

  /// The line that names the experiment, its app, users and days.
  var header: [String] {
    let facts =
      [
        readout.experiment, readout.app, userText(text.userCount),
        text.dates ?? "data to \(dayText(readout.asOf, hasYear: true))",
      ] + (readout.schedule.rule == .alwaysValid ? [] : [text.planLine])
    return wrapped(facts.map(visible).joined(separator: " · "), to: width).map(style.dim)
  }

  private func lines(_ sentence: String) -> [String] { wrapped(sentence, to: width) }

  private func listed(_ sentence: String) -> [String] {
    wrapped(sentence, to: width - 2).enumerated().map { ($0.offset == 0 ? "! " : "  ") + $0.element }
  }
}
