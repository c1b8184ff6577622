/// Values with their intervals, a row each: what differs, and how sure that is.
struct IntervalTable {
  struct Row {
    var label: String
    /// `nil` for one that is not defined.
    var value: Double?
    var bounds: ClosedRange<Double>?
    /// As digits, at the right.
    var text: String
    /// A series; `nil` for grey.
    var color: Int?
    /// Such as `23 can still pay`, of a period whose value can change.
    var open: String?
  }

  var title: String
  var subtitle = ""
  var rowName = ""
  var rows: [Row]
  var unit: ChartUnit
  /// Whether the axis has 0, and a line there.
  var hasZero = true

  var chart: Chart {
    let known = rows.flatMap { [$0.value, $0.bounds?.lowerBound, $0.bounds?.upperBound] }.compactMap(\.self)
    let scale = ChartScale(covering: known, hasZero: hasZero, tickCount: 4, ends: (0, 100))
    let ends = scale.domain
    let step = scale.step
    let lines = rows.map { row -> Markup in
      let bar: Markup =
        row.value.map {
          intervalBar(
            $0, row.bounds, ends: ends, tone: row.color.map(String.init) ?? "calm", reference: hasZero ? 0 : nil,
            isOpen: row.open != nil)
        } ?? ""
      return """
        <tr><th scope="row"><bdi>\(row.label)</bdi></th><td class="g" aria-hidden="true">\(bar)</td>\
        <td class="nw">\(row.text)\(row.open.map { " <small>\($0)</small>" as Markup } ?? "")</td></tr>

        """
    }
    let (low, high) = (unit.text(ends.lowerBound, step: step), unit.text(ends.upperBound, step: step))
    var chart = Chart(
      title: title, subtitle: subtitle,
      figure: """
        <div class="scroll" tabindex="0" role="group" aria-label="\(title)"><table class="intervals"><thead><tr>\
        \(rowName.isEmpty ? #"<td class="t"></td>"# : #"<th scope="col" class="t">\#(rowName)</th>"# as Markup)<th scope="col" class="g"><span class="ends"><span>\(low)</span> <span>\(high)</span></span></th><th scope="col">95% interval</th>\
        </tr></thead><tbody>
        \(lines)</tbody></table></div>
        """)
    chart.isTall = false
    return chart
  }
}
