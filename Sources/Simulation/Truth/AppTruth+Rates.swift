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

extension AppTruth {
  /// Returns the rates of a variant and the entry point of the first impression:
  ///
  ///     trial cancel rate   c = 1 − (1 − control's) · effect on keeping
  ///     trial to paid rate  q = (1 − c) · (1 − billing failure)
  ///     paid rate             = trial rate · q + direct rate
  public func paywallRates(variant: String, at entryPoint: EntryPointTruth) -> PaywallRates {
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

  /// Returns the split of an arm's direct purchases by plan.
  public func planShares(variant: String) -> [PlanShare] {
    experiment.effect(ofVariant: variant).planShares ?? planShares
  }
}
