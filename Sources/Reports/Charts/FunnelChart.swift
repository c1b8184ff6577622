/// The steps from the first paywall to payment side by side: the first step is all viewers, and users who left before a
/// step are pale.
struct FunnelChart {
  struct Group {
    var name: String
    var viewers: Int
    var trials: Int
    var paidAfterTrial: Int
    var paidAtOnce: Int
    /// 95% bounds of the share of viewers: with a trial, paid at once, and paid in all.
    var trialBounds: ClosedRange<Double>?
    var directBounds: ClosedRange<Double>?
    var paidBounds: ClosedRange<Double>?
    var paid: Int
  }

  /// The least width of the plot, in pixels, in a window that is not narrow.
  static let leastWidth = 650.0

  /// Returns the labels of bars side by side, all with or all without decimals: labels wider than their bars would lie
  /// over each other.
  ///
  /// - Parameter width: Of a bar, in percent of the plot.
  /// - Returns: `nil` if they do not fit.
  static func labels(_ shares: [Double], width: Double) -> [String]? {
    let forms = [1, 0].map { decimals in shares.map { "\(ChartUnit.text($0 * 100, decimals: decimals))%" } }
    return forms.first { fits($0, width: width) }
  }

  static func fits(_ labels: [String], width: Double) -> Bool {
    labels.allSatisfy { chartTextWidth($0) + 4 <= width / 100 * leastWidth }
  }

  var title: String
  var subtitle = ""
  var groups: [Group]
  /// All variants by first exposure, for the colours.
  var order: [String] = []
  private var hasTrials: Bool { groups.contains { $0.trials > 0 } }

  private struct Step {
    var name: String
    var count: (Group) -> Int
    /// The number of users who could reach this step.
    var of: ((Group) -> Int)?
    var bounds: (Group) -> ClosedRange<Double>? = { _ in nil }
    /// The lighter part of the bar: users who paid at once.
    var lighter: ((Group) -> Int)?
  }

  private var steps: [Step] {
    var steps = [Step(name: "Saw a paywall", count: \.viewers)]
    if hasTrials {
      steps.append(Step(name: "Started a trial", count: \.trials, of: \.viewers, bounds: \.trialBounds))
      steps.append(Step(name: "Paid after it", count: \.paidAfterTrial, of: \.trials))
      steps.append(Step(name: "Paid without a trial", count: \.paidAtOnce, bounds: \.directBounds))
    }
    steps.append(
      Step(
        name: hasTrials ? "Paid, in all" : "Paid", count: \.paid, bounds: \.paidBounds,
        lighter: hasTrials ? \.paidAtOnce : nil))
    return steps
  }

  var chart: Chart {
    let steps = steps
    // On a phone, the numbers of several groups stand below the bars.
    let foot = max(60, 30 + Double(groups.count) * 15)
    var plot = Plot(height: 370 + foot, footHeight: foot)
    let top = 30.0
    let scale = ChartScale(covering: [1], limit: 0...1, ends: (plot.bottom, top))
    plot.grid(scale, .share)
    let colors = chartColors(groups.map(\.name), order: order)
    let width = 100 / Double(steps.count)
    let bar = width * 0.8 / Double(groups.count)
    // One form for all steps after the first.
    let shares = groups.map { group in
      steps.dropFirst().map { group.viewers > 0 ? Double($0.count(group)) / Double(group.viewers) : 0 }
    }
    let labels = Self.labels(shares.flatMap { $0 }, width: bar)
    let hasCounts = Self.fits(groups.map { countText($0.viewers) }, width: bar)
    for (place, step) in steps.enumerated() {
      let left = Double(place) * width + width * 0.1
      for (number, group) in groups.enumerated() where group.viewers > 0 {
        let x = left + Double(number) * bar
        let count = step.count(group)
        let share = Double(count) / Double(group.viewers)
        let y = scale.place(share)
        if let of = step.of?(group), of > count {
          let high = scale.place(Double(of) / Double(group.viewers))
          plot.bar(x: x, width: bar * 0.92, y: high, height: y - high, color: colors[number], isPale: true)
        }
        plot.bar(x: x, width: bar * 0.92, y: y, height: plot.bottom - y, color: colors[number])
        if let lighter = step.lighter?(group), lighter > 0 {
          let low = scale.place(Double(lighter) / Double(group.viewers))
          plot.bar(x: x, width: bar * 0.92, y: low, height: plot.bottom - low, class: "light", opacity: 0.3)
        }
        let label = place == 0 ? (hasCounts ? countText(count) : nil) : labels?[number * (steps.count - 1) + place - 1]
        if let label {
          plot.text(label, x: x + bar * 0.46, y: y - 6, class: groups.count > 1 ? "v halo wideonly" : "v halo")
        }
        let left = step.of.map { Double($0(group)) / Double(group.viewers) } ?? 0
        if let of = step.of?(group), y - scale.place(left) > 48, groups.count <= 3 {
          plot.text(
            "−" + countText(of - count), x: x + bar * 0.46,
            y: (scale.place(Double(of) / Double(group.viewers)) + y) / 2, class: "wideonly")
        }
        var lines = ["\(group.name): \(step.name.lowercasedFirst)", userText(count)]
        if place > 0 { lines.append("\(ChartUnit.share.value(share)) of viewers\(bounds(step.bounds(group)))") }
        if let of = step.of?(group), of != group.viewers, of > 0 {
          lines.append("\(ChartUnit.share.value(Double(count) / Double(of))) of trials")
        }
        plot.hit(x: x, width: bar, y: 14, lines)
      }
      plot.text(step.name, x: left + width * 0.4, y: plot.bottom + 18, class: "l wideonly")
      plot.text(shortened(step.name), x: left + width * 0.4, y: plot.bottom + 18, class: "l narrowonly")
      if groups.count > 1 {
        // Side by side there is no room for them.
        for (number, group) in groups.enumerated() where group.viewers > 0 {
          let count = step.count(group)
          let text = place == 0 ? countText(count) : ChartUnit.share.value(Double(count) / Double(group.viewers))
          let (x, y) = (left + width * 0.4, plot.bottom + 36 + Double(number) * 15)
          plot.text(text, x: x, y: y, class: "narrowonly")
          plot.key(colors[number], x: x, y: y, textWidth: chartTextWidth(text))
        }
      }
      if place > 0 {
        let of = step.name == "Paid after it" ? "of trials" : "of viewers"
        let shares = groups.prefix(2).compactMap { group -> String? in
          let base = of == "of trials" ? group.trials : group.viewers
          return base > 0 ? ChartUnit.share.value(Double(step.count(group)) / Double(base)) : nil
        }
        if groups.count <= 2 {
          plot.text(shares.joined(separator: "→"), x: left + width * 0.4, y: plot.bottom + 36, class: "wideonly")
          plot.text(of, x: left + width * 0.4, y: plot.bottom + 51, class: "wideonly")
        }
      }
    }
    var chart = Chart(
      title: title, subtitle: subtitle,
      legend: zip(groups, colors).map {
        Chart.Series(name: "\(cutName($0.name, characters: 24)), \(countText($0.viewers))", color: $1)
      },
      plot: plot, label: "\(title): steps side by side")
    chart.table = (
      ["Step"] + groups.flatMap { ["\($0.name), users", "of viewers"] },
      steps.map { step in
        [step.name]
          + groups.flatMap { group -> [String] in
            let count = step.count(group)
            let share = group.viewers > 0 ? ChartUnit.share.value(Double(count) / Double(group.viewers)) : undefinedMark
            return [countText(count), share + bounds(step.bounds(group))]
          }
      }
    )
    return chart
  }

  private func shortened(_ name: String) -> String {
    switch name {
    case "Saw a paywall": "Saw"
    case "Started a trial": "Trial"
    case "Paid after it": "After"
    case "Paid without a trial": "At once"
    default: "Paid"
    }
  }

  private func bounds(_ bounds: ClosedRange<Double>?) -> String {
    bounds.map { " (\(boundsText($0)))" } ?? ""
  }
}

/// Bounds of a share in percent, such as `25.1 to 30.8`.
func boundsText(_ bounds: ClosedRange<Double>) -> String {
  "\(ChartUnit.text(bounds.lowerBound * 100, decimals: 1)) to \(ChartUnit.text(bounds.upperBound * 100, decimals: 1))"
}
