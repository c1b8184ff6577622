import Metrics

/// A waterfall with its bars below each other, each under its name and value, which so have room on any screen.
///
/// Colours mean more and less, not better and worse.
struct WaterfallRows {
  var waterfall: WaterfallChart
  /// The headings of the table of values.
  var columns: (name: String, value: String)
  var note = ""

  private static let pitch = 38.0
  /// From the top of a row.
  private static let (textBottom, barTop, barHeight) = (13.0, 19.0, 12.0)
  /// A name of as many characters has room beside a value on a phone.
  private static let mostCharacters = 34

  var chart: Chart {
    let bars = waterfall.bars
    var plot = Plot(height: Double(bars.count) * Self.pitch, footHeight: 0)
    let levels: [Double] = bars.map(\.from) + bars.map(\.to) + [0]
    let (low, high) = (levels.min() ?? 0, levels.max() ?? 0)
    func x(_ value: Double) -> Double { high > low ? (value - low) / (high - low) * 100 : 0 }
    if low < 0 { plot.vertical(x: x(0), from: 0, to: plot.height, class: "ax") }
    for (place, bar) in bars.enumerated() {
      let top = Double(place) * Self.pitch
      let barTop = top + Self.barTop
      let (left, right) = (x(min(bar.from, bar.to)), x(max(bar.from, bar.to)))
      // Small changes stay visible, within the plot.
      let width = bar.value == 0 ? 0 : max(0.4, right - left)
      plot.bar(
        x: min(left, 100 - width), width: width, y: barTop, height: Self.barHeight,
        class: !bar.isChange ? "f0" : bar.value < 0 ? "f5" : "f4", radius: 1.5)
      if place + 1 < bars.count {
        plot.vertical(x: x(bar.to), from: barTop, to: barTop + Self.pitch + Self.barHeight, class: "ax")
      }
      plot.text(
        chartLabel(bar.name, characters: Self.mostCharacters), x: 0, y: top + Self.textBottom, class: "l halo", .start)
      plot.text(text(bar, isExact: false), x: 100, y: top + Self.textBottom, class: "v halo", .end)
      plot.hit(
        x: 0, width: 100, y: top, height: Self.pitch, ["\(bar.name): \(text(bar, isExact: true))"] + bar.notes,
        address: bar.address)
    }
    var chart = Chart(
      title: waterfall.title, subtitle: waterfall.subtitle, plot: plot, label: "\(waterfall.title), one bar per part")
    chart.table = ([columns.name, columns.value], bars.map { [$0.name, text($0, isExact: true)] })
    chart.note = note
    chart.isTall = false
    return chart
  }

  private func text(_ bar: WaterfallChart.Bar, isExact: Bool) -> String {
    waterfall.unit.text(bar.value, isChange: bar.isChange, isExact: isExact)
  }
}

extension ChartUnit {
  /// A value or a change with its unit, such as `27.9%` and `+1.2 pp`.
  ///
  /// - Parameter isExact: Whether it has all digits that a report prints, so that changes add up.
  func text(_ value: Double, isChange: Bool, isExact: Bool) -> String {
    switch self {
    case .share, .points:
      return Self.text(value * 100, decimals: isExact ? 4 : 1, hasPlus: isChange) + (isChange ? " pp" : "%")
    case .money(let currency):
      let decimals = isExact || abs(value) < 100 ? moneyDecimals(currency) : 0
      return "\(Self.text(value, decimals: decimals, hasPlus: isChange)) \(currency)"
    case .count, .days:
      let isWhole = value == value.rounded()
      return Self.text(value, decimals: isWhole ? 0 : isExact ? 2 : 1, hasPlus: isChange)
    }
  }
}
