/// Rules of definitions 11.
extension ColumnRule {
  private static let late = Others(
    "too recent to count: less than the horizon since they entered (11.6)", of: "immature", isTooRecent: true)
  private static let notStarted = Others("did not start within 7 days of entering (3.2)", of: "users", less: "started")
  private static let started = Others("started (3.2)", of: "started")
  private static let left = Others("left the store's sheet (11.2)", of: "sheet_left")
  private static let closed = Others("closed the paywall (11.2)", of: "dismissed")
  private static let traceless = Others("left without a trace (11.2)", of: "no_trace")

  static let paths: [String: ColumnRule] = {
    var rules = [
      "users": sum("11.1, 11.6", "entered the path, at least the horizon before the end of the data", [late]),
      "started_with_sheet": sum("11.2", "users who started after a sheet", [late, notStarted]),
      "sheet_left": sum(
        "11.2", "users who opened the store's sheet within 7 days of entering and did not start",
        [late, started, closed, traceless]),
      "dismissed": sum(
        "11.2", "users who closed the paywall within 7 days of entering, without a sheet or a start",
        [late, started, left, traceless]),
      "no_trace": sum(
        "11.2", "users without a sheet, a closed paywall or a start within 7 days of entering",
        [late, started, left, closed]),
      "abandonment_rate": ratio("sheet_left", over: "sheet", "11.2", "sheet_left ÷ sheet"),
      "bounce_rate": ratio("dismissed+no_trace", over: "users", "11.2", "dismissed + no_trace ÷ users"),
      "immature": sum(
        "11.6", "entered the path, less than the horizon before the end of the data",
        [Others("old enough: counted in users (11.6)", of: "users")]),
    ]
    for (step, before) in [("sheet", "users"), ("started", "users"), ("paid", "started")] {
      rules.merge(columns(of: step, behind: before)) { $1 }
    }
    return rules
  }()

  /// The rules of a step's columns, by name.
  ///
  /// - Parameter before: The column of the required step before; `nil` if the name does not tell.
  private static func columns(of step: String, behind before: String?) -> [String: ColumnRule] {
    var rules = [
      step: sum(
        "11.4", "users who reached the step \(step)",
        [late, Others("did not reach it (11.4)", of: "users", less: step)]),
      "\(step)_rate": ratio(step, over: "users", "11.7", "\(step) ÷ users"),
      "\(step)_dropped": sum(
        "11.7", "users who reached the required step before and not the step \(step)",
        [late, Others("reached it (11.4)", of: step)]),
      "\(step)_incidence": estimate(from: step, "11.8", "Aalen–Johansen estimate from the users who reached it"),
    ]
    if let before { rules["\(step)_step_rate"] = ratio(step, over: before, "11.7", "\(step) ÷ \(before)") }
    for quartile in ["p25", "p50", "p75"] {
      rules["\(step)_hours_\(quartile)"] = estimate(from: step, "11.8", "quartile of the times of those who reached it")
    }
    return rules
  }

  /// The rule of a column of a step that a file names.
  static func ofStep(_ column: String) -> ColumnRule? {
    let endings = ["_rate", "_dropped", "_incidence", "_hours_p25", "_hours_p50", "_hours_p75"]
    if column.hasSuffix("_step_rate") { return refused("has its users under NAME, NAME_rate and NAME_dropped") }
    let ending = endings.first { column.hasSuffix($0) } ?? ""
    return columns(of: String(column.dropLast(ending.count)), behind: nil)[column]
  }
}
