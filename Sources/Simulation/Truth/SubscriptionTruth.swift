/// How control's subscriptions continue and end, if sold at an entry point with ``EntryPointTruth/cancelFactor`` 1.
///
/// A period ends in exactly one of: refund, cancellation, failed billing, upgrade, renewal (the rest).
public struct SubscriptionTruth: Sendable, Hashable {
  /// Fraction of first payments refunded in full within 14 days, by plan.
  public var monthlyRefundRate: Double
  public var yearlyRefundRate: Double
  public var lifetimeRefundRate: Double
  /// Fraction cancelled in the first month, and in each later month of those that renewed.
  public var firstMonthCancelRate: Double
  public var laterMonthCancelRate: Double
  /// Fraction cancelled in `[0, 35 d)`, `[35 d, 95 d)` and the rest of each year.
  public var yearlyCancelRates: [Double]
  /// Fraction whose billing fails for good, at the end of a trial or of a period.
  public var billingFailureRate: Double
  /// Fraction of renewals refunded in full, 11 to 14 days later.
  public var renewalRefundRate: Double
  /// Fraction upgraded from monthly to yearly within a period, if the app sells a yearly plan.
  public var upgradeRate: Double
  /// Fraction of the subscriptions that ended without a refund and come back 5 to 25 days later.
  public var resubscribeRate: Double

  public init(
    monthlyRefundRate: Double = 0.03, yearlyRefundRate: Double = 0.05, lifetimeRefundRate: Double = 0.04,
    firstMonthCancelRate: Double, laterMonthCancelRate: Double, yearlyCancelRates: [Double] = [0.12, 0.08, 0.20],
    billingFailureRate: Double = 0.03, renewalRefundRate: Double = 0.01, upgradeRate: Double = 0.02,
    resubscribeRate: Double = 0.12
  ) {
    self.monthlyRefundRate = monthlyRefundRate
    self.yearlyRefundRate = yearlyRefundRate
    self.lifetimeRefundRate = lifetimeRefundRate
    self.firstMonthCancelRate = firstMonthCancelRate
    self.laterMonthCancelRate = laterMonthCancelRate
    self.yearlyCancelRates = yearlyCancelRates
    self.billingFailureRate = billingFailureRate
    self.renewalRefundRate = renewalRefundRate
    self.upgradeRate = upgradeRate
    self.resubscribeRate = resubscribeRate
  }
}
