/// The true results of `funnel` and `trials` for one variant, or one variant and entry point; definitions 3 and 4.
public struct PaywallRates: Sendable, Hashable {
  /// Introductory trials per matured user; 0 if the app has none (3.4).
  public var trialRate: Double
  /// Fraction of those introductory trials that converted (3.4, and 4.3 of `trials`); `nil` without trials.
  public var trialToPaidRate: Double?
  /// Fraction of matured users who bought without a trial or from the app's own trial (3.4).
  public var directRate: Double
  /// Fraction of matured users who paid in any way (3.4).
  public var paidRate: Double
  /// Fraction of introductory trials that were cancelled at their end (4.5); `nil` without trials.
  public var trialCancelRate: Double?
}

/// The true results of `cancellations` for the subscriptions of one variant, entry point and plan; definitions 6.
public struct SubscriptionRates: Sendable, Hashable {
  /// Fraction cancelled, as known 35 and 95 days after the first payment (6.2).
  public var cancelled35: Double
  public var cancelled95: Double
  /// Fraction ended 35 and 95 days after the first payment.
  public var ended35: Double
  public var ended95: Double
  /// Fraction with the first payment refunded in full within 30 days (6.3).
  public var refundRate: Double
  /// Fraction of the first periods, and of a later period, that end in another payment (6.4).
  public var firstRenewalRate: Double
  public var laterRenewalRate: Double
}

/// The true results of `experiment` for one arm, per exposed user unless stated otherwise; definitions 8.3.
public struct ExposureRates: Sendable, Hashable {
  /// Fraction with an introductory trial within 7 days.
  public var trialStart: Double
  /// Fraction with a purchase within 14 days.
  public var paid: Double
  /// Fraction of the trials, introductory or the app's own, that convert; `nil` without trials.
  public var trialToPaid: Double?
  /// Fraction with a trial that was cancelled within 14 days.
  public var trialCancelled: Double
  /// Fraction with a first payment refunded within 30 days.
  public var refunded: Double
  /// Fraction of the purchases within 14 days that are yearly.
  public var yearlyShare: Double
}

extension AppTruth {
  /// Returns the rates of a variant and the entry point of the first impression:
  ///
  ///     trial cancel rate   c = 1 − (1 − control's) · effect on keeping
  ///     trial to paid rate  q = (1 − c) · (1 − billing failure)
  ///     paid rate             = trial rate · q + direct rate
  ///
  /// - Parameter entryPoint: `nil` for all entry points, weighted by how many users first see the paywall there.
  /// - Returns: `nil` for an unknown entry point.
  public func paywallRates(variant: String, entryPoint: String? = nil) -> PaywallRates? {
    guard let entryPoint else { return pooledPaywallRates(variant: variant) }
    return self.entryPoint(entryPoint).map { paywallRates(variant: variant, at: $0) }
  }

  func paywallRates(variant: String, at entryPoint: EntryPointTruth) -> PaywallRates {
    let effect = experiment.effect(ofVariant: variant)
    let trialRate = min(1, entryPoint.trialRate * effect.trial)
    let directRate = min(1 - trialRate, entryPoint.directRate * effect.direct)
    guard case .introductory = trial else {
      return PaywallRates(trialRate: 0, directRate: directRate, paidRate: directRate)
    }
    let keeping = min(1, (1 - entryPoint.trialCancelRate) * effect.trialKeeping)
    let trialToPaidRate = keeping * (1 - subscriptions.billingFailureRate)
    return PaywallRates(
      trialRate: trialRate, trialToPaidRate: trialToPaidRate, directRate: directRate,
      paidRate: trialRate * trialToPaidRate + directRate, trialCancelRate: 1 - keeping)
  }

  private func pooledPaywallRates(variant: String) -> PaywallRates {
    var pooled = PaywallRates(trialRate: 0, directRate: 0, paidRate: 0)
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

  /// Returns the split of an arm's direct purchases by plan.
  public func planShares(variant: String) -> [PlanShare] {
    experiment.effect(ofVariant: variant).planShares ?? planShares
  }

  /// Returns the rates of the subscriptions that an entry point sold to an arm.
  ///
  /// With c, b and f the probabilities that a month ends cancelled, in failed billing or refunded, r = 1 − c − b − f,
  /// and s = r minus the upgrades (which cancel only months later):
  ///
  ///     cancelled35 = c₁          cancelled95 = c₁ + s₁·c₂ + s₁·s₂·c₂
  ///     ended35     = 1 − r₁      ended95     = 1 − r₁ + s₁·(1 − r₂) + s₁·s₂·(1 − r₂)
  ///
  /// for monthly plans. Yearly plans use the refund rate and the yearly hazards.
  ///
  /// - Returns: `nil` for an unknown entry point, and for lifetime purchases, which are not subscriptions.
  public func subscriptionRates(variant: String, entryPoint: String, plan: SamplePlan) -> SubscriptionRates? {
    guard let entryPoint = self.entryPoint(entryPoint) else { return nil }
    let hazards = SubscriptionHazards(app: self, variant: variant, cancelFactor: entryPoint.cancelFactor)
    switch plan {
    case .monthly:
      let (first, later) = (hazards.month(1), hazards.month(2))
      let (upgrade1, upgrade2) = (first.upgrade, later.upgrade)
      let (goOn1, goOn2) = (first.renew, later.renew)
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
        refundRate: first.refund, firstRenewalRate: first.renew, laterRenewalRate: later.renew)
    case .lifetime: return nil
    }
  }

  /// Returns an arm's built-in metrics that have a closed form: ``reach`` times the paywall's rates.
  public func exposureRates(variant: String) -> ExposureRates {
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
