/// Rules of definitions 7.
extension ColumnRule {
  static let revenue: [String: ColumnRule] = [
    "payments": .sum("2.6, 7.1", "payments of the row's days"),
    "refunds": .sum("2.7, 7.1", "refunds of the row's days"),
    "gross": .sum("7.1", "Σ payments"),
    "refunded": .sum("2.7, 7.1", "Σ refunds, in the refund's currency"),
    "revenue": .sum("7.1", "Σ payments less refunds, by --mode"),
  ]

  static let mrr: [String: ColumnRule] = [
    "active_subscriptions": .sum("2.7, 7.2", "subscriptions active at the instant, except lifetime"),
    "mrr": .sum("7.2", "sum over active subscriptions, except lifetime, of the last price ÷ its months"),
    "arr": .sum("7.2", "12 × mrr"),
    "opening": .sum("7.3", "mrr at the start of the period"),
    "new": .sum("7.3", "first paid periods of subscriptions"),
    "resubscribed": .sum("2.8, 7.3", "subscriptions that came back after they had churned"),
    "expansion": .sum("7.3", "more than before, or paid again after a gap without churn"),
    "contraction": .sum("7.3", "less than before, a gap between paid periods, or an end that is not churn yet"),
    "churned": .sum("2.8, 7.3", "subscriptions that ended in the period and have churned"),
    "closing": .sum("7.3", "mrr at the end of the period"),
  ]

  static let subscriptions: [String: ColumnRule] = [
    "active": .sum("2.7", "subscriptions active at the instant"),
    "new": .sum("2.9, 7.3", "subscriptions covered for the first time, including those that began before the data"),
    "resubscribed": .sum("2.8, 7.3", "subscriptions that came back in the period after they had churned"),
    "recovered": .sum("2.8, 7.3", "late payments after a gap between paid periods"),
    "lapsed": .sum("2.8, 7.3", "gaps between paid periods, and ends whose grace period is not over"),
    "churned": .sum("2.8, 7.3", "subscriptions that ended in the period and have churned"),
    "churned_of_opening": .sum("7.4", "of those, active at the start of the period"),
    "opening": .sum("7.3", "active at the start of the period"),
    "closing": .sum("7.3", "active at the end of the period"),
    "churn_rate": .ratio("churned_of_opening", over: "opening", "7.4", "churned of those active at the start ÷ these"),
    "trials_active": .sum("2.2", "trials before their end and conversion at the instant"),
    "trials_started": .sum("2.2", "trials that began in the period"),
    "renewing": .sum("2.8", "active, auto-renew on"),
    "set_to_cancel": .sum("2.8", "active, auto-renew off"),
    "lifetime": .sum("2.6", "active, lifetime"),
    "in_grace": .sum("1.7, 2.8", "the paid period is over, the grace period is not"),
    "billing_retry": .sum("2.8", "churned for billing less than 60 d ago, not paid since"),
  ]

  static let retention: [String: ColumnRule] = [
    "subscriptions": .sum("2.9, 6.2", "first purchases of the row, except lifetime"),
    "churned": .sum(
      "2.8, 6.4", "of these, churned by the end of the data",
      [Others("not churned (2.8)", of: "subscriptions", less: "churned")]),
    "median_days": .estimate(from: "subscriptions", "6.4", "Kaplan–Meier over these, the least t with survival ≤ 1/2"),
    "at_risk_*": .sum(
      "6.4", "subscriptions followed that long, or of the payment *, with the chance to make it",
      [
        Others("ended before, or too recent to count (6.4)", of: "subscriptions", less: "at_risk_*", isTooRecent: true)
      ]),
    "survival_*": .estimate(from: "subscriptions", "6.4", "Kaplan–Meier over these"),
    "paid_*": .sum(
      "6.4", "made the payment *, of those with the chance",
      [
        Others("had the chance and did not (6.4)", of: "at_risk_*", less: "paid_*"),
        Others("too recent to count (6.4)", of: "subscriptions", less: "at_risk_*", isTooRecent: true),
      ]),
    "retention_*": .ratio("paid_*", over: "at_risk_*", "6.4", "paid_* ÷ at_risk_*"),
  ]

  static let ltv: [String: ColumnRule] = [
    "persons_*": .sum("7.5", "users first seen * days or more before the end of the data"),
    "payers_*": .sum(
      "7.5", "of these, paid above 0 in the row's currency within * d of the first event",
      [Others("has not paid within * d (7.5)", of: "persons_*", less: "payers_*")]),
    "ltv_person_*": .mean(over: "persons_*", "7.5", "Σ revenue by --mode within * d of the first event ÷ persons_*"),
    "ltv_payer_*": ColumnRule(
      kind: .ratio("ltv_person_*", over: "payers_*"), numbers: "7.5",
      text: "Σ revenue by --mode within * d of the first event ÷ payers_*"),
    "purchases": .sum("2.9", "first purchases of the row and currency"),
    "predicted_ltv_12m": predicted, "predicted_ltv_24m": predicted, "predicted_ltv_36m": predicted,
    "tested_ltv_12m": predicted, "tested_errors": .refused(notUsers),
    "predicted_note": .refused("is a remark, not a number"),
  ]

  private static let notUsers = "counts earlier forecasts, not users"

  private static let predicted = ColumnRule.estimate(
    from: "purchases", "7.6", "PREDICTED per plan by a shifted beta-geometric fit to the payments of these purchases")

  static let value: [String: ColumnRule] = {
    let plans = ["weekly", "monthly", "yearly", "lifetime", "other"]
    let word = ColumnRule.refused("is a word that says how the value next to it was found")
    var rules: [String: ColumnRule] = [
      "users": .sum(
        "3.1, 3.3", "users who are not too recent, by the row of their first paywall view",
        [
          Others(
            "too recent to count: less than the horizon since the first paywall view (3.3)", of: "immature",
            isTooRecent: true)
        ]),
      "paid_rate": .ratio(
        "paid", over: "users", "3.4", "users who paid at once, or after a trial that started within 7 days ÷ users"),
      "paid": .sum("3.2", "users who paid at once, or after a trial that started within 7 days"),
      "purchases": .sum(
        "3.2", "purchases of users that a funnel counts, in the row's currency",
        [
          Others("users who bought in other currencies only", of: "paid", less: "buyers"),
          Others("users without such a purchase in any currency (3.2)", of: "users", less: "paid"),
        ]),
      "value_*": .estimate(
        from: "purchases", "3.2, 6.4, 7.1, 7.6",
        "Σ over plans of first payments less refunds, and of buyers × mean renewal × Σ S(n), as far as they are "
          + "due within * mo, ÷ users; S(n) and the mean renewal are of these purchases, or of all of the app, or assumed, as "
          + "survival and basis_* say"),
      "tested_value_*": .estimate(
        from: "purchases", "3.2, 6.4, 7.1, 7.6", "value_*, with a range from errors of earlier forecasts of the app"),
      "tested_errors": .refused(notUsers), "survival": word, "basis_*": word,
      "note": .refused("is a remark, not a number"),
    ]
    for plan in plans {
      rules["\(plan)_purchases"] = .sum(
        "2.9, 3.2",
        "purchases of users that a funnel counts whose first payment is of "
          + (plan == "other" ? "another plan" : "the plan \(plan)"),
        [Others(text: "of another plan", columns: plans.filter { $0 != plan }.map { "\($0)_purchases" })])
    }
    return rules
  }()

  static let recovery: [String: ColumnRule] = {
    let open = Others("still open (12.1)", of: "open")
    let recovered = Others("recovered (12.1)", of: "recovered")
    let cancelled = Others("cancelled (12.1)", of: "cancelled")
    let lost = Others("lost (12.1)", of: "lost")
    return [
      "charges": .sum("12.1", "failed charges of the row's days"),
      "open": .sum("12.1", "failed charges that can still come back", [recovered, cancelled, lost]),
      "matured": .sum("12.1", "failed charges that are 60 d old"),
      "recovered": .sum("12.1", "failed charges that a payment followed", [open, cancelled, lost]),
      "cancelled": .sum("12.1", "failed charges that a cancellation or refund followed", [open, recovered, lost]),
      "lost": .sum("12.1", "failed charges that nothing followed in 60 d", [open, recovered, cancelled]),
      "recovered_rate": .ratio("matured_recovered", over: "matured", "12.2", "recovered and 60 d old ÷ matured"),
      "matured_recovered": .sum("12.2", "recovered and 60 d old"),
      "recovered_*_rate": .estimate(from: "recovered", "12.2", "Aalen–Johansen estimate * d after the charge"),
      "hours_p50": .estimate(from: "recovered", "12.2", "median of the times of those that come back"),
      "at_risk": .sum("12.3", "Σ prices of the failed charges"),
      "recovered_amount": .sum("12.3", "Σ payments that followed"),
      "repriced": .sum("12.3", "Σ payments that followed less the prices of their charges"),
      "lost_amount": .sum("12.3", "Σ prices of the charges lost or cancelled"),
      "open_amount": .sum("12.3", "Σ prices of the charges still open"),
      "after_access": .estimate(from: "recovered", "12.4", "payments after the end of cover and grace ÷ recovered"),
      "recovered_inside": .sum("12.4", "recovered, 60 d old, and paid before the other grace would have ended"),
      "lost_with_access": .sum("12.4", "lost with access left on the other grace"),
    ]
  }()

  static let saves: [String: ColumnRule] = {
    let open = Others("still open (12.5)", of: "open")
    let saved = Others("saved (12.5)", of: "saved")
    let lost = Others("lost (12.5)", of: "lost")
    return [
      "cancellations": .sum("12.5", "times that auto-renew was turned off and stayed off for an hour"),
      "regretted": .sum("12.5", "times that auto-renew was turned off, and on again within the hour"),
      "open": .sum("12.5", "cancellations that can still be saved", [saved, lost]),
      "matured": .sum("12.5", "cancellations whose end and grace are past"),
      "saved": .sum("12.5", "cancellations taken back before the end, or followed by a payment", [open, lost]),
      "lost": .sum("12.5", "cancellations after which the subscription or trial ended", [open, saved]),
      "saved_rate": .ratio("matured_saved", over: "matured", "12.5", "saved and matured ÷ matured"),
      "matured_saved": .sum("12.5", "saved and matured"),
      "saved_*_rate": .estimate(from: "saved", "12.5", "Aalen–Johansen estimate * d after the cancellation"),
      "hours_p50": .estimate(from: "saved", "12.5", "median of the times of those that are saved"),
      "reactivated": .sum(
        "12.5", "saved as auto-renew was on again", [Others("saved by a payment (12.5)", of: "paid")]),
      "paid": .sum(
        "12.5", "saved by a payment", [Others("saved as auto-renew was on again (12.5)", of: "reactivated")]),
      "accepted_offer": .sum("12.5", "cancellations whose next payment has an offer, while the one before had none"),
    ]
  }()

  static let winback: [String: ColumnRule] = [
    "churned": .sum("2.8, 12.6", "subscriptions that churned on the row's days"),
    "came_back": .sum(
      "12.6", "of these, paid again since", [Others("not paid again", of: "churned", less: "came_back")]),
    "came_back_*_rate": .estimate(from: "came_back", "12.6", "Kaplan–Meier estimate * d after the end"),
    "days_p50": .estimate(from: "came_back", "12.6", "median of the times of those that came back"),
    "with_offer": .sum(
      "12.6", "came back by a payment with an offer",
      [Others("without an offer", of: "came_back", less: "with_offer")]),
    "with_offer_*_rate": .estimate(
      from: "with_offer", "12.6", "Aalen–Johansen estimate * d after the end; coming back without an offer competes"),
    "observed_90": .sum(
      "12.6", "came back at least 90 d ago",
      [
        Others(
          "too recent to count: came back less than 90 days ago", of: "came_back", less: "observed_90",
          isTooRecent: true)
      ]),
    "amount_90": .sum("12.6", "Σ payments less refunds within 90 d of coming back"),
    "mean_90": .estimate(from: "observed_90", "12.6", "amount_90 ÷ observed_90"),
  ]

  private static let under30 = Others(
    "too recent to count: younger than 30 days", of: "payments", less: "at_risk_30", isTooRecent: true)

  static let refunds: [String: ColumnRule] = [
    "payments": .sum("2.6", "payments of the row's days"),
    "refunded": .sum(
      "2.7", "payments refunded in part or in full", [Others("not refunded (2.7)", of: "payments", less: "refunded")]),
    "refund_rate": .ratio("refunded", over: "payments", "2.7", "refunded ÷ payments"),
    "full": .sum("2.7", "refunded in full; by refund day, the refunds that completed it"),
    "partial": .sum("2.7", "refunded in part, or in another currency"),
    "at_risk_30": .sum("6.3", "payments that are 30 d old", [under30]),
    "refunded_30": .sum(
      "6.3", "of these, with a refund within 30 days",
      [Others("no refund within 30 days", of: "at_risk_30", less: "refunded_30"), under30]),
    "refunded_30_rate": .ratio("refunded_30", over: "at_risk_30", "6.3", "refunded_30 ÷ at_risk_30"),
    "refunds": .sum("2.7", "refunds of the row's days"),
    "full_rate": .ratio("full", over: "refunds", "2.7", "full ÷ refunds"),
    "gross": .sum("7.1", "Σ payments"),
    "refunded_amount": .sum("2.7, 7.1", "Σ refunds, in the refund's currency"),
    "refunded_share": .ratio("refunded_amount", over: "gross", "7.1", "refunded_amount ÷ gross"),
  ]
}
