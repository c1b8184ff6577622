/// The steps of a path side by side: the entry is all users, and users who left before a step are pale.
struct PathChart {
  struct Step {
    var name: String
    /// The name where there is no room.
    var short: String
    /// `nil` if no event shows it.
    var reached: Int?
    /// Users who reached the required step before.
    var before: Int
    /// Of the share of all users: its 95% bounds.
    var bounds: ClosedRange<Double>?
    var medianHours: Double?
  }

  struct Group {
    var name: String
    var users: Int
    var steps: [Step]
  }

  var title: String
  var groups: [Group]
  /// All variants by first exposure, for the colours.
  var order: [String] = []

  var chart: Chart {
    let names = ["entered"] + (groups.first?.steps.map(\.name) ?? [])
    let short = ["all"] + (groups.first?.steps.map(\.short) ?? [])
    // On a phone, the numbers of several groups stand below the bars.
    let rows = groups.count > 1 ? groups.count : 0
    var plot = Plot(height: 400 + Double(rows) * 15, footHeight: 30 + Double(rows) * 15)
    let scale = ChartScale(covering: [1], limit: 0...1, ends: (plot.bottom, 30))
    plot.grid(scale, .share)
    let colors = chartColors(groups.map(\.name), order: order)
    let width = 100 / Double(names.count)
    let bar = width * 0.8 / Double(groups.count)
    for (place, name) in names.enumerated() {
      let left = Double(place) * width + width * 0.1
      for (number, group) in groups.enumerated() {
        let step = place == 0 ? nil : group.steps[place - 1]
        let x = left + Double(number) * bar
        guard let reached = place == 0 ? group.users : step?.reached else {
          plot.hit(x: x, width: bar, y: 14, ["\(group.name): \(name)", "not known: no such events"])
          continue
        }
        let y = scale.place(Double(reached) / Double(group.users))
        if let before = step?.before, before > reached {
          let high = scale.place(Double(before) / Double(group.users))
          plot.bar(x: x, width: bar * 0.92, y: high, height: y - high, color: colors[number], isPale: true)
        }
        plot.bar(x: x, width: bar * 0.92, y: y, height: plot.bottom - y, color: colors[number])
        let value = place == 0 ? countText(reached) : share(reached, of: group.users)
        let part = Double(reached) / Double(group.users)
        let label =
          place > 0
          ? FunnelChart.labels([part], width: bar)?.first : FunnelChart.fits([value], width: bar) ? value : nil
        if let label {
          plot.text(label, x: x + bar * 0.46, y: y - 6, class: groups.count > 1 ? "v halo wideonly" : "v halo")
        }
        if groups.count > 1 {
          let (x, y) = (left + width * 0.4, plot.bottom + 36 + Double(number) * 15)
          plot.text(value, x: x, y: y, class: "narrowonly")
          plot.key(colors[number], x: x, y: y, textWidth: chartTextWidth(value))
        }
        plot.hit(
          x: x, width: bar, y: 14, ["\(group.name): \(name)", userText(reached)] + details(step, group))
      }
      plot.text(name, x: left + width * 0.4, y: plot.bottom + 18, class: "l wideonly")
      plot.text(short[place], x: left + width * 0.4, y: plot.bottom + 18, class: "l narrowonly")
    }
    var chart = Chart(
      title: title, subtitle: "shares of the users who entered; pale: left before the step",
      legend: zip(groups, colors).map { Chart.Series(name: "\($0.name), \(countText($0.users))", color: $1) },
      plot: plot, label: "\(title): steps side by side")
    chart.table = (
      ["Step"] + groups.flatMap { ["\($0.name), users", "of all"] },
      names.indices.map { place in
        [names[place]]
          + groups.flatMap { group -> [String] in
            guard place > 0 else { return [countText(group.users), ""] }
            let step = group.steps[place - 1]
            guard let reached = step.reached else { return [undefinedMark, undefinedMark] }
            return [countText(reached), share(reached, of: group.users)]
          }
      }
    )
    return chart
  }

  private func share(_ part: Int, of whole: Int) -> String { ChartUnit.share.value(Double(part) / Double(whole)) }

  private func details(_ step: Step?, _ group: Group) -> [String] {
    guard let step, let reached = step.reached else { return [] }
    let bounds = step.bounds.map { " (\(boundsText($0)))" } ?? ""
    var lines = ["\(share(reached, of: group.users)) of all\(bounds)"]
    if step.before > 0, step.before != group.users {
      lines.append("\(share(reached, of: step.before)) of the step before")
    }
    if let hours = step.medianHours { lines.append("half of them within \(ChartUnit.text(hours, decimals: 1)) hours") }
    return lines
  }
}
