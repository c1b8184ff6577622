/// A word-sized line that shows how a number changed.
struct Sparkline {
  var title: String
  var values: [Double]
  var unit: ChartUnit

  var chart: Chart {
    let (width, height) = (140.0, 28.0)
    var marks = SVGMarks()
    let y = ChartScale(covering: values, hasZero: false, ends: (height - 4, 4))
    let step = (width - 8) / Double(max(1, values.count - 1))
    let points = values.enumerated().map { (x: 4 + Double($0.offset) * step, y: y.place($0.element)) }
    marks.path(points, class: "line l0")
    if let last = points.last { marks.circle(x: last.x, y: last.y, radius: 3, class: "dot s0") }
    let (first, last) = (values.first ?? 0, values.last ?? 0)
    return Chart(
      title: title,
      description: "from \(unit.text(first, step: y.step / 10)) to \(unit.text(last, step: y.step / 10))", width: width,
      height: height, marks: marks.lines)
  }
}
