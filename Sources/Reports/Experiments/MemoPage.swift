import Metrics
import Statistics

/// Returns the memos of an experiment as A4 or Letter pages, without scripts; colours only repeat words.
func memoHTML(_ report: ExperimentReport, _ memo: Memo) -> String {
  htmlDocument(
    title: "Decision memo: \(report.experiment)",
    body: report.readouts.enumerated().flatMap { place, readout in
      MemoPage(readout, memo, id: "memo-\(place + 1)").lines
    }, style: chartStyle + "\n" + memoStyle)
}

private struct MemoPage {
  let readout: ExperimentReadout
  let memo: Memo
  let id: String
  let text: ReadoutText
  let scorecard: Scorecard

  init(_ readout: ExperimentReadout, _ memo: Memo, id: String) {
    (self.readout, self.memo, self.id) = (readout, memo, id)
    text = ReadoutText(readout)
    scorecard = Scorecard(readout)
  }

  var lines: [String] {
    let money = text.money + [text.longTerm, text.risk].compactMap(\.self)
    let segments = [text.ranking].compactMap(\.self) + text.segments + text.trends
    let health = text.health + [text.unfinished].compactMap(\.self)
    var lines = [
      #"<main class="memo">"#,
      "<p class=\"small\">Decision memo · <bdi>\(htmlEscaped(readout.app))</bdi> · <bdi>\(htmlEscaped(readout.experiment))</bdi> · "
        + "data to \(dayText(readout.asOf, hasYear: true))</p>",
    ]
    lines += banner
    lines.append("<h2>Question</h2>")
    lines.append("<p>\(memoQuestion(readout).map(htmlEscaped).joined(separator: " · "))</p>")
    lines.append("<h2>Scorecard</h2>")
    lines += table
    lines.append("<p class=\"small\">\(htmlEscaped(scorecard.memoNotes(readout).joined(separator: " ")))</p>")
    if text.isReadable, let course = courseChart {
      lines.append("<h2>Course</h2>")
      lines += course
      let unit = readout.primary?.metric.unit == .share ? " in percentage points" : ""
      let caption = [
        "Difference in \(readout.primary?.metric.readerName ?? "")\(unit) by day of data, with its interval; shaded is the margin.",
        courseSentence(readout),
      ].compactMap(\.self).joined(separator: " ")
      lines.append("<p class=\"small\">\(htmlEscaped(caption))</p>")
    }
    lines.append(#"<div class="two">"#)
    if text.isReadable {
      lines += part("Money", money.isEmpty ? ["No revenue to compare."] : money)
      lines += part("Segments and trend", segments.isEmpty ? ["Too few users to compare segments or weeks."] : segments)
    }
    lines += part("Health", health) + part("Caveats", text.caveatsOrNone) + ["</div>"]
    lines.append("<h2>Next step</h2>")
    lines.append("<p class=\"next\">\(code(text.next))</p>")
    lines.append(#"<p class="sign"><span>Decision</span><span>By</span><span>Date</span></p>"#)
    let footer = memo.footer(readout).map(htmlEscaped).joined(separator: " · ")
    return lines + [
      "<footer><p>\(footer) · <code>\(htmlEscaped(memo.command))</code></p></footer>", "</main>",
    ]
  }

  private var banner: [String] {
    let (tone, sign) =
      switch readout.decision.outcome {
      case .ship: ("good", "✓")
      case .doNotShip: ("bad", "✗")
      case .noDifference: ("calm", "=")
      case .undecided: ("calm", "?")
      case .none: ("warn", "!")
      }
    return [
      #"<header class="banner \#(tone)">"#,
      "<h1><span aria-hidden=\"true\">\(sign)</span> \(htmlEscaped(text.banner))</h1>",
      "<p>\(htmlEscaped(text.sentence))</p>", "<p><b>Next:</b> \(code(text.next))</p>", "</header>",
    ]
  }

  private func part(_ title: String, _ sentences: [String]) -> [String] {
    ["<section>", "<h2>\(title)</h2>", "<ul>"] + sentences.map { "<li>\(code($0))</li>" } + ["</ul>", "</section>"]
  }

  /// Returns a sentence with its words in backticks as code.
  private func code(_ sentence: String) -> String {
    sentence.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part in
      place.isMultiple(of: 2) ? htmlEscaped(String(part)) : "<code>\(htmlEscaped(String(part)))</code>"
    }.joined()
  }

  // MARK: Scorecard

  private var table: [String] {
    let treatments = Array(scorecard.arms.dropFirst())
    let isCompared = scorecard.isReadable && !treatments.isEmpty
    var heads =
      [#"<th scope="col" class="t">Metric</th>"#] + scorecard.arms.map { #"<th scope="col">\#(htmlEscaped($0))</th>"# }
    if isCompared {
      heads += treatments.flatMap { treatment -> [String] in
        let name = treatments.count == 1 ? "Difference" : "\(treatment) less \(scorecard.arms[0])"
        return [
          #"<th scope="col">\#(htmlEscaped(name))</th>"#, #"<th scope="col" class="g">− 0 +</th>"#,
          #"<th scope="col" class="t">Reading</th>"#,
        ]
      }
    }
    var lines = ["<table>", "<thead><tr>\(heads.joined())</tr></thead>", "<tbody>"]
    for row in scorecard.rows {
      let role = "<small>\(row.role.readerName) \(row.arrow)</small>"
      var cells = ["<th scope=\"row\" class=\"t\">\(htmlEscaped(row.name)) \(role)</th>"]
      cells += row.values.map { "<td>\(htmlEscaped($0))</td>" }
      if isCompared {
        for cell in row.cells {
          let bounds = cell.bounds.map { " <small>(\(htmlEscaped($0))\(cell.isOneLook ? "¹" : ""))</small>" } ?? ""
          cells.append("<td><b>\(htmlEscaped(cell.difference ?? undefinedMark))</b>\(bounds)</td>")
          cells.append("<td class=\"g\">\(bar(cell, row))</td>")
          cells.append("<td class=\"t \(cell.tone.rawValue)\">\(htmlEscaped(cell.reading))</td>")
        }
      }
      lines.append("<tr>\(cells.joined())</tr>")
    }
    return lines + ["</tbody>", "</table>"]
  }

  /// Returns the difference with its interval; an arrow marks an end beyond the chart.
  private func bar(_ cell: Scorecard.Cell, _ row: Scorecard.Row) -> String {
    guard let value = cell.value, value.isFinite else { return "" }
    let (width, middle) = (130.0, 8.0)
    let reach = scorecard.reach(row.unit) * 1.05
    func x(_ value: Double) -> Double { 4 + (min(max(value, -reach), reach) + reach) / (2 * reach) * (width - 8) }
    var marks = SVGMarks()
    if let margin = row.margin, margin < reach {
      marks.rect(x: x(-margin), y: 0, width: x(margin) - x(-margin), height: 16, class: "margin")
    }
    marks.line(x(0), 0, x(0), 16, class: "axis")
    if let interval = cell.interval {
      let (low, high) = (x(interval.lowerBound), x(interval.upperBound))
      marks.line(low, middle, high, middle, class: "whisker \(cell.tone.rawValue)")
      for (end, isPast, step) in [
        (low, interval.lowerBound < -reach, 4.0), (high, interval.upperBound > reach, -4.0),
      ] {
        if isPast {
          marks.path(
            [(end + step, middle - 4), (end, middle), (end + step, middle + 4)], class: "whisker \(cell.tone.rawValue)")
        } else {
          marks.line(end, middle - 4, end, middle + 4, class: "whisker \(cell.tone.rawValue)")
        }
      }
    }
    marks.circle(x: x(value), y: middle, radius: 3.5, class: "dot \(cell.tone.rawValue)")
    return
      #"<svg class="chart" aria-hidden="true" viewBox="0 0 \#(svgNumber(width)) 16" width="\#(svgNumber(width))" height="16">"#
      + marks.lines.joined() + "</svg>"
  }

  // MARK: Course

  /// The difference and its interval by day, with a line at 0 and the margin shaded.
  private var courseChart: [String]? {
    let points = coursePoints(readout)
    guard let primary = readout.primary, points.count > 1 else { return nil }
    let (width, bottom, left) = (680.0, 104.0, 52.0)
    let widths = points.compactMap(\.interval).map { $0.high - $0.low }.sorted()
    // The wide intervals of the first days would flatten all others.
    let limit = widths.isEmpty ? 0 : widths[(widths.count - 1) * 3 / 4] * 1.2
    let shown = points.compactMap(\.interval).filter { $0.high - $0.low <= limit }
    let values = points.suffix(max(1, points.count * 3 / 4)).map(\.difference) + shown.flatMap { [$0.low, $0.high] }
    let unit = primary.metric.unit.ofDifferences
    let y = ChartScale(covering: values, hasZero: true, tickCount: 3, ends: (bottom, 6))
    let day = 86_400_000.0
    let x = ChartScale(
      covering: points.map { Double($0.instant) / day }, hasZero: false, tickCount: 7, ends: (left, width - 10))
    var marks = SVGMarks()
    let margin = readout.plan.margin ?? primary.arms.first?.estimate.map { abs($0) * readout.plan.sameLift }
    if let margin {
      marks.rect(
        x: left, y: y.place(margin), width: width - 10 - left, height: y.place(-margin) - y.place(margin),
        class: "margin")
    }
    for tick in y.ticks {
      marks.line(left, y.place(tick), width - 10, y.place(tick), class: "grid")
      marks.text(
        unit.text(tick, step: y.step).replacing("-", with: "−"), x: left - 6, y: y.place(tick) + 4, class: "muted end")
    }
    marks.line(left, y.place(0), width - 10, y.place(0), class: "axis")
    let count = points.count
    for step in 0...4 {
      let point = points[(count - 1) * step / 4]
      let anchor = step == 0 ? "muted" : step == 4 ? "muted end" : "muted middle"
      marks.text(dayText(point.instant - 1), x: x.place(Double(point.instant) / day), y: bottom + 15, class: anchor)
    }
    let banded = points.filter { $0.interval != nil }
    let upper = banded.map { (x: x.place(Double($0.instant) / day), y: y.place($0.interval?.high ?? 0)) }
    let lower = banded.map { (x: x.place(Double($0.instant) / day), y: y.place($0.interval?.low ?? 0)) }
    marks.path(upper + lower.reversed(), class: "band s5", isClosed: true)
    marks.path(points.map { (x: x.place(Double($0.instant) / day), y: y.place($0.difference)) }, class: "line l0")
    let text = MetricText(primary)
    let last = points[count - 1]
    let title = "Difference in \(primary.metric.readerName) by day, \(unit.name.isEmpty ? "" : unit.name)"
    return Chart(
      title: title, description: "\(text.change(last.difference, last.interval) ?? "") at the end; grey is the margin",
      width: width, height: bottom + 20, marks: marks.lines
    ).svg(id: "\(id)-course")
  }
}

private let memoStyle = """
  :root { color-scheme: light; }
  * { box-sizing: border-box; }
  body { margin: 0; background: #f4f6f8; color: #15191f; font: 13px/1.4 system-ui, -apple-system, "Segoe UI", Roboto,
    "Noto Sans", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
  .memo { max-width: 780px; margin: 24px auto; padding: 32px 40px; background: #fff; border: 1px solid #d9dfe7; }
  h1 { margin: 0 0 4px; font-size: 20px; line-height: 1.2; }
  h2 { margin: 12px 0 3px; font-size: 13px; line-height: 1.3; }
  p { margin: 0 0 4px; }
  ul { margin: 0; padding: 0; list-style: none; }
  li { margin: 0 0 3px; padding-left: 12px; text-indent: -12px; }
  li::before { content: "– "; color: #566070; }
  small, .small, footer { color: #566070; font-size: 11px; }
  code { font: .95em ui-monospace, "DejaVu Sans Mono", monospace; }
  .banner { margin: 8px 0 4px; padding: 10px 14px; border: 1px solid #9aa5b4; border-left: 8px solid #566070;
    border-radius: 4px; background: #f4f6f8; }
  .banner p { margin: 0 0 3px; font-size: 14px; }
  .banner.good { border-color: #1f7a5c; background: #eef8f3; }
  .banner.bad { border-color: #b23a24; background: #fdf1ee; }
  .banner.warn { border-color: #946200; background: #fdf6e6; }
  table { width: 100%; border-collapse: collapse; }
  th, td { padding: 3px 6px; border-top: 1px solid #d9dfe7; text-align: right; vertical-align: top; }
  th { font-weight: 400; overflow-wrap: break-word; }
  th small { white-space: nowrap; }
  thead th { border-top: 0; color: #566070; }
  th.t, td.t { text-align: left; }
  td { white-space: nowrap; }
  td.t { white-space: normal; }
  .g { text-align: center; }
  td.good { color: #1f7a5c; font-weight: 600; } td.bad { color: #b23a24; font-weight: 600; }
  td .chart { display: inline-block; width: 100px; height: 13px; margin: 0; }
  .chart { margin: 0; }
  .chart .margin { fill: #e3e8ee; }
  .chart .whisker { fill: none; stroke-width: 1.8; stroke: #566070; }
  .chart .whisker.good { stroke: #1f7a5c; } .chart .whisker.bad { stroke: #b23a24; }
  .chart .dot { fill: #566070; } .chart .dot.good { fill: #1f7a5c; } .chart .dot.bad { fill: #b23a24; }
  .two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 24px; }
  .next { font-weight: 600; }
  .sign { display: flex; gap: 16px; margin: 26px 0 4px; }
  .sign span { flex: 1; border-top: 1px solid #9aa5b4; color: #566070; font-size: 11px; }
  footer p { margin: 0; }
  @media screen and (max-width: 700px) {
    .memo { margin: 0; padding: 16px; border: 0; overflow-x: auto; }
    .two { display: block; }
    td { white-space: normal; }
    .g { display: none; }
  }
  @media print {
    @page { margin: 14mm; }
    body { background: #fff; font-size: 8.6pt; line-height: 1.3; }
    .memo { max-width: none; margin: 0; padding: 0; border: 0; break-after: page; break-inside: avoid; }
    .memo:last-child { break-after: auto; }
    h1 { font-size: 14pt; } h2 { margin-top: 6pt; font-size: 9pt; }
    .banner p { font-size: 9.4pt; }
    small, .small, footer, .sign span { font-size: 7.4pt; }
    th, td { padding: 1.5pt 4pt; }
    td .chart { width: 72px; height: 9px; }
    .sign { margin-top: 16pt; }
    .chart { --c0: #15191f; }
    * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  }
  """
