import EventModel
import Testing

@testable import Metrics
@testable import Reports

/// The numbers above a report's charts, against sums by hand.
struct KeyTilesTests {
  /// 2026-03-16T00:00:00Z, the end of 15 March.
  private static let asOf: Int64 = 1_773_619_200_000
  /// 2026-01-05T00:00:00Z.
  private static let first: Int64 = 1_767_571_200_000

  private func report(_ name: String, _ columns: [ReportColumn], _ rows: [[ReportValue]], apps: [String]) -> Report {
    Report(
      name: name, title: name, definition: [], parameters: [.init(name: "grace_days", value: "3")],
      asOf: apps.map { app in
        var instant = Report.AppInstant(app: app, asOf: Self.asOf, notes: [])
        instant.firstDay = Self.first
        return instant
      }, columns: columns, rows: rows)
  }

  private func usd(_ units: Int128) -> ReportValue { .money(units * 1_000_000, currency: "USD") }

  private func revenue(_ rows: [(app: String, month: String, gross: Int128, refunded: Int128)]) -> Report {
    report(
      "revenue",
      ["app", "month"].map { ReportColumn($0, .key) } + ["payments", "refunds"].map { ReportColumn($0, .count) }
        + ["gross", "refunded", "revenue"].map { ReportColumn($0, .money) },
      rows.map {
        [
          .text($0.app), .text($0.month), .count(10), .count(1), usd($0.gross), usd($0.refunded),
          usd($0.gross - $0.refunded),
        ]
      }, apps: Array(Set(rows.map(\.app))).sorted())
  }

  private func text(_ report: Report, _ more: KeyReports = KeyReports()) -> String {
    KeyTiles(report, more, compared: nil).markup.text.replacing(/<[^>]*>/, with: "|").replacing(/\|+/, with: "|")
  }

  /// 1,000 + 600 less 40 + 20 is 1,540; 60 of 1,600 are 3.75%, half to even 3.8%. Of two apps, the sum.
  @Test func revenueIsTheSumOfAllRows() {
    let shown = text(revenue([("a", "2026-02", 1_000, 40), ("b", "2026-02", 600, 20)]))
    #expect(shown.contains("Net revenue|1,540 |USD|20 payments, 2 refunds"), "\(shown)")
    #expect(shown.contains("Refunded|3.8% |of gross|60 of 1,600 USD"), "\(shown)")
    #expect(!shown.contains("so far"))
  }

  /// A change is called chance only where the comparison says so (analysis 9.6).
  @Test(arguments: [
    ("up", "more than chance: better"), ("chance", "not more than chance"), ("unknown", "too few users to compare"),
  ])
  func aChangeIsJudgedAsTheComparisonDoes(_ word: String, _ judgement: String) {
    let compared = report(
      "compare",
      [
        ReportColumn("column", .text), ReportColumn("before", .money), ReportColumn("lift", .rate),
        ReportColumn("word", .text),
      ], [[.text("revenue"), usd(1_000), .rate(0.54), .text(word)]], apps: ["a"])
    let tiles = KeyTiles(revenue([("a", "2026-02", 1_600, 60)]), KeyReports(), compared: compared)
    let shown = tiles.markup.text.replacing(/<[^>]*>/, with: "|").replacing(/\|+/, with: "|")
    #expect(shown.contains("Net revenue|1,540 |USD|+54.0%| |before 1,000|\(judgement)|"), "\(shown)")
  }

  /// Nine payers of both sides together say nothing of a change.
  @Test func aChangeOfFewPayersIsNotShown() {
    let compared = report(
      "compare",
      [
        ReportColumn("column", .text), ReportColumn("before", .money), ReportColumn("lift", .rate),
        ReportColumn("word", .text), ReportColumn("before_n", .count), ReportColumn("now_n", .count),
      ], [[.text("revenue"), usd(1_000), .rate(-0.9), .text("down"), .count(8), .count(1)]], apps: ["a"])
    let shown = KeyTiles(revenue([("a", "2026-02", 100, 0)]), KeyReports(), compared: compared).markup.text
    #expect(shown.contains("before 1,000: too few payers to say") && !shown.contains("90.0%"), "\(shown)")
  }

  /// 15 of March's 31 days beside February's first 15.
  @Test func aMonthStandsBesideTheSameDaysOfTheMonthBefore() throws {
    let march = try #require(CivilDate("2026-03-01")).daysSince1970
    var more = KeyReports()
    more.month = (march..<march + 15, revenue([("a", "2026-02", 1_900, 16)]))
    more.stages = report(
      "revenue",
      ["app", "month", "stage"].map { ReportColumn($0, .key) } + ["gross", "revenue"].map { ReportColumn($0, .money) },
      [("2026-02", "1", 3_000, 3_000), ("2026-03", "1", 2_000, 1_998), ("2026-03", "2", 600, 600)].map {
        [.text("a"), .text($0.0), .text($0.1), usd($0.2), usd($0.3)]
      }, apps: ["a"])
    let shown = text(revenue([("a", "2026-02", 3_000, 0), ("a", "2026-03", 2_600, 2)]), more)
    #expect(shown.contains("March so far|2,598 |USD|15 of 31 days|first 15 days of February: 1,884"), "\(shown)")
    // 600 of 5,600 are 10.7%.
    #expect(shown.contains("Later payments|10.7% |of gross|600 of 5,600 USD"), "\(shown)")
  }

  /// From 100 + 50 at the start of February to 180 + 90 at the end of March: +120, 80%. Of the 150, 30 churned: 20%.
  @Test func recurringRevenueGoesFromTheFirstPeriodToTheLast() {
    let rows: [(String, String, [Int128])] = [
      ("a", "2026-02", [100, 60, -10, 150]), ("a", "2026-03", [150, 40, -10, 180]),
      ("b", "2026-02", [50, 20, 0, 70]), ("b", "2026-03", [70, 30, -10, 90]),
    ]
    let shown = text(
      report(
        "mrr",
        ["app", "month"].map { ReportColumn($0, .key) }
          + ["opening", "new", "churned", "closing"].map { ReportColumn($0, .money) },
        rows.map { [.text($0.0), .text($0.1)] + $0.2.map(usd) }, apps: ["a", "b"]))
    #expect(shown.contains("Monthly recurring|270 |USD|+80.0%| |+120"), "\(shown)")
    #expect(shown.contains("New|150 |USD a month") && shown.contains("Churned|30 |USD a month|20.0% of the 150"))
  }

  /// 5 of 100 and 11 of 100 are 8.0%; the week of 9 March is left out, as an end is churn after 3 days of grace only.
  @Test func churnIsOfWeeksWhoseGraceIsOver() {
    let weeks = [
      ("2026-02-23", 5, 0.021_543, 0.111_751), ("2026-03-02", 11, 0.062_549, 0.186_333),
      ("2026-03-09", 90, 0.825_6, 0.944_8),
    ]
    let shown = text(
      report(
        "subscriptions",
        ["app", "week"].map { ReportColumn($0, .key) } + ["active", "new", "churned"].map { ReportColumn($0, .count) }
          + ReportColumn.rate("churn_rate"),
        weeks.map { week, churned, low, high in
          [
            .text("a"), .text(week), .count(120), .count(3), .count(churned), .rate(Double(churned) / 100), .rate(low),
            .rate(high),
          ]
        }, apps: ["a"]))
    #expect(shown.contains("Churn per week|8.0%|"), "\(shown)")
    #expect(shown.contains("Active at the end|120|"))
  }

  /// The ids of findings are those that the overview links to.
  @Test func aFindingHasAnAnchor() {
    #expect(
      HTMLTable.anchor(ofFinding: Health.finding(ofCheck: "days without an event of churn"))
        == "finding-days-without-churn-events")
  }
}
