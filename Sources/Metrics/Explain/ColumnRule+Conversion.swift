/// Rules of definitions 3 to 6.
extension ColumnRule {
  private static let immature = Others(
    "too recent to count: less than the horizon since the first paywall view (3.3)", of: "immature", isTooRecent: true)
  private static let noTrial = Others(
    "no introductory trial within 7 days of the first paywall view (3.2)", of: "users", less: "trial_users")
  private static let noPurchase = Others("no purchase (3.2)", of: "users", less: "paid_users", "paid_later_users")

  static let funnel: [String: ColumnRule] = [
    "users": .sum(
      "3.1, 3.3", "first paywall view is of the row, at least the horizon before the end of the data", [immature]),
    "trial_users": .sum(
      "3.2", "users who started an introductory trial within 7 days of the first paywall view", [immature, noTrial]),
    "trial_paid_users": .sum(
      "3.2", "users whose introductory trial, started within 7 days of the first paywall view, converted",
      [immature, noTrial, Others("the trial has not converted (2.3)", of: "trial_users", less: "trial_paid_users")]),
    "direct_paid_users": .sum(
      "3.2", "users who paid within 7 days of the first paywall view without a trial started since",
      [
        immature,
        Others(
          "no direct purchase within 7 days of the first paywall view (3.2)", of: "users", less: "direct_paid_users"),
      ]),
    "paid_users": .sum(
      "3.2", "users who paid at once, or after a trial that started within 7 days",
      [immature, Others("first paid later (3.4)", of: "paid_later_users"), noPurchase]),
    "paid_later_users": .sum(
      "3.4", "users who first paid later than paid_users counts",
      [immature, Others("paid in time: counted in paid_users (3.2)", of: "paid_users"), noPurchase]),
    "immature": .sum(
      "3.3", "first paywall view is of the row, less than the horizon before the end of the data",
      [Others("old enough: counted in users (3.3)", of: "users")]),
    "trial_rate": .ratio("trial_users", over: "users", "3.4", "trial_users ÷ users"),
    "trial_to_paid_rate": .ratio("trial_paid_users", over: "trial_users", "3.4", "trial_paid_users ÷ trial_users"),
    "direct_rate": .ratio("direct_paid_users", over: "users", "3.4", "direct_paid_users ÷ users"),
    "paid_rate": .ratio("paid_users", over: "users", "3.4", "paid_users ÷ users"),
  ]

  private static let converted = Others("converted (2.5)", of: "converted")
  private static let lapsed = Others("lapsed: past the deadline without a conversion (2.5)", of: "lapsed")
  private static let renewing = Others("pending, renewing (2.5)", of: "pending_renewing")
  private static let off = Others("pending, cancelled (2.4, 2.5)", of: "pending_cancelled")
  private static let notMatured = Others(
    "too recent to count: the trial's deadline is after the end of the data (2.5)", of: "trials", less: "matured",
    isTooRecent: true)

  static let trials: [String: ColumnRule] = [
    "trials": .sum("4.1, 4.2", "trials of the row, by the day of their start"),
    "converted": .sum("4.2", "trials that converted", [lapsed, renewing, off]),
    "lapsed": .sum("4.2", "trials past their deadline without a conversion", [converted, renewing, off]),
    "pending_renewing": .sum(
      "4.2", "trials before their deadline without a conversion, auto-renew on", [converted, lapsed, off]),
    "pending_cancelled": .sum(
      "4.2", "introductory trials before their deadline without a conversion, auto-renew off",
      [converted, lapsed, renewing]),
    "matured": .sum("2.5, 4.3", "trials whose deadline (end + grace) is past", [notMatured]),
    "matured_converted": .sum("4.3", "trials that are over and converted", [lapsed, notMatured]),
    "cancelled": .sum(
      "4.5", "introductory trials that are over, with auto-renew off at their end",
      [
        Others("over, with auto-renew on at the end (2.4)", of: "matured_introductory", less: "cancelled"),
        Others("the app's own trial, which renews nothing (2.4)", of: "matured", less: "matured_introductory"),
        notMatured,
      ]),
    "matured_introductory": .sum("4.5", "introductory trials that are over"),
    "trial_to_paid_rate": .ratio("matured_converted", over: "matured", "4.3", "matured_converted ÷ matured"),
    "floor_rate": .ratio("converted", over: "trials", "4.4", "converted ÷ trials"),
    "ceiling_rate": ColumnRule(
      kind: .ratio("converted+pending_renewing+pending_cancelled", over: "trials"), numbers: "4.4",
      text: "(converted + pending_renewing + pending_cancelled) ÷ trials"),
    "cancel_rate": .ratio(
      "cancelled", over: "matured_introductory", "4.5", "cancelled ÷ introductory trials that are over"),
    "cumulative_incidence": .estimate(
      from: "trials", "4.6",
      "Aalen–Johansen over these trials: conversion at its ts, lapse at the deadline, pending ones censored at the end of the data"
    ),
  ]

  /// The columns of savings that come from the shown prices.
  static let prices = [
    "price_pairs", "monthly_price", "yearly_price", "shown_saving", "badge_percent", "break_even_months",
  ]

  static let savings: [String: ColumnRule] = {
    var rules: [String: ColumnRule] = [
      "yearly_share": ColumnRule(
        kind: .ratio(
          "yearly_purchases",
          over: "weekly_purchases+monthly_purchases+yearly_purchases+lifetime_purchases+other_purchases"),
        numbers: "5.4", text: "yearly_purchases ÷ all purchases"),
      "realised_saving": .estimate(
        from: "paid_yearly", "5.5", "Σ over these of 12 × the row's monthly price − the price paid"),
      "paid_yearly": .sum(
        "5.5", "yearly purchases at a price above 0",
        [Others("yearly purchases at a price of 0 (5.5)", of: "yearly_purchases", less: "paid_yearly")]),
      "monthly_value_365d": .estimate(
        from: "monthly_purchases", "5.6", "monthly price × Kaplan–Meier over the payment numbers of these purchases"),
      "yearly_advantage": .estimate(
        from: "monthly_purchases", "5.6", "yearly price − monthly_value_365d, which these purchases give"),
    ]
    let pair = "the pair of prices that the row's paywall views showed most often; of equals, the newest"
    for (name, numbers, text) in [
      ("monthly_price", "5.1", pair), ("yearly_price", "5.1", pair),
      ("shown_saving", "5.1, 5.3", "1 − yearly ÷ (12 × monthly), of \(pair)"),
      ("badge_percent", "5.1, 5.3", "shown_saving in whole percents, never rounded up, of \(pair)"),
      ("break_even_months", "5.1, 5.3", "yearly ÷ monthly, of \(pair)"),
    ] { rules[name] = .estimate(from: "pair_impressions", numbers, text) }
    rules["price_pairs"] = .estimate(
      from: "price_impressions", "5.1", "the different pairs of prices that these showed")
    rules["price_impressions"] = .sum("5.1", "paywall views of the row that showed both prices")
    rules["pair_impressions"] = .sum(
      "5.1", "paywall views of the row that showed this pair of prices",
      [Others("paywall views that showed another pair (5.1)", of: "price_impressions", less: "pair_impressions")])
    rules["price_source"] = .refused("is a word: it says where the prices come from, which they show themselves")
    let plans = ["weekly", "monthly", "yearly", "lifetime", "other"]
    for plan in plans {
      rules["\(plan)_purchases"] = .sum(
        "2.9, 5.4", "purchases whose first payment is of \(plan == "other" ? "another plan" : "the plan \(plan)")",
        [Others(text: "of another plan (5.4)", columns: plans.filter { $0 != plan }.map { "\($0)_purchases" })])
    }
    return rules
  }()

  static let cancellations: [String: ColumnRule] = {
    let reasons = ["voluntary", "billing", "price_increase", "refund", "other"]
    let young = Others(
      "too recent to count: younger than * days (6.2)", of: "subscriptions", less: "at_risk_*", isTooRecent: true)
    let unfollowed = Others(
      "too recent to count: younger than * days and grace (6.2)", of: "subscriptions", less: "followed_*",
      isTooRecent: true)
    let under30 = Others(
      "too recent to count: younger than 30 days (6.3)", of: "subscriptions", less: "refund_at_risk", isTooRecent: true)
    let active = Others("not churned: still active, or in its grace period (2.8)", of: "subscriptions", less: "churned")
    var rules: [String: ColumnRule] = [
      "trials": .sum("4.5, 6.1", "introductory trials of the row that are over"),
      "trial_cancelled": .sum(
        "4.5, 6.1", "introductory trials that are over, with auto-renew off at their end",
        [Others("auto-renew on at the end (2.4)", of: "trials", less: "trial_cancelled")]),
      "trial_cancel_rate": .ratio("trial_cancelled", over: "trials", "4.5, 6.1", "trial_cancelled ÷ trials"),
      "subscriptions": .sum("2.9, 6.2", "first purchases of the row, except lifetime"),
      "at_risk_*": .sum("6.2", "subscriptions that began * days or more before the end of the data", [young]),
      "cancelled_*": .sum(
        "6.2", "of those at risk, auto-renew off * d after the first payment",
        [Others("auto-renew on, or paid again, at * d (6.2)", of: "at_risk_*", less: "cancelled_*"), young]),
      "cancelled_*_rate": .ratio("cancelled_*", over: "at_risk_*", "6.2", "cancelled_* ÷ at_risk_*"),
      "followed_*": .sum(
        "6.2", "subscriptions that began * days and grace or more before the end of the data", [unfollowed]),
      "ended_*": .sum(
        "6.2", "of those followed, churned within * d of the first payment",
        [Others("lasted * d (6.2)", of: "followed_*", less: "ended_*"), unfollowed]),
      "ended_*_rate": .ratio("ended_*", over: "followed_*", "6.2", "ended_* ÷ followed_*"),
      "churned": .sum("2.8, 6.3", "subscriptions that have churned", [active]),
      "refund_at_risk": .sum("6.3", "subscriptions that began 30 days or more before the end of the data", [under30]),
      "refunded": .sum(
        "6.3", "of those, first payment refunded in full within 30 days",
        [Others("not refunded in full within 30 days (6.3)", of: "refund_at_risk", less: "refunded"), under30]),
      "refund_rate": .ratio("refunded", over: "refund_at_risk", "6.3", "refunded ÷ refund_at_risk"),
      "median_days_to_cancel": .estimate(
        from: "subscriptions", "6.5", "Kaplan–Meier over these, from the first payment to the first cancellation"),
    ]
    for reason in reasons {
      rules["churned_\(reason)"] = .sum(
        "2.8, 6.3", "subscriptions that have churned for the reason \(reason)",
        [
          Others(
            text: "churned for another reason (2.8)", columns: reasons.filter { $0 != reason }.map { "churned_\($0)" }),
          active,
        ])
    }
    return rules
  }()
}
