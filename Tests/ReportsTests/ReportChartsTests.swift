import Testing

@testable import Metrics
@testable import Reports

/// The charts of whole reports, derived by hand.
struct ReportChartsTests {
  private func html(_ chart: Chart) -> String { chart.markup.text }

  private func cohorts(by period: String, _ key: String) -> Report {
    let columns = [2, 3].flatMap { [ReportColumn("at_risk_\($0)", .count), ReportColumn("survival_\($0)", .rate)] }
    return Report(
      name: "retention", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", period].map { ReportColumn($0, .key) } + [ReportColumn("subscriptions", .count)] + columns,
      rows: [
        [.text("a"), .text(key), .count(104), .count(104), .rate(0.788), .count(50), .rate(0.7)]
      ])
  }

  /// A step that the data have no events of has no number, and no bar.
  @Test func stepsThatTheDataLackAreNotDrawn() throws {
    var report = SampleReports.funnel
    (report.unknownRates, report.unknownCounts) = (["paid_rate"], ["paid_users"])
    let rows = try #require(charts(of: report).first).table.rows
    #expect(rows.last?.dropFirst().allSatisfy { $0 == "–" } == true, "\(rows)")
    #expect(rows.dropLast().allSatisfy { !$0.contains("–") }, "\(rows)")
  }

  /// The heading of weeks says once what their days are: a phone has no room for it in each row.
  @Test func weeksOfCohortsHaveShortNames() throws {
    let text = html(try #require(charts(of: cohorts(by: "week", "2026-01-05")).first))
    #expect(text.contains(">Week of</th>") && text.contains("<bdi>5 Jan") && !text.contains("Week of 5"), "\(text)")
  }

  /// Heads say once that they are numbers of payments.
  @Test func cohortsNameThePayment() throws {
    let text = html(try #require(charts(of: cohorts(by: "month", "2026-01")).first))
    #expect(text.contains(">Payment 2</th>") && text.contains(">3</th>"), "\(text)")
    #expect(text.contains("Jan 2026, payment 2: 78.8% of 104"), "\(text)")
  }

  /// Labels are those of the table, and the rest of many apps is grey, as on the home page.
  @Test func labelsAndTheRestAreAsElsewhere() throws {
    let ended = Report(
      name: "winback", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "reason"].map { ReportColumn($0, .key) } + [ReportColumn("churned", .count)],
      rows: [[.text("a"), .text("price_increase"), .count(9)]])
    #expect(ChartTable(ended).rows[0].label() == "price increase")
    let apps = (1...6).map { "app-\($0)" }
    let revenue = Report(
      name: "revenue", title: "", definition: [], parameters: [],
      asOf: apps.map { Report.AppInstant(app: $0, asOf: 1_773_619_200_000, notes: []) },
      columns: ["app", "month", "currency"].map { ReportColumn($0, .key) } + [ReportColumn("revenue", .money)],
      rows: apps.flatMap { app in
        ["2026-01", "2026-02"].map { [.text(app), .text($0), .text("USD"), .money(1_000_000, currency: "USD")] }
      })
    let legend = try #require(charts(of: revenue).first).legend
    #expect(legend.last == Chart.Series(name: "rest (2)", color: 0))
    #expect(legend.map(\.color) == [1, 2, 3, 4, 0])
  }

  /// Nothing is known of day 0, so the line begins with the first age. Two ages make no line.
  @Test func valuesBeginWithTheFirstAge() throws {
    let chart = try #require(charts(of: values(atAges: [7, 30, 60])).first)
    #expect(chart.table.rows.map { $0[0] } == ["7 d", "30 d", "60 d"])
    #expect(charts(of: values(atAges: [7, 30])).isEmpty)
  }

  private func values(atAges ages: [Int]) -> Report {
    Report(
      name: "ltv", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "currency"].map { ReportColumn($0, .key) }
        + ages.flatMap { [ReportColumn("persons_\($0)", .count), ReportColumn("ltv_person_\($0)", .money)] },
      rows: [
        [.text("a"), .text("USD")]
          + ages.flatMap { [.count(50), .money(Int128($0) * 100_000, currency: "USD")] }
      ])
  }

  /// Rows of one currency do not name it, and stand as in the table: the most subscriptions first.
  @Test func intervalsStandAsInTheTable() throws {
    let report = Report(
      name: "winback", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "reason", "currency"].map { ReportColumn($0, .key) } + [ReportColumn("churned", .count)]
        + ReportColumn.rate("came_back_30_rate"),
      rows: [("billing", 9), ("voluntary", 30)].map { reason, count -> [ReportValue] in
        [.text("a"), .text(reason), .text("USD"), .count(count), .rate(0.2), .rate(0.1), .rate(0.4)]
      })
    let text = html(try #require(charts(of: report).first))
    let names = text.matches(of: /<th scope="row"><bdi>([^<]*)</).map { String($0.1) }
    #expect(names == ["voluntary", "billing"], "\(text)")
  }

  /// Revenue of one app by month and payment number: 900 + 100 − 50 is 950; 700 + 80 + 20 − 0 is 800.
  @Test func revenueIsSplitIntoFirstPaymentsRenewalsAndRefunds() throws {
    func usd(_ units: Int128) -> ReportValue { .money(units * 1_000_000, currency: "USD") }
    let rows: [(String, String, Int128, Int128)] = [
      ("2026-01", "1", 900, 40), ("2026-01", "2", 100, 10), ("2026-02", "1", 700, 0), ("2026-02", "2", 80, 0),
      ("2026-02", "3", 20, 0),
    ]
    let report = Report(
      name: "revenue", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "month", "stage", "currency"].map { ReportColumn($0, .key) }
        + ["gross", "refunded", "revenue"].map { ReportColumn($0, .money) },
      rows: rows.map {
        [.text("a"), .text($0.0), .text($0.1), .text("USD"), usd($0.2), usd($0.3), usd($0.2 - $0.3)]
      })
    let chart = try #require(charts(of: report).first)
    #expect(chart.table.columns == ["Month", "first payments", "renewals", "refunds", "All"])
    let cells = chart.table.rows.map { $0.dropFirst().map { $0.replacing(" USD", with: "") } }
    #expect(cells == [["900", "100", "−50.00", "950"], ["700", "100", "0.00", "800"]], "\(cells)")
  }
}
