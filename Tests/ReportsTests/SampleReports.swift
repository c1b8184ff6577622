@testable import Metrics

/// Handmade reports with the structure of real ones.
enum SampleReports {
  private static let notes = ["horizon 17 d"]
  /// 2026-03-12T00:00:00.001Z
  private static let asOf: Int64 = 1_773_273_600_001

  static let funnel = funnel(
    apps: ["steps"],
    [
      ("steps", "(none)", "settings_card", 52_340, 4_127, 1_876, 911, 2_787, 214, 1_204),
      ("steps", "anchor_high", "weekly_monthly_chart", 1_204, 96, 41, 22, 63, 3, 35),
      ("steps", "anchor_high", "workout_analytics", 38, 0, 0, 1, 1, 0, 0),
      ("steps", "control", "goal_notifications", 0, 0, 0, 0, 0, 0, 12),
    ])

  static let twoApps = funnel(
    apps: ["steps", "techniq"],
    [
      ("steps", "control", "widgets", 812, 61, 30, 9, 39, 1, 4),
      ("techniq", "headline_b", "training_plan", 96_011, 8_120, 4_020, 0, 4_020, 77, 310),
    ])

  static let hostile = funnel(
    apps: ["steps\n## not a heading"],
    [
      "=HYPERLINK(\"http://x\",\"y\")", "+1+1", "-2", "@SUM(A1)", "\tled by a tab", "\rled by a return", "a,b|c\\|d",
      "say \"hi\"", "line\nbreak", "both\r\nof them", "\u{1B}[31mred\u{7}", "\u{202E}txt.exe", "日本語の入口です。とても長い名前",
      "e\u{301}é🏃‍♀️🇩🇪👨‍👩‍👧‍👦",
      "<img src=x onerror=alert(1)>", "_a_ *b* `c` [d](e) &lt; snake_case", "zero\u{200B}width", "(none)", "",
      "a_name_that_goes_on_and_on_and_on_well_past_what_any_terminal_has_room_for_beside_its_numbers",
    ].map { ("steps\n## not a heading", "Ü,1", $0, 5, 2, 1, 1, 2, 0, 0) })

  static let cancellations: Report = {
    let ages = [(35, 812, 97, 790, 61), (95, 601, 122, 588, 118), (370, 0, 0, 0, 0)]
    let reasons = ["", "_voluntary", "_billing", "_price_increase", "_refund", "_other"]
    var report = Report(
      name: "cancellations", title: "Who cancels, and when", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "techniq", asOf: asOf, notes: [])],
      columns: ["app", "variant", "entry_point", "plan"].map { ReportColumn($0, .key) }, rows: [])
    var row = ["techniq", "headline_b", "ml_recommendations", "monthly"].map(ReportValue.text)
    func count(_ name: String, _ value: Int) {
      report.columns.append(ReportColumn(name, .count))
      row.append(.count(value))
    }
    func rate(_ name: String, _ part: Int, _ whole: Int) {
      report.columns += ReportColumn.rate(name)
      row += share(part, whole)
    }
    count("trials", 1_900)
    count("trial_cancelled", 611)
    rate("trial_cancel_rate", 611, 1_900)
    count("subscriptions", 903)
    for (age, atRisk, cancelled, followed, ended) in ages {
      count("at_risk_\(age)", atRisk)
      count("cancelled_\(age)", cancelled)
      rate("cancelled_\(age)_rate", cancelled, atRisk)
      count("followed_\(age)", followed)
      count("ended_\(age)", ended)
      rate("ended_\(age)_rate", ended, followed)
    }
    for (place, reason) in reasons.enumerated() { count("churned\(reason)", place == 0 ? 131 : 40 - place) }
    count("refund_at_risk", 880)
    count("refunded", 1)
    rate("refund_rate", 1, 880)
    report.columns.append(ReportColumn("median_days_to_cancel", .number))
    row.append(.number(41.0625))
    report.rows = [row]
    return report
  }()

  static let empty = funnel(apps: ["steps"], [])

  /// One row of the fixture `savings_badges`, and currencies with 2, 3 and 4 decimals; ISO 4217 gives the yen 0.
  static let savings = Report(
    name: "savings", title: "What the yearly plan saves",
    definition: ["shown_saving: 1 − yearly ÷ (12 × monthly) (5.3)"],
    parameters: [Report.Parameter(name: "app", value: "all"), Report.Parameter(name: "by", value: "none")],
    asOf: [Report.AppInstant(app: "steps", asOf: asOf, notes: [])],
    columns: [
      ReportColumn("app", .key), ReportColumn("tier", .key), ReportColumn("currency", .key),
      ReportColumn("price_source", .text), ReportColumn("price_pairs", .count), ReportColumn("monthly_price", .money),
      ReportColumn("yearly_price", .money), ReportColumn("shown_saving", .rate),
      ReportColumn("badge_percent", .percent), ReportColumn("break_even_months", .number),
      ReportColumn("yearly_purchases", .count), ReportColumn("yearly_share", .rate),
      ReportColumn("realised_saving", .money), ReportColumn("monthly_value_365d", .money),
      ReportColumn("yearly_advantage", .money),
    ],
    rows: [
      saving("CLF", "shown", 100_050, 1_000_000, 0.1670831, 16, 9.995002, 3, 0.25, 601_800, 512_345.5, 487_654.5),
      saving("JPY", "paid", 980_000_000, 9_800_000_000, 1 / 6, 16, 10, 1_234, 0.5, 2_417_240_000_000, nil, nil),
      saving("KWD", "paid_app", 1_500_500, nil, nil, nil, nil, 0, nil, 0, nil, nil),
      saving("USD", "shown", 1_000_000, 15_000_000, -0.25, nil, 15, 0, 0, -3_000_000, 4_125_000, 10_875_000),
    ])

  private static func saving(
    _ currency: String, _ source: String, _ monthly: Int128?, _ yearly: Int128?, _ shown: Double?, _ badge: Int?,
    _ breakEven: Double?, _ yearlyPurchases: Int, _ share: Double?, _ realised: Int128?, _ value: Double?,
    _ advantage: Double?
  ) -> [ReportValue] {
    [
      .text("steps"), .text("individual"), .text(currency), .text(source), .count(1),
      .money(monthly, currency: currency), .money(yearly, currency: currency), .rate(shown), .percent(badge),
      .number(breakEven), .count(yearlyPurchases), .rate(share), .money(realised, currency: currency),
      .estimate(value, currency: currency), .estimate(advantage, currency: currency),
    ]
  }

  private static func funnel(
    apps: [String], _ rows: [(String, String, String, Int, Int, Int, Int, Int, Int, Int)]
  ) -> Report {
    Report(
      name: "funnel", title: "From the paywall to paid",
      definition: [
        "users: persons by the context of their first paywall impression, matured at horizon H (3.1, 3.3)",
        "trial_rate, direct_rate, paid_rate: shares of users; trial_to_paid_rate: share of trial_users; each with its "
          + "95% Wilson interval (3.4)",
      ],
      parameters: [
        ("app", "all"), ("from", "2026-01-01"), ("to", "2026-03-01"), ("timezone", "UTC"),
        ("as_of", "newest event of each app"), ("grace_days", "3"), ("attribution", "last"), ("unit", "user"),
        ("by", "variant,entry_point"), ("where", "none"),
      ].map { Report.Parameter(name: $0.0, value: $0.1) },
      asOf: apps.map { Report.AppInstant(app: $0, asOf: asOf, notes: notes) },
      columns: ["app", "variant", "entry_point"].map { ReportColumn($0, .key) }
        + ["users", "trial_users", "trial_paid_users", "direct_paid_users", "paid_users"].map {
          ReportColumn($0, .count)
        }
        + ["trial_rate", "trial_to_paid_rate", "direct_rate", "paid_rate"].flatMap { ReportColumn.rate($0) }
        + ["paid_later_users", "immature"].map { ReportColumn($0, .count) },
      rows: rows.map { app, variant, entryPoint, users, trial, trialPaid, direct, paid, later, immature in
        [.text(app), .text(variant), .text(entryPoint)]
          + [users, trial, trialPaid, direct, paid].map { .count($0) }
          + share(trial, users) + share(trialPaid, trial) + share(direct, users) + share(paid, users)
          + [.count(later), .count(immature)]
      })
  }

  /// Returns a share with Wilson's bounds, as in `Statistics`.
  static func share(_ part: Int, _ whole: Int) -> [ReportValue] {
    guard whole > 0 else { return [.rate(nil), .rate(nil), .rate(nil)] }
    let (p, n, z) = (Double(part) / Double(whole), Double(whole), 1.959963984540054)
    let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    let half = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot() / (1 + z * z / n)
    return [.rate(p), .rate(max(0, middle - half)), .rate(min(1, middle + half))]
  }
}
