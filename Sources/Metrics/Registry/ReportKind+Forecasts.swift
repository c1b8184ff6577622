extension ReportKind {
  /// The columns of a forecast with a range from errors of earlier ones.
  static func ofTests(_ name: String, _ heading: String, _ unit: String, _ forecast: String) -> [ColumnInfo] {
    [
      ColumnInfo(
        name, heading, unit, "The forecast \(forecast), once it has a 90% range from errors of earlier forecasts.",
        rule: "7.6"),
      ColumnInfo(
        "tested_errors", "earlier errors", "forecasts", "Earlier forecasts whose errors that range is made of.",
        rule: "7.6"),
    ]
  }

  /// The columns of `ltv --backtest`.
  static let ofBacktests = [
    ColumnInfo(
      "origin", "forecast of", "", "Day on which the forecast is made; all for the errors of all days.", rule: "7.6"),
    ColumnInfo(
      "of", "purchases", "",
      "active: active or in trial at the origin; new: 30 days old since the origin before, with their first 12 months.",
      rule: "7.6"),
    ColumnInfo(
      "age_days", "age, days", "days",
      "Days from the first payment to the origin, or trial, in errors by age; all for those of all ages.", rule: "7.6"),
    ColumnInfo("trials", "open trials", "trials", "Open trials among the purchases.", rule: "7.6"),
    ColumnInfo("horizon_days", "days", "", "Days after the origin in which money counts.", rule: "7.6"),
    ColumnInfo(
      "predicted", "predicted", "money per purchase",
      "Predicted revenue of a purchase or open trial; 90% range from earlier errors.",
      rule: "7.6"),
    ColumnInfo("fit_low", "fit from", "money per purchase", "Lower end of the fit's own 95% interval.", rule: "7.6"),
    ColumnInfo("fit_high", "fit to", "money per purchase", "Upper end of the fit's own 95% interval.", rule: "7.6"),
    ColumnInfo(
      "actual", "actual", "money per purchase", "Revenue that the purchases brought in that time.", rule: "7.6"),
    ColumnInfo(
      "error_share", "error", "share", "Predicted ÷ actual − 1: above 0 where too much was predicted.", rule: "7.6"),
    ColumnInfo("inside", "in range", "", "Whether the actual revenue was in the range: yes or no.", rule: "7.6"),
    ColumnInfo(
      "predicted_fit", "without auto-renew", "money per purchase",
      "Forecast that ignores who has turned auto-renew off.", rule: "7.6"),
    ColumnInfo(
      "predicted_with_trials", "with trials", "money per purchase",
      "Forecast in which open trials bring in what earlier ones in their state did.", rule: "7.6"),
    ColumnInfo(
      "predicted_without_trials", "without trials", "money per purchase",
      "Forecast in which open trials bring in nothing.",
      rule: "7.6"),
    ColumnInfo(
      "baseline_km", "last payments continued", "money per purchase",
      "Last payments continued by the plan's Kaplan–Meier shares.", rule: "7.6"),
    ColumnInfo(
      "baseline_ratio", "as the previous cohort", "money per purchase",
      "Last payments × what those of the newest earlier cohort with known money brought in.", rule: "7.6"),
    ColumnInfo(
      "scores", "earlier errors", "forecasts", "Earlier forecasts whose errors the range comes from.", rule: "7.6"),
    ColumnInfo(
      "method", "range from", "",
      "Errors that the range comes from: own, of the row, or pooled over the rows of the app.", rule: "7.6"),
    ColumnInfo("origins", "forecasts", "forecasts", "Forecasts whose money is known.", rule: "7.6"),
    ColumnInfo("mape", "off by", "share", "Average size of the error, weighted by money.", rule: "7.6"),
    ColumnInfo("bias", "too high by", "share", "Sum of the errors ÷ sum of the money.", rule: "7.6"),
    ColumnInfo("ranges", "ranges", "ranges", "Forecasts with a range whose money is known.", rule: "7.6"),
    ColumnInfo(
      "closest", "closest", "", "Least error: forecast, last payments continued, or the ratio of the cohort before.",
      rule: "7.6"),
    ColumnInfo(
      "coverage", "in range", "share", "Share of the 90% ranges that contain the actual revenue.", rule: "7.6"),
    ColumnInfo(
      "mape_fit", "without auto-renew", "share",
      "Average size of the error of the forecast that ignores who has turned auto-renew off.", rule: "7.6"),
    ColumnInfo(
      "mape_with_trials", "with trials", "share",
      "Average size of the error of the forecast in which open trials bring in what earlier ones did.", rule: "7.6"),
    ColumnInfo(
      "mape_without_trials", "without trials", "share",
      "Average size of the error of the forecast in which open trials bring in nothing.", rule: "7.6"),
    ColumnInfo(
      "mape_km", "last payments continued", "share", "Average size of the error of last payments continued.",
      rule: "7.6"),
    ColumnInfo(
      "mape_ratio", "as the previous cohort", "share", "Average size of the error of the earlier cohort's ratio.",
      rule: "7.6"),
    ColumnInfo(
      "note", "note", "text", "Why a number is missing, and which simple rule was closer.", rule: "7.6"),
  ]
}
