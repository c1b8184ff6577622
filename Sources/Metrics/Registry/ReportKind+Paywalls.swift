extension ReportKind {
  public static let funnel = ReportKind(
    "funnel", "Funnel", "How many users who saw a paywall started a trial or paid?", .paywalls,
    by: [.variant],
    details:
      "By default, each row is a variant. Each user counts once, in the row of the first paywall that they ever saw.",
    examples: [
      "funnel --app steps --by variant", "funnel --app steps --by country --last 28d",
      "funnel --app steps --by entry_point --columns +paid_users",
    ],
    own: [.unit, .horizon, .compare, .ages, .define], reads: [.cells, .facts],
    columns: [
      .core(
        "users", "viewers", "users", "Users who first saw a paywall long enough ago for their outcome to be known."),
      ColumnInfo(
        "trial_users", "started a trial (users)", "users",
        "Viewers who started an introductory trial within 7 days of their first paywall."),
      ColumnInfo(
        "trial_paid_users", "paid after trial (users)", "users", "Viewers whose trial of those 7 days converted."),
      ColumnInfo(
        "direct_paid_users", "paid at once (users)", "users",
        "Viewers who bought within 7 days of their first paywall, without a trial in that time."),
      ColumnInfo(
        "paid_users", "paid (users)", "users", "Viewers who paid after a trial or at once, each counted once."),
      .core("trial_rate", "started a trial", "share", "Share of viewers who started a trial."),
      .core(
        "trial_to_paid_rate", "paid after trial", "share",
        "Of the viewers who started a trial, the share whose trial converted."),
      ColumnInfo("direct_rate", "paid at once", "share", "Share of viewers who paid without a trial."),
      .core("paid_rate", "paid, in all", "share", "Share of viewers who paid after a trial or at once."),
      ColumnInfo(
        "paid_later_users", "paid later", "users", "Viewers who bought only after the 7 days; they are in no rate."),
      ColumnInfo(
        "immature", "too recent to count", "users",
        "Users who first saw a paywall too recently to count in the other columns."),
    ], charts: [.steps], table: Funnel.report)

  public static let trials = ReportKind(
    "trials", "Trials", "How many trials convert to paid, and how many of the open ones still can?", .paywalls,
    by: [.variant],
    details:
      "By default, each row is a variant. A trial counts in the row of the last paywall view in the 7 days before it.",
    examples: ["trials --app steps --by variant", "trials --app steps --by month,plan"],
    own: [.compare, .ages, .define],
    reads: [.cells, .payments],
    columns: [
      .core("trials", "trials", "trials", "Trials that started on the days of the report."),
      ColumnInfo("converted", "converted", "trials", "Trials that converted to paid, whether or not they are over."),
      ColumnInfo("lapsed", "lapsed", "trials", "Trials that are over and did not convert."),
      ColumnInfo(
        "pending_renewing", "open, will renew", "trials", "Open trials whose auto-renew is on; they may still convert."),
      ColumnInfo(
        "pending_cancelled", "open, cancelled", "trials", "Open trials whose auto-renew is off."),
      .core("matured", "over", "trials", "Trials whose end and grace period have passed."),
      .core("matured_converted", "paid", "trials", "Trials that are over and converted."),
      .core("trial_to_paid_rate", "of those over", "share", "Of the trials that are over, the share that converted."),
      .core(
        "floor_rate", "can end at least at", "share", "Share of all trials that convert, if no open trial does."),
      .core(
        "ceiling_rate", "can end at most at", "share",
        "Share of all trials that convert, if every open trial does."),
      ColumnInfo(
        "cancelled", "cancelled (trials)", "trials",
        "Introductory trials that are over and whose auto-renew was off at the end."),
      .core(
        "cancel_rate", "cancelled", "share", "Of the introductory trials that are over, the share that was cancelled."),
      ColumnInfo(
        "cumulative_incidence", "converts, estimated", "share",
        "Aalen–Johansen estimate of the share that converts, from open trials too."),
    ],
    charts: [.intervals(rate: "trial_to_paid_rate", title: "Trials that pay", subtitle: "of the trials that are over")],
    table: Trials.report)

  public static let savings = ReportKind(
    "savings", "Savings", "How much does the yearly plan save at the prices users saw, and which plan did they buy?",
    .paywalls,
    by: [.variant],
    details: "A row has the prices that a variant showed for a tier, and the purchases that followed.",
    examples: ["savings --app steps --by variant --where tier=individual", "savings --app steps --by country"],
    own: [.compare, .ages],
    refusing: ["currency": "savings compares prices as they were shown, each in its own currency: native"],
    reads: [.cells, .events],
    columns: [
      .core("tier", "tier", "", "Individual or family product.", rule: "2.11"),
      .currency,
      ColumnInfo(
        "price_source", "prices from", "",
        "Source of the prices: shown on paywalls, paid in the row, or paid anywhere in the app.", rule: "5.1, 5.2"),
      ColumnInfo("price_pairs", "price pairs", "pairs", "Different pairs of monthly and yearly price shown."),
      .core("monthly_price", "monthly price", "money", "Monthly price of the pair that was shown or paid most often."),
      .core("yearly_price", "yearly price", "money", "Yearly price of the pair that was shown or paid most often."),
      .core("shown_saving", "shown saving", "share", "Share saved by paying yearly instead of twelve times monthly."),
      ColumnInfo(
        "badge_percent", "badge", "percent", "The saving as a badge shows it: whole percents, never rounded up."),
      ColumnInfo(
        "break_even_months", "break-even", "months", "Months after which the yearly plan is cheaper."),
      ColumnInfo("weekly_purchases", "weekly", "purchases", "First purchases of weekly plans."),
      ColumnInfo("monthly_purchases", "monthly", "purchases", "First purchases of monthly plans."),
      ColumnInfo("yearly_purchases", "yearly", "purchases", "First purchases of yearly plans."),
      ColumnInfo("lifetime_purchases", "lifetime", "purchases", "First purchases of lifetime access."),
      ColumnInfo(
        "other_purchases", "other plans", "purchases", "First purchases of two-month, quarterly and semiannual plans."),
      .core("yearly_share", "took yearly", "share", "Share of all purchases that are of yearly plans."),
      ColumnInfo(
        "realised_saving", "saved by yearly buyers", "money",
        "Amount that buyers of yearly plans save compared with twelve monthly payments."),
      ColumnInfo(
        "monthly_value_365d", "monthly buyer in a year", "money",
        "Expected payments of a monthly buyer in the first 365 days."),
      ColumnInfo(
        "yearly_advantage", "yearly against monthly", "money",
        "Yearly price minus the expected payments of a monthly buyer in a year."),
    ], table: Savings.report)

  public static let cancellations = ReportKind(
    "cancellations", "Cancellations", "Who cancels trials and subscriptions, when, and why?", .paywalls,
    by: [.variant],
    details:
      "By default, each row is a variant. The report counts trials that are over, and subscriptions of users who paid.",
    examples: ["cancellations --app steps --by variant,plan", "cancellations --app steps --by month"],
    own: [.compare, .ages],
    reads: [.cells, .payments],
    columns: [
      .core("trials", "trials over", "trials", "Introductory trials that are over."),
      ColumnInfo(
        "trial_cancelled", "cancelled (trials)", "trials",
        "Introductory trials that are over and whose auto-renew was off at the end."),
      .core("trial_cancel_rate", "cancelled", "share", "Of the trials that are over, the share that was cancelled."),
      .core("subscriptions", "paid", "subscriptions", "First purchases of a subscription, lifetime access left out."),
      ColumnInfo("at_risk_*", "* d old", "subscriptions", "Subscriptions that started at least * days ago."),
      ColumnInfo(
        "cancelled_*", "renew off by * d (subscriptions)", "subscriptions",
        "Subscriptions at least * days old whose auto-renew was off * days after the first payment."),
      ColumnInfo(
        "cancelled_*_rate", "renew off by * d", "share",
        "Share of subscriptions whose auto-renew was off * days after the first payment.", coreAt: [35]),
      ColumnInfo(
        "followed_*", "followed * d", "subscriptions",
        "Subscriptions that started at least * days and the grace period ago."),
      ColumnInfo(
        "ended_*", "gone by * d (subscriptions)", "subscriptions",
        "Subscriptions followed for * days that churned within them."),
      ColumnInfo(
        "ended_*_rate", "gone by * d", "share",
        "Share of subscriptions that churned within * days of the first payment.",
        coreAt: [35]),
      ColumnInfo("churned", "churned", "subscriptions", "Subscriptions that have churned by now, of any age."),
      ColumnInfo(
        "churned_voluntary", "left by choice", "subscriptions",
        "Churned subscriptions whose user turned auto-renew off."),
      ColumnInfo("churned_billing", "billing failed", "subscriptions", "Churned subscriptions whose charge failed."),
      ColumnInfo(
        "churned_price_increase", "price increase", "subscriptions",
        "Churned subscriptions whose user declined a higher price."),
      ColumnInfo(
        "churned_refund", "refunded and gone", "subscriptions", "Churned subscriptions whose money was returned."),
      ColumnInfo("churned_other", "other reasons", "subscriptions", "Churned subscriptions with any other reason."),
      ColumnInfo("refund_at_risk", "30 d old", "subscriptions", "Subscriptions that started at least 30 days ago."),
      ColumnInfo(
        "refunded", "refunded (subscriptions)", "subscriptions",
        "Subscriptions at least 30 days old whose first payment was refunded in full within 30 days."),
      ColumnInfo(
        "refund_rate", "refunded", "share",
        "Share of subscriptions whose first payment was refunded in full within 30 days."),
      ColumnInfo(
        "median_days_to_cancel", "median days to cancel", "days",
        "Days from the first payment until half of the subscriptions have been cancelled (Kaplan–Meier)."),
    ],
    charts: [
      .intervals(
        rate: "ended_35_rate", title: "Gone by 35 days", subtitle: "of the subscriptions observed that long")
    ], table: Cancellations.report)

  public static let value = ReportKind(
    "value", "Value", "How much will a user who saw the paywall bring in within 1, 3, 12 and 24 months?", .paywalls,
    by: [.variant],
    details: """
      By default, each row is a variant. Its value is computed from purchases, plans, renewals, refunds and fees. \
      Payments that are not due yet are predicted, and marked. A second table compares pairs of variants, and names \
      the month in which one overtakes the other. With --format csv, json or html, --pairs prints that table instead \
      of the first.
      """,
    examples: ["value --app steps --by variant", "value --app steps --renewal yearly=0.5"],
    own: [.mode(.proceeds), .storeFee, .renewal, .horizon, .pairs, .compare, .ages],
    refusing: ["attribution": "value takes a user's first paywall view"], reads: [.facts],
    columns: [
      .currency,
      .core(
        "users", "viewers", "users", "Users who first saw a paywall long enough ago for their outcome to be known."),
      .core("paid_rate", "pay", "share", "Share of viewers who paid after a trial or at once."),
      ColumnInfo("weekly_purchases", "weekly", "purchases", "Purchases of weekly plans that the funnel counts."),
      ColumnInfo("monthly_purchases", "monthly", "purchases", "Purchases of monthly plans that the funnel counts."),
      ColumnInfo("yearly_purchases", "yearly", "purchases", "Purchases of yearly plans that the funnel counts."),
      ColumnInfo("lifetime_purchases", "lifetime", "purchases", "Purchases of lifetime access that the funnel counts."),
      ColumnInfo(
        "other_purchases", "other plans", "purchases",
        "Purchases of two-month, quarterly and semiannual plans that the funnel counts."),
      ColumnInfo(
        "survival", "renewals from", "",
        "Purchases whose renewals the value uses: the row's own, all of the app, or mixed by plan.",
        rule: "6.4"),
      ColumnInfo(
        "value_*", "worth after * months", "money per user",
        "Expected revenue of a viewer in the first * months after the first payment.", coreAt: [1, 3, 12]),
      ColumnInfo(
        "basis_*", "basis, * months", "", "Basis of the value at * months: seen, predicted or assumed.", rule: "7.6"),
      ColumnInfo(
        "note", "note", "", "Plans whose renewals are not known yet or have no point estimate, and why.",
        rule: "7.6"),
      .core("variant_a", "variant", "", "First variant of the pair, in byte order.", rule: "2.11"),
      .core("variant_b", "against", "", "Second variant of the pair.", rule: "2.11"),
      ColumnInfo(
        "difference_*", "difference after * months", "money per user",
        "Value of the second variant minus that of the first at * months.", rule: "7.1", coreAt: [1, 3, 12]),
      .core(
        "crossing_month", "lead changes in month", "month",
        "First month in which the lead changes, with both leads more than chance.", rule: "7.1"),
      ColumnInfo("crossings", "changes of lead", "", "Number of times that the leading variant changes.", rule: "7.1"),
      ColumnInfo(
        "crossing_share", "resamples that cross", "share", "Share of bootstrap resamples in which the lead changes.",
        rule: "7.1"),
      .core(
        "ahead_last", "ahead at the end", "", "Variant that leads in the last month known, if more than chance.",
        rule: "7.1"),
      ColumnInfo("last_month", "last month known", "month", "Last month for which both values are known.", rule: "7.1"),
      ColumnInfo(
        "basis", "basis", "", "Basis of the values in the last month: seen, predicted or assumed.", rule: "7.6"),
    ] + ofTests("tested_value_12", "12 months", "money per user", "value_12"), table: Value.report)
}
