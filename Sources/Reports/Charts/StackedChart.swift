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
    plot.marks(marks.map { ($0.x * column, $0.text) })
    if let highlight, !highlight.periods.isEmpty {
      let from = Double(highlight.periods.lowerBound) * column
      plot.bar(
        x: from, width: Double(highlight.periods.count) * column, y: 0, height: plot.bottom, class: "facc",
        opacity: 0.06, radius: 4)
      plot.text("\(highlight.text): \(highlight.number)", x: from + 1, y: headline, class: "l halo wideonly", .start)
      plot.text(highlight.number, x: from + 1, y: headline, class: "l halo narrowonly", .start)
    }
    if let mark, mark.period > 0 {
      plot.vertical(x: Double(mark.period) * column, from: 4, to: plot.bottom, class: "mark")
    }
    if let mark {
      plot.text(mark.text, x: Double(mark.period) * column + 1, y: headline, class: "l halo wideonly", .start)
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
          ChartUnit.text(total, decimals: 0), x: x + column / 2, y: scale.place(sums[place].up) - 6,
          class: periods.count > 6 ? "v halo wideonly" : "v halo")
      }
      if let note = period.note, periods.count <= 16 {
        plot.text(note, x: x + column / 2, y: plot.bottom + 34, class: "wideonly")
      }
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
}
