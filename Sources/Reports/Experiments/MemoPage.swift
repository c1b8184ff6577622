import Metrics
import Statistics

/// The memos of an experiment, a sheet of A4 or Letter each: no script, no colour that a word does not repeat.
func memoHTML(_ report: ExperimentReport, _ memo: Memo, style: PageFrame.Style = .inside, links: PageLinks = .none)
  -> String
{
  PageFrame.document(
    title: "Decision memo: \(report.experiment)", style: style,
    body: PageFrame.patterns
      + report.readouts.map { MemoPage($0, of: report, memo, links: links).markup }.reduce("", +))
}

private struct MemoPage {
  let readout: ExperimentReadout
  let report: ExperimentReport
  let memo: Memo
  let links: PageLinks
  let text: ReadoutText
  let scorecard: Scorecard

  init(_ readout: ExperimentReadout, of report: ExperimentReport, _ memo: Memo, links: PageLinks) {
    (self.readout, self.report, self.memo, self.links) = (readout, report, memo, links)
    text = ReadoutText(readout)
    scorecard = Scorecard(readout)
  }

  var markup: Markup {
    let name = linked(
      "<bdi>\(readout.experiment)</bdi>", to: links.experiment(readout.app, readout.experiment))
    let parts = text.memoLists.map { title, sentences -> Markup in
      "<div><h2>\(title)</h2><ul class=\"dash\">\(sentences.map { "<li>\(spoken($0))</li>" as Markup })</ul></div>"
    }
    // The head has the day.
    let footer = memo.footer(readout).dropFirst().joined(separator: " · ")
    return """
      <main class="memo\(hasColumns ? " many" : "")"><p class="muted sm">Decision memo · <bdi>\(readout.app)</bdi> · \
      data to \(dayText(readout.asOf, hasYear: true)) · \(name)</p>
      <h1>\(text.title)</h1>
      <p class="lead soft">\(text.answer.capitalizedFirst)</p>
      \(keys)<h2>Question</h2><p>\(memoQuestion(readout).joined(separator: " · "))</p>
      <h2>Scorecard</h2>\(scores)
      <p class="muted xs">\(scorecard.memoNotes(readout, bars: hasColumns ? nil : scorecard.noteOnEnds).joined(separator: " "))</p>
      \(course)<div class="two">\(parts)</div>
      <h2>Next step</h2><p><b>\(spoken(text.next))</b></p>
      <div class="sig"><div>Decision</div><div>By</div><div>Date</div></div>
      <p class="muted xs foot-line">\(footer) · <code>\(memo.command)</code></p>
      </main>

      """
  }

  /// Whether each treatment has a column of its own, without a bar, as a sheet has no room for a row each.
  private var hasColumns: Bool { scorecard.isReadable && scorecard.arms.count > 2 }

  /// The page's table; with several treatments, a row for each metric and a column for each treatment.
  private var scores: Markup {
    if !hasColumns { return ExperimentPage(readout, of: report, links: links).scoreTable }
    let heads = scorecard.arms.map { "<th scope=\"col\" class=\"t\"><bdi>\($0)</bdi></th>" as Markup }
    let lines = scorecard.rows.map { row -> Markup in
      let levels = zip(scorecard.arms.dropFirst(), row.values.dropFirst())
      let cells = zip(levels, row.cells).map { level, cell -> Markup in
        let (arm, value) = level
        let tone: Markup = cell.tone == .calm ? "" : " class=\"\(cell.tone.rawValue)\""
        let bounds: Markup = cell.bounds.map { " <small>\($0)\(cell.isOneLook ? "¹" : "")</small>" } ?? ""
        let difference: Markup = cell.difference.map { "<br><b\(tone)>\($0)</b>\(bounds)" } ?? ""
        return "<td class=\"t\" data-h=\"\(arm)\">\(value) \(cell.reading)\(difference)</td>"
      }
      let control: Markup = row.values.first.map { "<td class=\"t\" data-h=\"\(scorecard.arms[0])\">\($0)</td>" } ?? ""
      return """
        <tr><th scope="row">\(row.name.capitalizedFirst) \(row.arrow) <small class="muted">\(row.role.readerName)</small></th>\
        \(control)\(cells)</tr>

        """
    }
    return """
      <table class="cards-sm sides"><thead><tr><th scope="col" class="t">Metric</th>\(heads)</tr></thead><tbody>
      \(lines)</tbody></table>
      """
  }

  /// The effect, the money and the size of the test side by side.
  private var keys: Markup {
    guard let (row, column, cell) = scorecard.goal(text) else { return "" }
    let place = text.leaderPlace
    let values = row.values.count > column + 1 ? [row.values[0], row.values[column + 1]] : []
    let levels = values.allSatisfy { $0 == undefinedMark } ? nil : values.joined(separator: " → ")
    let tone: Markup = cell.tone == .calm ? "" : " class=\"\(cell.tone.rawValue)\""
    var boxes: [Markup] = [
      """
      <div><span class="muted">\(row.name.capitalizedFirst)\(text.leaderName(after: "in"))</span><b\(tone)>\(cell.difference ?? undefinedMark)</b>\
      \([levels, cell.bounds].compactMap(\.self).joined(separator: "; "))</div>
      """
    ]
    if let money = readout.money, money.annual.indices.contains(place), let annual = money.annual[place] {
      let (low, high) = (annual.interval.low, annual.interval.high)
      let range = "\(yearlyText(low, hasSign: true)) to \(yearlyText(high, hasSign: true))"
      // Where a loss is possible too, the range is the answer.
      let shipped = text.hasSeveralTreatments ? "\(text.leader) is shipped" : "shipped"
      let (big, small) =
        text.isYearOpenShip
        ? (yearlyText(annual.value, hasSign: true), "\(text.yearRange(annual)). \(text.gain(annual)).")
        : low < 0 && high > 0
          ? (range, "not known to be a gain") : (yearlyText(annual.value, hasSign: true), range)
      let isLoss = high < 0
      boxes.append(
        """
        <div><span class="muted">\(isLoss ? "Loss" : "Worth") a year if \(shipped)</span><b>\(big) \(money.currency)</b>\(small)</div>
        """)
    }
    let split = splitText(readout)
    boxes.append(
      """
      <div><span class="muted">Users</span><b>\(countText(text.userCount))</b>\(split)\
      \(text.dates.map { "; \($0)" } ?? "")</div>
      """)
    return "<div class=\"keys n\(boxes.count)\">\(boxes)</div>\n"
  }

  private var course: Markup {
    guard text.isReadable, let chart = courseChart(readout, height: hasColumns ? 96 : 100) else { return "" }
    return """
      <div class="whole"><h2>\(chart.title)</h2>\(chart.legendMarkup)\(chart.figure)\
      <p class="muted xs">\(chart.subtitle.capitalizedFirst). \(chart.note)</p></div>

      """
  }
}
