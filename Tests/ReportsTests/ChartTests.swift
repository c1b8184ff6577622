import EventModel
import Foundation
import Testing

@testable import Metrics
@testable import Reports

struct ChartTests {
  private func html(_ chart: Chart) -> String { chart.markup.text }

  private let hostile = "<script>alert(1)</script>\u{202E}\"x\" & 'y' \u{1B}[31m"

  private func funnel(_ name: String) -> StepsChart.Group {
    let values: [String: ReportValue] = [
      "users": .count(923), "trial_users": .count(167), "trial_paid_users": .count(99), "direct_paid_users": .count(66),
      "paid_users": .count(165), "trial_rate_low": .rate(0.157), "trial_rate_high": .rate(0.207),
      "paid_rate_low": .rate(0.155), "paid_rate_high": .rate(0.205),
    ]
    return StepsChart.Group(name, funnel: ChartTable.Row(app: "steps", keys: [], values: values))
  }

  private func funnelChart(_ title: String, _ groups: [StepsChart.Group]) -> Chart {
    StepsChart(title: title, groups: groups, wholes: ("of viewers", "of trials"), isNumbered: true).chart
  }

  @Test func steps() throws {
    let chart = funnelChart("Funnel of steps", [funnel("control"), funnel("anchor")])
    try expectGolden(html(chart), "chart.steps.html")
    #expect(chart.table.rows.last == ["Paid, in all", "165", "17.9% (15.5 to 20.5)", "165", "17.9% (15.5 to 20.5)"])
  }

  /// At 650 px a bar of two groups has 52 px, one of four 26 px: `17.9%` takes 5 × 6.9 = 34.5 px, and `923` 20.7 px.
  @Test func barsWithoutRoomHaveNoLabels() {
    func labels(_ groups: Int) -> Int {
      let chart = funnelChart("Funnel", (0..<groups).map { funnel("v\($0)") })
      return html(chart).count(of: #"class="v halo wideonly""#)
    }
    // Five steps, of which the first is a count; the bars of four have room for whole percent, those of twenty for nothing.
    #expect(labels(2) == 10 && labels(4) == 20 && labels(20) == 0)
  }

  /// As of the funnel: at 650 px and three steps, a bar of one of four groups has 43 px, and `41.3%` takes 34.5 px; of six
  /// it has 29 px, enough for `41%` alone. On a phone, each group has a line of numbers below.
  @Test func labelsOfPathsDoNotLieOverEachOther() {
    func text(_ groups: Int) -> String {
      let entry = StepsChart.Step(name: "entered", short: "all", reached: 1_000)
      let step = StepsChart.Step(name: "paid", short: "paid", reached: 413, before: 1_000)
      let all = (0..<groups).map { StepsChart.Group(name: "v\($0)", users: 1_000, steps: [entry, step, step]) }
      return html(StepsChart(title: "Path", groups: all).chart)
    }
    #expect(text(4).count(of: ">41.3%</text>") == 16 && text(6).count(of: ">41%</text>") == 12)
    #expect(text(6).count(of: #"class="narrowonly""#) == 18)
  }

  /// On a phone, the funnel of three groups has their numbers below the bars.
  @Test func aFunnelOfThreeGroupsHasNumbersOnAPhone() {
    let chart = funnelChart("Funnel", ["a", "b", "c"].map(funnel))
    #expect(html(chart).count(of: #"class="narrowonly""#) == 15)
  }

  @Test func intervals() throws {
    let chart = IntervalTable(
      title: "Trials that pay",
      rows: [
        .init(label: "control", value: 0.094, bounds: 0.061...0.127, text: "9.4%"),
        .init(label: "anchor", value: nil, text: "–"),
      ], unit: .share
    ).chart
    try expectGolden(html(chart), "chart.intervals.html")
  }

  /// A week with trials that are not over is grey, dashed and open.
  @Test func aRateThatCanChangeIsDashed() {
    let row = IntervalTable.Row(
      label: "Week of 2 Mar", value: 0.478, bounds: 0.292...0.67, text: "47.8%", open: "23 can still pay")
    let text = html(IntervalTable(title: "Trials that pay", rows: [row], unit: .share).chart)
    for mark in ["class=\"ci dash scalm\"", "class=\"open scalm dot\"", "<small>23 can still pay</small>"] {
      #expect(text.contains(mark), "\(mark)")
    }
    #expect(!text.contains("ciw"))
  }

  /// A point that may still change is grey, and the line to it is dashed.
  @Test func lines() throws {
    let chart = LineChart(
      title: "Viewers who pay",
      lines: [
        .init(
          name: "control",
          points: [
            .init(x: 0, y: 0.14, bounds: 0.12...0.17, note: "120 of 830"), .init(x: 1, y: 0.15, bounds: 0.13...0.18),
            .init(x: 2, y: 0.1, isSettled: false),
          ]),
        .init(name: "anchor", points: [.init(x: 0, y: 0.2)]),
      ], unit: .share, xText: { "week \(Int($0))" }, xName: "Week", hasDots: true, openFrom: 2
    ).chart
    try expectGolden(html(chart), "chart.lines.html")
    #expect(
      chart.table.rows == [
        ["week 0", "14.0% (12.0 to 17.0)", "20.0%"], ["week 1", "15.0% (13.0 to 18.0)", "–"], ["week 2", "10.0%", "–"],
      ])
    #expect(html(chart).contains(#"class="ln dash s0""#) && html(chart).contains(#"class="f0 dot""#))
  }

  /// The axis of shares that are all high begins above 0, and says so.
  @Test func anAxisThatDoesNotBeginAtZeroSaysSo() {
    let chart = LineChart(
      title: "Still subscribed", lines: [.init(name: "a", points: [.init(x: 0, y: 1), .init(x: 35, y: 0.8)])],
      unit: .share, xText: { "\(Int($0)) d" }, xName: "Age"
    ).chart
    #expect(chart.note == "The axis starts at 80%.")
  }

  /// 34.2 points do not fit an axis that ends at 30. Days side by side have one mark, and the line enters where it
  /// crosses the end: at 1 + (34.2 − 30)/(34.2 − 10) = 1.174 of 3 days, 39.1% of the width.
  @Test func valuesBeyondTheAxisAreMarked() {
    func chart(_ values: [Double]) -> Chart {
      let points = values.enumerated().map { LineChart.Point(x: Double($0), y: $1) }
      return LineChart(
        title: "Difference", lines: [.init(name: "a", points: points)], unit: .points, xText: { "day \(Int($0))" },
        xName: "Day", yFocus: -0.05...0.25, reference: 0
      ).chart
    }
    let one = chart([0.342, 0.1, 0.12])
    #expect(one.note == "Beyond the axis: ▲ +34.2 pp (day 0).")
    #expect(html(one).count(of: ">▲<") == 1 && !html(one).contains("▼"))
    let two = chart([0.5, 0.342, 0.1, 0.12])
    #expect(html(two).count(of: ">▲<") == 1 && two.note == "Beyond the axis: ▲ +50.0 pp (day 0).")
    #expect(html(two).contains(#"<polyline class="ln s1" points="39.1"#), "\(html(two))")
  }

  /// A band needs two points; nothing is uncertain at the start.
  @Test func aLonePointHasABarForItsInterval() {
    let points = [
      LineChart.Point(x: 0, y: 1, bounds: 1...1), LineChart.Point(x: 12, y: 1),
      LineChart.Point(x: 35, y: 0.6, bounds: 0.4...0.7),
    ]
    func chart(_ points: [LineChart.Point]) -> Chart {
      LineChart(
        title: "Still subscribed", lines: [.init(name: "a", points: points)], unit: .share,
        xText: { "\(Int($0)) d" }, xName: "Age"
      ).chart
    }
    #expect(html(chart(points)).count(of: "class=\"ci s1\"") == 1 && !html(chart(points)).contains("band\""))
    #expect(chart(points).table.rows.map { $0[1] } == ["100.0%", "100.0%", "60.0% (40.0 to 70.0)"])
    let whole = html(chart([points[0], points[2]]))
    #expect(whole.contains("class=\"f1 band\"") && !whole.contains("class=\"ci s1\""))
  }

  @Test func heatMap() throws {
    let chart = HeatMapChart(
      title: "Cohorts", rowName: "Month", columns: ["2.", "3."],
      rows: [
        .init(label: "Jan 2026", count: 1_204, shares: [0.8, nil]), .init(label: "Feb 2026", count: 7, shares: [0, 1]),
      ]
    ).chart
    try expectGolden(html(chart), "chart.heatmap.html")
  }

  @Test func waterfall() throws {
    let chart = WaterfallChart(
      title: "MRR",
      steps: [
        .total(name: "opening", value: 1_000), .change(name: "new", value: 250), .change(name: "churned", value: -400),
        .total(name: "closing", value: 850),
      ], unit: .money("USD")
    ).chart
    try expectGolden(html(chart), "chart.waterfall.html")
  }

  /// By hand: the data end on 14 January, three days into the second week.
  @Test func aWeekThatIsNotOverIsHatched() throws {
    let data = CoveredDays(whole: CivilDay.number("2026-01-05")..<CivilDay.number("2026-01-15"))
    let periods = ["2026-01-05", "2026-01-12"].map { ChartPeriod($0, of: "week", data: data) }
    #expect(periods.map(\.note) == [nil, "3 of 7 days"])
    let chart = StackedChart(
      title: "Revenue", periods: periods, series: [("control", [10, 20]), ("anchor", [5, -3])], unit: .money("EUR")
    ).chart
    try expectGolden(html(chart), "chart.stack.html")
    #expect(
      chart.table.rows == [
        ["Week of 5 Jan", "10.00 EUR", "5.00 EUR", "15.00 EUR"],
        ["Week of 12 Jan (3 of 7 days)", "20.00 EUR", "−3.00 EUR", "17.00 EUR"],
      ])
  }

  /// Of ten weeks, the heads stand above their own bars: `9 Mar to 15 Mar: 4,370` takes 22 × 6.9 ÷ 5 = 30.36 per cent, less
  /// than four weeks, and more than one, which has none. The last week has 3 of 7 days.
  @Test func headsStandAboveTheirOwnWeeks() {
    let first = CivilDay.number("2026-01-05")
    let data = CoveredDays(whole: first..<first + 66)
    let periods = (0..<10).map { week in
      ChartPeriod("\(CivilDate(daysSince1970: first + 7 * week))", of: "week", data: data)
    }
    func text(_ weeks: Range<Int>) -> String {
      html(
        StackedChart(
          title: "Revenue", periods: periods, series: [("all", periods.map { _ in 10 })], unit: .money("EUR"),
          highlight: (weeks, "9 Mar to 15 Mar", "4,370"),
          mark: (weeks.lowerBound - weeks.count, "2 Mar to 8 Mar: 3,686")
        ).chart)
    }
    let four = text(6..<10)
    #expect(four.contains(#"x="61%" y="17">9 Mar to 15 Mar: 4,370</text>"#), "\(four)")
    #expect(four.contains(#"x="21%" y="17">2 Mar to 8 Mar: 3,686</text>"#), "\(four)")
    let one = text(9..<10)
    #expect(!one.contains("4,370</text>") && !one.contains("3,686</text>"), "\(one)")
    #expect(one.contains(#"<text class="narrowonly" x="100%" y="294" text-anchor="end">3/7 d</text>"#), "\(one)")
  }

  /// On a phone, two dotted lines have a label, if it has room.
  @Test func dottedLinesHaveLabelsOnAPhone() {
    var plot = Plot(height: 200)
    plot.marks([(10, "7.1.0"), (50, "7.2.0"), (52, "A note that is too long"), (90, "7.3.0")])
    let text = plot.figure("marks").text
    #expect(text.count(of: "class=\"narrowonly\"") == 2 && text.count(of: "class=\"wideonly\"") == 3)
  }

  /// Tests that end on one day are one mark, behind the labels of the values.
  @Test func testsOfOneDayAreOneMark() {
    var plot = Plot(height: 200)
    plot.text("3,738", x: 10, y: 50)
    plot.marks([(10, "a ends"), (10, "b ends"), (60, "c starts"), (60, "7.1.0")])
    let text = plot.figure("marks").text
    #expect(text.contains(">2 tests end<") && !text.contains("a ends") && text.contains("<title>c starts</title>"))
    #expect(text.firstRange(of: "class=\"mark\"")!.lowerBound < text.firstRange(of: "3,738")!.lowerBound)
  }

  /// A file of its own has no class, script or style, but the colours of the stylesheet: --v0 and --v1 of light pages.
  @Test func aPictureStandsAlone() throws {
    let periods = ["2026-01-05", "2026-01-12"].map {
      ChartPeriod(
        $0, of: "week", data: CoveredDays(whole: CivilDay.number("2026-01-05")..<CivilDay.number("2026-01-15")))
    }
    let chart = StackedChart(
      title: "Revenue <of> tests", periods: periods, series: [("control", [10, 20]), ("a", [5, 3])], unit: .money("EUR")
    ).chart
    let svg = try #require(chart.svg(source: "Revenue · steps"))
    #expect(chart.name == "revenue-of-tests")
    for part in ["class=", "<script", "<style", "var(", "url(http"] { #expect(!svg.contains(part), "\(part)") }
    for part in [
      "fill=\"#8590a1\"", "fill=\"#0072b2\"", "fill=\"url(#k1)\"", "Revenue · steps", "Revenue &lt;of&gt; tests",
    ] {
      #expect(svg.contains(part), "\(part)")
    }
    #expect(svg.count { $0 == "<" } == svg.count { $0 == ">" })
  }

  /// From an unfinished first period and to one that is not settled the line is dashed, and the points are open.
  @Test func whatIsNotWholeIsDashedAndOpen() {
    var points = [0.2, 0.3, 0.25, 0.1].enumerated().map { LineChart.Point(x: Double($0), y: $1) }
    points[0].part = "3 of 7 days"
    points[3].isSettled = false
    let chart = LineChart(
      title: "Rate", lines: [LineChart.Line(name: "all", points: points)], unit: .share, xText: { "\($0)" },
      xName: "Week", hasDots: true
    ).chart
    let text = html(chart)
    #expect(text.count(of: "class=\"ln dash s1\"") == 1 && text.count(of: "class=\"ln dash s0\"") == 1)
    #expect(text.count(of: "class=\"ln s1\"") == 1)
    #expect(text.count(of: "class=\"open s1 dot\"") == 1 && text.count(of: "class=\"open s0 dot\"") == 1)
    #expect(text.count(of: "class=\"f1 dot\"") == 2 && text.contains("3 of 7 days"))
  }

  @Test func sparklines() throws {
    try expectGolden(sparkline([0.1, nil, 0.12, 0.11], openFrom: 3).text, "chart.sparkline.html")
    #expect(sparkline([1]).isEmpty && sparkline([]).isEmpty)
  }

  @Test func controlIsGreyAndWhatHasNoPaywallIsLast() {
    #expect(chartColors(["control", "a", "b", "(unattributed)"]) == [0, 1, 2, 6])
    #expect(chartColors(["a", "control"]) == [1, 0])
  }

  /// Derived by hand: a span of 0.304 in five steps is 0.0608 each, of which 0.1 is the next round one; 97 in five is
  /// 19.4.
  @Test func ticksAreRound() {
    #expect(ChartScale(covering: [0.304], ends: (0, 100)).ticks == [0, 0.1, 0.2, 0.30000000000000004, 0.4])
    // 6 × 0.1 is a little more than 0.6, and yet the tick at the start of the axis.
    let high = ChartScale(covering: [0.62, 1], hasZero: false, limit: 0...1, ends: (0, 100))
    #expect(high.ticks.count == 5 && high.ticks.first == high.domain.lowerBound)
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
    #expect(ChartUnit.points.text(-0.02, step: 0.01) == "−2")
    #expect(ChartUnit.money("USD").text(12_500, step: 500) == "12,500")
    #expect(ChartUnit.count.text(3_000_000, step: 1_000_000) == "3M")
    #expect(ChartUnit.count.text(950, step: 50) == "950")
    #expect(ChartUnit.points.value(0.11) == "+11.0 pp" && ChartUnit.money("USD").value(3_544.6) == "3,545 USD")
  }

  @Test func hostileNamesAreText() {
    let period = ChartPeriod(hostile, of: "week", data: nil)
    let charts = [
      funnelChart(hostile, [funnel(hostile), funnel("b")]),
      IntervalTable(title: hostile, rows: [.init(label: hostile, value: 1, text: hostile)], unit: .count).chart,
      LineChart(
        title: hostile, lines: [.init(name: hostile, points: []), .init(name: "b", points: [.init(x: 1, y: 1)])],
        unit: .share, xText: { _ in hostile }, xName: hostile
      ).chart,
      HeatMapChart(title: hostile, columns: [hostile], rows: [.init(label: hostile, count: 10, shares: [0.5])]).chart,
      WaterfallChart(title: hostile, steps: [.total(name: hostile, value: 1)], unit: .money(hostile)).chart,
      StackedChart(title: hostile, periods: [period], series: [(hostile, [1]), ("b", [1])], unit: .money(hostile))
        .chart,
    ]
    for chart in charts {
      let text = html(chart)
      #expect(!text.contains("<script"))
      #expect(!text.unicodeScalars.contains("\u{202E}"))
      #expect(!text.unicodeScalars.contains("\u{1B}"))
      #expect(!text.contains("nan") && !text.contains("inf\""))
    }
  }

  /// Apps with nothing else to tell their rows apart stand on one axis, with their sum: 10 + 20 and 15 + 25 USD.
  @Test func appsOfOneCurrencyShareAnAxis() throws {
    func report(_ rows: [(app: String, currency: String, month: String, amount: Int128)]) -> Report {
      Report(
        name: "mrr", title: "", definition: [], parameters: [],
        asOf: Set(rows.map(\.app)).sorted().map { Report.AppInstant(app: $0, asOf: 1_773_619_200_000, notes: []) },
        columns: ["app", "currency", "month"].map { ReportColumn($0, .key) } + [ReportColumn("closing", .money)],
        rows: rows.map { row in
          [
            .text(row.app), .text(row.currency), .text(row.month),
            .money(row.amount * 1_000_000, currency: row.currency),
          ]
        })
    }
    let one = charts(
      of: report([
        ("a", "USD", "2026-01", 10), ("a", "USD", "2026-02", 15), ("b", "USD", "2026-01", 20),
        ("b", "USD", "2026-02", 25),
      ])
    )
    #expect(one.map(\.title) == ["Recurring revenue by month"])
    #expect(one[0].table.columns == ["Month", "a", "b", "All"])
    #expect(one[0].table.rows.map { $0.last } == ["30.00 USD", "40.00 USD"])
    let two = charts(
      of: report([
        ("a", "USD", "2026-01", 10), ("a", "USD", "2026-02", 15), ("b", "EUR", "2026-01", 20),
        ("b", "EUR", "2026-02", 25),
      ])
    )
    #expect(two.map(\.title) == ["Recurring revenue by month: a, USD", "Recurring revenue by month: b, EUR"])
    // December has no row: it is a gap, and the labels name the years.
    let gap = charts(of: report([("a", "USD", "2026-11", 10), ("a", "USD", "2027-01", 15)]))
    #expect(gap[0].table.rows.map { $0[0] } == ["Nov 2026", "Dec 2026", "Jan 2027"])
    #expect(["Nov 2026", "Jan 2027"].allSatisfy { html(gap[0]).contains(">\($0)<") }, "\(html(gap[0]))")
  }

  /// A line of survival ends where fewer than 10 are followed, as the table leaves the age out.
  @Test func linesEndWithTheLastTenUsers() throws {
    let report = Report(
      name: "retention", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: [ReportColumn("app", .key), ReportColumn("subscriptions", .count)]
        + [12, 35].flatMap { [ReportColumn("at_risk_\($0)", .count)] + ReportColumn.rate("survival_\($0)") },
      rows: [
        [
          .text("a"), .count(40), .count(10), .rate(0.9), .rate(0.8), .rate(0.95), .count(9), .rate(0.5), .rate(0.3),
          .rate(0.7),
        ]
      ])
    #expect(charts(of: report).first?.table.rows.map { $0[0] } == ["0 d", "12 d"])
  }

  @Test func aReportHasItsPictures() {
    #expect(
      charts(of: SampleReports.funnel).map(\.title) == ["From the first paywall to payment, by variant and entry point"]
    )
    #expect(charts(of: SampleReports.twoApps).count == 2)
    #expect(charts(of: SampleReports.empty).isEmpty)
    #expect(charts(of: SampleReports.cancellations).map(\.title) == ["Gone by 35 days"])
  }
}

private enum CivilDay {
  /// Days since 1970.
  static func number(_ text: String) -> Int { CivilDate(text)?.daysSince1970 ?? 0 }
}

extension String {
  fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
