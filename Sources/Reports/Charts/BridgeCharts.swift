import Metrics

/// Returns the waterfalls of `reconcile --vendor`: from our number to the vendor's, a bar for each rule (definitions 13.2).
/// Of several periods, the last one is drawn.
func bridgeCharts(_ table: ChartTable) -> [Chart] {
  guard table.has("switch"), table.has("part") else { return [] }
  return table.groups.compactMap { app, rows in
    let (rows, period) = table.newest(rows, of: app)
    var steps: [WaterfallChart.Bar] = []
    var unit = ChartUnit.share
    for row in rows {
      func text(_ name: String) -> String { row.values[name]?.textValue ?? "" }
      if text("switch") == "missing" { continue }
      guard let value = row.share("after") ?? row.number("after") else { return nil }
      switch row.values["after"] {
      case .money(_, let currency): unit = .money(currency)
      case .count: unit = .count
      default: break
      }
      let title = Report.title(ofStep: text("switch")).capitalizedFirst
      let part = row.share("part") ?? row.number("part")
      switch text("switch") {
      case "ours", "vendor": steps.append(.total(name: title, value: value))
      case "rounding", "unexplained":
        steps.append(.change(name: text("switch") == "rounding" ? "Rounding" : "Unexplained", value: part ?? 0))
        steps.append(.total(name: title, value: value))
      default:
        let address = part == 0 ? nil : table.stepLink?(text("switch"))
        let users = part == 0 ? [] : [address == nil ? "users: --step \(text("switch"))" : "click to see the users"]
        steps.append(
          .change(
            name: title, value: part ?? 0, notes: ["ours: \(text("from"))", "theirs: \(text("to"))"] + users,
            address: address))
      }
    }
    guard !steps.isEmpty else { return nil }
    let waterfall = WaterfallChart(
      title: "From our number to theirs" + (table.isOneApp ? "" : ": \(app)"),
      subtitle: (["a bar for each rule"] + [period?.title, period?.note].compactMap(\.self)).joined(separator: ", "),
      steps: steps, unit: unit)
    return WaterfallRows(waterfall: waterfall, columns: ("Rule", "Number")).chart
  }
}
