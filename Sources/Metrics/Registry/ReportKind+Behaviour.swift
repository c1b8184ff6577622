extension ReportKind {
  public static let cadence = ReportKind(
    "cadence", "Cadence", "Do users convert differently the second or fifth time they see a paywall?", .behaviour,
    details: "Rows combine all paywalls of an app; --by paywall separates them.",
    examples: ["cadence --app steps", "cadence --app steps --by paywall"], own: [.horizon],
    refusing: ["attribution": "cadence takes the last paywall view"], reads: [.events],
    topics: [.views, .impressions, .trials, .purchases, .autoRenewal],
    columns: [
      .core("split", "counted by", "", "Number of paywalls seen, or days since the last one.", rule: "3.1"),
      .core("range", "seen before", "", "Number or range of the split.", rule: "3.1"),
      .core("persons", "viewers", "users", "Users with such a paywall view that is not too recent.", rule: "3.1"),
      ColumnInfo(
        "views", "views", "views",
        "Paywall views on the report's days, at least the horizon before the end of the data.", rule: "3.3"),
      ColumnInfo(
        "trial_views", "led to a trial", "views",
        "Views that were the last one in the 7 days before an introductory trial.", rule: "2.10, 3.2",
        others: [.rest(of: "views", as: "no trial followed (2.10)")]),
      ColumnInfo(
        "paid_views", "led to a payment", "views",
        "Views that were the last one in the 7 days before a trial that converted or a direct purchase.",
        rule: "2.10, 3.2", others: [.rest(of: "views", as: "no payment followed (2.10)")]),
      .core(
        "trial_rate", "trial", .share("trial_views", of: "views"), "Share of views that led to a trial.", rule: "3.4"),
      .core(
        "paid_rate", "paid", .share("paid_views", of: "views"), "Share of views that led to a payment.", rule: "3.4"),
      ColumnInfo("trials", "trials over", "trials", "Introductory trials of these views that are over."),
      ColumnInfo(
        "trial_cancelled", "trials cancelled (trials)", "trials",
        "Introductory trials that are over and whose auto-renew was off at the end.",
        others: [.rest(of: "trials", as: "auto-renew on at the end (2.4)")]),
      ColumnInfo(
        "trial_cancel_rate", "trials cancelled", .share("trial_cancelled", of: "trials"),
        "Of the trials that are over, the share that was cancelled."),
      ColumnInfo(
        "immature", "too recent to count", "views",
        "Too recent to count: less than the horizon before the end of the data.", rule: "3.3"),
    ].ruled(by: "4.5"), table: Cadence.report)

  public static let gates = ReportKind(
    "gates", "Gates", "Who hit the limits of the free tier, and did they pay?", .behaviour,
    details: "Each row is a limit. --by splits by the values at each user's first hit of it.",
    examples: ["gates --app coach", "gates --app coach --by platform"], own: [.horizon],
    refusing: ["attribution": "gates takes the first hit"], reads: [.events],
    topics: [.first, .gates, .entry, .trials, .purchases],
    columns: [
      .core("gate", "limit", "", "Limit that users hit.", rule: "1.3"),
      .core("persons", "users", "users", "Users who hit the limit, by their first hit.", rule: "1.3"),
      .core("hits", "hits", "hits", "Times that these users hit the limit.", rule: "1.3"),
    ] + steps
      + [
        ColumnInfo(
          "met", "hit it early", "users",
          "Users who hit the limit within the horizon of their first event and before a purchase, and whose outcome is known.",
          others: [.rest(of: "persons", as: "too recent to count, hit it later, or had paid before (3.3)")]),
        ColumnInfo(
          "met_paid", "of them paid", "users",
          "Users who hit the limit early and then bought within the horizon of their first event.",
          others: [.rest(of: "met", as: "no purchase within the horizon")]),
        .core(
          "met_paid_rate", "paid, hit it early", .share("met_paid", of: "met"),
          "Of the users who hit the limit early, the share who then bought."),
        ColumnInfo(
          "others", "the others", "users",
          "Users of the app, whatever --by and --where say, who did not hit the limit early, and whose outcome is known."
        ),
        ColumnInfo(
          "others_paid", "of those paid", "users",
          "Users who did not hit the limit early and bought within the horizon of their first event.",
          others: [.rest(of: "others", as: "no purchase within the horizon")]),
        .core(
          "others_paid_rate", "paid, the others", .share("others_paid", of: "others"),
          "Of the users who did not hit the limit early, the share who bought."),
      ].ruled(by: "3.3"), table: Gates.report)

  /// The users who did something after their first hit of a limit, and their hits before.
  private static let steps = [
    ("paywall", "saw a paywall after", "hits before it", "saw their first paywall", "the first paywall view"),
    ("trial", "started a trial after", "hits before trial", "started an introductory trial", "the trial"),
    ("purchase", "bought after", "hits before purchase", "bought", "the purchase"),
  ].flatMap { step, heading, ofHits, did, what in
    [
      ColumnInfo(
        "\(step)_persons", heading, "users", "Users who \(did) after their first hit.", rule: "3.2",
        others: [.rest(of: "persons", as: "none, or before the first hit")]),
      ColumnInfo(
        "hits_before_\(step)", ofHits, ColumnNumber("hits per user", .mean(over: "\(step)_persons")),
        "Hits before \(what).", rule: "3.2"),
    ]
  }

  public static let nudges = ReportKind(
    "nudges", "Nudges", "Do trials with a reminder convert more often than trials of the same age without one?",
    .behaviour, examples: ["nudges --app coach"], reads: [.events], topics: [.trials, .nudges, .autoRenewal],
    columns: [
      .core(
        "hours_before_end", "reminder", ColumnNumber("hours", nil), "Hours from the reminder to the end of the trial.",
        rule: "4.7"),
      ColumnInfo(
        "nudges", "reminders", "reminders",
        "Reminders sent in this range of hours, before the trial's end and conversion.", rule: "2.5"),
      .core("trials", "trials", "trials", "Trials that are over and got such a reminder.", rule: "2.5"),
      ColumnInfo(
        "converted", "converted", "trials", "Trials that converted after the reminder.", rule: "4.3",
        others: [.rest(of: "trials", as: "lapsed (2.5)")]),
      .core(
        "trial_to_paid_rate", "paid", .share("converted", of: "trials"), "Share of the reminded trials that converted.",
        rule: "4.3"),
      ColumnInfo(
        "introductory_trials", "introductory", "trials", "Reminded trials that are introductory trials of the store.",
        rule: "4.5", others: [.rest(of: "trials", as: "the app's own trial (2.4)")]),
      ColumnInfo(
        "cancelled", "cancelled (trials)", "trials", "Introductory trials whose auto-renew was off at their end.",
        rule: "4.5", others: [.rest(of: "introductory_trials", as: "auto-renew on at the end (2.4)")]),
      ColumnInfo(
        "cancel_rate", "cancelled", .share("cancelled", of: "introductory_trials"),
        "Share of the introductory trials that were cancelled.", rule: "4.5"),
      ColumnInfo(
        "compared", "compared", .estimate("reminders", from: "trials"),
        "Reminders with another open trial of the same age and past to compare with."),
      ColumnInfo(
        "others", "trials without", .refused("trials", "counts \(ofOtherTrials)"),
        "Open trials of the same age that got no reminder then."),
      ColumnInfo(
        "reminded_rate", "paid, reminded", .estimate("share", from: "trials"),
        "Weighted share of the compared reminders after which the trial converted."),
      ColumnInfo(
        "others_rate", "paid, not reminded", .refused("share", "is about \(ofOtherTrials)"),
        "Weighted share of the other trials that converted after the same age."),
      ColumnInfo(
        "others_reminded_soon", "reminded within 24 h", .refused("share", "is about \(ofOtherTrials)"),
        "Weighted share of the other trials that got their own reminder within 24 hours."),
      .core(
        "difference", "difference", .estimate("share", from: "trials"),
        "Conversion after a reminder minus that of open trials without one."),
      ColumnInfo("reason", "why none", "", "Reason why there is no difference."),
    ].ruled(by: "4.7"), table: Nudges.report)

  private static let ofOtherTrials = "other users' trials, which were open at the same age without the reminder"

  public static let activity = ReportKind(
    "activity", "Activity", "How many users are active daily, weekly and monthly: free, in a trial, paying?",
    .behaviour, by: [.week],
    details: "By default, each row is a week. --by takes day, month and other dimensions instead.",
    examples: ["activity --app steps", "activity --app steps --by month"],
    refusing: ["attribution": "activity takes a user's first paywall view"], reads: [.events],
    topics: [.activity, .entry, .trials, .payments],
    columns: [
      .core(
        "status", "status", "",
        "Users who were free, in a trial or paying when they were last active; all is their sum.", rule: "2.7"),
      ColumnInfo(
        "days", "days", .refused("days", "is the number of days of the period, not of users"),
        "Days of the period that have data."),
      .core(
        "daily_active", "active a day", ColumnNumber("users per day", .rate("person_days", per: "days")),
        "Mean number of users active on a day of the period."),
      .core("weekly_active", "a week", "users", "Users active in the 7 days that end with the period."),
      .core("monthly_active", "a month", "users", "Users active in the 30 days that end with the period."),
      .core(
        "stickiness", "stickiness", .estimate("share", from: "monthly_active"),
        "Daily active users as a share of monthly active users."),
      .basis("person_days", "days", "Days of the period on which these users were active."),
    ].ruled(by: "1.3"), charts: [.byPeriod(["daily_active"], title: "Daily active users")], table: Activity.report)
}
