import Testing

@testable import Metrics
@testable import Reports

/// The charts of whole reports, derived by hand.
struct ReportChartsTests {
  private func html(_ chart: Chart) -> String { chart.markup.text }

  /// Heads say once that they are numbers of payments.
  @Test func cohortsNameThePayment() throws {
    let columns = [2, 3].flatMap { [ReportColumn("at_risk_\($0)", .count), ReportColumn("survival_\($0)", .rate)] }
    let report = Report(
      name: "retention", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "month"].map { ReportColumn($0, .key) } + [ReportColumn("subscriptions", .count)] + columns,
      rows: [
        [.text("a"), .text("2026-01"), .count(104), .count(104), .rate(0.788), .count(50), .rate(0.7)]
      ])
    let text = html(try #require(charts(of: report).first))
    #expect(text.contains(">Payment 2</th>") && text.contains(">3</th>"), "\(text)")
    #expect(text.contains("Jan 2026, payment 2: 78.8% of 104"), "\(text)")
  }

  /// Nothing is known of day 0, so the line begins with the first age.
  @Test func valuesBeginWithTheFirstAge() throws {
    let report = Report(
      name: "ltv", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "currency"].map { ReportColumn($0, .key) }
        + [7, 30].flatMap { [ReportColumn("persons_\($0)", .count), ReportColumn("ltv_person_\($0)", .money)] },
      rows: [
        [
          .text("a"), .text("USD"), .count(50), .money(1_500_000, currency: "USD"), .count(50),
          .money(2_500_000, currency: "USD"),
        ]
      ])
    let chart = try #require(charts(of: report).first)
    #expect(chart.table.rows.map { $0[0] } == ["7 d", "30 d"])
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
}
