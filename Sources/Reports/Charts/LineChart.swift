/// Lines over days or weeks, with bands for intervals: survival, a rate over time, an effect by day.
struct LineChart {
  struct Point {
    var x: Double
    var y: Double
    var bounds: ClosedRange<Double>?
    /// Beside its value, such as `120 of 830`.
    var note: String?
    /// Whether nothing that is still to come can change it; else it is grey and open, and its line dashed.
    var isSettled = true
    /// Such as `15 of 31 days`, of a period that is not whole: its point is open.
    var part: String?
  }

  struct Line {
    var name: String
    var points: [Point]
  }

  var title: String
  var subtitle = ""
  var lines: [Line]
  /// All variants by first exposure, for the colours.
  var order: [String] = []
  /// Of a single line without an order.
  var color = 1
  var unit: ChartUnit
  /// The text of an x value, for labels and points.
  var xText: (Double) -> String
  /// Where the axis has labels, ascending; `nil` for every point.
  var xTicks: [Double]?
  /// The heading of the table's first column.
  var xName: String
  /// The range of the axis; bands that are far wider than the others are cut off.
  var yFocus: ClosedRange<Double>?
  /// The position of a line across the chart, such as 0 for an effect.
  var reference: Double?
  /// The points of the days before, if the chart has a single line: pale and dashed.
  var before: [Point] = []
  /// Whether points are drawn, and not only lines.
  var hasDots = false
  /// Whether each point stands alone with its interval, as differences do.
  var isOfIntervals = false
  /// From where on nothing is settled.
  var openFrom: Double?
  /// Dotted lines: where something happened.
  var marks: [(x: Double, text: String)] = []
  var height = 300.0
  /// About how wide the plot is on a wide screen, for the labels below it; pixels.
  var width = 460.0
  var note = ""

  var chart: Chart {
    if lines.allSatisfy(\.points.isEmpty) {
      return Chart(title: title, subtitle: subtitle, figure: #"<p class="soft">Nothing is known yet.</p>"#)
    }
    var plot = Plot(height: height)
    let top = marks.isEmpty ? 14.0 : 24.0
    var values = lines.flatMap(\.points).flatMap { [$0.y, $0.bounds?.lowerBound, $0.bounds?.upperBound] }
      .compactMap(\.self)
    values += before.map(\.y)
    if let yFocus { values = [yFocus.lowerBound, yFocus.upperBound] }
    if let reference { values.append(reference) }
    // Lines near the top begin above 0, and say so.
    let lowest = values.min() ?? 0
    let isCut = unit == .share && reference == nil && lowest > 0.5
    let y = ChartScale(
      covering: values + (isCut ? [1] : []), hasZero: !isCut && (unit == .share || reference != nil),
      limit: unit == .share ? 0...1 : -.infinity ... .infinity, tickCount: height < 150 ? 2 : 5,
      ends: (plot.bottom, top))
    plot.grid(y, unit)
    let xs = Array(Set(lines.flatMap(\.points).map(\.x))).sorted()
    let (first, last) = (xs.first ?? 0, xs.last ?? 1)
    // Dots need room at both ends.
    let inset = hasDots && xs.count > 1 ? min(5, 50 / Double(xs.count)) : 0
    func place(_ x: Double) -> Double {
      inset + (last > first ? (x - first) / (last - first) : 0.5) * (100 - 2 * inset)
    }
    var rooms: [Plot.Room] = []
    if let openFrom {
      let half = xs.count > 1 ? (50 - inset) / Double(xs.count - 1) : 50
      let x = max(0, place(openFrom) - half)
      plot.bar(x: x, width: 100 - x, y: top, height: plot.bottom - top, class: "", fill: "url(#kn)")
      let (isNarrow, text, y) = (x > 60, "too recent to count", plot.bottom - 11)
      // About 2.5 pixels in a per cent of a plot beside another.
      let room = chartTextWidth(text) / 2.5
      rooms = [(isNarrow ? 100 - room...100 : x...x + room, y - 14...y + 5)]
      plot.text(text, x: isNarrow ? 100 : x + 1, y: y, class: "l halo", isNarrow ? .end : .start)
    }
    plot.marks(marks.filter { (first...last).contains($0.x) }.map { (place($0.x), $0.text) }, around: rooms)
    plot.line(before.map { (place($0.x), y.place($0.y)) }, class: "pale s\(color)")
    let colors = lines.count == 1 && order.isEmpty ? [color] : chartColors(lines.map(\.name), order: order)
    for (line, color) in zip(lines, colors) { draw(line, color, place, y, in: &plot) }
    let (above, below) = beyond(y)
    for point in firsts(above, of: xs) { plot.text("▲", x: place(point.x), y: top + 10, class: "v halo") }
    for point in firsts(below, of: xs) { plot.text("▼", x: place(point.x), y: plot.bottom - 4, class: "v halo") }
    let width = xs.count > 1 ? (100 - 2 * inset) / Double(xs.count - 1) : 100
    for x in xs {
      let left = max(0, place(x) - width / 2)
      plot.hit(x: left, width: min(width, 100 - left), texts(at: x))
    }
    if let reference, reference == 0 { plot.horizontal(0, 100, y: y.place(0), class: "zero") }
    let ticks = xTicks ?? xs
    plot.labels(ticks.map(xText), at: ticks.map(place), width: self.width)
    var chart = Chart(
      title: title, subtitle: subtitle,
      legend: zip(lines, colors).map { Chart.Series(name: $0.name, color: $1) },
      plot: plot, label: "\(title), \(lines.count == 1 ? "a line" : "lines")")
    chart.table = (
      [xName] + lines.map(\.name) + (before.isEmpty ? [] : ["before"]),
      xs.map { x in
        [xText(x)] + lines.map { line in line.points.first { $0.x == x }.map(text) ?? undefinedMark }
          + (before.isEmpty ? [] : [before.first { $0.x == x }.map(text) ?? undefinedMark])
      }
    )
    let cut = isCut ? "The axis starts at \(unit.text(y.domain.lowerBound, step: y.step))." : ""
    let dashed = before.isEmpty ? "" : "Dashed and pale: the days before."
    chart.note = [note, dashed, cut, beyondText(above, below)].filter { !$0.isEmpty }.joined(separator: " ")
    return chart
  }

  /// Returns the points above and below the ends of the axis.
  private func beyond(_ y: ChartScale) -> (above: [Point], below: [Point]) {
    let points = lines.flatMap(\.points)
    // The ends are rounded.
    let least = y.step / 1_000
    return (
      points.filter { $0.y > y.domain.upperBound + least }, points.filter { $0.y < y.domain.lowerBound - least }
    )
  }

  /// Returns the points that follow no other of these, as marks side by side overlap.
  private func firsts(_ points: [Point], of xs: [Double]) -> [Point] {
    points.filter { point in
      guard let place = xs.firstIndex(of: point.x), place > 0 else { return true }
      return !points.contains { $0.x == xs[place - 1] }
    }
  }

  /// Returns the parts of a line within a chosen range: the scale would draw the rest along its end.
  private func visible(_ points: some Sequence<Point>, _ y: ChartScale) -> [[Point]] {
    let points = Array(points)
    guard yFocus != nil, points.count > 1 else { return [points] }
    let (low, high) = (y.domain.lowerBound, y.domain.upperBound)
    var parts: [[Point]] = []
    for (from, to) in zip(points, points.dropFirst()) where min(from.y, to.y) <= high && max(from.y, to.y) >= low {
      func end(_ point: Point) -> Point {
        let value = min(max(point.y, low), high)
        if value == point.y { return point }
        return Point(x: from.x + (value - from.y) / (to.y - from.y) * (to.x - from.x), y: value)
      }
      if let last = parts.last?.last, last.x == from.x {
        parts[parts.count - 1].append(end(to))
      } else {
        parts.append([end(from), end(to)])
      }
    }
    return parts
  }

  /// Says how far values go on beyond the axis.
  private func beyondText(_ above: [Point], _ below: [Point]) -> String {
    let ends = [("▲", above.max { $0.y < $1.y }), ("▼", below.min { $0.y < $1.y })]
    let texts = ends.compactMap { mark, point in point.map { "\(mark) \(unit.value($0.y)) (\(xText($0.x)))" } }
    return texts.isEmpty ? "" : "Beyond the axis: \(texts.joined(separator: ", "))."
  }

  private func text(_ point: Point) -> String {
    // An interval without width is no estimate, such as that of the first day.
    let bounds = point.bounds.flatMap { $0.lowerBound < $0.upperBound ? $0 : nil }.map { bounds in
      let (low, high) = (unit.value(bounds.lowerBound), unit.value(bounds.upperBound))
      let suffix = unit == .share ? "%" : unit == .points ? " pp" : ""
      return " (\(low.replacing(suffix, with: "")) to \(high.replacing(suffix, with: "")))"
    }
    return unit.value(point.y) + (bounds ?? "")
  }

  private func texts(at x: Double) -> [String] {
    var texts: [String] = []
    for line in lines {
      guard let point = line.points.first(where: { $0.x == x }) else { continue }
      texts.append(lines.count > 1 ? "\(line.name) \(text(point))" : text(point))
      texts += [point.note, point.part].compactMap(\.self)
    }
    if let point = before.first(where: { $0.x == x }) { texts.append("before \(text(point))") }
    return lines.count > 1 || texts.isEmpty ? [xText(x)] + texts : ["\(xText(x)): \(texts[0])"] + texts.dropFirst()
  }

  private func look(of point: Point, _ color: Int) -> String {
    !point.isSettled ? "open s0" : point.part != nil ? "open s\(color)" : "f\(color)"
  }

  private func draw(
    _ line: Line, _ color: Int, _ x: (Double) -> Double, _ y: ChartScale, in plot: inout Plot
  ) {
    if isOfIntervals {
      for point in line.points {
        let color = point.isSettled ? color : 0
        if let bounds = point.bounds {
          let (low, high) = (y.place(bounds.lowerBound), y.place(bounds.upperBound))
          plot.vertical(x: x(point.x), from: high, to: low, class: "ciw s\(color)")
          plot.vertical(x: x(point.x), from: high, to: low, class: "ci s\(color)")
        }
        plot.dot(x: x(point.x), y: y.place(point.y), class: look(of: point, color))
      }
      return
    }
    // A band ends where an interval is not defined.
    var run: [Point] = []
    func band() {
      if run.count == 1, let bounds = run[0].bounds, bounds.lowerBound < bounds.upperBound {
        // A band needs two points.
        let (low, high) = (y.place(bounds.lowerBound), y.place(bounds.upperBound))
        for name in ["ciw", "ci"] { plot.vertical(x: x(run[0].x), from: high, to: low, class: "\(name) s\(color)") }
      }
      let upper = run.map { (x: x($0.x), y: y.place($0.bounds?.upperBound ?? $0.y)) }
      let lower = run.map { (x: x($0.x), y: y.place($0.bounds?.lowerBound ?? $0.y)) }
      plot.area(upper + lower.reversed(), class: "f\(color) band")
      run = []
    }
    for point in line.points {
      if point.bounds != nil, point.isSettled { run.append(point) } else { band() }
    }
    band()
    func places(_ points: some Sequence<Point>) -> [(x: Double, y: Double)] {
      points.map { (x: x($0.x), y: y.place($0.y)) }
    }
    let settled = line.points.prefix { $0.isSettled }
    // From and to what is not whole or not settled the line is dashed.
    let firstWhole = settled.prefix { $0.part != nil }.count
    let whole = settled.dropFirst(firstWhole).prefix { $0.part == nil }
    func stroke(_ points: some Sequence<Point>, class name: String) {
      for part in visible(points, y) { plot.line(places(part), class: name) }
    }
    stroke(line.points.prefix(firstWhole == 0 ? 0 : firstWhole + 1), class: "dash s\(color)")
    stroke(whole, class: "s\(color)")
    let rest = line.points.dropFirst(max(firstWhole, firstWhole + whole.count - 1))
    // Grey, unless lines differ by colour.
    let isOpen = lines.count == 1 && rest.contains { !$0.isSettled }
    stroke(rest, class: "dash s\(isOpen ? 0 : color)")
    if hasDots || line.points.count == 1 {
      for point in line.points {
        plot.dot(x: x(point.x), y: y.place(point.y), class: look(of: point, color))
      }
    }
  }
}
