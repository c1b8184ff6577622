extension ReportKind {
  public static let paths = ReportKind(
    "paths", "Paths", "At which step do users leave on the way to payment, and how long does each step take?",
    .paywalls, by: [.variant], own: [.unit, .horizon, .lastStep, .compare, .ages], reads: [.events],
    topics: [.entry, .impressions, .sheets, .trials, .purchases],
    columns: [
      .core(
        "users", "users", "users", "Users who entered the path at least the horizon before the end of the data.",
        rule: "11.1, 11.6")
    ]
      + ColumnInfo.steps(
        "sheet", "opened the payment sheet", "Users who opened the store's payment sheet within 7 days.", "11.2, 11.4",
        after: "users")
      + ColumnInfo.steps(
        "started", "started", "Users who began an introductory trial or bought within 7 days.", "3.2, 11.2, 11.4",
        after: "users")
      + [
        ColumnInfo(
          "started_with_sheet", "started from the sheet", "users", "Users who started after the sheet had opened.",
          others: [.units(of: "users", less: "started", as: "did not start within 7 days of entering (3.2)")]),
        ColumnInfo(
          "sheet_left", "left the sheet (users)", "users",
          "Users who opened the sheet within 7 days of entering and did not start.", siblings: ends),
        ColumnInfo(
          "dismissed", "closed the paywall", "users",
          "Users who closed the paywall within 7 days of entering, without a sheet or a start.", siblings: ends),
        ColumnInfo(
          "no_trace", "left without a trace", "users",
          "Users who did not open the sheet, close the paywall or start within 7 days.", siblings: ends),
        .core(
          "abandonment_rate", "left the sheet", .share("sheet_left", of: "sheet"),
          "Of the users who opened the sheet, the share who did not start."),
        ColumnInfo(
          "bounce_rate", "left before the sheet", .share("dismissed+no_trace", of: "users"),
          "Share of users who neither opened the sheet nor started."),
      ].ruled(by: "11.2")
      + ColumnInfo.steps(
        "paid", "paid", "Users who paid after that trial or at once.", "3.2, 11.2, 11.4", after: "started") + [
        ColumnInfo(
          "immature", "too recent to count", "users", "Too recent to count: less than the horizon since they entered.",
          rule: "11.6")
      ], charts: [.path], table: Paths.report)

  private static let ends = ["started", "sheet_left", "dismissed", "no_trace"]
}

extension ColumnInfo {
  /// The columns of a step.
  ///
  /// - Parameters:
  ///   - heading: The words for the share that reaches it.
  ///   - help: A sentence about the users who reach it.
  ///   - before: The column of the required step before; `nil` if the name does not tell.
  fileprivate static func steps(
    _ name: String, _ heading: String, _ help: String, _ rule: String, after before: String?
  ) -> [ColumnInfo] {
    let step = "step \(name)"
    return [
      ColumnInfo(
        name, "\(heading) (users)", "users", help, rule: rule,
        others: [.rest(of: "users", as: "did not reach it (11.4)")]),
      .core(
        "\(name)_rate", heading, .share(name, of: "users"), "Share of users who reached the \(step).", rule: "11.7"),
      ColumnInfo(
        "\(name)_step_rate", "\(heading), of the step before",
        before.map { .share(name, of: $0) }
          ?? .refused("share", "has its users under NAME, NAME_rate and NAME_dropped"),
        "Share of those who reached the required step before the \(step) that reached it.", rule: "11.7"),
      ColumnInfo(
        "\(name)_dropped", "lost before: \(heading)", "users",
        "Users who reached the required step before and not the \(step).", rule: "11.7",
        others: [.units(of: name, as: "reached it (11.4)")]),
      ColumnInfo(
        "\(name)_incidence", "\(heading), estimated", .estimate("share", from: name),
        "Aalen–Johansen estimate of the share that reaches the \(step), from recent users too.", rule: "11.8"),
    ]
      + [("25", "first quarter", "a quarter"), ("50", "half", "half"), ("75", "three quarters", "three quarters")].map {
        percent, part, words in
        ColumnInfo(
          "\(name)_hours_p\(percent)", "\(heading): \(part)", .estimate("hours", from: name),
          "Hours until \(words) of those who reach the \(step) have reached it.", rule: "11.8")
      }
  }

  /// Returns the description of a column of a step that a file names.
  static func step(_ column: String) -> ColumnInfo? {
    let endings = ["_step_rate", "_rate", "_dropped", "_incidence", "_hours_p25", "_hours_p50", "_hours_p75"]
    let ending = endings.first { column.hasSuffix($0) } ?? ""
    let name = String(column.dropLast(ending.count))
    let heading = name.replacing("_", with: " ")
    return steps(name, heading, "Users who reached the step \(name).", "11.3, 11.4", after: nil).first {
      $0.identifier == column
    }
  }
}
