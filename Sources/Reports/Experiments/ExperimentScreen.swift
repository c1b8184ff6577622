import Metrics

/// One experiment in one app on a terminal: verdict, next step, money, scorecard and health on a screen of 80 by 24.
struct ExperimentScreen {
  private let readout: ExperimentReadout
  private let text: ReadoutText
  private let width: Int
  private let style: TerminalStyle

  init(_ readout: ExperimentReadout, width: Int, _ style: TerminalStyle) {
    (self.readout, self.width, self.style) = (readout, width, style)
    text = ReadoutText(readout)
  }

  /// Blocks of lines; a blank line separates them.
  var blocks: [[String]] {
    let scorecard = Scorecard(readout)
    var verdict = lines("\(text.banner): \(text.answer)")
    verdict[0] = verdict[0].replacing(text.banner, with: style.bold(text.banner), maxReplacements: 1)
    if let ranking = text.ranking { verdict += lines(ranking) }
    verdict += lines("Next: \(text.nextClause)")
    var facts: [String] = []
    if let money = text.money.first {
      facts += lines(([money] + [text.yearOfLastWeeks].compactMap(\.self)).joined(separator: " "))
    }
    let caveats = text.shownCaveats(rest: "with --all")
    for caveat in caveats where readout.money?.isPartial != true || !text.health.contains(caveat) {
      facts += wrapped(caveat, to: width - 2, behind: "! ")
    }
    // The money line states its own coverage.
    var end = text.health.filter { !caveats.contains($0) } + (text.isReadable ? text.briefSegments : [])
    if let basis = readout.longTerm?.basis {
      let isSeen = basis == .seen
      if let clause = text.agreementClause {
        end.append("The \(isSeen ? "" : "\(basis.rawValue) ")value \(clause).")
      } else if !isSeen {
        end.append("Value at 12 months is \(basis.rawValue).")
      }
    }
    let table = ScorecardTable(scorecard, width: width, style).lines
    func isDrawn(_ mark: String) -> Bool { table.contains { $0.contains(mark) } }
    // Rows that only count variants have no intervals, and narrow tables no bars.
    var notes = scorecard.notes(readout, countsOmitted: false).filter { isDrawn("¹") || !$0.hasPrefix("¹") }
    if isDrawn("●") { notes += [scorecard.noteOnScale].compactMap(\.self) }
    return [header + verdict + facts + table + lines((notes + end).joined(separator: " "))]
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
}
