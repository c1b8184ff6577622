/// Groups of bars from 0, one bar per series: the steps of a funnel by variant.
struct BarChart {
  struct Bar {
    var series: Int
    /// The value; `nil` if undefined.
    var value: Double?
    var bounds: ClosedRange<Double>?
    /// The value as text after the bar.
    var text: String
  }

  var title: String
  var series: [String]
  var groups: [(name: String, bars: [Bar])]
  var unit: ChartUnit

  private static let barHeight = 15.0
  private static let gap = 12.0

  var chart: Chart {
    let left = (groups.map { chartTextWidth($0.name) }.max() ?? 0) + 12
    let texts = groups.flatMap(\.bars).map { chartTextWidth($0.text) }.max() ?? 0
    let width = max(560, left + texts + 320)
    var marks = SVGMarks()
    let top = marks.legend(series, x: left, y: 4, width: width - left) + 4
    let values = groups.flatMap(\.bars).flatMap { [$0.value, $0.bounds?.upperBound] }.compactMap(\.self)
    let scale = ChartScale(covering: values, tickCount: 5, ends: (left, width - texts - 12))
    let bottom = top + groups.reduce(0) { $0 + Double($1.bars.count) * Self.barHeight + Self.gap }
    for tick in scale.ticks {
      marks.line(scale.place(tick), top, scale.place(tick), bottom, class: tick == 0 ? "axis" : "grid")
      marks.text(unit.text(tick, step: scale.step), x: scale.place(tick), y: bottom + 14, class: "muted middle")
    }
    var y = top + Self.gap / 2
    for group in groups {
      let height = Double(group.bars.count) * Self.barHeight
      marks.text(group.name, x: left - 10, y: y + height / 2 + 4, class: "end")
      for bar in group.bars {
        let end = bar.value.map { scale.place(max(0, $0)) } ?? left
        marks.rect(x: left, y: y + 1.5, width: end - left, height: Self.barHeight - 3, class: "s\(bar.series)")
        var textAt = end
        if let bounds = bar.bounds {
          let (low, high) = (scale.place(bounds.lowerBound), scale.place(bounds.upperBound))
          marks.line(low, y + Self.barHeight / 2, high, y + Self.barHeight / 2, class: "axis")
          textAt = max(textAt, high)
        }
        marks.text(bar.text, x: textAt + 6, y: y + Self.barHeight - 3.5)
        y += Self.barHeight
      }
      y += Self.gap
    }
    let description = groups.map { group in
      let bars = group.bars.map { bar in
        (series.count > 1 ? "\(series[bar.series]) " : "") + bar.text
      }
      return "\(group.name): \(bars.joined(separator: ", "))"
    }
    return Chart(
      title: title, description: description.joined(separator: "; "), width: width, height: bottom + 20,
      marks: marks.lines)
  }
}
