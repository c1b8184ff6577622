extension ReportKind {
  public static let ltv = ReportKind(
    "ltv", "Lifetime value", "How much has a user brought in so far, and how much will a purchase bring in?", .money,
    details: """
      By default, each row is an app. Columns such as ltv_person_30 show the revenue within 7, 30, 90, 180 and 365 \
      days of a user's first event, for users first seen at least that long ago. Columns named predicted_ show the \
      revenue expected within 12, 24 and 36 months of a first payment. --by plan predicts each plan separately.
      """, examples: ["ltv --app steps", "ltv --app steps --by variant"],
    own: [.mode(.net), .storeFee, .compare, .ages, .backtest, .every, .model, .define], reads: [.events],
    topics: [.first, .entry, .payments, .refunds],
    columns: [
      .currency,
      ColumnInfo(
        "persons_*", "users, * d", "users", "Users who were first seen at least * days before the end of the data.",
        coreAt: [7]),
      ColumnInfo(
        "ltv_person_*", "revenue per user by * d", ColumnNumber("money per user", .mean(over: "persons_*")),
        "Revenue by --mode within * days of the first event.", coreAt: [7, 30]),
      ColumnInfo(
        "payers_*", "payers, * d", "users", "Users who paid in the row's currency within * days of the first event.",
        others: [.rest(of: "persons_*", as: "has not paid within * d (7.5)")]),
      ColumnInfo(
        "ltv_payer_*", "per payer by * d", ColumnNumber("money per payer", .ratio("ltv_person_*", over: "payers_*")),
        "Revenue per paying user within * days of the first event.", coreAt: [30]),
      ColumnInfo(
        "purchases", "purchases", "purchases", "First purchases that the prediction is made for.", rule: "2.9"),
      ColumnInfo(
        "predicted_ltv_*m", "predicted, * months", .estimate("money per purchase", from: "purchases"),
        "Predicted revenue of a purchase within * months, from a shifted beta-geometric fit to each plan's payments.",
        rule: "7.6"),
      ColumnInfo(
        "predicted_note", "note", "text", "Plans that cannot be predicted yet or have no point estimate, and why.",
        rule: "7.6"),
    ].ruled(by: "7.5")
      + ofTests("tested_ltv_12m", "12 months", "money per purchase", "predicted_ltv_12m", from: "purchases")
      + ofBacktests, charts: [.value], table: LTV.report)

  /// The columns of a forecast with a range from errors of earlier ones.
  ///
  /// - Parameter units: The column whose units the forecast is of.
  static func ofTests(
    _ name: String, _ heading: String, _ unit: String, _ forecast: String, from units: String, rule: String = "7.6"
  ) -> [ColumnInfo] {
    [
      ColumnInfo(
        name, heading, .estimate(unit, from: units),
        "The forecast \(forecast), once it has a 90% range from errors of earlier forecasts.", rule: rule),
      ColumnInfo(
        "tested_errors", "earlier errors", .refused("forecasts", "counts earlier forecasts, not users"),
        "Earlier forecasts whose errors that range is made of.", rule: "7.6"),
    ]
  }

  /// The columns of `ltv --backtest`.
  static let ofBacktests = [
    ColumnInfo("origin", "forecast of", "", "Day on which the forecast is made; all for the errors of all days."),
    ColumnInfo(
      "of", "purchases", "",
      "active: active or in trial at the origin; new: 30 days old since the origin before, with their first 12 months."),
    ColumnInfo(
      "age_days", "age, days", "days",
      "Days from the first payment to the origin, or trial, in errors by age; all for those of all ages."),
    ColumnInfo("trials", "open trials", "trials", "Open trials among the purchases."),
    ColumnInfo("horizon_days", "days", "", "Days after the origin in which money counts."),
    ColumnInfo(
      "predicted", "predicted", "money per purchase",
      "Predicted revenue of a purchase or open trial; 90% range from earlier errors."),
    ColumnInfo("fit_low", "fit from", "money per purchase", "Lower end of the fit's own 95% interval."),
    ColumnInfo("fit_high", "fit to", "money per purchase", "Upper end of the fit's own 95% interval."),
    ColumnInfo("actual", "actual", "money per purchase", "Revenue that the purchases brought in that time."),
    ColumnInfo("error_share", "error", "share", "Predicted ÷ actual − 1: above 0 where too much was predicted."),
    ColumnInfo("inside", "in range", "", "Whether the actual revenue was in the range: yes or no."),
    ColumnInfo(
      "predicted_fit", "without auto-renew", "money per purchase",
      "Forecast that ignores who has turned auto-renew off."),
    ColumnInfo(
      "predicted_with_trials", "with trials", "money per purchase",
      "Forecast in which open trials bring in what earlier ones in their state did."),
    ColumnInfo(
      "predicted_without_trials", "without trials", "money per purchase",
      "Forecast in which open trials bring in nothing."),
    ColumnInfo(
      "baseline_km", "last payments continued", "money per purchase",
      "Last payments continued by the plan's Kaplan–Meier shares."),
    ColumnInfo(
      "baseline_ratio", "as the previous cohort", "money per purchase",
      "Last payments × what those of the newest earlier cohort with known money brought in."),
    ColumnInfo("scores", "earlier errors", "forecasts", "Earlier forecasts whose errors the range comes from."),
    ColumnInfo(
      "method", "range from", "",
      "Errors that the range comes from: own, of the row, or pooled over the rows of the app."),
    ColumnInfo("origins", "forecasts", "forecasts", "Forecasts whose money is known."),
    ColumnInfo("mape", "off by", "share", "Average size of the error, weighted by money."),
    ColumnInfo("bias", "too high by", "share", "Sum of the errors ÷ sum of the money."),
    ColumnInfo("ranges", "ranges", "ranges", "Forecasts with a range whose money is known."),
    ColumnInfo(
      "closest", "closest", "", "Least error: forecast, last payments continued, or the ratio of the cohort before."),
    ColumnInfo("coverage", "in range", "share", "Share of the 90% ranges that contain the actual revenue."),
    ColumnInfo(
      "mape_fit", "without auto-renew", "share",
      "Average size of the error of the forecast that ignores who has turned auto-renew off."),
    ColumnInfo(
      "mape_with_trials", "with trials", "share",
      "Average size of the error of the forecast in which open trials bring in what earlier ones did."),
    ColumnInfo(
      "mape_without_trials", "without trials", "share",
      "Average size of the error of the forecast in which open trials bring in nothing."),
    ColumnInfo("mape_km", "last payments continued", "share", "Average size of the error of last payments continued."),
    ColumnInfo(
      "mape_ratio", "as the previous cohort", "share", "Average size of the error of the earlier cohort's ratio."),
    ColumnInfo("note", "note", "text", "Why a number is missing, and which simple rule was closer."),
  ].ofNoUsers.ruled(by: "7.6")
}
