/// Bars over periods, each a stack of series, with the sum above; what is not whole is hatched.
struct StackedChart {
  var title: String
  var subtitle = ""
  var periods: [ChartPeriod]
  var series: [(name: String, values: [Double])]
  var unit: ChartUnit
  /// Colours of the series; `nil` for those of their names.
  var colors: [Int]?
  /// The heading of the table's first column, such as `Week of`.
  var periodName = "Period"
  /// Periods that the page is about, and what stands above them; on a narrow screen the number alone.
  var highlight: (periods: Range<Int>, text: String, number: String)?
  /// A line before a period, with its label.
  var mark: (period: Int, text: String)?
  /// The sums of the days before, by period: pale and dashed.
  var before: [Double?] = []
  /// Dotted lines: where something happened, in periods from the first one's beginning.
  var marks: [(x: Double, text: String)] = []
  var height = 300.0
  /// After each sum, such as `net` above bars of gross amounts.
  var sumName = ""
  var note = ""

  var chart: Chart {
    let hasHead = highlight != nil || mark != nil || !marks.isEmpty
    // Two lines of texts above the bars, where there are both.
    let hasTwo = (highlight != nil || mark != nil) && !marks.isEmpty
    let headline = hasTwo ? 31.0 : 17
    var plot = Plot(height: height, footHeight: periods.contains { $0.note != nil } ? 40 : 24)
    let colors = colors ?? chartColors(series.map(\.name))
    let sums = periods.indices.map { period in
      (
        up: series.reduce(0) { $0 + max(0, $1.values[period]) },
        down: series.reduce(0) { $0 + min(0, $1.values[period]) }
      )
    }
    let scale = ChartScale(
      covering: sums.flatMap { [$0.up, $0.down] } + before.compactMap(\.self),
      ends: (plot.bottom, hasTwo ? 44 : hasHead ? 30 : 18))
    plot.grid(scale, unit)
    let column = 100 / Double(max(1, periods.count))
    plot.marks(marks.map { ($0.x * column, $0.text) }, around: heads(headline, column, in: &plot))
    if let highlight, !highlight.periods.isEmpty {
      let from = Double(highlight.periods.lowerBound) * column
      plot.bar(
        x: from, width: Double(highlight.periods.count) * column, y: 0, height: plot.bottom, class: "facc",
        opacity: 0.06, radius: 4)
    }
    if let mark, mark.period > 0 {
      plot.vertical(x: Double(mark.period) * column, from: 4, to: plot.bottom, class: "mark")
    }
    let isLabelled = periods.count <= 16
    for (place, period) in periods.enumerated() {
      let x = Double(place) * column
      var (up, down) = (0.0, 0.0)
      for (number, one) in series.enumerated() {
        let value = one.values[place]
        if value == 0 { continue }
        let from = value > 0 ? up : down
        let (high, low) = (scale.place(max(from, from + value)), scale.place(min(from, from + value)))
        plot.bar(
          x: x + column * 0.16, width: column * 0.68, y: high, height: max(0.5, low - high - 1), color: colors[number],
          isHatched: period.note != nil)
        if value > 0 { up += value } else { down += value }
      }
      let total = sums[place].up + sums[place].down
      if isLabelled {
        plot.text(
          ChartUnit.text(total, decimals: 0) + (sumName.isEmpty ? "" : " \(sumName)"), x: x + column / 2,
          y: scale.place(sums[place].up) - 6,
          class: periods.count > 6 ? "v halo wideonly" : "v halo")
      }
      if let note = period.note { partText(note, place, column, in: &plot) }
      var lines = ["\(period.title): \(unit.value(total))"]
      if series.count > 1 { lines += series.map { "\($0.name) \(unit.value($0.values[place]))" } }
      if let note = period.note { lines.append(note) }
      if before.indices.contains(place), let value = before[place] { lines.append("before \(unit.value(value))") }
      plot.hit(x: x, width: column, lines)
    }
    plot.line(
      before.enumerated().compactMap { place, value in
        value.map { ((Double(place) + 0.5) * column, scale.place($0)) }
      }, class: "dash s6")
    plot.labels(periods.map(\.label), at: periods.indices.map { (Double($0) + 0.5) * column })
    var chart = Chart(
      title: title, subtitle: subtitle,
      legend: zip(series, colors).map { Chart.Series(name: $0.name, color: $1) },
      plot: plot, label: "\(title), \(series.count > 1 ? "stacked bars" : "bars")")
    let hasAll = series.count > 1
    chart.table = (
      [periodName] + series.map(\.name) + (hasAll ? ["All"] : []) + (before.isEmpty ? [] : ["Before"]),
      periods.indices.map { place in
        [[periods[place].title, periods[place].note.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")]
          + series.map { unit.value($0.values[place]) }
          + (hasAll ? [unit.value(sums[place].up + sums[place].down)] : [])
          + (before.isEmpty ? [] : [before[place].map(unit.value) ?? undefinedMark])
      }
    )
    chart.note = [note, before.contains { $0 != nil } ? "Dashed: the days before." : ""].filter { !$0.isEmpty }
      .joined(separator: " ")
    return chart
  }

  /// The heads above the periods of the page, and above those before them: beside each other, and within the
  /// plot.
  private func heads(_ y: Double, _ column: Double, in plot: inout Plot) -> [Plot.Room] {
    var end = 100.0
    var rooms: [Plot.Room] = []
    func room(_ from: Double, _ text: String) -> Plot.Room {
      (from - 0.5...from + chartTextWidth(text) / 5, y - 12...y + 4)
    }
    if let highlight, !highlight.periods.isEmpty {
      let from = Double(highlight.periods.lowerBound) * column + 1
      let text = "\(highlight.text): \(highlight.number)"
      end = from
      // A wide plot has at least 5 pixels in a per cent, a narrow one 2.7. A text wider than its bars would name others.
      let width = Double(highlight.periods.count) * column - 1
      if chartTextWidth(text) / 5 <= width {
        plot.text(text, x: from, y: y, class: "l halo wideonly", .start)
        rooms.append(room(from, text))
      }
      if chartTextWidth(highlight.number) / 2.7 <= width {
        plot.text(highlight.number, x: from, y: y, class: "l halo narrowonly", .start)
      }
    }
    guard let mark else { return rooms }
    let from = Double(mark.period) * column + 1
    if from + chartTextWidth(mark.text) / 5 < end {
      plot.text(mark.text, x: from, y: y, class: "l halo wideonly", .start)
      rooms.append(room(from, mark.text))
    }
    return rooms
  }

  /// How much of a period there is, below its bar. Where bars are narrow, that of the first and of the last one goes on
  /// below their neighbours.
  private func partText(_ note: String, _ place: Int, _ column: Double, in plot: inout Plot) {
    let (x, y, last) = (Double(place) * column, plot.bottom + 34, periods.count - 1)
    func draw(_ text: String, _ name: String, mostBars: Int) {
      if periods.count <= mostBars {
        plot.text(text, x: x + column / 2, y: y, class: name)
      } else if place == 0 || place == last {
        plot.text(text, x: place == 0 ? 0 : 100, y: y, class: name, place == 0 ? .start : .end)
      }
    }
    draw(note, "wideonly", mostBars: 16)
    draw(note.replacing(" of ", with: "/").replacing(" days", with: " d"), "narrowonly", mostBars: 5)
  }
}
