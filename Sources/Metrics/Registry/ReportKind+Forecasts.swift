extension ReportKind {
  /// The columns of a forecast with a range from errors of earlier ones.
  static func ofTests(_ name: String, _ heading: String, _ unit: String, _ forecast: String) -> [ColumnInfo] {
    [
      ColumnInfo(
        name, heading, unit, "The forecast \(forecast), once it has a 90% range from errors of earlier forecasts."),
      ColumnInfo(
        "tested_errors", "earlier errors", "forecasts", "Earlier forecasts whose errors that range is made of."),
    ].ruled(by: "7.6")
  }

  /// The columns of `ltv --backtest`.
  static let ofBacktests = [
    ColumnInfo(
      "origin", "forecast of", "", "Day on which the forecast is made; all for the errors of all days."),
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
    ColumnInfo(
      "actual", "actual", "money per purchase", "Revenue that the purchases brought in that time."),
    ColumnInfo(
      "error_share", "error", "share", "Predicted ÷ actual − 1: above 0 where too much was predicted."),
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
    ColumnInfo(
      "scores", "earlier errors", "forecasts", "Earlier forecasts whose errors the range comes from."),
    ColumnInfo(
      "method", "range from", "",
      "Errors that the range comes from: own, of the row, or pooled over the rows of the app."),
    ColumnInfo("origins", "forecasts", "forecasts", "Forecasts whose money is known."),
    ColumnInfo("mape", "off by", "share", "Average size of the error, weighted by money."),
    ColumnInfo("bias", "too high by", "share", "Sum of the errors ÷ sum of the money."),
    ColumnInfo("ranges", "ranges", "ranges", "Forecasts with a range whose money is known."),
    ColumnInfo(
      "closest", "closest", "", "Least error: forecast, last payments continued, or the ratio of the cohort before."),
    ColumnInfo(
      "coverage", "in range", "share", "Share of the 90% ranges that contain the actual revenue."),
    ColumnInfo(
      "mape_fit", "without auto-renew", "share",
      "Average size of the error of the forecast that ignores who has turned auto-renew off."),
    ColumnInfo(
      "mape_with_trials", "with trials", "share",
      "Average size of the error of the forecast in which open trials bring in what earlier ones did."),
    ColumnInfo(
      "mape_without_trials", "without trials", "share",
      "Average size of the error of the forecast in which open trials bring in nothing."),
    ColumnInfo(
      "mape_km", "last payments continued", "share", "Average size of the error of last payments continued."),
    ColumnInfo(
      "mape_ratio", "as the previous cohort", "share", "Average size of the error of the earlier cohort's ratio."),
    ColumnInfo(
      "note", "note", "text", "Why a number is missing, and which simple rule was closer."),
  ].ruled(by: "7.6")
}
