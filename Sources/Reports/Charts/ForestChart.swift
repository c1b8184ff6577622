/// Values with their intervals on one axis, one line each, to show differences and their uncertainty.
struct ForestChart {
  struct Row {
    var label: String
    /// The value; `nil` if undefined.
    var value: Double?
    var bounds: ClosedRange<Double>?
    /// The value as text, at the right.
    var text: String
    /// The series that sets the colour.
    var series = 0
    /// Whether a line separates the row from the previous one.
    var isFirstOfGroup = false
  }

  var title: String
  var rows: [Row]
  var unit: ChartUnit
  /// The position of a line through all rows; 0 for differences.
  var reference: Double?

  private static let rowHeight = 24.0

  var chart: Chart {
    let labels = rows.map { chartLabel($0.label, characters: 44) }
    let left = (labels.map(chartTextWidth).max() ?? 0) + 12
    let right = (rows.map { chartTextWidth($0.text) }.max() ?? 0) + 14
    let width = max(560, left + right + 280)
    let top = 8.0
    let bottom = top + Double(rows.count) * Self.rowHeight
    var values = rows.flatMap { [$0.value, $0.bounds?.lowerBound, $0.bounds?.upperBound] }.compactMap(\.self)
    if let reference { values.append(reference) }
    let scale = ChartScale(covering: values, hasZero: unit == .share, tickCount: 5, ends: (left, width - right))
    var marks = SVGMarks()
    for tick in scale.ticks {
      marks.line(scale.place(tick), top, scale.place(tick), bottom, class: "grid")
      marks.text(unit.text(tick, step: scale.step), x: scale.place(tick), y: bottom + 16, class: "muted middle")
    }
    if let reference { marks.line(scale.place(reference), top, scale.place(reference), bottom, class: "axis") }
    for (place, row) in rows.enumerated() {
      let middle = top + (Double(place) + 0.5) * Self.rowHeight
      if row.isFirstOfGroup, place > 0 {
        marks.line(0, middle - Self.rowHeight / 2, width, middle - Self.rowHeight / 2, class: "grid")
      }
      marks.text(labels[place], x: left - 10, y: middle + 4, class: "end")
      if let bounds = row.bounds {
        marks.line(
          scale.place(bounds.lowerBound), middle, scale.place(bounds.upperBound), middle, class: "line l\(row.series)")
      }
      if let value = row.value {
        marks.circle(x: scale.place(value), y: middle, radius: 4.5, class: "dot s\(row.series)")
      }
      marks.text(row.text, x: width, y: middle + 4, class: "end")
    }
    marks.text(unit.name, x: width - right, y: bottom + 32, class: "muted end")
    return Chart(
      title: title, description: rows.map { "\($0.label): \($0.text)" }.joined(separator: "; "), width: width,
      height: bottom + 38, marks: marks.lines)
  }
}
