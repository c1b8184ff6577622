/// The kinds of users besides those who see the app's paywalls, as fractions of all its users.
///
/// None of them is exposed to the experiment or sees a paywall at first, so they are in no funnel and no arm.
public struct Population: Sendable, Hashable {
  /// Subscribed before the first day: their first payment is a renewal (left-truncated).
  public var subscribedBefore: Double
  /// Buy on the app's store page: `(unattributed)`.
  public var storePageBuyers: Double
  /// The developer's own devices: `sandbox` events.
  public var testers: Double
  /// Family members with a shared purchase: `family_shared`.
  public var familyMembers: Double
  /// Redeem an offer code from an email: `(unattributed)`.
  public var codeRedeemers: Double
  /// The fraction of the users with paywalls who log in after a while: two ids and an `identify`.
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

  /// The fraction of users who are exposed to the experiment.
  public var exposed: Double {
    1 - subscribedBefore - storePageBuyers - testers - familyMembers - codeRedeemers
  }
}
