/// How control's subscriptions continue and end, if sold at an entry point with ``EntryPointTruth/cancelFactor`` 1.
///
/// A period ends in exactly one of: refund, cancellation, failed billing, upgrade, renewal (the rest).
public struct SubscriptionTruth: Sendable, Hashable {
  /// Fraction of first payments refunded in full within 14 days, by plan.
  public var monthlyRefundRate = 0.03
  public var yearlyRefundRate = 0.05
  public var lifetimeRefundRate = 0.04
  /// Fraction cancelled in the first month, and in each later month of those that renewed.
  public var firstMonthCancelRate: Double
  public var laterMonthCancelRate: Double
  /// Fraction cancelled in `[0, 35 d)`, `[35 d, 95 d)` and the rest of each year.
  public var yearlyCancelRates = [0.12, 0.08, 0.20]
  /// Fraction whose billing fails for good, at the end of a trial or of a period.
  public var billingFailureRate = 0.03
  /// Fraction of renewals refunded in full, 11 to 14 days later.
  public var renewalRefundRate = 0.01
  /// Fraction upgraded from monthly to yearly within a period, if the app sells a yearly plan.
  public var upgradeRate = 0.02
  /// Fraction of the subscriptions that ended without a refund and come back 5 to 25 days later.
  public var resubscribeRate = 0.12
}
