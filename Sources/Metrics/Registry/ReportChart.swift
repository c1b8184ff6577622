/// A chart of a report, by the columns that it shows.
public enum ReportChart: Sendable {
  /// Steps from the first paywall to payment, and the share that pays by period.
  case steps
  /// The steps of a path, as shares of those who entered.
  case path
  /// A rate of each row with its interval.
  case intervals(rate: String, title: String, subtitle: String)
  /// A number by period, stacked by the other dimensions: of the first of these columns that the report has.
  case byPeriod([String], title: String, subtitle: String = "")
  /// The movement from the last period's opening to its closing.
  case movement
  /// The share that is left by age: lines, or a heat map of cohorts.
  case survival
  /// Money of a user by age.
  case value
  /// The steps from our number to a vendor's.
  case bridge
}
