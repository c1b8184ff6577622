/// The steps of groups of users side by side: the first step is all users of a group, and users who left before a step
/// are pale.
struct StepsChart {
  struct Step {
    var name: String
    /// The name where there is no room.
    var short: String
    /// `nil` if no event shows it.
    var reached: Int?
    /// The number of users who could reach this step; `nil` if any user could.
    var before: Int?
    /// The lighter part of the bar.
    var lighter = 0
    /// 95% bounds of the share of all users.
    var bounds: ClosedRange<Double>?
    /// Further lines on the bar.
    var details: [String] = []
  }

  struct Group {
    var name: String
    var users: Int
    /// Those of all groups have the same names; the first step is all users.
    var steps: [Step]

    func share(_ count: Int) -> Double { users > 0 ? Double(count) / Double(users) : 0 }
  }

  /// The least width of the plot, in pixels, in a window that is not narrow.
  private static let leastWidth = 650.0

  /// Returns the labels of bars side by side, all with or all without decimals: labels wider than their bars would lie
  /// over each other.
  ///
  /// - Parameter width: Of a bar, in percent of the plot.
  /// - Returns: `nil` if they do not fit.
  private static func labels(_ shares: [Double], width: Double) -> [String]? {
    let forms = [1, 0].map { decimals in shares.map { "\(ChartUnit.text($0 * 100, decimals: decimals))%" } }
    return forms.first { fits($0, width: width) }
  }

  private static func fits(_ labels: [String], width: Double) -> Bool {
    labels.allSatisfy { chartTextWidth($0) + 4 <= width / 100 * leastWidth }
  }

  var title: String
  var subtitle = ""
  var groups: [Group]
  /// All variants by first exposure, for the colours.
  var order: [String] = []
  /// The wholes of the shares: all users, and the users who could reach a step after the second.
  var wholes = (all: "of all", before: "of the step before")
  /// Whether numbers stand between bars and below their names, too.
  var isNumbered = false

  var chart: Chart {
    let steps = groups.first?.steps ?? []
    // On a phone, the numbers of several groups stand below the bars.
    let rows = 15 * Double(groups.count)
    let foot = isNumbered ? max(60, 30 + rows) : groups.count > 1 ? 30 + rows : 30
    var plot = Plot(height: 370 + foot, footHeight: foot)
    let scale = ChartScale(covering: [1], limit: 0...1, ends: (plot.bottom, 30))
    plot.grid(scale, .share)
    let colors = chartColors(groups.map(\.name), order: order)
    let width = 100 / Double(steps.count)
    let bar = width * 0.8 / Double(groups.count)
    // One form for all steps after the first.
    let shares = groups.flatMap { group in group.steps.dropFirst().map { group.share($0.reached ?? 0) } }
    let labels = Self.labels(shares, width: bar)
    let hasCounts = Self.fits(groups.map { countText($0.users) }, width: bar)
    for (place, step) in steps.enumerated() {
      let left = Double(place) * width + width * 0.1
      for (number, group) in groups.enumerated() where group.users > 0 {
        let step = group.steps[place]
        let x = left + Double(number) * bar
        let head = "\(group.name): \(step.name.lowercasedFirst)"
        guard let reached = step.reached else {
          plot.hit(x: x, width: bar, y: 14, [head, "not known: no such events"])
          continue
        }
        let y = scale.place(group.share(reached))
        let high = step.before.map { scale.place(group.share($0)) } ?? y
        if let before = step.before, before > reached {
          plot.bar(x: x, width: bar * 0.92, y: high, height: y - high, color: colors[number], isPale: true)
        }
        plot.bar(x: x, width: bar * 0.92, y: y, height: plot.bottom - y, color: colors[number])
        if step.lighter > 0 {
          let low = scale.place(group.share(step.lighter))
          plot.bar(x: x, width: bar * 0.92, y: low, height: plot.bottom - low, class: "light", opacity: 0.3)
        }
        let label =
          place == 0 ? (hasCounts ? countText(reached) : nil) : labels?[number * (steps.count - 1) + place - 1]
        if let label {
          plot.text(label, x: x + bar * 0.46, y: y - 6, class: groups.count > 1 ? "v halo wideonly" : "v halo")
        }
        if isNumbered, let before = step.before, y - high > 48, groups.count <= 3 {
          plot.text("−" + countText(before - reached), x: x + bar * 0.46, y: (high + y) / 2, class: "wideonly")
        }
        plot.hit(
          x: x, width: bar, y: 14, [head, userText(reached)] + (place > 0 ? details(step, reached, of: group) : []))
      }
      let middle = left + width * 0.4
      plot.text(step.name, x: middle, y: plot.bottom + 18, class: "l wideonly")
      plot.text(step.short, x: middle, y: plot.bottom + 18, class: "l narrowonly")
      if groups.count > 1 {
        // Side by side there is no room for them.
        for (number, group) in groups.enumerated() where group.users > 0 {
          guard let reached = group.steps[place].reached else { continue }
          let text = place == 0 ? countText(reached) : ChartUnit.share.value(group.share(reached))
          let y = plot.bottom + 36 + Double(number) * 15
          plot.text(text, x: middle, y: y, class: "narrowonly")
          plot.key(colors[number], x: middle, y: y, textWidth: chartTextWidth(text))
        }
      }
      if isNumbered, place > 0, groups.count <= 2 {
        let isOfBefore = place > 1 && step.before != nil
        let shares = groups.compactMap { group -> String? in
          let (step, whole) = (group.steps[place], isOfBefore ? group.steps[place].before ?? 0 : group.users)
          return whole > 0 ? step.reached.map { ChartUnit.share.value(Double($0) / Double(whole)) } : nil
        }
        plot.text(shares.joined(separator: "→"), x: middle, y: plot.bottom + 36, class: "wideonly")
        let whole = isOfBefore ? wholes.before : wholes.all
        plot.text(shares.isEmpty ? undefinedMark : whole, x: middle, y: plot.bottom + 51, class: "wideonly")
      }
    }
    var chart = Chart(
      title: title, subtitle: subtitle,
      legend: zip(groups, colors).map {
        Chart.Series(name: "\(cutName($0.name, characters: 24)), \(countText($0.users))", color: $1)
      },
      plot: plot, label: "\(title): steps side by side")
    chart.table = (
      ["Step"] + groups.flatMap { ["\($0.name), users", wholes.all] },
      steps.indices.map { place in
        [steps[place].name]
          + groups.flatMap { group -> [String] in
            let step = group.steps[place]
            guard let reached = step.reached else { return [undefinedMark, undefinedMark] }
            let share = group.users > 0 ? ChartUnit.share.value(group.share(reached)) : undefinedMark
            return [countText(reached), share + bounds(step)]
          }
      }
    )
    return chart
  }

  private func details(_ step: Step, _ reached: Int, of group: Group) -> [String] {
    var lines = ["\(ChartUnit.share.value(group.share(reached))) \(wholes.all)\(bounds(step))"]
    if let before = step.before, before != group.users, before > 0 {
      lines.append("\(ChartUnit.share.value(Double(reached) / Double(before))) \(wholes.before)")
    }
    return lines + step.details
  }

  private func bounds(_ step: Step) -> String { step.bounds.map { " (\(boundsText($0)))" } ?? "" }
}

/// Bounds of a share in percent, such as `25.1 to 30.8`.
func boundsText(_ bounds: ClosedRange<Double>) -> String {
  "\(ChartUnit.text(bounds.lowerBound * 100, decimals: 1)) to \(ChartUnit.text(bounds.upperBound * 100, decimals: 1))"
}
