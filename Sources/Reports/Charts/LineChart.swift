/// Lines over days or a similar axis, with bands for intervals: survival, incidence, an effect over time.
struct LineChart {
  struct Point {
    var x: Double
    var y: Double
    var bounds: ClosedRange<Double>?
  }

  struct Line {
    var name: String
    var points: [Point]
    /// Returns the number at risk under a tick of the axis; `nil` for no number.
    var atRisk: (Double) -> Int? = { _ in nil }
  }

  var title: String
  var lines: [Line]
  var unit: ChartUnit
  /// The meaning of the x axis, such as `days since the first payment`.
  var xName: String
  /// Returns the label of a tick.
  var xText: (Double, _ step: Double) -> String = { ChartUnit.days.text($0, step: $1) }
  /// The positions of the ticks, ascending; `nil` for round ones. Ticks that would overlap the previous one are
  /// omitted.
  var xTicks: [Double]?
  /// Whether a value holds until the next one.
  var isStep = false
  /// The range that the y axis must show if a few bands are far wider than the others, which are cut off; `nil` for all
  /// bands.
  var yFocus: ClosedRange<Double>?
  /// The position of a line across the chart, such as 0 for an effect.
  var reference: Double?
  var showsAtRisk = false

  private static let plotHeight = 230.0

  var chart: Chart {
    var marks = SVGMarks()
    let width = 720.0
    let names = lines.map(\.name)
    let top = marks.legend(names, x: 56, y: 4, width: width - 56) + 10
    let bottom = top + Self.plotHeight
    var values = lines.flatMap(\.points).flatMap { [$0.y, $0.bounds?.lowerBound, $0.bounds?.upperBound] }
      .compactMap(\.self)
    if let yFocus { values = [yFocus.lowerBound, yFocus.upperBound] }
    if let reference { values.append(reference) }
    let y = ChartScale(
      covering: values, hasZero: unit == .share || reference != nil,
      limit: unit == .share ? 0...1 : -.infinity ... .infinity, ends: (bottom, top))
    let left = max(
      (y.ticks.map { chartTextWidth(unit.text($0, step: y.step)) }.max() ?? 0) + 12,
      showsAtRisk ? (names.map { chartTextWidth(chartLabel($0, characters: 18)) }.max() ?? 0) + 14 : 0)
    let x = ChartScale(covering: lines.flatMap(\.points).map(\.x), tickCount: 8, ends: (left, width - 16))
    for tick in y.ticks {
      marks.line(left, y.place(tick), width - 16, y.place(tick), class: "grid")
      marks.text(unit.text(tick, step: y.step), x: left - 8, y: y.place(tick) + 4, class: "muted end")
    }
    if let reference { marks.line(left, y.place(reference), width - 16, y.place(reference), class: "axis") }
    marks.line(left, bottom, width - 16, bottom, class: "axis")
    let xTicks = self.xTicks.map { thinned($0, x) } ?? x.ticks
    for tick in xTicks {
      marks.line(x.place(tick), bottom, x.place(tick), bottom + 4, class: "axis")
      marks.text(xText(tick, x.step), x: x.place(tick), y: bottom + 17, class: "muted middle")
    }
    marks.text(xName, x: width - 16, y: bottom + 33, class: "muted end")
    for (series, line) in lines.enumerated() { draw(line, series, x, y, in: &marks) }
    var height = bottom + 40
    if showsAtRisk {
      marks.text("at risk", x: left - 10, y: bottom + 33, class: "muted end")
      for (series, line) in lines.enumerated() {
        let row = bottom + 51 + Double(series) * 16
        marks.text(chartLabel(line.name, characters: 18), x: left - 10, y: row, class: "end")
        for tick in xTicks {
          if let count = line.atRisk(tick) {
            marks.text(ChartUnit.text(Double(count), decimals: 0), x: x.place(tick), y: row, class: "muted middle")
          }
        }
      }
      height += Double(lines.count) * 16
    }
    return Chart(
      title: title, description: lines.map { describe($0, x) }.joined(separator: "; "), width: width, height: height,
      marks: marks.lines)
  }

  private func draw(_ line: Line, _ series: Int, _ x: ChartScale, _ y: ChartScale, in marks: inout SVGMarks) {
    func steps(_ values: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
      values.enumerated().flatMap { place, value in
        let before = isStep && place > 0 ? [(x: x.place(value.x), y: y.place(values[place - 1].y))] : []
        return before + [(x: x.place(value.x), y: y.place(value.y))]
      }
    }
    // A band ends where an interval is undefined.
    var run: [(x: Double, bounds: ClosedRange<Double>)] = []
    func band() {
      let upper = steps(run.map { ($0.x, $0.bounds.upperBound) })
      let lower = steps(run.map { ($0.x, $0.bounds.lowerBound) })
      marks.path(upper + lower.reversed(), class: "band s\(series)", isClosed: true)
      run = []
    }
    for point in line.points {
      if let bounds = point.bounds { run.append((point.x, bounds)) } else { band() }
    }
    band()
    marks.path(steps(line.points.map { ($0.x, $0.y) }), class: "line l\(series)")
    if line.points.count == 1, let point = line.points.first {
      marks.circle(x: x.place(point.x), y: y.place(point.y), radius: 4, class: "dot s\(series)")
    }
  }

  /// Returns the ticks whose labels, and the counts below them, do not overlap.
  private func thinned(_ ticks: [Double], _ x: ChartScale) -> [Double] {
    var kept: [Double] = []
    var end = -Double.infinity
    for tick in ticks {
      let counts =
        showsAtRisk ? lines.compactMap { $0.atRisk(tick) }.map { ChartUnit.text(Double($0), decimals: 0) } : []
      let half = ((counts + [xText(tick, x.step)]).map(chartTextWidth).max() ?? 0) / 2
      if x.place(tick) - half < end + 4 { continue }
      kept.append(tick)
      end = x.place(tick) + half
    }
    return kept
  }

  private func describe(_ line: Line, _ x: ChartScale) -> String {
    guard let last = line.points.last else { return "\(line.name): nothing to show" }
    let name = line.name.isEmpty ? "" : "\(line.name): "
    return "\(name)\(unit.text(last.y, step: 0.001)) at \(xText(last.x, x.step))"
  }
}
