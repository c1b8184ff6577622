/// The kinds of users besides those who see the app's paywalls, as fractions of all its users.
///
/// None of them is exposed to the experiment or sees a paywall at first, so they are in no funnel and no arm.
public struct Population: Sendable, Hashable {
  /// Subscribed before the first day: their first payment is a renewal (left-truncated).
  public var subscribedBefore = 0.03
  /// Buy on the app's store page: `(unattributed)`.
  public var storePageBuyers = 0.01
  /// The developer's own devices: `sandbox` events.
  public var testers = 0.004
  /// Family members with a shared purchase: `family_shared`.
  public var familyMembers = 0.0
  /// Redeem an offer code from an email: `(unattributed)`.
  public var codeRedeemers = 0.0
  /// The fraction of the users with paywalls who log in after a while: two ids and an `identify`.
  public var identified = 0.03

  /// The fraction of users who are exposed to the experiment.
  public var exposed: Double {
    1 - subscribedBefore - storePageBuyers - testers - familyMembers - codeRedeemers
  }
}
