extension ReportKind {
  public static let paths = ReportKind(
    "paths", "Paths", "At which step do users leave on the way to payment, and how long does each step take?",
    .paywalls, by: [.variant],
    own: [.unit, .horizon, .lastStep, .compare, .ages],
    reads: [.events],
    columns: [
      .core(
        "users", "users", "users", "Users whose first event of the path is old enough for every step to be known.",
        rule: "11.1")
    ]
      + ColumnInfo.steps(
        "sheet", "opened the payment sheet", "Users who opened the store's payment sheet within 7 days.", "11.2")
      + ColumnInfo.steps(
        "started", "started", "Users who began an introductory trial or bought within 7 days.", "3.2, 11.2")
      + [
        ColumnInfo(
          "started_with_sheet", "started from the sheet", "users", "Users who started after the sheet had opened."),
        ColumnInfo(
          "sheet_left", "left the sheet (users)", "users", "Users who opened the sheet and did not start."),
        ColumnInfo(
          "dismissed", "closed the paywall", "users", "Users who closed the paywall without the sheet."),
        ColumnInfo(
          "no_trace", "left without a trace", "users",
          "Users who did not open the sheet, close the paywall or start within 7 days."),
        .core(
          "abandonment_rate", "left the sheet", "share",
          "Of the users who opened the sheet, the share who did not start."),
        ColumnInfo(
          "bounce_rate", "left before the sheet", "share", "Share of users who neither opened the sheet nor started."),
      ].ruled(by: "11.2")
      + ColumnInfo.steps("paid", "paid", "Users who paid after that trial or at once.", "3.2, 11.2")
      + [
        ColumnInfo(
          "immature", "too recent to count", "users", "Users who entered too recently to count in the other columns.",
          rule: "11.6")
      ],
    charts: [.path], table: Paths.report)
}

extension ColumnInfo {
  /// The columns of a step.
  ///
  /// - Parameters:
  ///   - heading: The words for the share that reaches it.
  ///   - help: A sentence about the users who reach it.
  fileprivate static func steps(
    _ name: String, _ heading: String, _ help: String, _ rule: String
  ) -> [ColumnInfo] {
    let step = "step \(name)"
    return [
      ColumnInfo(name, "\(heading) (users)", "users", help, rule: rule),
      .core("\(name)_rate", heading, "share", "Share of users who reached the \(step).", rule: "11.7"),
      ColumnInfo(
        "\(name)_step_rate", "\(heading), of the step before", "share",
        "Share of those who reached the required step before the \(step) that reached it.", rule: "11.7"),
      ColumnInfo(
        "\(name)_dropped", "lost before: \(heading)", "users",
        "Users who reached the required step before and not the \(step).", rule: "11.7"),
      ColumnInfo(
        "\(name)_incidence", "\(heading), estimated", "share",
        "Aalen–Johansen estimate of the share that reaches the \(step), from recent users too.", rule: "11.8"),
      ColumnInfo(
        "\(name)_hours_p25", "\(heading): first quarter", "hours",
        "Hours until a quarter of those who reach the \(step) have reached it.", rule: "11.8"),
      ColumnInfo(
        "\(name)_hours_p50", "\(heading): half", "hours",
        "Hours until half of those who reach the \(step) have reached it.", rule: "11.8"),
      ColumnInfo(
        "\(name)_hours_p75", "\(heading): three quarters", "hours",
        "Hours until three quarters of those who reach the \(step) have reached it.", rule: "11.8"),
    ]
  }

  /// Returns the description of a column of a step that a file names.
  static func step(_ column: String) -> ColumnInfo? {
    let endings = [
      "_step_rate", "_rate", "_dropped", "_incidence", "_hours_p25", "_hours_p50", "_hours_p75",
    ]
    let ending = endings.first { column.hasSuffix($0) } ?? ""
    let name = String(column.dropLast(ending.count))
    let heading = name.replacing("_", with: " ")
    return steps(name, heading, "Users who reached the step \(name).", "11.3").first { $0.identifier == column }
  }
}
