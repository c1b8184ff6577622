extension ReportKind {
  public static let cadence = ReportKind(
    "cadence", "Cadence", "Do users convert differently the second or fifth time they see a paywall?",
    .behaviour,
    details: "Rows combine all paywalls of an app; --by paywall separates them.",
    examples: ["cadence --app steps", "cadence --app steps --by paywall"], own: [.horizon],
    refusing: ["attribution": "cadence takes the last paywall view"], reads: [.events],
    columns: [
      .core("split", "counted by", "", "Number of paywalls seen, or days since the last one.", rule: "3.1"),
      .core("range", "seen before", "", "Number or range of the split.", rule: "3.1"),
      .core("persons", "viewers", "users", "Users with such a paywall view."),
      ColumnInfo("views", "views", "views", "Paywall views old enough for their outcome to be known."),
      ColumnInfo(
        "trial_views", "led to a trial", "views",
        "Views that were the last one in the 7 days before an introductory trial."),
      ColumnInfo(
        "paid_views", "led to a payment", "views",
        "Views that were the last one in the 7 days before a trial that converted or a direct purchase."),
      .core("trial_rate", "trial", "share", "Share of views that led to a trial."),
      .core("paid_rate", "paid", "share", "Share of views that led to a payment."),
      ColumnInfo("trials", "trials over", "trials", "Introductory trials of these views that are over."),
      ColumnInfo("trial_cancelled", "trials cancelled (trials)", "trials", "Trials that are over and were cancelled."),
      ColumnInfo(
        "trial_cancel_rate", "trials cancelled", "share", "Of the trials that are over, the share that was cancelled."),
      ColumnInfo("immature", "too recent to count", "views", "Views too recent to count in the other columns."),
    ], table: Cadence.report)

  public static let gates = ReportKind(
    "gates", "Gates", "Who hit the limits of the free tier, and did they pay?", .behaviour,
    details: "Each row is a limit. --by splits by the values at each user's first hit of it.",
    examples: ["gates --app coach", "gates --app coach --by platform"], own: [.horizon],
    refusing: ["attribution": "gates takes the first hit"], reads: [.events],
    columns: [
      .core("gate", "limit", "", "Limit that users hit.", rule: "1.3"),
      .core("persons", "users", "users", "Users who hit the limit."),
      .core("hits", "hits", "hits", "Times that these users hit the limit."),
      ColumnInfo(
        "paywall_persons", "saw a paywall after", "users", "Users who saw their first paywall after their first hit."),
      ColumnInfo("hits_before_paywall", "hits before it", "hits per user", "Mean number of hits before that paywall."),
      ColumnInfo("trial_persons", "started a trial after", "users", "Users who started a trial after their first hit."),
      ColumnInfo("hits_before_trial", "hits before trial", "hits per user", "Mean number of hits before that trial."),
      ColumnInfo("purchase_persons", "bought after", "users", "Users who bought after their first hit."),
      ColumnInfo(
        "hits_before_purchase", "hits before purchase", "hits per user", "Mean number of hits before that purchase."),
      ColumnInfo(
        "met", "hit it early", "users",
        "Users who hit the limit early and before a purchase, and whose outcome is known."),
      ColumnInfo("met_paid", "of them paid", "users", "Users who hit the limit early and then bought in time."),
      .core(
        "met_paid_rate", "paid, hit it early", "share",
        "Of the users who hit the limit early, the share who then bought."),
      ColumnInfo("others", "the others", "users", "Users of the app who did not hit the limit early."),
      ColumnInfo("others_paid", "of those paid", "users", "Users who did not hit the limit early and bought in time."),
      .core(
        "others_paid_rate", "paid, the others", "share",
        "Of the users who did not hit the limit early, the share who bought."),
    ], table: Gates.report)

  public static let nudges = ReportKind(
    "nudges", "Nudges", "Do trials with a reminder convert more often than trials of the same age without one?",
    .behaviour, examples: ["nudges --app coach"], reads: [.events],
    columns: [
      .core("hours_before_end", "reminder", "hours", "Hours from the reminder to the end of the trial.", rule: "4.7"),
      ColumnInfo("nudges", "reminders", "reminders", "Reminders sent in this range of hours."),
      .core("trials", "trials", "trials", "Trials that are over and got such a reminder."),
      ColumnInfo("converted", "converted", "trials", "Trials that converted after the reminder."),
      .core("trial_to_paid_rate", "paid", "share", "Share of the reminded trials that converted."),
      ColumnInfo(
        "introductory_trials", "introductory", "trials", "Reminded trials that are introductory trials of the store."),
      ColumnInfo(
        "cancelled", "cancelled (trials)", "trials", "Introductory trials that were cancelled before their end."),
      ColumnInfo("cancel_rate", "cancelled", "share", "Share of the introductory trials that were cancelled."),
      ColumnInfo(
        "compared", "compared", "reminders",
        "Reminders with another open trial of the same age and past to compare with."),
      ColumnInfo(
        "others", "trials without", "trials", "Open trials of the same age that got no reminder then.", rule: "4.7"),
      ColumnInfo(
        "reminded_rate", "paid, reminded", "share",
        "Weighted share of the compared reminders after which the trial converted."),
      ColumnInfo(
        "others_rate", "paid, not reminded", "share",
        "Weighted share of the other trials that converted after the same age.",
        rule: "4.7"),
      ColumnInfo(
        "others_reminded_soon", "reminded within 24 h", "share",
        "Weighted share of the other trials that got their own reminder within 24 hours.", rule: "4.7"),
      .core("difference", "difference", "share", "Conversion after a reminder minus that of open trials without one."),
      ColumnInfo("reason", "why none", "", "Reason why there is no difference.", rule: "4.7"),
    ], table: Nudges.report)

  public static let activity = ReportKind(
    "activity", "Activity", "How many users are active daily, weekly and monthly: free, in a trial, paying?",
    .behaviour,
    by: [.week],
    details: "By default, each row is a week. --by takes day, month and other dimensions instead.",
    examples: ["activity --app steps", "activity --app steps --by month"],
    refusing: ["attribution": "activity takes a user's first paywall view"], reads: [.events],
    columns: [
      .core(
        "status", "status", "",
        "Users who were free, in a trial or paying when they were last active; all is their sum.", rule: "2.7"),
      ColumnInfo("days", "days", "days", "Days of the period that have data."),
      .core("daily_active", "active a day", "users per day", "Mean number of users active on a day of the period."),
      .core("weekly_active", "a week", "users", "Users active in the 7 days that end with the period."),
      .core("monthly_active", "a month", "users", "Users active in the 30 days that end with the period."),
      .core("stickiness", "stickiness", "share", "Daily active users as a share of monthly active users."),
    ], charts: [.byPeriod(["daily_active"], title: "Daily active users")],
    table: Activity.report)
}
