package import EventModel
package import Simulation

/// The true results of `cancellations` for the subscriptions of one variant, entry point and plan; definitions 6.
package struct SubscriptionRates: Sendable, Hashable {
  /// Cancelled, as known 35 and 95 days after the first payment (6.2).
  package var cancelled35: Double
  package var cancelled95: Double
  /// Ended by then.
  package var ended35: Double
  package var ended95: Double
  /// First payment given back in full within 30 days (6.3).
  package var refundRate: Double
  /// Of the first periods, and of a later one, those that end in a further payment (6.4).
  package var firstRenewalRate: Double
  package var laterRenewalRate: Double
}

/// The true results of `experiment` for one arm, per exposed person unless stated (definitions 8.2).
package struct ExposureRates: Sendable, Hashable {
  /// An introductory trial within 7 days.
  package var trialStart: Double
  /// A purchase within 14 days.
  package var paid: Double
  /// Of the trials, introductory or the app's own, those that convert; `nil` without trials.
  package var trialToPaid: Double?
  /// A trial cancelled within 14 days.
  package var trialCancelled: Double
  /// A first payment given back within 30 days.
  package var refunded: Double
  /// Of the purchases within 14 days, those of the yearly plan.
  package var yearlyShare: Double
}

extension AppTruth {
  /// The rates of a variant and the entry point of the first impression, by name.
  ///
  /// - Parameter entryPoint: `nil` for all of them together, weighted by who first meets the paywall where.
  /// - Returns: `nil` for an unknown entry point.
  package func paywallRates(variant: String, entryPoint: String? = nil) -> PaywallRates? {
    guard let entryPoint else { return pooledPaywallRates(variant: variant) }
    return self.entryPoint(entryPoint).map { paywallRates(variant: variant, at: $0) }
  }

  private func pooledPaywallRates(variant: String) -> PaywallRates {
    guard var pooled = entryPoints.first.map({ paywallRates(variant: variant, at: $0) }) else {
      preconditionFailure("an app has entry points")
    }
    (pooled.trialRate, pooled.directRate, pooled.paidRate) = (0, 0, 0)
    (pooled.trialToPaidRate, pooled.trialCancelRate) = (nil, nil)
    var trialPaid = 0.0
    var trialCancelled = 0.0
    for entryPoint in entryPoints {
      let rates = paywallRates(variant: variant, at: entryPoint)
      pooled.trialRate += entryPoint.share * rates.trialRate
      pooled.directRate += entryPoint.share * rates.directRate
      pooled.paidRate += entryPoint.share * rates.paidRate
      trialPaid += entryPoint.share * rates.trialRate * (rates.trialToPaidRate ?? 0)
      trialCancelled += entryPoint.share * rates.trialRate * (rates.trialCancelRate ?? 0)
    }
    guard pooled.trialRate > 0 else { return pooled }
    pooled.trialToPaidRate = trialPaid / pooled.trialRate
    pooled.trialCancelRate = trialCancelled / pooled.trialRate
    return pooled
  }

  /// The rates of the subscriptions that an entry point sold to an arm. With c, b and f the probabilities that a
  /// month ends cancelled, in failed billing or refunded, r = 1 − c − b − f, and s = r less the upgrades (who cancel
  /// only months later):
  ///
  ///     cancelled35 = c₁          cancelled95 = c₁ + s₁·c₂ + s₁·s₂·c₂
  ///     ended35     = 1 − r₁      ended95     = 1 − r₁ + s₁·(1 − r₂) + s₁·s₂·(1 − r₂)
  ///
  /// for monthly plans, and the refund rate and the yearly hazards for yearly ones.
  ///
  /// - Returns: `nil` for an unknown entry point, and for plans that are not sold as subscriptions.
  package func subscriptionRates(variant: String, entryPoint: String, plan: Plan) -> SubscriptionRates? {
    guard let entryPoint = self.entryPoint(entryPoint) else { return nil }
    let hazards = SubscriptionHazards(app: self, variant: variant, cancelFactor: entryPoint.cancelFactor)
    switch plan {
    case .monthly:
      let (first, later) = (hazards.month(1), hazards.month(2))
      let (upgrade1, upgrade2) = (first.upgrade, later.upgrade)
      let (goOn1, goOn2) = (first.renewed, later.renewed)
      let (end1, end2) = (1 - goOn1 - upgrade1, 1 - goOn2 - upgrade2)
      return SubscriptionRates(
        cancelled35: first.cancel, cancelled95: first.cancel + goOn1 * later.cancel * (1 + goOn2),
        ended35: end1, ended95: end1 + goOn1 * end2 * (1 + goOn2), refundRate: first.refund,
        firstRenewalRate: 1 - end1, laterRenewalRate: 1 - end2)
    case .yearly:
      let (first, later) = (hazards.year(1), hazards.year(2))
      let cancels = hazards.yearlyCancelRates
      return SubscriptionRates(
        cancelled35: cancels[0], cancelled95: cancels[0] + cancels[1], ended35: first.refund, ended95: first.refund,
        refundRate: first.refund, firstRenewalRate: first.renewed, laterRenewalRate: later.renewed)
    default: return nil
    }
  }

  /// The built-in metrics of an arm that have a closed form: ``reach`` times the paywall's rates.
  package func exposureRates(variant: String) -> ExposureRates {
    let effect = experiment.effect(ofVariant: variant)
    let rates = pooledPaywallRates(variant: variant)
    let shares = planShares(variant: variant)
    let trialPaid = rates.trialRate * (rates.trialToPaidRate ?? 0)
    let directRefunded = shares.reduce(0) { $0 + $1.share * subscriptions.refundRate(of: $1.plan) }
    let refunded = trialPaid * subscriptions.refundRate(of: .monthly) + rates.directRate * directRefunded
    let yearly = rates.directRate * (shares.first { $0.plan == .yearly }?.share ?? 0)
    let trialToPaid: Double? =
      switch trial {
      case .none: nil
      case .introductory: rates.trialToPaidRate
      case .app: reach * rates.directRate
      }
    return ExposureRates(
      trialStart: reach * rates.trialRate, paid: reach * rates.paidRate, trialToPaid: trialToPaid,
      trialCancelled: reach * rates.trialRate * (rates.trialCancelRate ?? 0),
      refunded: reach * refunded * effect.refund, yearlyShare: yearly / rates.paidRate)
  }
}

extension SubscriptionTruth {
  /// Of the first payments of a plan, those given back in full within 30 days.
  fileprivate func refundRate(of plan: Plan) -> Double {
    switch plan {
    case .monthly: monthlyRefundRate
    case .yearly: yearlyRefundRate
    case .lifetime: lifetimeRefundRate
    default: preconditionFailure("the sample sells no \(plan.name) plan")
    }
  }
}

extension SubscriptionHazards.Period {
  fileprivate var renewed: Double { 1 - refund - cancel - billing - upgrade }
}
