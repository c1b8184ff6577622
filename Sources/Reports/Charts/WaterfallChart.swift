/// The movement from an opening to a closing: one bar per change, starting at the end of the previous one.
struct WaterfallChart {
  enum Step {
    /// A bar from 0.
    case total(name: String, value: Double)
    /// Better above 0 and worse below.
    case change(name: String, value: Double, notes: [String] = [], address: String? = nil)
  }

  struct Bar {
    var name: String
    /// Where it starts and ends.
    var from: Double
    var to: Double
    /// Its value; of a change, signed.
    var value: Double
    var isChange: Bool
    /// Lines that pointer and focus show below the value.
    var notes: [String] = []
    /// Where a click on it leads to.
    var address: String?
  }

  var title: String
  var subtitle = ""
  var steps: [Step]
  var unit: ChartUnit
  /// Whether the closing is final; else it is hatched.
  var isOver = true

  var bars: [Bar] {
    var level = 0.0
    return steps.map { step in
      switch step {
      case .total(let name, let value):
        level = value
        return Bar(name: name, from: 0, to: value, value: value, isChange: false)
      case .change(let name, let value, let notes, let address):
        defer { level += value }
        return Bar(
          name: name, from: level, to: level + value, value: value, isChange: true, notes: notes, address: address)
      }
    }
  }

  /// Bars side by side, named below.
  var chart: Chart {
    let bars = bars.map { bar in
      (
        name: bar.name, from: bar.from, to: bar.to, value: bar.value,
        look: !bar.isChange ? "f0" : bar.value < 0 ? "fbad" : "fgood", sign: bar.isChange && bar.value > 0 ? "+" : ""
      )
    }
    var plot = Plot(height: 300, footHeight: 34)
    let scale = ChartScale(covering: bars.flatMap { [$0.from, $0.to] }, ends: (plot.bottom, 24))
    plot.grid(scale, unit)
    let column = 100 / Double(max(1, bars.count))
    for (place, bar) in bars.enumerated() {
      let x = Double(place) * column
      let (high, low) = (scale.place(max(bar.from, bar.to)), scale.place(min(bar.from, bar.to)))
      plot.bar(
        x: x + column * 0.14, width: column * 0.72, y: high, height: max(2, low - high), class: bar.look,
        fill: !isOver && place > 0 && place == bars.count - 1 ? "url(#k0)" : nil, radius: 1.5)
      if place + 1 < bars.count {
        plot.horizontal(x + column * 0.86, x + column * 1.14, y: scale.place(bar.to), class: "ax")
      }
      let text = bar.sign + ChartUnit.text(bar.value, decimals: abs(bar.value) >= 100 || bar.value == 0 ? 0 : 1)
      plot.text(text, x: x + column / 2, y: high - 7, class: "v halo")
      plot.text(bar.name, x: x + column / 2, y: plot.bottom + 20, class: "l wideonly")
      let short = ["Opening": "Start", "Churned": "Churn", "Closing": "End"][bar.name] ?? bar.name
      plot.text(short, x: x + column / 2, y: plot.bottom + 20, class: "narrowonly")
      plot.hit(x: x, width: column, ["\(bar.name): \(bar.sign)\(exact(bar.value))"])
    }
    var chart = Chart(title: title, subtitle: subtitle, plot: plot, label: "\(title), one bar per movement")
    chart.table = (["Movement", "Amount"], bars.map { [$0.name, $0.sign + exact($0.value)] })
    return chart
  }

  private func exact(_ value: Double) -> String {
    if case .money(let currency) = unit { return "\(ChartUnit.text(value, decimals: 2)) \(currency)" }
    return unit.value(value)
  }
}
