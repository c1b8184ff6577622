extension ReportKind {
  private static let ofStates = """
    By default, each row is a month. Shows the state at the end of each day, week, month, quarter or year. Without any \
    of these in --by, it shows the state at the end of the data or at --to. --from is the start of the first period.
    """

  public static let revenue = ReportKind(
    "revenue", "Revenue", "How much came in, how much was refunded, and how much is left?", .money, by: [.month],
    details: """
      By default, each row is a month, with the payments and refunds of its days. The last example compares a month \
      still in progress with the same days of the previous month.
      """,
    examples: [
      "revenue --app steps --by month", "revenue --app steps --by country --last 28d",
      "revenue --last 28d --compare previous",
      "revenue --app steps --from 2026-03 --to 2026-03 --compare previous",
    ],
    own: [.mode(.net), .storeFee, .compare, .ages, .define], reads: [.payments],
    columns: [
      .currency,
      .core("payments", "payments", "payments", "Payments of the row's days, renewals included."),
      ColumnInfo("refunds", "refunds", "refunds", "Refunds of the row's days, partial ones included."),
      .core("gross", "gross", "money", "Sum of the payments."),
      .core("refunded", "refunded", "money", "Sum of the refunds."),
      .core("revenue", "net", "money", "Gross, net of refunds, or proceeds after tax and commission, by --mode."),
    ], charts: [.byPeriod(["revenue"], title: "Revenue")], table: Revenue.report)

  public static let mrr = ReportKind(
    "mrr", "Recurring revenue",
    "How much recurring revenue do active subscriptions bring in per month, and what changed it?",
    .money, by: [.month],
    details: ofStates,
    examples: ["mrr --by none", "mrr --app steps --by month", "mrr --app steps --by plan --to 2026-03-01"],
    own: [.movement, .compare, .ages, .define], reads: [.payments],
    columns: [
      .currency,
      .core(
        "active_subscriptions", "active", "subscriptions", "Active subscriptions, lifetime access left out.",
        isState: true),
      .core(
        "mrr", "recurring", "money per month",
        "Sum of the last prices of active subscriptions, each as a month's share.",
        isState: true),
      .core("arr", "recurring a year", "money per year", "Twelve times the monthly recurring revenue.", isState: true),
      .core("opening", "opening", "money per month", "Recurring revenue at the start of the period.", isState: true),
      .core("new", "new", "money per month", "Recurring revenue of new subscriptions."),
      .core(
        "resubscribed", "back", "money per month", "Recurring revenue of users who subscribed again after churning."),
      .core(
        "expansion", "up", "money per month", "Increases: a larger plan, a higher price, or a late payment after a gap."
      ),
      .core(
        "contraction", "down", "money per month",
        "Decreases: a smaller plan, a lower price, or an end within its grace period."),
      .core("churned", "churned", "money per month", "Recurring revenue lost to churn."),
      .core("closing", "closing", "money per month", "Recurring revenue at the end of the period.", isState: true),
    ],
    charts: [
      .byPeriod(["closing", "mrr"], title: "Recurring revenue", subtitle: "a month, at the end of each period"),
      .movement,
    ], table: MRR.report)

  public static let subscriptions = ReportKind(
    "subscriptions", "Subscriptions", "How many subscriptions and trials are active, and how many started or ended?",
    .money,
    by: [.month],
    details: ofStates,
    examples: ["subscriptions --app steps --by month", "subscriptions --app steps --by plan --as-of 2026-03-01"],
    own: [.movement, .compare, .ages, .define], reads: [.payments],
    columns: [
      .core(
        "active", "active at end", "subscriptions", "Active subscriptions, lifetime access included.", isState: true),
      .core(
        "opening", "active at start", "subscriptions", "Active subscriptions at the start of the period.",
        isState: true),
      .core(
        "new", "new", "subscriptions", "Subscriptions covered for the first time in the data, older ones included."),
      .core("resubscribed", "back", "subscriptions", "Subscriptions that started again in the period after churn."),
      ColumnInfo(
        "recovered", "recovered", "subscriptions", "Late payments within the grace period after a gap."),
      ColumnInfo(
        "lapsed", "lapsed", "subscriptions", "Gaps before a late payment, and ends whose grace period is still running."
      ),
      .core("churned", "churned", "subscriptions", "Subscriptions that ended in the period and churned."),
      .core(
        "closing", "active at end", "subscriptions", "Active subscriptions at the end of the period.", isState: true),
      .core(
        "churn_rate", "churn", "share", "Share of the subscriptions active at the start that churned in the period.",
        isState: true),
      ColumnInfo("trials_active", "active trials", "trials", "Trials of both kinds that are running.", isState: true),
      .core("trials_started", "trials started", "trials", "Trials that started in the period."),
      ColumnInfo(
        "renewing", "will renew", "subscriptions", "Active subscriptions whose auto-renew is on.", isState: true),
      ColumnInfo(
        "set_to_cancel", "set to cancel", "subscriptions", "Active subscriptions whose auto-renew is off.",
        isState: true),
      ColumnInfo("lifetime", "lifetime", "subscriptions", "Users with lifetime access.", isState: true),
      ColumnInfo(
        "in_grace", "in grace", "subscriptions", "Expired subscriptions whose grace period is still running.",
        isState: true),
      ColumnInfo(
        "billing_retry", "billing retry", "subscriptions",
        "Subscriptions lost to a failed charge less than 60 days ago and not paid since.", isState: true),
    ],
    charts: [.byPeriod(["closing", "active"], title: "Active subscriptions", subtitle: "at the end of each period")],
    table: Subscriptions.report)

  public static let retention = ReportKind(
    "retention", "Retention", "How long do subscriptions last?", .money, by: [.variant],
    details: """
      Each row is a cohort, such as the first purchases of a variant, or of a month and plan. It shows the share still \
      subscribed after given numbers of days (Kaplan–Meier). With --by-period, it shows how many of the subscriptions \
      due for a second, third or later payment made it.
      """,
    examples: ["retention --app steps --by month,plan", "retention --app steps --by plan --by-period --at 2-6"],
    own: [.byPeriod, .at, .compare, .ages], reads: [.payments],
    columns: [
      .core("subscriptions", "began", "subscriptions", "First purchases of the cohort, lifetime access left out."),
      ColumnInfo("churned", "churned", "subscriptions", "Subscriptions of the cohort that have churned by now."),
      ColumnInfo(
        "median_days", "median days", "days", "Days after which half of the subscriptions have ended (Kaplan–Meier)."),
      ColumnInfo(
        "at_risk_*", "followed to *", "subscriptions",
        "Subscriptions still active and followed for * days, or due for payment *."),
      .core(
        "survival_*", "still subscribed after * d", "share",
        "Share that lasts longer than * days, or makes payment * (Kaplan–Meier)."),
      ColumnInfo(
        "paid_*", "paid * times", "subscriptions", "Subscriptions that made payment *, of those due for it."),
      ColumnInfo("retention_*", "made payment *", "share", "Share that made payment *, of those due for it."),
    ], charts: [.survival], table: Retention.report)

  public static let ltv = ReportKind(
    "ltv", "Lifetime value", "How much has a user brought in so far, and how much will a purchase bring in?",
    .money,
    details: """
      By default, each row is an app. Columns such as ltv_person_30 show the revenue within 7, 30, 90, 180 and 365 \
      days of a user's first event, for users first seen at least that long ago. Columns named predicted_ show the \
      revenue expected within 12, 24 and 36 months of a first payment. --by plan predicts each plan separately.
      """,
    examples: ["ltv --app steps", "ltv --app steps --by variant"],
    own: [.mode(.net), .storeFee, .compare, .ages, .backtest, .every, .model, .define], reads: [.events],
    columns: [
      .currency,
      ColumnInfo("persons_*", "users, * d", "users", "Users who were first seen at least * days ago.", coreAt: [7]),
      ColumnInfo(
        "ltv_person_*", "revenue per user by * d", "money per user",
        "Revenue per user within * days of the first event.",
        coreAt: [7, 30]),
      ColumnInfo("payers_*", "payers, * d", "users", "Users who paid within * days of the first event."),
      ColumnInfo(
        "ltv_payer_*", "per payer by * d", "money per payer",
        "Revenue per paying user within * days of the first event.",
        coreAt: [30]),
      ColumnInfo("purchases", "purchases", "purchases", "First purchases that the prediction is made for."),
      ColumnInfo(
        "predicted_ltv_*m", "predicted, * months", "money per purchase",
        "Predicted revenue of a purchase within * months.",
        rule: "7.6"),
      ColumnInfo(
        "predicted_note", "note", "text", "Plans that cannot be predicted yet or have no point estimate, and why.",
        rule: "7.6"),
    ] + ofTests("tested_ltv_12m", "12 months", "money per purchase", "predicted_ltv_12m") + ofBacktests,
    charts: [.value],
    table: LTV.report)

  public static let refunds = ReportKind(
    "refunds", "Refunds", "What share of payments, and how much money, was refunded?", .money, by: [.month],
    details: "By default, each row is a month, with its payments and how many of them were refunded.",
    examples: ["refunds --app steps --by month", "refunds --app steps --by plan --date refund"],
    own: [.date, .compare, .ages, .define], reads: [.payments],
    columns: [
      .currency,
      .core("payments", "payments", "payments", "Payments of the row's days."),
      .core("refunds", "refunds", "refunds", "Refunds of the row's days, whenever the payment was."),
      .core("refunded", "refunded", "payments", "Payments refunded in part or in full."),
      .core("refund_rate", "rate", "share", "Share of payments refunded in part or in full."),
      ColumnInfo("full", "in full", "payments", "Payments that were refunded in full."),
      ColumnInfo("full_rate", "in full, rate", "share", "Share of refunds that completed a payment's refund."),
      ColumnInfo(
        "partial", "in part", "payments", "Payments that were refunded in part, or in another currency."),
      ColumnInfo("at_risk_30", "30-day-old payments", "payments", "Payments that are at least 30 days old."),
      ColumnInfo(
        "refunded_30", "refunded by 30 d", "payments",
        "Payments at least 30 days old that were refunded within 30 days."),
      .core(
        "refunded_30_rate", "of 30-day-old payments", "share",
        "Share of payments at least 30 days old that were refunded within 30 days."),
      ColumnInfo("gross", "gross", "money", "Sum of the payments."),
      .core("refunded_amount", "amount", "money", "Sum of the refunds."),
      ColumnInfo("refunded_share", "share of gross", "share", "Refunded amount as a share of the payments."),
    ], table: Refunds.report)

  public static let recovery = ReportKind(
    "recovery", "Recovery", "How many failed charges are recovered, how soon, and how much money is lost?", .money,
    by: [.store], own: [.graceWhatIf, .compare, .ages], reads: [.events],
    columns: [
      .currency,
      .core("charges", "failed charges", "charges", "Charges that failed on the row's days."),
      .core("open", "open", "charges", "Failed charges that can still come back."),
      ColumnInfo("matured", "60 d old", "charges", "Failed charges at least 60 days old."),
      ColumnInfo("recovered", "recovered (charges)", "charges", "Failed charges that a payment followed in 60 days."),
      ColumnInfo(
        "cancelled", "cancelled", "charges",
        "Failed charges whose user then cancelled, or got a refund of the previous payment."),
      ColumnInfo("lost", "lost (charges)", "charges", "Failed charges that nothing followed in 60 days."),
      .core("recovered_rate", "recovered", "share", "Share of failed charges at least 60 days old that came back."),
      ColumnInfo(
        "recovered_*_rate", "within * d", "share", "Estimated share of failed charges that comes back within * days.",
        coreAt: [7]),
      ColumnInfo("hours_p50", "half within", "hours", "Hours until half of those that come back have come back."),
      .core("at_risk", "at risk", "money", "Prices of the failed charges."),
      .core("recovered_amount", "came back", "money", "Payments that followed failed charges."),
      ColumnInfo(
        "repriced", "price changes", "money", "Payments that followed, minus the prices of their failed charges."),
      .core("lost_amount", "lost", "money", "Prices of failed charges that were lost or cancelled."),
      .core("open_amount", "still open", "money", "Prices of failed charges that can still come back."),
      ColumnInfo(
        "after_access", "after access ended", "share",
        "Share of recovered charges whose payment came after cover and grace had ended."),
      .core(
        "recovered_inside", "recovered in that grace", "charges",
        "Charges at least 60 days old that were paid before a grace of --grace-whatif would have ended."),
      .core(
        "lost_with_access", "lost in that grace", "charges",
        "Lost charges whose users would still have had access with a grace of --grace-whatif."),
    ],
    charts: [
      .intervals(
        rate: "recovered_rate", title: "Failed charges that come back", subtitle: "of those at least 60 days old")
    ], table: Recovery.report)

  public static let saves = ReportKind(
    "saves", "Saves", "How many cancellations are taken back before access ends, and when?", .money, by: [.plan],
    own: [.cancelScreens, .compare, .ages], reads: [.events],
    columns: [
      .core("screen", "screen", "", "Last screen of --cancel-screens that was seen within an hour of cancelling."),
      .core("cancellations", "cancellations", "cancellations", "Times that a user turned auto-renew off."),
      ColumnInfo(
        "regretted", "within the hour", "cancellations", "Auto-renew turned off and on again within an hour."),
      .core("open", "open", "cancellations", "Cancellations that can still be saved."),
      ColumnInfo("matured", "end past", "cancellations", "Cancellations whose end and grace are past."),
      ColumnInfo(
        "saved", "saved (cancellations)", "cancellations",
        "Cancellations that were taken back, or that a payment followed."),
      ColumnInfo("lost", "lost (cancellations)", "cancellations", "Cancellations after which the subscription ended."),
      .core(
        "saved_rate", "saved", "share", "Of the cancellations whose end and grace are past, the share that was saved."),
      ColumnInfo(
        "saved_*_rate", "within * d", "share", "Estimated share of cancellations that are saved within * days.",
        coreAt: [7]),
      ColumnInfo("hours_p50", "half within", "hours", "Hours until half of those that are saved have been."),
      .core(
        "reactivated", "turned on again", "cancellations", "Saved cancellations whose user turned auto-renew on again."),
      .core("paid", "paid", "cancellations", "Saved cancellations that a payment followed first."),
      .core(
        "accepted_offer", "took an offer", "cancellations",
        "Cancellations whose next payment has an offer, while the one before had none."),
    ],
    charts: [
      .intervals(rate: "saved_rate", title: "Cancellations taken back", subtitle: "of those whose end is past")
    ], table: Saves.report)

  public static let winback = ReportKind(
    "winback", "Win-back", "How many subscriptions come back after they ended, when, and what do they pay?", .money,
    by: [], examples: ["winback --app steps", "winback --app steps --by plan"], own: [.compare, .ages],
    reads: [.payments],
    columns: [
      .core("reason", "why it ended", "", "Reason for the end: voluntary, billing, price_increase, refund, other."),
      .currency,
      .core("churned", "ended", "subscriptions", "Subscriptions that churned on the row's days."),
      .core("came_back", "came back", "subscriptions", "Those that have been paid again since."),
      ColumnInfo(
        "came_back_*_rate", "within * d", "share", "Estimated share that comes back within * days of the end.",
        coreAt: [30, 90]),
      ColumnInfo("days_p50", "half within", "days", "Days until half of those that came back had come back."),
      .core("with_offer", "with an offer", "subscriptions", "Those whose payment on coming back has an offer."),
      ColumnInfo(
        "with_offer_*_rate", "with an offer within * d", "share",
        "Estimated share that comes back with an offer within * days of the end."),
      ColumnInfo("observed_90", "back 90 d ago", "subscriptions", "Those that came back at least 90 days ago."),
      ColumnInfo("amount_90", "paid in 90 d", "money", "Payments less refunds within 90 days of coming back."),
      .core(
        "mean_90", "each in 90 d", "money", "Payments less refunds within 90 days of coming back, per subscription."),
    ],
    charts: [
      .intervals(
        rate: "came_back_30_rate", title: "Subscriptions that come back", subtitle: "within 30 days of the end")
    ], table: Winback.report)

  public static let payback = ReportKind(
    "payback", "Payback", "What did each user cost, and when does the spend come back?", .money,
    details: """
      Compares the spend that `tollgate spend import` stored with the users who were first seen on the same days. With \
      --by source, campaign or ad_group, a user's event property of that name chooses the row; users without it are \
      (organic).
      """,
    examples: ["payback --app steps", "payback --app steps --by campaign --predict"],
    options: [.app, .from, .to, .last, .spendBy, .asOf, .currency, .storeFee, .spendAt, .campaignProperty, .predict]
      + ReportOption.rows,
    refusing: [
      "where": "spend can be split by --by only",
      "attribution": "users are counted by their first event",
      "timezone": "spend is by UTC days", "grace": "payback depends only on payments",
      "mode": "payback counts proceeds after tax, commission and refunds",
    ], reads: [.events],
    columns: [
      .app, .currency,
      .core("source", "source", "", "Source of the spend, and of users by the property source."),
      .core("campaign", "campaign", "", "Campaign of the spend, and of users by --campaign-property."),
      .core("ad_group", "ad group", "", "Ad group of the spend, and of users by the property ad_group."),
      .core("spend", "spend", "money", "Spend of the row's days; empty without spend."),
      .core("persons", "users", "users", "Users who were first seen on the row's days."),
      .core("payers", "payers", "users", "Number of these users who paid."),
      ColumnInfo("cost_per_person", "cost per user", "money per user", "Spend per user."),
      .core(
        "cac", "cost per payer", "money per payer",
        "Spend per user who paid within 30 days, of days at least 30 days old; Wilson interval of the payers' share."),
      ColumnInfo(
        "roas_*", "returned by * d", "share",
        "Proceeds within * days of a user's first event as a share of the spend, of days at least * days old.",
        coreAt: [30]),
      .core(
        "break_even_day", "break-even day", "days",
        "Age in days at which the users' proceeds reach the spend; interval from 1,000 resamples of users."),
      .core("regained", "returned so far", "share", "Proceeds until now as a share of the spend."),
      .core("status", "status", "", "Status: reached, not_yet, no_users or no_spend."),
      .core(
        "predicted_break_even_day", "break-even day", "days",
        "Predicted age in days at which proceeds so far and expected renewals reach the spend; observed where reached.",
        rule: "7.6"),
      ColumnInfo(
        "predicted_regained", "returned by 24 months", "share",
        "Predicted proceeds within 24 months of a user's first event as a share of the spend.", rule: "7.6"),
      .core(
        "predicted_status", "known how", "",
        "Status with the prediction: reached, predicted, not_yet, not_known, no_users or no_spend."),
      ColumnInfo(
        "predicted_note", "note", "text", "Reason why a row has no predicted day, and what would give it one."),
      ColumnInfo("installs", "installs", "installs", "Installs reported in the spend files."),
      ColumnInfo("cost_per_install", "cost per install", "money an install", "Spend per reported install."),
    ], table: Payback.report)
}
