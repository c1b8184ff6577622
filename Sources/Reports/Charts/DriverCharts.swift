import Basics
import Metrics

/// Returns the waterfalls of `why`: for each dimension from the number before to the number now, a bar for each segment
/// (definitions 10.2 to 10.4).
func driverCharts(_ report: Report) -> [Chart] {
  ChartTable(report).groups.flatMap { app, rows -> [Chart] in
    guard let waterfalls = DriverWaterfalls(report, rows) else { return [] }
    return waterfalls.charts(suffix: report.asOf.count > 1 ? ": \(app)" : "")
  }
}

private struct DriverWaterfalls {
  /// The most bars of segments; the others are one bar.
  private static let mostBars = 8
  /// Those with the largest bars; the parts of the others stand in the table.
  private static let mostCuts = 6

  private struct Segment {
    var name: String
    /// By what it changed, in printed units.
    var parts: [(part: String, printed: Int)] = []
    var printed: Int { parts.reduce(0) { $0 + $1.printed } }
  }

  private struct Cut {
    var dimension: String
    /// The largest first.
    var segments: [Segment]
    var largest: Int { segments.first.map { abs($0.printed) } ?? 0 }
  }

  private let report: Report
  private let unit: ChartUnit
  /// How many printed units a unit of the number has.
  private let scale: Double
  private let now: Int
  private let change: Int
  /// Whether the number before is that of as many days as now.
  private let isScaled: Bool
  private var cuts: [Cut] = []

  /// - Returns: `nil` without a change.
  init?(_ report: Report, _ rows: [ChartTable.Row]) {
    self.report = report
    func text(_ row: ChartTable.Row, _ name: String) -> String { row.values[name]?.textValue ?? "" }
    guard let total = rows.first(where: { text($0, "verdict") == "total" }), let value = total.values["contribution"]
    else { return nil }
    let isMoney: Bool
    switch value {
    case .money(_, let currency):
      (unit, scale, isMoney) = (.money(currency), Double(powerOfTen(moneyDecimals(currency))), true)
    case .number: (unit, scale, isMoney) = (.count, 100, false)
    default: (unit, scale, isMoney) = (.share, 1e6, false)
    }
    let scale = scale
    func printed(_ row: ChartTable.Row, _ name: String) -> Int? {
      (row.share(name) ?? row.number(name)).map { Int(($0 * scale).rounded()) }
    }
    func number(_ side: String) -> Int? {
      if isMoney { return printed(total, "\(side)_amount") }
      guard case .number = value else { return printed(total, "\(side)_rate") }
      let count = (total.share("\(side)_rate") ?? 0) * Double(total.count("\(side)_n") ?? 0)
      return Int(count.rounded() * scale)
    }
    guard let change = printed(total, "contribution"), let now = number("now"), let before = number("before") else {
      return nil
    }
    (self.change, self.now) = (change, now)
    // Either of the two may be rounded.
    isScaled = abs(now - change - before) > 1
    let parts = rows.filter { text($0, "verdict") == "part" && !text($0, "cut").contains(",") }
    cuts = parts.inGroups { text($0, "cut") }.map { name, rows in
      let segments = rows.inGroups { String(text($0, "segment").dropFirst(name.count + 1)) }.map { value, rows in
        Segment(
          name: value,
          parts: rows.compactMap { row in printed(row, "contribution").map { (text(row, "part"), $0) } })
      }
      return Cut(
        dimension: name,
        segments: segments.filter { $0.printed != 0 }.sorted { left, right in
          abs(left.printed) != abs(right.printed)
            ? abs(left.printed) > abs(right.printed) : precedesInBytes(left.name, right.name)
        })
    }
    cuts.removeAll { $0.segments.isEmpty }
    cuts = cuts.enumerated().sorted { left, right in
      (-left.element.largest, left.offset) < (-right.element.largest, right.offset)
    }.map(\.element)
  }

  func charts(suffix: String) -> [Chart] {
    let shown = cuts.prefix(Self.mostCuts)
    let others = cuts.dropFirst(shown.count).map { heading($0.dimension) }
    var charts = shown.map { chart($0, suffix: suffix) }
    if !others.isEmpty {
      charts[charts.count - 1].note +=
        "\(charts.last?.note.isEmpty ?? true ? "" : " ")CSV and JSON also have the parts by "
        + "\(listText(others))\(others.last?.hasSuffix(".") ?? false ? "" : ".")"
    }
    return charts
  }

  private func heading(_ dimension: String) -> String {
    kind?.info(of: ReportColumn(dimension, .key))?.heading ?? dimension
  }

  private var kind: ReportKind? { report.parameter("report").flatMap(ReportKind.named) }
  private var column: ColumnInfo? {
    report.parameter("column").flatMap { kind?.info(of: ReportColumn($0, .number)) }
  }

  private func chart(_ cut: Cut, suffix: String) -> Chart {
    func change(_ name: String, _ printed: Int, _ notes: [String] = []) -> WaterfallChart.Bar {
      .change(name: name, value: Double(printed) / scale, notes: notes)
    }
    let (before, now) = report.driverSides
    var steps = [WaterfallChart.Bar.total(name: side(before), value: Double(self.now - self.change) / scale)]
    for segment in cut.segments.prefix(Self.mostBars) {
      let words = report.driverPartWords
      let notes = segment.parts.filter { $0.printed != 0 }.map { part, printed in
        "\(words[part] ?? part): \(unit.text(Double(printed) / scale, isChange: true, isExact: true))"
      }
      steps.append(
        change(segment.name == "(unattributed)" ? "no paywall known" : segment.name, segment.printed, notes))
    }
    let others = cut.segments.dropFirst(Self.mostBars)
    if !others.isEmpty {
      steps.append(
        change("\(others.count) \(others.count == 1 ? "other" : "others")", others.reduce(0) { $0 + $1.printed }))
    }
    steps.append(.total(name: side(now), value: Double(self.now) / scale))
    let number = column?.heading ?? report.parameter("column") ?? ""
    let waterfall = WaterfallChart(
      title: "By \(heading(cut.dimension))\(suffix)",
      subtitle: "\(number), from \(before) to \(now)", steps: steps, unit: unit)
    return WaterfallRows(
      waterfall: waterfall,
      columns: (
        heading(cut.dimension).capitalizedFirst, report.isOfGroups ? "Part of the difference" : "Part of the change"
      ),
      note: isScaled ? "\(side(before)) is scaled to as many days as \(now) has." : ""
    ).chart
  }

  /// Names of values stay as they are.
  private func side(_ name: String) -> String { ["before", "now"].contains(name) ? name.capitalizedFirst : name }
}
