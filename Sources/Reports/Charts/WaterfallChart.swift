/// The movement from an opening to a closing: one bar per change, starting at the end of the previous one.
struct WaterfallChart {
  enum Step {
    /// A bar from 0.
    case total(name: String, value: Double)
    case change(name: String, value: Double)
  }

  var title: String
  var steps: [Step]
  var unit: ChartUnit

  private static let plotHeight = 180.0
  private static let column = 80.0

  var chart: Chart {
    var level = 0.0
    let bars = steps.map { step -> (name: String, from: Double, to: Double, series: String, text: String) in
      switch step {
      case .total(let name, let value):
        level = value
        return (name, 0, value, "flat", unit.text(value, step: value.magnitude / 1000))
      case .change(let name, let value):
        defer { level += value }
        let sign = value > 0 ? "+" : ""
        return (
          name, level, level + value, value < 0 ? "s1" : "s0", sign + unit.text(value, step: value.magnitude / 1000)
        )
      }
    }
    var marks = SVGMarks()
    let (top, bottom) = (22.0, 22 + Self.plotHeight)
    let scale = ChartScale(covering: bars.flatMap { [$0.from, $0.to] }, ends: (bottom, top))
    let left = (scale.ticks.map { chartTextWidth(unit.text($0, step: scale.step)) }.max() ?? 0) + 12
    let width = left + Double(bars.count) * Self.column
    for tick in scale.ticks {
      marks.line(left, scale.place(tick), width, scale.place(tick), class: tick == 0 ? "axis" : "grid")
      marks.text(unit.text(tick, step: scale.step), x: left - 8, y: scale.place(tick) + 4, class: "muted end")
    }
    for (place, bar) in bars.enumerated() {
      let x = left + Double(place) * Self.column
      let (high, low) = (scale.place(max(bar.from, bar.to)), scale.place(min(bar.from, bar.to)))
      marks.rect(x: x + 14, y: high, width: Self.column - 28, height: max(1, low - high), class: bar.series)
      if place + 1 < bars.count {
        marks.line(
          x + 14, scale.place(bar.to), x + Self.column + 14, scale.place(bar.to), class: "axis")
      }
      marks.text(bar.text, x: x + Self.column / 2, y: high - 5, class: "middle")
      marks.text(bar.name, x: x + Self.column / 2, y: bottom + 18, class: "middle")
    }
    marks.text(unit.name, x: left, y: 12, class: "muted")
    return Chart(
      title: title, description: bars.map { "\($0.name) \($0.text)" }.joined(separator: ", "), width: width,
      height: bottom + 26, marks: marks.lines)
  }
}
