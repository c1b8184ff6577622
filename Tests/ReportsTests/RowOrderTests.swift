import Testing

@testable import Metrics
@testable import Reports

struct RowOrderTests {
  /// Returns the rows' first key, ordered by `--sort`.
  private func order(_ report: Report, _ sort: String?, limit: Int? = nil, key: Int = 2) throws -> [String] {
    var options = RenderOptions()
    options.sort = sort
    options.limit = limit
    return try render(report, as: .csv, options: options).split(separator: "\n").dropFirst()
      .map { String($0.split(separator: ",")[key]) }
  }

  @Test func withoutSortTheKeysKeepTheirOrder() throws {
    #expect(
      try order(SampleReports.funnel, nil)
        == ["settings_card", "weekly_monthly_chart", "workout_analytics", "goal_notifications"])
  }

  @Test func numbersSortByTheirValue() throws {
    #expect(
      try order(SampleReports.funnel, "users")
        == ["goal_notifications", "workout_analytics", "weekly_monthly_chart", "settings_card"])
    #expect(
      try order(SampleReports.funnel, "users:desc")
        == ["settings_card", "weekly_monthly_chart", "workout_analytics", "goal_notifications"])
  }

  @Test func undefinedValuesComeLastInBothDirections() throws {
    #expect(try order(SampleReports.funnel, "trial_rate").last == "goal_notifications")
    #expect(try order(SampleReports.funnel, "trial_rate:desc").last == "goal_notifications")
  }

  @Test func tiesKeepTheOrderOfTheKeysInBothDirections() throws {
    #expect(try order(SampleReports.savings, "price_pairs") == ["CLF", "JPY", "KWD", "USD"])
    #expect(try order(SampleReports.savings, "price_pairs:desc") == ["CLF", "JPY", "KWD", "USD"])
    #expect(try order(SampleReports.savings, "price_source:desc") == ["CLF", "USD", "KWD", "JPY"])
  }

  /// Amounts in different currencies do not compare.
  @Test func amountsSortByTheirCurrencyAndThenTheirValue() throws {
    #expect(try order(SampleReports.savings, "realised_saving:asc") == ["CLF", "JPY", "KWD", "USD"])
    #expect(try order(SampleReports.savings, "monthly_value_365d:desc") == ["USD", "CLF", "JPY", "KWD"])
  }

  @Test func aLimitTakesTheFirstRowsOfTheOrder() throws {
    #expect(try order(SampleReports.funnel, "users:desc", limit: 1) == ["settings_card"])
    #expect(try order(SampleReports.funnel, "users", limit: 0) == [])
    #expect(try order(SampleReports.funnel, nil, limit: 99).count == 4)
  }

  @Test func aTableSaysThatItShowsNotAllRows() throws {
    var options = RenderOptions()
    options.sort = "users:desc"
    options.limit = 2
    let text = try render(SampleReports.funnel, as: .table, options: options)
    #expect(text.hasSuffix("\n2 of 4 rows, sorted by users:desc.\n"))
  }

  @Test func daysWithoutARowAreNamedAndALimitKeepsTheNewest() throws {
    // From 1 March to the end of 5 March 2026.
    let report = Report(
      name: "funnel", title: "Funnel", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "steps", asOf: 1_772_755_200_000, notes: [], firstDay: 1_772_323_200_000)],
      columns: [ReportColumn("app", .key), ReportColumn("day", .key), ReportColumn("users", .count)],
      rows: ["2026-03-01", "2026-03-02", "2026-03-04"].map { [.text("steps"), .text($0), .count(20)] })
    var options = RenderOptions()
    #expect(try render(report, as: .table, options: options).contains("\nNo viewers on 2 days: 3 Mar and 5 Mar.\n"))
    options.limit = 2
    let text = try render(report, as: .table, options: options)
    #expect(text.hasSuffix("\n2 of 3 rows, the newest.\n") && !text.contains("\n1 Mar 2026"))
    // The bytes of a program's formats do not change.
    #expect(try order(report, nil, limit: 2, key: 1) == ["2026-03-01", "2026-03-02"])
  }

  @Test func aPropertyMayBeNamedAsADirection() throws {
    var report = SampleReports.funnel
    report.columns[2].name = "property:desc"
    #expect(
      try order(report, "property:desc")
        == ["goal_notifications", "settings_card", "weekly_monthly_chart", "workout_analytics"])
    #expect(try order(report, "property:desc:desc").first == "workout_analytics")
  }

  @Test(arguments: [
    ("trial_rat", "trial_rat"), ("trial_rat:desc", "trial_rat"), ("users:down", "users:down"), ("", ""),
  ])
  func anUnknownColumnIsRefusedWithTheColumnsThereAre(sort: String, column: String) throws {
    var options = RenderOptions()
    options.sort = sort
    let names = SampleReports.funnel.columns.map(\.name)
    let error = #expect(throws: UnknownColumn(column: column, columns: names)) {
      try render(SampleReports.funnel, as: .json, options: options)
    }
    #expect(error?.description.hasPrefix("--sort is \(column), but must be one of these") == true)
    #expect(error?.description.contains("paid_later_users, immature") == true)
  }
}
