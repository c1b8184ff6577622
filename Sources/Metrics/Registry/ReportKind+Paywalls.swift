extension ReportKind {
  public static let funnel = ReportKind(
    "funnel", "Funnel", "How many users who saw a paywall started a trial or paid?", .paywalls, by: [.variant],
    details:
      "By default, each row is a variant. Each user counts once, in the row of the first paywall that they ever saw.",
    examples: [
      "funnel --app steps --by variant", "funnel --app steps --by country --last 28d",
      "funnel --app steps --by entry_point --columns +paid_users",
    ], own: [.unit, .horizon, .compare, .ages, .define], reads: [.cells, .facts],
    topics: [.entry, .impressions, .trials, .purchases],
    columns: [
      .core(
        "users", "viewers", "users",
        "Users who first saw a paywall in this row, at least the horizon before the end of the data.", rule: "3.1, 3.3"),
      ColumnInfo(
        "trial_users", "started a trial (users)", "users",
        "Viewers who started an introductory trial within 7 days of their first paywall.", rule: "3.2",
        others: [.rest(of: "users", as: "no introductory trial within 7 days of the first paywall view (3.2)")]),
      ColumnInfo(
        "trial_paid_users", "paid after trial (users)", "users", "Viewers whose trial of those 7 days converted.",
        rule: "3.2", others: [.rest(of: "trial_users", as: "the trial has not converted (2.3)")]),
      ColumnInfo(
        "direct_paid_users", "paid at once (users)", "users",
        "Viewers who bought within 7 days of their first paywall, without a trial in that time.", rule: "3.2",
        others: [.rest(of: "users", as: "no direct purchase within 7 days of the first paywall view (3.2)")]),
      ColumnInfo(
        "paid_users", "paid (users)", "users", paidInTime, rule: "3.2",
        others: [
          .units(of: "paid_later_users", as: "first paid later (3.4)"),
          .rest(of: "users", less: "paid_later_users", as: "no purchase (3.2)"),
        ]),
      .core(
        "trial_rate", "started a trial", .share("trial_users", of: "users"), "Share of viewers who started a trial."),
      .core(
        "trial_to_paid_rate", "paid after trial", .share("trial_paid_users", of: "trial_users"),
        "Of the viewers who started a trial, the share whose trial converted."),
      ColumnInfo(
        "direct_rate", "paid at once", .share("direct_paid_users", of: "users"),
        "Share of viewers who paid without a trial."),
      .core(
        "paid_rate", "paid, in all", .share("paid_users", of: "users"),
        "Share of viewers who paid after a trial or at once."),
      ColumnInfo(
        "paid_later_users", "paid later", "users", "Viewers who first paid later; they are in no rate.",
        others: [
          .units(of: "paid_users", as: "paid in time: counted in paid_users (3.2)"),
          .rest(of: "users", less: "paid_users", as: "no purchase (3.2)"),
        ]), ColumnInfo("immature", "too recent to count", "users", tooRecent, rule: "3.3"),
    ].ruled(by: "3.4"), charts: [.steps], table: Funnel.report)

  /// The users whom a funnel counts as paid.
  private static let paidInTime = "Users who paid at once, or after a trial that started within 7 days."
  private static let tooRecent = "Too recent to count: less than the horizon since the first paywall view."

  private static let trialOutcomes = ["converted", "lapsed", "pending_renewing", "pending_cancelled"]

  public static let trials = ReportKind(
    "trials", "Trials", "How many trials convert to paid, and how many of the open ones still can?", .paywalls,
    by: [.variant],
    details:
      "By default, each row is a variant. A trial counts in the row of the last paywall view in the 7 days before it.",
    examples: ["trials --app steps --by variant", "trials --app steps --by month,plan"],
    own: [.compare, .ages, .define], reads: [.cells, .payments], topics: [.impressions, .trials, .autoRenewal],
    columns: [
      .core("trials", "trials", "trials", "Trials that started on the days of the report.", rule: "4.1, 4.2"),
      ColumnInfo(
        "converted", "converted", "trials", "Trials that converted to paid, whether or not they are over.", rule: "4.2",
        siblings: trialOutcomes),
      ColumnInfo(
        "lapsed", "lapsed", "trials", "Trials past their deadline without a conversion.", rule: "4.2",
        siblings: trialOutcomes),
      ColumnInfo(
        "pending_renewing", "open, will renew", "trials", "Open trials whose auto-renew is on; they may still convert.",
        rule: "4.2", siblings: trialOutcomes),
      ColumnInfo(
        "pending_cancelled", "open, cancelled", "trials", "Open introductory trials whose auto-renew is off.",
        rule: "4.2", siblings: trialOutcomes),
      .core(
        "matured", "over", "trials", "Trials whose end and grace period have passed.", rule: "2.5, 4.3",
        others: [.young(of: "trials", "the trial's deadline is after the end of the data (2.5)")]),
      .core(
        "matured_converted", "paid", "trials", "Trials that are over and converted.", rule: "4.3",
        others: [.rest(of: "matured", as: "lapsed: past the deadline without a conversion (2.5)")]),
      .core(
        "trial_to_paid_rate", "of those over", .share("matured_converted", of: "matured"),
        "Of the trials that are over, the share that converted.", rule: "4.3"),
      .core(
        "floor_rate", "can end at least at", .share("converted", of: "trials"),
        "Share of all trials that convert, if no open trial does.", rule: "4.4"),
      .core(
        "ceiling_rate", "can end at most at", .share("converted+pending_renewing+pending_cancelled", of: "trials"),
        "Share of all trials that convert, if every open trial does.", rule: "4.4"),
      ColumnInfo(
        "cancelled", "cancelled (trials)", "trials",
        "Introductory trials that are over and whose auto-renew was off at the end.",
        others: [.rest(of: "matured_introductory", as: "over, with auto-renew on at the end (2.4)")]),
      .core(
        "cancel_rate", "cancelled", .share("cancelled", of: "matured_introductory"),
        "Of the introductory trials that are over, the share that was cancelled."),
      ColumnInfo(
        "cumulative_incidence", "converts, estimated", .estimate("share", from: "trials"),
        "Aalen–Johansen estimate of the share that converts, from open trials too.", rule: "4.6"),
      .basis(
        "matured_introductory", "trials", "Introductory trials that are over.",
        others: [.rest(of: "matured", as: "the app's own trial, which renews nothing (2.4)")]),
    ].ruled(by: "4.5"),
    charts: [.intervals(rate: "trial_to_paid_rate", title: "Trials that pay", subtitle: "of the trials that are over")],
    table: Trials.report)

  public static let savings = ReportKind(
    "savings", "Savings", "How much does the yearly plan save at the prices users saw, and which plan did they buy?",
    .paywalls, by: [.variant],
    details: "A row has the prices that a variant showed for a tier, and the purchases that followed.",
    examples: ["savings --app steps --by variant --where tier=individual", "savings --app steps --by country"],
    own: [.compare, .ages],
    refusing: ["currency": "savings compares prices as they were shown, each in its own currency: native"],
    reads: [.cells, .events], topics: [.impressions, .payments],
    columns: [
      .core("tier", "tier", "", "Individual or family product.", rule: "2.11"), .currency,
      ColumnInfo(
        "price_source", "prices from", "",
        "Source of the prices: shown on paywalls, paid in the row, or paid anywhere in the app.", rule: "5.1, 5.2"),
      ColumnInfo(
        "price_pairs", "price pairs", .estimate("pairs", from: "price_impressions"),
        "Different pairs of monthly and yearly price shown.", rule: "5.1"),
      .core(
        "monthly_price", "monthly price", .estimate("money", from: "pair_impressions"),
        "Monthly price of the pair that was shown or paid most often; of equals, the newest.", rule: "5.1"),
      .core(
        "yearly_price", "yearly price", .estimate("money", from: "pair_impressions"),
        "Yearly price of the pair that was shown or paid most often; of equals, the newest.", rule: "5.1"),
      .core(
        "shown_saving", "shown saving", .estimate("share", from: "pair_impressions"),
        "Share saved by paying yearly instead of twelve times monthly: 1 − yearly ÷ (12 × monthly)."),
      ColumnInfo(
        "badge_percent", "badge", .estimate("percent", from: "pair_impressions"),
        "The saving as a badge shows it: whole percents, never rounded up."),
      ColumnInfo(
        "break_even_months", "break-even", .estimate("months", from: "pair_impressions"),
        "Months after which the yearly plan is cheaper: yearly ÷ monthly."),
    ].ruled(by: "5.1, 5.3") + ColumnInfo.purchases("First purchases", rule: "2.9, 5.4") + [
      .core(
        "yearly_share", "took yearly",
        .share("yearly_purchases", of: ColumnInfo.purchasesOfPlans.joined(separator: "+")),
        "Share of all purchases that are of yearly plans.", rule: "5.4"),
      ColumnInfo(
        "realised_saving", "saved by yearly buyers", .estimate("money", from: "paid_yearly"),
        "Amount that buyers of yearly plans save: for each, 12 × the row's monthly price − the price paid.", rule: "5.5"
      ),
      ColumnInfo(
        "monthly_value_365d", "monthly buyer in a year", .estimate("money", from: "monthly_purchases"),
        "Expected payments of a monthly buyer in the first 365 days: monthly price × Kaplan–Meier over the payment numbers.",
        rule: "5.6"),
      ColumnInfo(
        "yearly_advantage", "yearly against monthly", .estimate("money", from: "monthly_purchases"),
        "Yearly price minus the expected payments of a monthly buyer in a year.", rule: "5.6"),
      .basis(
        "paid_yearly", "purchases", "Yearly purchases at a price above 0.", rule: "5.5",
        others: [.rest(of: "yearly_purchases", as: "yearly purchases at a price of 0 (5.5)")]),
      .basis("price_impressions", "views", "Paywall views of the row that showed both prices.", rule: "5.1"),
      .basis(
        "pair_impressions", "views", "Paywall views of the row that showed this pair of prices.", rule: "5.1",
        others: [.rest(of: "price_impressions", as: "paywall views that showed another pair (5.1)")]),
    ], table: Savings.report)

  private static let churnReasons = [
    ("voluntary", "left by choice", "user turned auto-renew off"), ("billing", "billing failed", "charge failed"),
    ("price_increase", "price increase", "user declined a higher price"),
    ("refund", "refunded and gone", "money was returned"), ("other", "other reasons", "reason is any other"),
  ].map { reason, heading, text in
    ColumnInfo(
      "churned_\(reason)", heading, "subscriptions", "Churned subscriptions whose \(text).", rule: "2.8, 6.3",
      others: [.rest(of: "churned", as: "churned for another reason (2.8)")])
  }

  public static let cancellations = ReportKind(
    "cancellations", "Cancellations", "Who cancels trials and subscriptions, when, and why?", .paywalls, by: [.variant],
    details:
      "By default, each row is a variant. The report counts trials that are over, and subscriptions of users who paid.",
    examples: ["cancellations --app steps --by variant,plan", "cancellations --app steps --by month"],
    own: [.compare, .ages], reads: [.cells, .payments], topics: EventTopic.ofSubscriptions,
    columns: [
      .core("trials", "trials over", "trials", "Introductory trials that are over."),
      ColumnInfo(
        "trial_cancelled", "cancelled (trials)", "trials",
        "Introductory trials that are over and whose auto-renew was off at the end.",
        others: [.rest(of: "trials", as: "auto-renew on at the end (2.4)")]),
      .core(
        "trial_cancel_rate", "cancelled", .share("trial_cancelled", of: "trials"),
        "Of the trials that are over, the share that was cancelled."),
    ].ruled(by: "4.5, 6.1")
      + [
        .core(
          "subscriptions", "paid", "subscriptions", "First purchases of a subscription, lifetime access left out.",
          rule: "2.9, 6.2"),
        ColumnInfo(
          "at_risk_*", "* d old", "subscriptions",
          "Subscriptions that started at least * days before the end of the data.",
          others: [.young(of: "subscriptions", "younger than * days (6.2)")]),
        ColumnInfo(
          "cancelled_*", "renew off by * d (subscriptions)", "subscriptions",
          "Subscriptions at least * days old whose auto-renew was off * days after the first payment.",
          others: [.rest(of: "at_risk_*", as: "auto-renew on, or paid again, at * d (6.2)")]),
        ColumnInfo(
          "cancelled_*_rate", "renew off by * d", .share("cancelled_*", of: "at_risk_*"),
          "Share of subscriptions whose auto-renew was off * days after the first payment.", coreAt: [35]),
        ColumnInfo(
          "followed_*", "followed * d", "subscriptions",
          "Subscriptions that started at least * days and the grace period before the end of the data.",
          others: [.young(of: "subscriptions", "younger than * days and grace (6.2)")]),
        ColumnInfo(
          "ended_*", "gone by * d (subscriptions)", "subscriptions",
          "Subscriptions followed for * days that churned within them.",
          others: [.rest(of: "followed_*", as: "lasted * d (6.2)")]),
        ColumnInfo(
          "ended_*_rate", "gone by * d", .share("ended_*", of: "followed_*"),
          "Share of subscriptions that churned within * days of the first payment.", coreAt: [35]),
      ].ruled(by: "6.2") + [
        ColumnInfo(
          "churned", "churned", "subscriptions", "Subscriptions that have churned by now, of any age.",
          rule: "2.8, 6.3",
          others: [.rest(of: "subscriptions", as: "not churned: still active, or in its grace period (2.8)")])
      ] + churnReasons
      + [
        ColumnInfo(
          "refund_at_risk", "30 d old", "subscriptions",
          "Subscriptions that started at least 30 days before the end of the data.",
          others: [.young(of: "subscriptions", "younger than 30 days (6.3)")]),
        ColumnInfo(
          "refunded", "refunded (subscriptions)", "subscriptions",
          "Subscriptions at least 30 days old whose first payment was refunded in full within 30 days.",
          others: [.rest(of: "refund_at_risk", as: "not refunded in full within 30 days (6.3)")]),
        ColumnInfo(
          "refund_rate", "refunded", .share("refunded", of: "refund_at_risk"),
          "Share of subscriptions whose first payment was refunded in full within 30 days."),
        ColumnInfo(
          "median_days_to_cancel", "median days to cancel", .estimate("days", from: "subscriptions"),
          "Days from the first payment until half of the subscriptions have been cancelled (Kaplan–Meier).", rule: "6.5"
        ),
      ].ruled(by: "6.3"),
    charts: [
      .intervals(rate: "ended_35_rate", title: "Gone by 35 days", subtitle: "of the subscriptions observed that long")
    ], table: Cancellations.report)

  public static let value = ReportKind(
    "value", "Value", "How much will a user who saw the paywall bring in within 1, 3, 12 and 24 months?", .paywalls,
    by: [.variant],
    details: """
      By default, each row is a variant. Its value is computed from purchases, plans, renewals, refunds and fees. \
      Payments that are not due yet are predicted, and marked. A second table compares pairs of variants, and names \
      the month in which one overtakes the other. With --format csv, json or html, --pairs prints that table instead \
      of the first.
      """, examples: ["value --app steps --by variant", "value --app steps --renewal yearly=0.5"],
    own: [.mode(.proceeds), .storeFee, .renewal, .horizon, .pairs, .compare, .ages],
    refusing: ["attribution": "value takes a user's first paywall view"], reads: [.facts],
    topics: [.entry, .trials, .payments, .refunds],
    columns: [
      .currency,
      .core(
        "users", "viewers", "users", "Users who first saw a paywall at least the horizon before the end of the data.",
        rule: "3.1, 3.3"),
      .core(
        "paid_rate", "pay", .share("paid", of: "users"), "Share of viewers who paid after a trial or at once.",
        rule: "3.4"),
    ] + ColumnInfo.purchases("Purchases that the funnel counts,", rule: "2.9, 3.2")
      + [
        ColumnInfo(
          "survival", "renewals from", "",
          "Purchases whose renewals the value uses: the row's own, all of the app, or mixed by plan.", rule: "6.4"),
        ColumnInfo(
          "value_*", "worth after * months", .estimate("money per user", from: "purchases"),
          "Expected revenue of a viewer in the first * months after the first payment.",
          rule: "3.2, 6.4, 7.1, 7.6", coreAt: [1, 3, 12]),
        ColumnInfo("basis_*", "basis, * months", "", "Basis of the value at * months: seen, predicted or assumed."),
        ColumnInfo("note", "note", "", "Plans whose renewals are not known yet or have no point estimate, and why."),
        .basis("paid", "users", paidInTime, rule: "3.2"),
        .basis("buyers", "users", "Users who bought in the row's currency.", rule: "3.2"),
        .basis("immature", "users", tooRecent, rule: "3.3"),
        .basis(
          "purchases", "purchases", "Purchases of users that a funnel counts, in the row's currency.", rule: "3.2",
          others: [
            .units(of: "paid", less: "buyers", as: "users who bought in other currencies only"),
            .units(of: "users", less: "paid", as: "users without such a purchase in any currency (3.2)"),
          ]),
      ].ruled(by: "7.6")
      + ofTests(
        "tested_value_12", "12 months", "money per user", "value_12", from: "purchases", rule: "3.2, 6.4, 7.1, 7.6")
      + ofPairs, table: Value.report)

  /// The columns of `value --pairs`.
  private static let ofPairs = [
    ColumnInfo.core("variant_a", "variant", "", "First variant of the pair, in byte order.", rule: "2.11"),
    .core("variant_b", "against", "", "Second variant of the pair.", rule: "2.11"),
    ColumnInfo(
      "difference_*", "difference after * months", "money per user",
      "Value of the second variant minus that of the first at * months.", coreAt: [1, 3, 12]),
    .core(
      "crossing_month", "lead changes in month", "month",
      "First month in which the lead changes, with both leads more than chance."),
    ColumnInfo("crossings", "changes of lead", "", "Number of times that the leading variant changes."),
    ColumnInfo(
      "crossing_share", "resamples that cross", "share", "Share of bootstrap resamples in which the lead changes."),
    .core("ahead_last", "ahead at the end", "", "Variant that leads in the last month known, if more than chance."),
    ColumnInfo("last_month", "last month known", "month", "Last month for which both values are known."),
    ColumnInfo("basis", "basis", "", "Basis of the values in the last month: seen, predicted or assumed.", rule: "7.6"),
  ].ofNoUsers.ruled(by: "7.1")
}

extension ColumnInfo {
  private static let plans = [
    ("weekly", "weekly", "weekly plans"), ("monthly", "monthly", "monthly plans"), ("yearly", "yearly", "yearly plans"),
    ("lifetime", "lifetime", "lifetime access"), ("other", "other plans", "two-month, quarterly and semiannual plans"),
  ]
  static let purchasesOfPlans = plans.map { "\($0.0)_purchases" }

  /// The columns of first purchases by plan.
  fileprivate static func purchases(_ what: String, rule: String) -> [ColumnInfo] {
    plans.map { plan, heading, text in
      let name = "\(plan)_purchases"
      return ColumnInfo(
        name, heading, "purchases", "\(what) of \(text).", rule: rule,
        others: [OtherUnits(text: "of another plan", columns: purchasesOfPlans.filter { $0 != name })])
    }
  }
}
