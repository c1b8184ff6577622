/// Bars over periods, each a stack of series.
struct StackedChart {
  var title: String
  var periods: [String]
  var series: [(name: String, values: [Double])]
  var unit: ChartUnit

  private static let plotHeight = 180.0

  var chart: Chart {
    var marks = SVGMarks()
    // The width that the periods need.
    let width = min(720, max(300, 60 + Double(periods.count) * 64))
    let top = marks.legend(series.map(\.name), x: 56, y: 4, width: width - 56) + 10
    let bottom = top + Self.plotHeight
    let sums = periods.indices.map { period in
      (
        up: series.reduce(0) { $0 + max(0, $1.values[period]) },
        down: series.reduce(0) { $0 + min(0, $1.values[period]) }
      )
    }
    let scale = ChartScale(covering: sums.flatMap { [$0.up, $0.down] }, ends: (bottom, top))
    let left = (scale.ticks.map { chartTextWidth(unit.text($0, step: scale.step)) }.max() ?? 0) + 12
    for tick in scale.ticks {
      marks.line(left, scale.place(tick), width, scale.place(tick), class: tick == 0 ? "axis" : "grid")
      marks.text(unit.text(tick, step: scale.step), x: left - 8, y: scale.place(tick) + 4, class: "muted end")
    }
    let column = (width - left) / Double(max(1, periods.count))
    // The distance between labels that fit.
    let every = max(1, Int(((periods.map(chartTextWidth).max() ?? 0) + 10) / column + 1))
    for (period, name) in periods.enumerated() {
      let x = left + Double(period) * column
      var (up, down) = (0.0, 0.0)
      for (place, one) in series.enumerated() {
        let value = one.values[period]
        if value == 0 { continue }
        let from = value > 0 ? up : down
        let (high, low) = (scale.place(max(from, from + value)), scale.place(min(from, from + value)))
        marks.rect(
          x: x + column * 0.1, y: high, width: column * 0.8, height: low - high, class: "s\(place)")
        if value > 0 { up += value } else { down += value }
      }
      if period % every == 0 { marks.text(name, x: x + column / 2, y: bottom + 16, class: "muted middle") }
    }
    marks.text(unit.name, x: left, y: bottom + 32, class: "muted")
    let description = periods.indices.map { period in
      "\(periods[period]) \(unit.text(sums[period].up + sums[period].down, step: scale.step / 100))"
    }
    return Chart(
      title: title, description: description.joined(separator: ", "), width: width, height: bottom + 38,
      marks: marks.lines)
  }
}
