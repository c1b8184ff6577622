/// The probabilities of how each period of a subscription ends, for one arm and the entry point that sold it.
package struct SubscriptionHazards {
  /// The probabilities of the ways in which a period ends; the rest renew.
  package struct Period {
    package var refund: Double
    package var cancel: Double
    package var billing: Double
    package var upgrade: Double
  }

  private let truth: SubscriptionTruth
  private let cancelFactor: Double
  private let refundFactor: Double
  private let upgradeRate: Double

  package init(app: AppTruth, variant: String, cancelFactor: Double) {
    let effect = app.experiment.effect(ofVariant: variant)
    truth = app.subscriptions
    self.cancelFactor = cancelFactor * effect.cancel
    refundFactor = effect.refund
    upgradeRate = app.products.contains { $0.plan == .yearly } ? app.subscriptions.upgradeRate : 0
  }

  /// Returns the n-th month's probabilities; only the first month differs from the others.
  package func month(_ number: Int) -> Period {
    Period(
      refund: number == 1 ? truth.monthlyRefundRate * refundFactor : truth.renewalRefundRate,
      cancel: (number == 1 ? truth.firstMonthCancelRate : truth.laterMonthCancelRate) * cancelFactor,
      billing: truth.billingFailureRate, upgrade: upgradeRate)
  }

  /// Returns the n-th year's probabilities.
  package func year(_ number: Int) -> Period {
    Period(
      refund: number == 1 ? truth.yearlyRefundRate * refundFactor : truth.renewalRefundRate,
      cancel: yearlyCancelRates.reduce(0, +), billing: truth.billingFailureRate, upgrade: 0)
  }

  /// Cancellation rates in `[0, 35 d)`, `[35 d, 95 d)` and the rest of a year.
  package var yearlyCancelRates: [Double] {
    truth.yearlyCancelRates.map { $0 * cancelFactor }
  }

  func lifetimeRefund() -> Double { truth.lifetimeRefundRate * refundFactor }
}
