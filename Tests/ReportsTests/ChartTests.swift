import Testing

@testable import Metrics
@testable import Reports

struct ChartTests {
  /// Returns a chart as a standalone file, as in a repository's preview.
  private func svg(_ chart: Chart) -> String { chart.svg(id: "c", isAlone: true).joined(separator: "\n") + "\n" }

  private let hostile = "<script>alert(1)</script>\u{202E}\"x\" & 'y' \u{1B}[31m"

  @Test func bars() throws {
    let chart = BarChart(
      title: "Funnel of steps", series: ["control", "anchor"],
      groups: [
        (
          "trial",
          [
            .init(series: 0, value: 0.181, bounds: 0.157...0.207, text: "18.1%"),
            .init(series: 1, value: 0.275, bounds: 0.247...0.304, text: "27.5%"),
          ]
        ),
        ("paid", [.init(series: 0, value: nil, text: "–"), .init(series: 1, value: 0, text: "0.0%")]),
      ], unit: .share
    ).chart
    try expectGolden(svg(chart), "chart.bars.svg")
    #expect(chart.description == "trial: control 18.1%, anchor 27.5%; paid: control –, anchor 0.0%")
  }

  @Test func forest() throws {
    let chart = ForestChart(
      title: "Effect",
      rows: [
        .init(label: "steps · trial", value: 0.094, bounds: 0.061...0.127, text: "+9.4"),
        .init(label: "steps · paid", value: -0.02, bounds: -0.05...0.01, text: "-2.0", series: 1),
        .init(label: "other · paid", value: nil, text: "–", isFirstOfGroup: true),
      ], unit: .points, reference: 0
    ).chart
    try expectGolden(svg(chart), "chart.forest.svg")
  }

  @Test func lines() throws {
    let chart = LineChart(
      title: "Survival",
      lines: [
        .init(
          name: "monthly",
          points: [
            .init(x: 0, y: 1), .init(x: 35, y: 0.8, bounds: 0.75...0.85), .init(x: 65, y: 0.6, bounds: 0.5...0.7),
            .init(x: 95, y: 0.5),
          ], atRisk: { $0 == 0 ? 1_200 : $0 < 60 ? 900 : nil }),
        .init(name: "yearly", points: [.init(x: 0, y: 1)]),
      ], unit: .share, xName: "days since the first payment", isStep: true, showsAtRisk: true
    ).chart
    try expectGolden(svg(chart), "chart.lines.svg")
    #expect(chart.description == "monthly: 50.0% at 95; yearly: 100.0% at 0")
  }

  /// A band far wider than the focus of the axis is cut at its edge; overlapping ticks are omitted, and the numbers at
  /// risk are shown below the others.
  @Test func focusAndTicksOfOnesOwn() throws {
    let chart = LineChart(
      title: "Effect",
      lines: [
        .init(
          name: "anchor",
          points: [
            .init(x: 0, y: 0.1, bounds: -0.9...0.9), .init(x: 10, y: 0.05, bounds: 0.01...0.09),
            .init(x: 20, y: 0.06, bounds: 0.03...0.09),
          ], atRisk: { $0 == 20 ? 12_345 : 20_000 })
      ], unit: .points, xName: "days", xTicks: [0, 1, 10, 20], yFocus: -0.02...0.1, reference: 0, showsAtRisk: true
    ).chart
    try expectGolden(svg(chart), "chart.focus.svg")
    #expect(chart.marks.contains { $0.contains(">12,345<") })
    #expect(chart.marks.filter { $0.contains(">20,000<") }.count == 2)
  }

  @Test func heatMap() throws {
    let chart = HeatMapChart(
      title: "Cohorts", columns: ["2", "3"], columnName: "payment",
      rows: [("2026-01", 1_204, [0.8, nil]), ("2026-02", 7, [0, 1])]
    ).chart
    try expectGolden(svg(chart), "chart.heatmap.svg")
    #expect(chart.description == "2026-01: 2 80.0%; 2026-02: 2 0.0%, 3 100.0%")
  }

  @Test func waterfall() throws {
    let chart = WaterfallChart(
      title: "MRR",
      steps: [
        .total(name: "opening", value: 1_000), .change(name: "new", value: 250), .change(name: "churned", value: -400),
        .total(name: "closing", value: 850),
      ], unit: .money("USD")
    ).chart
    try expectGolden(svg(chart), "chart.waterfall.svg")
  }

  @Test func stack() throws {
    let chart = StackedChart(
      title: "Revenue", periods: ["2026-01", "2026-02"],
      series: [("control", [10, 20]), ("anchor", [5, -3])], unit: .money("EUR")
    ).chart
    try expectGolden(svg(chart), "chart.stack.svg")
  }

  @Test func sparkline() throws {
    try expectGolden(
      svg(Sparkline(title: "Paid", values: [0.1, 0.12, 0.11], unit: .share).chart), "chart.sparkline.svg")
  }

  /// Derived by hand: a span of 0.304 in five steps is 0.0608 each, of which 0.1 is the next round one; 97 in five is
  /// 19.4.
  @Test func ticksAreRound() {
    #expect(ChartScale(covering: [0.304], ends: (0, 100)).ticks == [0, 0.1, 0.2, 0.30000000000000004, 0.4])
    let days = ChartScale(covering: [97], ends: (0, 100))
    #expect(days.ticks == [0, 20, 40, 60, 80, 100])
    #expect(days.place(50) == 50)
    #expect(days.place(-10) == 0)
    let below = ChartScale(covering: [-3, 4], ends: (0, 80))
    #expect(below.ticks == [-4, -2, 0, 2, 4])
    #expect(below.place(0) == 40)
    #expect(ChartScale(covering: [0.97], limit: 0...1, ends: (0, 1)).domain == 0...1)
  }

  /// No values, one value, equal values and non-finite values all give an axis.
  @Test func everyScaleHasAnAxis() {
    for values in [[], [0], [5, 5], [-2, -2], [.nan, .infinity], [1e-12], [1e15]] {
      let scale = ChartScale(covering: values, ends: (0, 10))
      #expect(scale.domain.lowerBound < scale.domain.upperBound, "\(values)")
      #expect(scale.ticks.count >= 2, "\(values)")
      #expect(scale.ticks.allSatisfy { scale.place($0).isFinite }, "\(values)")
    }
  }

  @Test func unitsReadAsPeopleWriteThem() {
    #expect(ChartUnit.share.text(0.125, step: 0.05) == "12%")
    #expect(ChartUnit.share.text(0.125, step: 0.005) == "12.5%")
    #expect(ChartUnit.points.text(0.02, step: 0.01) == "+2")
    #expect(ChartUnit.points.text(-0.02, step: 0.01) == "-2")
    #expect(ChartUnit.money("USD").text(12_500, step: 500) == "12.5k")
    #expect(ChartUnit.count.text(3_000_000, step: 1_000_000) == "3M")
    #expect(ChartUnit.count.text(950, step: 50) == "950")
  }

  @Test func hostileNamesAreText() {
    let charts = [
      BarChart(
        title: hostile, series: [hostile, "b"],
        groups: [(hostile, [.init(series: 0, value: 0.1, text: hostile)])], unit: .share
      ).chart,
      ForestChart(title: hostile, rows: [.init(label: hostile, value: 1, text: hostile)], unit: .count).chart,
      LineChart(
        title: hostile, lines: [.init(name: hostile, points: []), .init(name: "b", points: [])], unit: .share,
        xName: hostile
      ).chart,
      HeatMapChart(title: hostile, columns: [hostile], columnName: hostile, rows: [(hostile, 1, [0.5])]).chart,
      WaterfallChart(title: hostile, steps: [.total(name: hostile, value: 1)], unit: .money(hostile)).chart,
      StackedChart(title: hostile, periods: [hostile], series: [(hostile, [1]), ("b", [1])], unit: .money(hostile))
        .chart,
      Sparkline(title: hostile, values: [], unit: .count).chart,
    ]
    for chart in charts {
      let text = svg(chart)
      #expect(!text.contains("<script"))
      #expect(!text.unicodeScalars.contains("\u{202E}"))
      #expect(!text.unicodeScalars.contains("\u{1B}"))
      #expect(!text.contains("nan") && !text.contains("inf\""))
    }
  }

  @Test func aReportHasItsPictures() {
    #expect(charts(of: SampleReports.funnel).map(\.title) == ["Funnel of steps: of the persons who saw a paywall"])
    #expect(charts(of: SampleReports.twoApps).count == 2)
    #expect(charts(of: SampleReports.empty).isEmpty)
    let cancelled = charts(of: SampleReports.cancellations)
    #expect(cancelled.map(\.description) == ["techniq · headline_b · ml_recommendations · monthly: 7.7% [6.1–9.8]"])
  }
}
