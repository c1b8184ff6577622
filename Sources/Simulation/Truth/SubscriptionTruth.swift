/// How control's subscriptions sold at an entry point with ``EntryPointTruth/cancelFactor`` 1 go on and end.
///
/// A period ends in exactly one of: refund, cancellation, failed billing, upgrade, renewal (what is left).
public struct SubscriptionTruth: Sendable, Hashable {
  /// First payments given back in full within 14 days, by plan; fraction of 1.
  public var monthlyRefundRate: Double
  public var yearlyRefundRate: Double
  public var lifetimeRefundRate: Double
  /// Cancelled in the first month, and in each later one of those that renewed.
  public var firstMonthCancelRate: Double
  public var laterMonthCancelRate: Double
  /// Cancelled in `[0, 35 d)`, `[35 d, 95 d)` and later in each year.
  public var yearlyCancelRates: [Double]
  /// Failed for good, at the end of a trial or of a period.
  public var billingFailureRate: Double
  /// A renewal given back in full, 11 to 14 days after it.
  public var renewalRefundRate: Double
  /// Monthly to yearly within a period, where the app sells a yearly plan.
  public var upgradeRate: Double
  /// Of the subscriptions that ended other than by a refund, those that come back 5 to 25 days later.
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

  /// Of the first payments of a plan, those given back in full within 30 days.
  public func refundRate(of plan: SamplePlan) -> Double {
    switch plan {
    case .monthly: monthlyRefundRate
    case .yearly: yearlyRefundRate
    case .lifetime: lifetimeRefundRate
    }
  }
}
