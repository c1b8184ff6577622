/// Reports whose columns describe themselves.
extension ColumnRule {
  private static let young = Others(
    "too recent to count: less than the horizon before the end of the data (3.3)", of: "immature", isTooRecent: true)

  static let cadence: [String: ColumnRule] = [
    "persons": .sum("3.1", "users with a paywall view on the report's days that is not too recent"),
    "views": .sum(
      "3.3", "paywall views on the report's days, at least the horizon before the end of the data", [young]),
    "trial_views": .sum(
      "2.10, 3.2", "of these, the last view in the 7 days before an introductory trial",
      [young, Others("no trial followed (2.10)", of: "views", less: "trial_views")]),
    "paid_views": .sum(
      "2.10, 3.2", "of these, the last view in the 7 days before a trial that converted or a direct purchase",
      [young, Others("no payment followed (2.10)", of: "views", less: "paid_views")]),
    "trial_rate": .ratio("trial_views", over: "views", "3.4", "trial_views ÷ views"),
    "paid_rate": .ratio("paid_views", over: "views", "3.4", "paid_views ÷ views"),
    "trials": .sum("4.5", "introductory trials of these views that are over"),
    "trial_cancelled": .sum(
      "4.5", "of these, with auto-renew off at the end",
      [Others("auto-renew on at the end (2.4)", of: "trials", less: "trial_cancelled")]),
    "trial_cancel_rate": .ratio("trial_cancelled", over: "trials", "4.5", "trial_cancelled ÷ trials"),
    "immature": .sum(
      "3.3", "paywall views on the report's days, less than the horizon before the end of the data",
      [Others("old enough: counted in views (3.3)", of: "views")]),
  ]

  static let gates: [String: ColumnRule] = {
    var rules: [String: ColumnRule] = [
      "persons": .sum("1.3", "users who hit the limit, by their first hit"),
      "hits": .sum("1.3", "hits of the limit by these users"),
      "met": .sum(
        "3.3",
        "users who hit the limit within the horizon of their first event and before a purchase, less those too recent "
          + "to count",
        [Others("too recent to count, hit it later, or had paid before (3.3)", of: "persons", less: "met")]),
      "met_paid": .sum(
        "3.3", "of these, with a purchase within the horizon of the first event",
        [Others("no purchase within the horizon", of: "met", less: "met_paid")]),
      "met_paid_rate": .ratio("met_paid", over: "met", "3.3", "met_paid ÷ met"),
      "others": .sum(
        "3.3",
        "users of the app, whatever --by and --where say, who did not hit the limit within the horizon of their first "
          + "event and before a purchase, less those too recent to count"),
      "others_paid": .sum(
        "3.3", "of these, with a purchase within the horizon of the first event",
        [Others("no purchase within the horizon", of: "others", less: "others_paid")]),
      "others_paid_rate": .ratio("others_paid", over: "others", "3.3", "others_paid ÷ others"),
    ]
    for (step, what) in [
      ("paywall", "first paywall view"), ("trial", "introductory trial"), ("purchase", "purchase"),
    ] {
      rules["\(step)_persons"] = .sum(
        "3.2", "users whose \(what) came after the first hit",
        [Others("none, or before the first hit", of: "persons", less: "\(step)_persons")])
      rules["hits_before_\(step)"] = .mean(over: "\(step)_persons", "3.2", "hits before the \(what) ÷ \(step)_persons")
    }
    return rules
  }()

  static let nudges: [String: ColumnRule] = [
    "nudges": .sum("2.5", "reminders on the report's days, before the trial's end and conversion"),
    "trials": .sum("2.5", "trials that are over, with a reminder on the report's days"),
    "converted": .sum(
      "4.3", "of these, with a conversion after the reminder",
      [Others("lapsed (2.5)", of: "trials", less: "converted")]),
    "trial_to_paid_rate": .ratio("converted", over: "trials", "4.3", "converted ÷ trials"),
    "introductory_trials": .sum(
      "4.5", "of the trials, those that are introductory",
      [Others("the app's own trial (2.4)", of: "trials", less: "introductory_trials")]),
    "cancelled": .sum(
      "4.5", "of these, with auto-renew off at the end",
      [Others("auto-renew on at the end (2.4)", of: "introductory_trials", less: "cancelled")]),
    "cancel_rate": .ratio("cancelled", over: "introductory_trials", "4.5", "cancelled ÷ introductory_trials"),
    "compared": .estimate(
      from: "trials", "4.7", "reminders that can be compared with trials open at that age without one; of these trials"),
    "others": .refused("counts other users' trials, which were open at the same age without the reminder"),
    "reminded_rate": .estimate(
      from: "trials", "4.7", "weighted share of the compared reminders after which the trial converted"),
    "others_rate": .refused("is about other users' trials, which were open at the same age without the reminder"),
    "others_reminded_soon": .refused(
      "is about other users' trials, which were open at the same age without the reminder"),
    "difference": .estimate(
      from: "trials", "4.7",
      "reminded_rate − others_rate: conversions after the reminder against trials open at the same age"),
    "reason": .refused("says why there is no difference"),
  ]

  static let activity: [String: ColumnRule] = [
    "days": .refused("is the number of days of the period, not of users"),
    "daily_active": ColumnRule(
      kind: .rate("person_days", per: "days"), numbers: "1.3",
      text: "days on which these users were active ÷ days of the period"),
    "weekly_active": .sum("1.3", "users active in the 7 d that end with the period's last day, by status"),
    "monthly_active": .sum("1.3", "users active in the 30 d that end with the period's last day, by status"),
    "stickiness": .estimate(from: "monthly_active", "1.3", "daily_active ÷ monthly_active"),
    "person_days": .sum("1.3", "days of the period on which these users were active"),
  ]
}
