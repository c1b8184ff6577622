import Metrics

/// The scorecard: every metric that helps to decide, with all variants.
extension ExperimentPage {
  var scores: Markup {
    let treatments = Array(scorecard.arms.dropFirst())
    let isCompared = scorecard.isReadable && !treatments.isEmpty
    // The control is grey, whatever its name.
    let colors = [0] + chartColors(treatments, order: readout.variantOrder)
    let keys = zip(scorecard.arms, colors).map { arm, color -> Markup in
      let users = readout.arms.first { visible($0.variant) == arm }.map { " \(countText($0.persons))" } ?? ""
      return """
        <span><svg class="key" aria-hidden="true"><rect class="f\(color)" width="11" height="11" rx="2"/></svg>\
        <bdi>\(arm)</bdi>\(users)</span>
        """
    }
    let notes =
      (scorecard.notes(readout, countsOmitted: false, rest: "below, at every number")
      + [scorecard.noteOnP, scorecard.noteOnEnds, scorecard.noteOnMargin].compactMap(\.self)).joined(separator: " ")
    return pageCard(
      "Scorecard",
      subtitle: isCompared
        ? "\(treatments.count == 1 ? treatments[0] : "each variant") minus \(scorecard.arms[0]); green is better, red worse, "
          + "grey may be chance"
        : "do not compare the variants",
      aside: #"<p class="legend">\#(keys)</p>"#, id: "score-\(identifier)",
      """
      <div class="scroll" tabindex="0" role="group" aria-label="Scorecard">\(scoreTable)</div>\
      <p class="note">\(notes)</p>\(funnelNote)
      """)
  }

  /// The reason why the funnel has other shares of payers; empty for another goal.
  private var funnelNote: Markup {
    guard readout.primary?.metric.name == "paid" else { return "" }
    let funnel = linked("funnel", to: links.report("funnel", [("app", readout.app)]))
    return """
      <p class="note">The \(funnel) shows different shares of payers. It counts from the first paywall of any kind until the \
      trial and its grace are over; this test counts for \(fixed(readout.schedule.horizonDays, 0)) days from the first \
      exposure.</p>
      """
  }

  /// The scorecard's table, also of the memo: a row for each metric or, with several treatments, for each metric and
  /// treatment.
  var scoreTable: Markup {
    let treatments = Array(scorecard.arms.dropFirst())
    let isCompared = scorecard.isReadable && !treatments.isEmpty
    if isCompared, treatments.count > 1 { return treatmentTable(treatments) }
    var heads: [Markup] = [#"<th scope="col" class="t">Metric</th>"#]
    heads += scorecard.arms.map { "<th scope=\"col\">\(shortName($0))</th>" }
    if isCompared {
      heads += [
        #"<th scope="col" class="g">worse · 0 · better</th>"#, #"<th scope="col">Difference</th>"#,
        #"<th scope="col" class="t">Reading</th>"#,
      ]
    }
    var lines: [Markup] = []
    var role: MetricRole?
    for row in scorecard.rows {
      if row.role != role, isCompared {
        role = row.role
        lines.append(
          "<tr class=\"group\"><th colspan=\"\(heads.count)\" scope=\"rowgroup\">\(row.role.heading) <span>\(row.role.purpose)</span>\(Self.ends)</th></tr>\n"
        )
      }
      var cells: [Markup] = ["<th scope=\"row\">\(name(of: row, isCompared: isCompared))</th>"]
      cells += zip(scorecard.arms, row.values).map { "<td data-h=\"\(cutName($0))\">\($1)</td>" }
      if isCompared, let cell = row.cells.first { cells += compared(cell, row) }
      lines.append("<tr>\(cells)</tr>\n")
    }
    return """
      <table class="cards-sm"><thead><tr>\(heads)</tr></thead><tbody>
      \(lines)</tbody></table>
      """
  }

  private func treatmentTable(_ treatments: [String]) -> Markup {
    var lines: [Markup] = []
    for row in scorecard.rows {
      let control = row.values.first.map { ", \(scorecard.arms[0]) \($0)" } ?? ""
      lines.append(
        """
        <tr class="group"><th colspan="5" scope="rowgroup">\(name(of: row, isCompared: true)) \
        <span>\(row.role.readerName)\(control)</span>\(Self.ends)</th></tr>

        """)
      for ((treatment, value), cell) in zip(zip(treatments, row.values.dropFirst()), row.cells) {
        lines.append(
          "<tr><th scope=\"row\">\(shortName(treatment))</th><td>\(value)</td>\(compared(cell, row))</tr>\n")
      }
    }
    return """
      <table class="cards-sm arms"><thead><tr><th scope="col" class="t">Variant</th><th scope="col">Value</th>\
      <th scope="col" class="g">worse · 0 · better</th><th scope="col">Difference</th>\
      <th scope="col" class="t">Reading</th></tr></thead><tbody>
      \(lines)</tbody></table>
      """
  }

  /// The ends of the bars on a phone, whose cards have no heads.
  private static let ends: Markup =
    #"<div class="ends narrowonly" aria-hidden="true"><span>worse</span><span>0</span><span>better</span></div>"#

  private func name(of row: Scorecard.Row, isCompared: Bool) -> Markup {
    let arrow: Markup =
      row.arrow.isEmpty || !isCompared ? "" : " <small class=\"muted\">\(row.arrow) better</small>"
    return "\(row.name.capitalizedFirst)\(arrow)"
  }

  /// Returns the bar, the difference and the reading.
  private func compared(_ cell: Scorecard.Cell, _ row: Scorecard.Row) -> [Markup] {
    let reach = scorecard.barEnd(row)
    // Better is at the right, whichever way is good.
    let bar: Markup =
      cell.value.map { value in
        let sign = row.arrow == "↓" ? -1.0 : 1
        let interval = cell.interval.map { interval in
          sign < 0 ? -interval.upperBound...(-interval.lowerBound) : interval
        }
        return intervalBar(value * sign, interval, ends: -reach...reach, tone: cell.tone.rawValue, margin: row.margin)
      } ?? ""
    let tone: Markup = cell.tone == .calm ? "" : " class=\"\(cell.tone.rawValue)\""
    let bounds: Markup = cell.bounds.map { "<small>\($0)\(cell.isOneLook ? "¹" : "")</small>" } ?? ""
    // A predicted difference is a range alone.
    let difference: Markup =
      cell.difference == nil && cell.bounds != nil ? "" : "<b\(tone)>\(cell.difference ?? undefinedMark)</b>"
    let gap: Markup = difference.text.isEmpty || bounds.text.isEmpty ? "" : "<br>"
    let reading: Markup =
      cell.tone == .calm ? "\(cell.reading.capitalizedFirst)" : "<b>\(cell.reading.capitalizedFirst)</b>"
    return [
      "<td class=\"g\" aria-hidden=\"true\">\(bar)</td>",
      "<td class=\"nw dif\">\(difference)\(gap)\(bounds)</td>",
      "<td class=\"t own\">\(reading)</td>",
    ]
  }

  /// Of letters, digits and hyphens, for ids.
  private var identifier: String {
    "\(readout.app)-\(readout.experiment)".unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) ? "\(scalar)" : "-"
    }.joined()
  }
}

extension MetricRole {
  var heading: String {
    switch self {
    case .goal: "Goal"
    case .money: "Money"
    case .longTerm: "Long term"
    case .guardrail: "Guardrails"
    case .secondary: "Secondary"
    }
  }

  fileprivate var purpose: String {
    switch self {
    case .goal: "decides"
    case .money: "blocks the goal if it falls"
    case .longTerm: "expected later"
    case .guardrail: "must not get worse"
    case .secondary: "explains"
    }
  }
}
