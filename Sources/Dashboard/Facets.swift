internal import EventModel
internal import Metrics
internal import Reports

/// The known values of a dimension with how many viewers have them.
struct Facet: Sendable {
  /// Dimensions of a viewer that a page offers, in its order.
  static let dimensions: [Dimension] = [.variant, .appVersion, .country, .platform, .entryPoint]

  struct Value: Sendable {
    var name: String
    /// The number of users who saw a paywall, settled or not.
    var viewers: Int
    /// Of them, who are in rates already.
    var settled: Int
  }

  var dimension: String
  /// Most viewers first, after `control`.
  var values: [Value]

  /// - Parameter report: The funnel by the dimension.
  init(_ dimension: Dimension, _ report: Report) {
    self.dimension = dimension.name
    var sums: [String: Value] = [:]
    if let key = report.place(self.dimension), let users = report.place("users"), let open = report.place("immature") {
      for row in report.rows {
        guard case .text(let name) = row[key], case .count(let settled) = row[users],
          case .count(let others) = row[open]
        else { continue }
        sums[name, default: Value(name: name, viewers: 0, settled: 0)].viewers += settled + others
        sums[name]?.settled += settled
      }
    }
    values = sums.values.sorted { left, right in
      if dimension == .variant, (left.name == "control") != (right.name == "control") { return left.name == "control" }
      return left.viewers == right.viewers ? precedesInBytes(left.name, right.name) : left.viewers > right.viewers
    }
  }
}

/// "Narrow down": the values of each dimension as links that choose them or take them away.
struct FacetCard {
  private static let mostValues = 40

  let facets: [Facet]
  let query: ViewQuery
  let path: String

  var markup: Markup {
    let shown = facets.filter { !$0.values.isEmpty }
    if shown.isEmpty { return "" }
    // As many open as fit next to the chart.
    var room = path.hasSuffix("/funnel") ? 18 : 8
    let parts = shown.map { facet -> Markup in
      let rows = min(facet.values.count, Self.mostValues) + 1
      defer { if rows <= room { room -= rows } }
      return self.facet(facet, isOpen: rows <= room)
    }
    return pageCard("Narrow down", aside: "<p class=\"sub\">viewers, all days</p>", tag: "aside", parts.joined)
  }

  private func facet(_ facet: Facet, isOpen: Bool) -> Markup {
    let prefix = "\(facet.dimension)="
    let chosen = query.values("where").filter { $0.hasPrefix(prefix) }.flatMap {
      $0.dropFirst(prefix.count).split(separator: ",").map(String.init)
    }
    let most = facet.values.map(\.viewers).max() ?? 1
    let items = facet.values.prefix(Self.mostValues).map { value -> Markup in
      let isChosen = chosen.contains(value.name)
      let next = isChosen ? chosen.filter { $0 != value.name } : chosen + [value.name]
      let address = query.narrowed(to: facet.dimension, next).link(path)
      let width = max(1, Double(value.viewers) / Double(max(1, most)) * 100)
      let open: Markup = value.settled == 0 ? " <small class=\"muted\">too recent to count</small>" : ""
      let current: Markup = isChosen ? " aria-current=\"true\"" : ""
      return """
        <li><a href="\(address)"\(current)><span><bdi>\(value.name)</bdi>\(open)</span>\
        \(Self.bar(width))<b>\(grouped(value.viewers))</b></a></li>

        """
    }
    let search: Markup =
      facet.values.count > 12
      ? "<input type=\"search\" class=\"narrow\" aria-label=\"Search\" placeholder=\"Search\" hidden>" : ""
    let more: Markup =
      facet.values.count > Self.mostValues
      ? "<p class=\"note\">\(facet.values.count - Self.mostValues) more: use Options.</p>" : ""
    let name = ReportTools.words(facet.dimension)
    return """
      <details class="facet"\(isOpen || !chosen.isEmpty ? " open" : "")><summary>\(name.prefix(1).uppercased() + name.dropFirst())\
      <span class="vh">, \(counted(facet.values.count, "value"))</span></summary>\(search)<ul>
      \(items)</ul>\(more)</details>

      """
  }

  private static func bar(_ width: Double) -> Markup {
    let text = String(Int(width.rounded()))
    return """
      <svg height="6" aria-hidden="true"><rect class="f0s" width="100%" height="6" rx="3"/>\
      <rect class="facc" width="\(text)%" height="6" rx="3"/></svg>
      """
  }
}
