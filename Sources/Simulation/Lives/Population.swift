/// What kinds of persons an app has besides those who meet its paywalls; fractions of 1 of all its persons.
///
/// None of them is exposed to the experiment or sees a paywall at first, so they are in no funnel cell and no arm.
public struct Population: Sendable, Hashable {
  /// Subscribed before the first day: their first payment is a renewal (left-truncated).
  public var subscribedBefore: Double
  /// Buy on the store's page of the app: `(unattributed)`.
  public var storePageBuyers: Double
  /// The maker's own devices: `sandbox` events.
  public var testers: Double
  /// Members of a family with a shared purchase: `family_shared`.
  public var familyMembers: Double
  /// Redeem an offer code from a mail: `(unattributed)`.
  public var codeRedeemers: Double
  /// Log in after a while: two ids and an `identify`. Of the persons who meet paywalls.
  public var identified: Double

  public init(
    subscribedBefore: Double = 0.03, storePageBuyers: Double = 0.01, testers: Double = 0.004,
    familyMembers: Double = 0, codeRedeemers: Double = 0, identified: Double = 0.03
  ) {
    self.subscribedBefore = subscribedBefore
    self.storePageBuyers = storePageBuyers
    self.testers = testers
    self.familyMembers = familyMembers
    self.codeRedeemers = codeRedeemers
    self.identified = identified
  }

  /// Those who are exposed to the experiment.
  public var exposed: Double {
    1 - subscribedBefore - storePageBuyers - testers - familyMembers - codeRedeemers
  }
}
