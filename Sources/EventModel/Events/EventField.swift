/// The known fields of `Events.md`, in the order of its tables, which is the order in which a line's fields are
/// checked.
public enum EventField: UInt8, CaseIterable, Sendable {
  case eventID
  case event
  case ts
  case app
  case userID
  case receivedAt
  case platform
  case store
  case country
  case appVersion
  case environment
  case properties
  case entryPoint
  case experiment
  case variant
  case paywall
  case offering
  case priceWeekly
  case priceMonthly
  case priceYearly
  case priceLifetime
  case tier
  case productID
  case plan
  case price
  case currency
  case priceUSD
  case taxPercentage
  case commissionPercentage
  case subscriptionID
  case subscriptionStartedAt
  case transactionID
  case expiresAt
  case ownership
  case offerType
  case offerCode
  case limitName
  case limit
  case used
  case trialDays
  case trialEndsAt
  case trialKind
  case previousProductID
  case reason
  case graceEndsAt
  case previousUserID

  /// The name in event files, such as `user_id`.
  public var name: String { Self.names[self] }

  private static let names = CaseNames<EventField>()
}
