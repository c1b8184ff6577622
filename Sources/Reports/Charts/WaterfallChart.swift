/// The movement from an opening to a closing: one bar per change, starting at the end of the previous one.
struct WaterfallChart {
  struct Bar {
    var name: String
    /// Of a change, signed: better above 0 and worse below.
    var value: Double
    var isChange: Bool
    /// Lines that pointer and focus show below the value.
    var notes: [String] = []
    /// Where a click on it leads to.
    var address: String?
    /// Where it starts and ends.
    fileprivate(set) var from = 0.0
    fileprivate(set) var to = 0.0

    /// A bar from 0.
    static func total(name: String, value: Double) -> Bar { Bar(name: name, value: value, isChange: false) }

    static func change(name: String, value: Double, notes: [String] = [], address: String? = nil) -> Bar {
      Bar(name: name, value: value, isChange: true, notes: notes, address: address)
    }
  }

  var title: String
  var subtitle = ""
  var steps: [Bar]
  var unit: ChartUnit
  /// Whether the closing is final; else it is hatched.
  var isOver = true

  /// The steps in their places.
  var bars: [Bar] {
    var level = 0.0
    return steps.map { step in
      var bar = step
      bar.from = step.isChange ? level : 0
      level = bar.from + step.value
      bar.to = level
      return bar
    }
  }

  /// Bars side by side, named below.
  var chart: Chart {
    let bars = bars
    var plot = Plot(height: 300, footHeight: 34)
    let scale = ChartScale(covering: bars.flatMap { [$0.from, $0.to] }, ends: (plot.bottom, 24))
    plot.grid(scale, unit)
    let column = 100 / Double(max(1, bars.count))
    for (place, bar) in bars.enumerated() {
      let x = Double(place) * column
      let (high, low) = (scale.place(max(bar.from, bar.to)), scale.place(min(bar.from, bar.to)))
      plot.bar(
        x: x + column * 0.14, width: column * 0.72, y: high, height: max(2, low - high),
        class: !bar.isChange ? "f0" : bar.value < 0 ? "fbad" : "fgood",
        fill: !isOver && place > 0 && place == bars.count - 1 ? "url(#k0)" : nil, radius: 1.5)
      if place + 1 < bars.count {
        plot.horizontal(x + column * 0.86, x + column * 1.14, y: scale.place(bar.to), class: "ax")
      }
      let text = ChartUnit.text(
        bar.value, decimals: abs(bar.value) >= 100 || bar.value == 0 ? 0 : 1, hasPlus: bar.isChange)
      plot.text(text, x: x + column / 2, y: high - 7, class: "v halo")
      plot.text(bar.name, x: x + column / 2, y: plot.bottom + 20, class: "l wideonly")
      let short = ["Opening": "Start", "Churned": "Churn", "Closing": "End"][bar.name] ?? bar.name
      plot.text(short, x: x + column / 2, y: plot.bottom + 20, class: "narrowonly")
      plot.hit(x: x, width: column, ["\(bar.name): \(exact(bar))"])
    }
    var chart = Chart(title: title, subtitle: subtitle, plot: plot, label: "\(title), one bar per movement")
    chart.table = (["Movement", "Amount"], bars.map { [$0.name, exact($0)] })
    return chart
  }

  private func exact(_ bar: Bar) -> String {
    if case .money(let currency) = unit {
      return "\(ChartUnit.text(bar.value, decimals: 2, hasPlus: bar.isChange)) \(currency)"
    }
    return bar.isChange ? withPlus(unit.value(bar.value)) : unit.value(bar.value)
  }
}
