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
  public var name: String {
    switch self {
    case .eventID: "event_id"
    case .event: "event"
    case .ts: "ts"
    case .app: "app"
    case .userID: "user_id"
    case .receivedAt: "received_at"
    case .platform: "platform"
    case .store: "store"
    case .country: "country"
    case .appVersion: "app_version"
    case .environment: "environment"
    case .properties: "properties"
    case .entryPoint: "entry_point"
    case .experiment: "experiment"
    case .variant: "variant"
    case .paywall: "paywall"
    case .offering: "offering"
    case .priceWeekly: "price_weekly"
    case .priceMonthly: "price_monthly"
    case .priceYearly: "price_yearly"
    case .priceLifetime: "price_lifetime"
    case .tier: "tier"
    case .productID: "product_id"
    case .plan: "plan"
    case .price: "price"
    case .currency: "currency"
    case .priceUSD: "price_usd"
    case .taxPercentage: "tax_percentage"
    case .commissionPercentage: "commission_percentage"
    case .subscriptionID: "subscription_id"
    case .subscriptionStartedAt: "subscription_started_at"
    case .transactionID: "transaction_id"
    case .expiresAt: "expires_at"
    case .ownership: "ownership"
    case .offerType: "offer_type"
    case .offerCode: "offer_code"
    case .limitName: "limit_name"
    case .limit: "limit"
    case .used: "used"
    case .trialDays: "trial_days"
    case .trialEndsAt: "trial_ends_at"
    case .trialKind: "trial_kind"
    case .previousProductID: "previous_product_id"
    case .reason: "reason"
    case .graceEndsAt: "grace_ends_at"
    case .previousUserID: "previous_user_id"
    }
  }
}
