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
    let money = text.money + [text.longTerm, text.risk].compactMap(\.self)
    let segments = [text.ranking].compactMap(\.self) + text.segments + text.trends
    let health = text.health + [text.unfinished].compactMap(\.self)
    var parts: [Markup] = []
    if text.isReadable {
      parts += [
        part("Money", money.isEmpty ? ["No revenue to compare."] : money),
        part("Segments and trend", segments.isEmpty ? ["Too few users to compare segments or weeks."] : segments),
      ]
    }
    parts += [part("Health", health), part("Caveats", text.caveatsOrNone)]
    let footer = memo.footer(readout).joined(separator: " · ")
    return """
      <main class="memo"><p class="muted sm">Decision memo · <bdi>\(readout.app)</bdi> · \
      data to \(dayText(readout.asOf, hasYear: true)) · \(name)</p>
      <h1>\(text.title)</h1>
      <p class="lead soft">\(text.finding.capitalizedFirst)</p>
      \(keys)<h2>Question</h2><p>\(memoQuestion(readout).joined(separator: " · "))</p>
      <h2>Scorecard</h2>\(scores)
      <p class="muted xs">\(scorecard.memoNotes(readout).joined(separator: " "))</p>
      \(course)<div class="two">\(parts)</div>
      <h2>Next step</h2><p><b>\(spoken(text.next))</b></p>
      <div class="sig"><div>Decision</div><div>By</div><div>Date</div></div>
      <p class="muted xs foot-line">\(footer) · <code>\(memo.command)</code></p>
      </main>

      """
  }

  /// The page's table; with several treatments, a row for each variant, as a sheet has no room for more columns.
  private var scores: Markup {
    guard scorecard.isReadable, scorecard.arms.count > 2 else {
      return ExperimentPage(readout, of: report, links: links).scoreTable
    }
    let lines = scorecard.rows.flatMap { row -> [Markup] in
      let cells = [Scorecard.Cell(reading: "", tone: .calm)] + row.cells
      return zip(zip(scorecard.arms, row.values), cells).enumerated().map { place, variant -> Markup in
        let ((name, value), cell) = variant
        let head: Markup = place == 0 ? "\(row.name.capitalizedFirst) \(row.arrow)" : ""
        let tone: Markup = cell.tone == .calm ? "" : " class=\"\(cell.tone.rawValue)\""
        let bounds: Markup = cell.bounds.map { " <small>\($0)\(cell.isOneLook ? "¹" : "")</small>" } ?? ""
        let difference: Markup = place == 0 ? "" : "<b\(tone)>\(cell.difference ?? undefinedMark)</b>\(bounds)"
        return """
          <tr><th scope="row">\(head)</th><td class="t"><bdi>\(name)</bdi></td><td class="nw">\(value)</td>\
          <td class="nw">\(difference)</td><td class="t">\(cell.reading.capitalizedFirst)</td></tr>

          """
      }
    }
    return """
      <table><thead><tr><th scope="col" class="t">Metric</th><th scope="col" class="t">Variant</th><th scope="col">Value</th>\
      <th scope="col">Difference</th><th scope="col" class="t">Reading</th></tr></thead><tbody>
      \(lines)</tbody></table>
      """
  }

  /// The effect, the money and the size of the test side by side.
  private var keys: Markup {
    guard let row = scorecard.rows.first(where: { $0.role == .goal }), text.isReadable,
      row.cells.indices.contains(text.leaderPlace)
    else { return "" }
    let cell = row.cells[text.leaderPlace]
    let place = text.leaderPlace
    let levels = row.values.count > place + 1 ? "\(row.values[0]) → \(row.values[place + 1]); " : ""
    let tone: Markup = cell.tone == .calm ? "" : " class=\"\(cell.tone.rawValue)\""
    var boxes: [Markup] = [
      """
      <div><span class="muted">\(row.name.capitalizedFirst)</span><b\(tone)>\(cell.difference ?? undefinedMark)</b>\
      \(levels)\(cell.bounds ?? "")</div>
      """
    ]
    if let money = readout.money, money.annual.indices.contains(place), let annual = money.annual[place] {
      let (low, high) = (annual.interval.low, annual.interval.high)
      let range = "\(yearlyText(low, hasSign: true)) to \(yearlyText(high, hasSign: true))"
      // Where a loss is possible too, the range is the answer.
      let (big, small) =
        low < 0 && high > 0 ? (range, "not known to be a gain") : (yearlyText(annual.value, hasSign: true), range)
      boxes.append(
        """
        <div><span class="muted">Worth a year if shipped</span><b>\(big) \(money.currency)</b>\(small)</div>
        """)
    }
    let split = splitText(readout.arms.map(\.persons))
    boxes.append(
      """
      <div><span class="muted">Users</span><b>\(countText(text.userCount))</b>\(split)\
      \(text.dates.map { "; \($0)" } ?? "")</div>
      """)
    return "<div class=\"keys n\(boxes.count)\">\(boxes)</div>\n"
  }

  private var course: Markup {
    guard text.isReadable, let chart = courseChart(readout, height: 120) else { return "" }
    return "<h2>\(chart.title)</h2>\(chart.figure)<p class=\"muted xs\">\(chart.note)</p>\n"
  }

  private func part(_ title: String, _ sentences: [String]) -> Markup {
    "<div><h2>\(title)</h2><ul class=\"dash\">\(sentences.map { "<li>\(spoken($0))</li>" as Markup })</ul></div>"
  }
}
