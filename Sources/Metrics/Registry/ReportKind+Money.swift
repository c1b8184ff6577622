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
      "revenue --last 28d --compare previous", "revenue --app steps --from 2026-03 --to 2026-03 --compare previous",
    ], own: [.mode(.net), .storeFee, .compare, .ages, .define], reads: [.payments],
    topics: [.impressions, .payments, .refunds],
    columns: [
      .currency,
      .core("payments", "payments", "payments", "Payments of the row's days, renewals included.", rule: "2.6, 7.1"),
      ColumnInfo(
        "refunds", "refunds", "refunds", "Refunds of the row's days, partial ones included.", rule: "2.7, 7.1"),
      .core("gross", "gross", "money", "Sum of the payments."),
      .core("refunded", "refunded", "money", "Sum of the refunds, in the refund's currency.", rule: "2.7, 7.1"),
      .core("revenue", "net", "money", "Gross, net of refunds, or proceeds after tax and commission, by --mode."),
    ].ruled(by: "7.1"), charts: [.byPeriod(["revenue"], title: "Revenue")], table: Revenue.report)

  public static let mrr = ReportKind(
    "mrr", "Recurring revenue",
    "How much recurring revenue do active subscriptions bring in per month, and what changed it?", .money, by: [.month],
    details: ofStates,
    examples: ["mrr --by none", "mrr --app steps --by month", "mrr --app steps --by plan --to 2026-03-01"],
    own: [.movement, .compare, .ages, .define], reads: [.payments], topics: [.impressions, .payments, .refunds, .ends],
    columns: [
      .currency,
      .core(
        "active_subscriptions", "active", "subscriptions", "Active subscriptions, lifetime access left out.",
        rule: "2.7, 7.2", isState: true),
      .core(
        "mrr", "recurring", "money per month",
        "Sum of the last prices of active subscriptions, each as a month's share; lifetime access left out.",
        rule: "7.2", isState: true),
      .core(
        "arr", "recurring a year", "money per year", "Twelve times the monthly recurring revenue.", rule: "7.2",
        isState: true),
      .core("opening", "opening", "money per month", "Recurring revenue at the start of the period.", isState: true),
      .core("new", "new", "money per month", "Recurring revenue of new subscriptions."),
      .core(
        "resubscribed", "back", "money per month", "Recurring revenue of users who subscribed again after churning.",
        rule: "2.8, 7.3"),
      .core(
        "expansion", "up", "money per month", "Increases: a larger plan, a higher price, or a late payment after a gap."
      ),
      .core(
        "contraction", "down", "money per month",
        "Decreases: a smaller plan, a lower price, or a gap or end within its grace period."),
      ColumnInfo(
        "churned", "churned", "money per month", "Recurring revenue lost to churn.", rule: "2.8, 7.3", isCore: true),
      .core("closing", "closing", "money per month", "Recurring revenue at the end of the period.", isState: true),
    ].ruled(by: "7.3"),
    charts: [
      .byPeriod(["closing", "mrr"], title: "Recurring revenue", subtitle: "a month, at the end of each period"),
      .movement,
    ], table: MRR.report)

  public static let subscriptions = ReportKind(
    "subscriptions", "Subscriptions", "How many subscriptions and trials are active, and how many started or ended?",
    .money, by: [.month], details: ofStates,
    examples: ["subscriptions --app steps --by month", "subscriptions --app steps --by plan --as-of 2026-03-01"],
    own: [.movement, .compare, .ages, .define], reads: [.payments], topics: EventTopic.ofSubscriptions,
    columns: [
      .core(
        "active", "active at end", "subscriptions", "Active subscriptions, lifetime access included.", rule: "2.7",
        isState: true),
      .core(
        "opening", "active at start", "subscriptions", "Active subscriptions at the start of the period.", rule: "7.3",
        isState: true),
      .core(
        "new", "new", "subscriptions", "Subscriptions covered for the first time in the data, older ones included.",
        rule: "2.9, 7.3"),
      .core(
        "resubscribed", "back", "subscriptions", "Subscriptions that started again in the period after churn.",
        rule: "2.8, 7.3"),
      ColumnInfo(
        "recovered", "recovered", "subscriptions", "Late payments within the grace period after a gap.",
        rule: "2.8, 7.3"),
      ColumnInfo(
        "lapsed", "lapsed", "subscriptions",
        "Gaps before a late payment, and ends whose grace period is still running.", rule: "2.8, 7.3"),
      .core(
        "churned", "churned", "subscriptions", "Subscriptions that ended in the period and churned.", rule: "2.8, 7.3"),
      .core(
        "closing", "active at end", "subscriptions", "Active subscriptions at the end of the period.", rule: "7.3",
        isState: true),
      .core(
        "churn_rate", "churn", .share("churned_of_opening", of: "opening"),
        "Share of the subscriptions active at the start that churned in the period.", rule: "7.4", isState: true),
      ColumnInfo(
        "trials_active", "active trials", "trials", "Trials of both kinds that are running.", rule: "2.2", isState: true
      ), .core("trials_started", "trials started", "trials", "Trials that started in the period.", rule: "2.2"),
      ColumnInfo(
        "renewing", "will renew", "subscriptions", "Active subscriptions whose auto-renew is on.", isState: true),
      ColumnInfo(
        "set_to_cancel", "set to cancel", "subscriptions", "Active subscriptions whose auto-renew is off.",
        isState: true),
      ColumnInfo("lifetime", "lifetime", "subscriptions", "Users with lifetime access.", rule: "2.6", isState: true),
      ColumnInfo(
        "in_grace", "in grace", "subscriptions", "Expired subscriptions whose grace period is still running.",
        rule: "1.7, 2.8", isState: true),
      ColumnInfo(
        "billing_retry", "billing retry", "subscriptions",
        "Subscriptions lost to a failed charge less than 60 days ago and not paid since.", isState: true),
      .basis(
        "churned_of_opening", "subscriptions", "Subscriptions active at the start of the period that churned in it.",
        rule: "7.4"),
    ].ruled(by: "2.8"),
    charts: [.byPeriod(["closing", "active"], title: "Active subscriptions", subtitle: "at the end of each period")],
    table: Subscriptions.report)

  public static let retention = ReportKind(
    "retention", "Retention", "How long do subscriptions last?", .money, by: [.variant],
    details: """
      Each row is a cohort, such as the first purchases of a variant, or of a month and plan. It shows the share still \
      subscribed after given numbers of days (Kaplan–Meier). With --by-period, it shows how many of the subscriptions \
      due for a second, third or later payment made it.
      """, examples: ["retention --app steps --by month,plan", "retention --app steps --by plan --by-period --at 2-6"],
    own: [.byPeriod, .at, .compare, .ages], reads: [.payments], topics: [.impressions, .payments, .refunds, .ends],
    columns: [
      .core(
        "subscriptions", "began", "subscriptions", "First purchases of the cohort, lifetime access left out.",
        rule: "2.9, 6.2"),
      ColumnInfo(
        "churned", "churned", "subscriptions", "Subscriptions of the cohort that have churned by now.",
        rule: "2.8, 6.4", others: [.rest(of: "subscriptions", as: "not churned (2.8)")]),
      ColumnInfo(
        "median_days", "median days", .estimate("days", from: "subscriptions"),
        "Days after which half of the subscriptions have ended (Kaplan–Meier)."),
      ColumnInfo(
        "at_risk_*", "followed to *", "subscriptions",
        "Subscriptions still active and followed for * days, or due for payment *.",
        others: [.rest(of: "subscriptions", as: "ended before, or too recent to count (6.4)", isTooRecent: true)]),
      .core(
        "survival_*", "still subscribed after * d", .estimate("share", from: "subscriptions"),
        "Share that lasts longer than * days, or makes payment * (Kaplan–Meier)."),
      ColumnInfo(
        "paid_*", "paid * times", "subscriptions", "Subscriptions that made payment *, of those due for it.",
        others: [.rest(of: "at_risk_*", as: "had the chance and did not (6.4)")]),
      ColumnInfo(
        "retention_*", "made payment *", .share("paid_*", of: "at_risk_*"),
        "Share that made payment *, of those due for it."),
    ].ruled(by: "6.4"), charts: [.survival], table: Retention.report)

  public static let refunds = ReportKind(
    "refunds", "Refunds", "What share of payments, and how much money, was refunded?", .money, by: [.month],
    details: "By default, each row is a month, with its payments and how many of them were refunded.",
    examples: ["refunds --app steps --by month", "refunds --app steps --by plan --date refund"],
    own: [.date, .compare, .ages, .define], reads: [.payments], topics: [.impressions, .payments, .refunds],
    columns: [
      .currency, .core("payments", "payments", "payments", "Payments of the row's days.", rule: "2.6"),
      .core("refunds", "refunds", "refunds", "Refunds of the row's days, whenever the payment was."),
      .core(
        "refunded", "refunded", "payments", "Payments refunded in part or in full.",
        others: [.rest(of: "payments", as: "not refunded (2.7)")]),
      .core(
        "refund_rate", "rate", .share("refunded", of: "payments"), "Share of payments refunded in part or in full."),
      ColumnInfo(
        "full", "in full", "payments",
        "Payments that were refunded in full; by refund day, the refunds that completed it."),
      ColumnInfo(
        "full_rate", "in full, rate", .share("full", of: "refunds"),
        "Share of refunds that completed a payment's refund."),
      ColumnInfo("partial", "in part", "payments", "Payments that were refunded in part, or in another currency."),
      ColumnInfo(
        "at_risk_30", "30-day-old payments", "payments", "Payments that are at least 30 days old.", rule: "6.3",
        others: [.young(of: "payments", "younger than 30 days")]),
      ColumnInfo(
        "refunded_30", "refunded by 30 d", "payments",
        "Payments at least 30 days old that were refunded within 30 days.", rule: "6.3",
        others: [.rest(of: "at_risk_30", as: "no refund within 30 days")]),
      .core(
        "refunded_30_rate", "of 30-day-old payments", .share("refunded_30", of: "at_risk_30"),
        "Share of payments at least 30 days old that were refunded within 30 days.", rule: "6.3"),
      ColumnInfo("gross", "gross", "money", "Sum of the payments.", rule: "7.1"),
      .core("refunded_amount", "amount", "money", "Sum of the refunds, in the refund's currency.", rule: "2.7, 7.1"),
      ColumnInfo(
        "refunded_share", "share of gross", .share("refunded_amount", of: "gross"),
        "Refunded amount as a share of the payments.", rule: "7.1"),
    ].ruled(by: "2.7"), table: Refunds.report)

  private static let chargeOutcomes = ["open", "recovered", "cancelled", "lost"]
  private static let cancellationOutcomes = ["open", "saved", "lost"]

  public static let recovery = ReportKind(
    "recovery", "Recovery", "How many failed charges are recovered, how soon, and how much money is lost?", .money,
    by: [.store], own: [.graceWhatIf, .compare, .ages], reads: [.events], topics: EventTopic.ofSubscriptions,
    columns: [
      .currency, .core("charges", "failed charges", "charges", "Charges that failed on the row's days."),
      .core("open", "open", "charges", "Failed charges that can still come back.", siblings: chargeOutcomes),
      ColumnInfo("matured", "60 d old", "charges", "Failed charges at least 60 days old."),
      ColumnInfo(
        "recovered", "recovered (charges)", "charges", "Failed charges that a payment followed in 60 days.",
        siblings: chargeOutcomes),
      ColumnInfo(
        "cancelled", "cancelled", "charges",
        "Failed charges whose user then cancelled, or got a refund of the previous payment.", siblings: chargeOutcomes),
      ColumnInfo(
        "lost", "lost (charges)", "charges", "Failed charges that nothing followed in 60 days.",
        siblings: chargeOutcomes),
    ].ruled(by: "12.1")
      + [
        .core(
          "recovered_rate", "recovered", .share("matured_recovered", of: "matured"),
          "Share of failed charges at least 60 days old that came back."),
        ColumnInfo(
          "recovered_*_rate", "within * d", .estimate("share", from: "recovered"),
          "Estimated share of failed charges that comes back within * days (Aalen–Johansen).", coreAt: [7]),
        ColumnInfo(
          "hours_p50", "half within", .estimate("hours", from: "recovered"),
          "Hours until half of those that come back have come back."),
        .basis("matured_recovered", "charges", "Failed charges at least 60 days old that came back."),
      ].ruled(by: "12.2")
      + [
        .core("at_risk", "at risk", "money", "Prices of the failed charges."),
        .core("recovered_amount", "came back", "money", "Payments that followed failed charges."),
        ColumnInfo(
          "repriced", "price changes", "money", "Payments that followed, minus the prices of their failed charges."),
        .core("lost_amount", "lost", "money", "Prices of failed charges that were lost or cancelled."),
        .core("open_amount", "still open", "money", "Prices of failed charges that can still come back."),
      ].ruled(by: "12.3")
      + [
        ColumnInfo(
          "after_access", "after access ended", .estimate("share", from: "recovered"),
          "Share of recovered charges whose payment came after cover and grace had ended."),
        .core(
          "recovered_inside", "recovered in that grace", "charges",
          "Charges at least 60 days old that were paid before a grace of --grace-whatif would have ended."),
        .core(
          "lost_with_access", "lost in that grace", "charges",
          "Lost charges whose users would still have had access with a grace of --grace-whatif."),
      ].ruled(by: "12.4"),
    charts: [
      .intervals(
        rate: "recovered_rate", title: "Failed charges that come back", subtitle: "of those at least 60 days old")
    ], table: Recovery.report)

  public static let saves = ReportKind(
    "saves", "Saves", "How many cancellations are taken back before access ends, and when?", .money, by: [.plan],
    own: [.cancelScreens, .compare, .ages], reads: [.events], topics: EventTopic.ofSubscriptions,
    columns: [
      .core("screen", "screen", "", "Last screen of --cancel-screens that was seen within an hour of cancelling."),
      .core(
        "cancellations", "cancellations", "cancellations",
        "Times that a user turned auto-renew off, and not on again within an hour."),
      ColumnInfo("regretted", "within the hour", "cancellations", "Auto-renew turned off and on again within an hour."),
      .core("open", "open", "cancellations", "Cancellations that can still be saved.", siblings: cancellationOutcomes),
      ColumnInfo("matured", "end past", "cancellations", "Cancellations whose end and grace are past."),
      ColumnInfo(
        "saved", "saved (cancellations)", "cancellations",
        "Cancellations that were taken back before the end, or that a payment followed.", siblings: cancellationOutcomes
      ),
      ColumnInfo(
        "lost", "lost (cancellations)", "cancellations", "Cancellations after which the subscription or trial ended.",
        siblings: cancellationOutcomes),
      .core(
        "saved_rate", "saved", .share("matured_saved", of: "matured"),
        "Of the cancellations whose end and grace are past, the share that was saved."),
      ColumnInfo(
        "saved_*_rate", "within * d", .estimate("share", from: "saved"),
        "Estimated share of cancellations that are saved within * days (Aalen–Johansen).", coreAt: [7]),
      ColumnInfo(
        "hours_p50", "half within", .estimate("hours", from: "saved"),
        "Hours until half of those that are saved have been."),
      .core(
        "reactivated", "turned on again", "cancellations", "Saved cancellations whose user turned auto-renew on again.",
        siblings: ["paid"]),
      .core(
        "paid", "paid", "cancellations", "Saved cancellations that a payment followed first.", siblings: ["reactivated"]
      ),
      .core(
        "accepted_offer", "took an offer", "cancellations",
        "Cancellations whose next payment has an offer, while the one before had none."),
      .basis("matured_saved", "cancellations", "Saved cancellations whose end and grace are past."),
    ].ruled(by: "12.5"),
    charts: [.intervals(rate: "saved_rate", title: "Cancellations taken back", subtitle: "of those whose end is past")],
    table: Saves.report)

  public static let winback = ReportKind(
    "winback", "Win-back", "How many subscriptions come back after they ended, when, and what do they pay?", .money,
    by: [], examples: ["winback --app steps", "winback --app steps --by plan"], own: [.compare, .ages],
    reads: [.payments], topics: EventTopic.ofSubscriptions,
    columns: [
      .core("reason", "why it ended", "", "Reason for the end: voluntary, billing, price_increase, refund, other."),
      .currency,
      .core("churned", "ended", "subscriptions", "Subscriptions that churned on the row's days.", rule: "2.8, 12.6"),
      .core(
        "came_back", "came back", "subscriptions", "Subscriptions of these that have been paid again since.",
        others: [.rest(of: "churned", as: "not paid again")]),
      ColumnInfo(
        "came_back_*_rate", "within * d", .estimate("share", from: "came_back"),
        "Estimated share that comes back within * days of the end (Kaplan–Meier).", coreAt: [30, 90]),
      ColumnInfo(
        "days_p50", "half within", .estimate("days", from: "came_back"),
        "Days until half of those that came back had come back."),
      .core(
        "with_offer", "with an offer", "subscriptions", "Those whose payment on coming back has an offer.",
        others: [.rest(of: "came_back", as: "without an offer")]),
      ColumnInfo(
        "with_offer_*_rate", "with an offer within * d", .estimate("share", from: "with_offer"),
        "Estimated share that comes back with an offer within * days of the end (Aalen–Johansen)."),
      ColumnInfo(
        "observed_90", "back 90 d ago", "subscriptions", "Those that came back at least 90 days ago.",
        others: [.young(of: "came_back", "came back less than 90 days ago")]),
      ColumnInfo("amount_90", "paid in 90 d", "money", "Payments less refunds within 90 days of coming back."),
      .core(
        "mean_90", "each in 90 d", .estimate("money", from: "observed_90"),
        "Payments less refunds within 90 days of coming back, per subscription: amount_90 ÷ observed_90."),
    ].ruled(by: "12.6"),
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
      """, examples: ["payback --app steps", "payback --app steps --by campaign --predict"],
    options: [.app, .from, .to, .last, .spendBy, .asOf, .currency, .storeFee, .spendAt, .campaignProperty, .predict]
      + ReportOption.rows,
    refusing: [
      "where": "spend can be split by --by only", "attribution": "users are counted by their first event",
      "timezone": "spend is by UTC days", "grace": "payback depends only on payments",
      "mode": "payback counts proceeds after tax, commission and refunds",
    ], reads: [.events],
    columns: [
      .app, .currency, .core("source", "source", "", "Source of the spend, and of users by the property source."),
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
