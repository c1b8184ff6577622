import Testing

@testable import Metrics
@testable import Reports

/// Waterfalls of `why` and `reconcile --vendor`: bars lie below each other, and add up.
struct WaterfallTests {
  // MARK: Drivers

  private enum Unit {
    case share
    case count
    case money
  }

  /// A row of `why`; `nil` for the columns that tests leave alone.
  private struct Row {
    var verdict = "part"
    var cut = ""
    var segment = ""
    var part = ""
    var units = (before: 0, now: 0)
    var numbers: (before: Double?, now: Double?) = (nil, nil)
    var contribution: Double
    var app = "a"
  }

  private func why(_ unit: Unit, _ rows: [Row], column: String = "paid_rate", kind: String = "funnel") -> Report {
    func amount(_ value: Double?) -> ReportValue {
      .money(value.map { Int128(($0 * 1e6).rounded()) }, currency: "USD")
    }
    func value(_ value: Double) -> ReportValue {
      switch unit {
      case .share: .rate(value)
      case .count: .number(value)
      case .money: amount(value)
      }
    }
    let names = ["verdict", "cut", "segment", "part"]
    return Report(
      name: "why", title: "Why", definition: [],
      parameters: [.init(name: "report", value: kind), .init(name: "column", value: column)],
      asOf: Set(rows.map(\.app)).sorted().map { Report.AppInstant(app: $0, asOf: 1_773_619_200_000, notes: []) },
      columns: [ReportColumn("app", .key)] + names.map { ReportColumn($0, .text) }
        + ["before_n", "now_n"].map { ReportColumn($0, .count) }
        + ["before_rate", "now_rate"].map { ReportColumn($0, .rate) } + [ReportColumn("contribution", .rate)]
        + (unit == .money ? ["before_amount", "now_amount"].map { ReportColumn($0, .money) } : []),
      rows: rows.map { row in
        [row.app, row.verdict, row.cut, row.segment, row.part].map { .text($0) }
          + [.count(row.units.before), .count(row.units.now)]
          + (unit == .money ? [.rate(nil), .rate(nil)] : [.rate(row.numbers.before), .rate(row.numbers.now)])
          + [value(row.contribution)]
          + (unit == .money ? [amount(row.numbers.before), amount(row.numbers.now)] : [])
      })
  }

  /// The longer periods that a page draws of its table are no drivers.
  @Test func driversAreDrawnBesideATableThatIsDrawnByLongerPeriods() {
    let rows = [
      Row(verdict: "total", units: (100, 100), numbers: (0.5, 0.44), contribution: -0.06),
      Row(cut: "country", segment: "country=DE", contribution: -0.06),
    ]
    var look = PageLook(links: .none)
    (look.finer, look.drivers) = ([0: SampleReports.funnel], why(.share, rows))
    let charts = FinishedReport.tables([SampleReports.funnel]).charts(look)
    #expect(charts.map(\.title).filter { $0 == "By country" }.count == 1, "\(charts.map(\.title))")
  }

  /// By hand: 50% to 44%; DE −2 + −3 = −5 points, US 1 + −2 = −1. The largest comes first, and the parts are in the title
  /// of its bar.
  @Test func aShareMovesSegmentBySegment() throws {
    let report = why(
      .share,
      [
        Row(verdict: "total", units: (10, 20), numbers: (0.5, 0.44), contribution: -0.06),
        Row(cut: "country", segment: "country=US", part: "mix", contribution: 0.01),
        Row(cut: "country", segment: "country=US", part: "rate", contribution: -0.02),
        Row(cut: "country", segment: "country=DE", part: "mix", contribution: -0.02),
        Row(cut: "country", segment: "country=DE", part: "rate", contribution: -0.03),
        Row(cut: "country,platform", segment: "country=DE,platform=ios", part: "rate", contribution: -0.06),
      ])
    let charts = charts(of: report)
    #expect(charts.map(\.title) == ["By country"])
    let chart = try #require(charts.first)
    #expect(chart.subtitle == "paid, in all, from before to now")
    #expect(
      chart.table.rows == [
        ["Before", "50.0000%"], ["DE", "−5.0000 pp"], ["US", "−1.0000 pp"], ["Now", "44.0000%"],
      ])
    #expect(chart.table.columns == ["Country", "Part of the change"])
    let text = chart.markup.text
    #expect(text.contains("<title>DE: −5.0000 pp\nits share of users: −2.0000 pp\nits own rate: −3.0000 pp</title>"))
    // From 0 to 50, of which DE ends at 45 ÷ 50 and US at 44 ÷ 50.
    for bar in [
      #"class="f0" x="0%" width="100%" y="19""#, #"class="f5" x="90%" width="10%" y="57""#,
      #"class="f5" x="88%" width="2%" y="95""#, #"class="f0" x="0%" width="88%" y="133""#,
    ] {
      #expect(text.contains(bar), "\(bar)")
    }
    #expect(!text.contains("yax"))
    // The answer stands above its pictures.
    let page = try htmlText(report, RenderOptions())
    let (table, picture) = (page.firstRange(of: "<table"), page.firstRange(of: "<figure"))
    #expect(try #require(table).lowerBound < #require(picture).lowerBound)
  }

  /// By hand: 30 of 100 and 24 of 120 users, of whom 7 fewer and 1 more are in the two segments.
  @Test func aCountMovesBySegmentsOwnChanges() throws {
    let report = why(
      .count,
      [
        Row(verdict: "total", units: (100, 120), numbers: (0.3, 0.2), contribution: -6),
        Row(cut: "country", segment: "country=(unattributed)", part: "volume", contribution: -7),
        Row(cut: "country", segment: "country=DE", part: "volume", contribution: 1),
      ], column: "paid_users")
    let chart = try #require(charts(of: report).first)
    #expect(
      chart.table.rows == [
        ["Before", "30"], ["no paywall known", "−7"], ["DE", "+1"], ["Now", "24"],
      ])
    #expect(chart.note.isEmpty)
  }

  /// Two weeks before, at 20 USD, stand for 40 USD in four weeks; the change to 50 USD is 10.
  @Test func daysBeforeAreScaledToThoseOfNow() throws {
    let report = why(
      .money,
      [
        Row(verdict: "total", units: (2, 4), numbers: (20, 50), contribution: 10),
        Row(cut: "plan", segment: "plan=yearly", part: "volume", contribution: 12.5),
        Row(cut: "plan", segment: "plan=weekly", part: "rate", contribution: -2.5),
      ], column: "revenue", kind: "revenue")
    let chart = try #require(charts(of: report).first)
    #expect(
      chart.table.rows == [
        ["Before", "40.00 USD"], ["yearly", "+12.50 USD"], ["weekly", "−2.50 USD"], ["Now", "50.00 USD"],
      ])
    #expect(chart.note == "Before is scaled to as many days as now has.")
  }

  /// Of ten segments, with parts of 10 to 1 cents, eight have bars; 2 + 1 cents are those of the others. Of eight
  /// dimensions, the six with the largest bars are drawn. Bars of 0 add nothing.
  @Test func onlyTheLargestAreDrawn() throws {
    var rows = [Row(verdict: "total", units: (1, 1), numbers: (1, 1.55), contribution: 0.55)]
    for cent in 1...10 {
      rows.append(Row(cut: "country", segment: "country=C\(cent)", part: "rate", contribution: Double(cent) / 100))
    }
    rows.append(Row(cut: "country", segment: "country=none", part: "rate", contribution: 0))
    let others = ["platform", "store", "plan", "tier", "paywall", "variant", "stage"]
    for (place, name) in others.enumerated() {
      rows.append(Row(cut: name, segment: "\(name)=x", part: "rate", contribution: 0.55 + Double(place) / 100))
      rows.append(Row(cut: name, segment: "\(name)=y", part: "rate", contribution: Double(-place) / 100))
    }
    let charts = charts(of: why(.money, rows, column: "gross", kind: "revenue"))
    #expect(
      charts.map(\.title) == ["By payment no.", "By variant", "By paywall", "By tier", "By plan", "By store"])
    #expect(charts.last?.note == "CSV and JSON also have the parts by platform and country.")
    let one = try #require(
      Reports.charts(of: why(.money, Array(rows.prefix(12)), column: "gross", kind: "revenue")).first)
    #expect(
      one.table.rows.map { $0[0] } == ["Before"] + (3...10).reversed().map { "C\($0)" } + ["2 others", "Now"])
    #expect(one.table.rows[9] == ["2 others", "+0.03 USD"])
  }

  @Test func appsHaveWaterfallsOfTheirOwn() {
    let rows = ["a", "b"].flatMap { app in
      [
        Row(verdict: "total", units: (10, 10), numbers: (0.5, 0.6), contribution: 0.1, app: app),
        Row(cut: "store", segment: "store=x", part: "rate", contribution: 0.1, app: app),
      ]
    }
    #expect(charts(of: why(.share, rows)).map(\.title) == ["By store: a", "By store: b"])
    // Without units on one side there is no change to split.
    #expect(charts(of: why(.share, [Row(verdict: "data", contribution: 0)])).isEmpty)
  }

  @Test func hostileSegmentsAreText() {
    let rows = [
      Row(verdict: "total", units: (10, 10), numbers: (0.5, 0.6), contribution: 0.1),
      Row(cut: "property:x", segment: "property:x=<script>\u{202E}", part: "rate", contribution: 0.1),
    ]
    let text = charts(of: why(.share, rows)).map(\.markup.text).joined()
    #expect(text.contains("By x") && !text.contains("<script") && !text.unicodeScalars.contains("\u{202E}"))
  }

  // MARK: Bridges

  private func bridge(_ rows: [(month: String, step: String, value: Double?, part: Double?)]) -> Report {
    Report(
      name: "bridge", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "month"].map { ReportColumn($0, .key) }
        + ["switch", "from", "to"].map { ReportColumn($0, .text) }
        + ["after", "part"].map { ReportColumn($0, .rate) },
      rows: rows.map { row in
        [.text("a"), .text(row.month), .text(row.step), .text("over"), .text("all")]
          + [.rate(row.value), row.part.map { .rate($0) } ?? .percent(nil)]
      })
  }

  /// By hand: 40 − 8 + 0 = 32, and 34 − 32 = 2. Of two months, the later one is drawn.
  @Test func aBridgeLeadsFromOurNumberToTheirs() throws {
    let report = bridge([
      ("2026-01", "ours", 0.5, nil), ("2026-01", "vendor", 0.5, nil),
      ("2026-02", "ours", 0.4, nil), ("2026-02", "base", 0.32, -0.08), ("2026-02", "zone", 0.32, 0),
      ("2026-02", "vendor", 0.32, nil), ("2026-02", "unexplained", 0.34, 0.02), ("2026-02", "missing", nil, nil),
    ])
    let chart = try #require(charts(of: report).first)
    #expect(charts(of: report).map(\.title) == ["From our number to theirs"])
    #expect(chart.subtitle == "a bar for each rule, Feb 2026")
    #expect(
      chart.table.rows == [
        ["Our number", "40.0000%"], ["Out of", "−8.0000 pp"], ["Time zone", "0.0000 pp"],
        ["By their rules", "32.0000%"],
        ["Unexplained", "+2.0000 pp"], ["Their number", "34.0000%"],
      ])
    #expect(
      chart.markup.text.contains("<title>Out of: −8.0000 pp\nours: over\ntheirs: all\nusers: --step base</title>"))
  }

  /// Without a number of the vendor's, the bridge ends by its rules; a number that is not defined has no picture.
  @Test func aBridgeMayEndByTheirRules() {
    let report = bridge([("2026-02", "ours", 0.4, nil), ("2026-02", "vendor", 0.4, nil)])
    #expect(charts(of: report).first?.table.rows.map { $0[0] } == ["Our number", "By their rules"])
    var empty = report
    empty.rows[0][5] = .rate(nil)
    #expect(charts(of: empty).isEmpty)
  }
}
