internal import Basics
internal import EventModel

/// The common mapping of purchase webhooks: RevenueCat's and those modelled on them.
///
/// | type | event |
/// |---|---|
/// | `INITIAL_PURCHASE`, `RENEWAL` of period `TRIAL` | `trial_start` |
/// | `INITIAL_PURCHASE`, `NON_RENEWING_PURCHASE`, `RENEWAL` that is a trial's conversion | `conversion` |
/// | `RENEWAL` | `renewal` |
/// | any of these, and `CANCELLATION`, with a price below 0; `CANCELLATION` for `CUSTOMER_SUPPORT` | `refund` |
/// | `CANCELLATION` for `BILLING_ERROR`, `BILLING_ISSUE` | `billing_issue`, one for both |
/// | `CANCELLATION` | `cancellation` |
/// | `UNCANCELLATION` | `reactivation` |
/// | `EXPIRATION` | `expiration` |
/// | `PRODUCT_CHANGE` | `plan_change`, without a price: the money comes with a separate purchase |
/// | `SUBSCRIPTION_EXTENDED` of a trial | `trial_start` again, with the later end |
///
/// Purchases happen at `purchasedAt`, which for a renewal can be hours after the notice; ends happen at the end, and
/// everything else at the notice's time. The notice's time is also `received_at`.
struct SubscriptionNotice {
  /// The prefix of event ids.
  var vendor: String
  /// The vendor's own key of the notice.
  var key: String
  var type: String
  var periodType: String?
  var app: String
  var userID: JSONNode?
  /// The time of the notice.
  var noticedAt: JSONNode?
  var purchasedAt: JSONNode?
  var expiresAt: JSONNode?
  var graceEndsAt: JSONNode?
  var productID: String?
  var newProductID: JSONNode?
  /// The price in `currency`.
  var price: JSONNode?
  var currency: JSONNode?
  /// The price in US dollars.
  var dollars: JSONNode?
  var transactionID: JSONNode?
  var subscriptionID: JSONNode?
  var isTrialConversion = false
  var isFamilyShared = false
  /// Whether a product without an end unlocks something permanently; if not, it is consumable and not a plan.
  var unlocks = true
  var reason: String?
  var store: String?
  var environment: String?
  var country: JSONNode?
  var offering: JSONNode?
  var offerCode: JSONNode?
  var taxPercentage: JSONNode?
  var commissionPercentage: JSONNode?
  var properties: [JSONMember] = []

  func event(_ plans: ProductPlans) throws(PayloadRejection) -> NativeEvent {
    switch type {
    case "INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE": try purchase(plans)
    case "CANCELLATION": try cancellation()
    case "UNCANCELLATION": base(.reactivation)
    case "BILLING_ISSUE": billingIssue()
    case "EXPIRATION": expiration()
    case "PRODUCT_CHANGE": productChange(plans)
    case "SUBSCRIPTION_EXTENDED" where periodType == "TRIAL": trial(plans)
    default: throw .notMapped("\(vendor):\(type)")
    }
  }

  private var isNegative: Bool { (price?.double ?? 0) < 0 }
  private var isPromotional: Bool { store == "PROMOTIONAL" || periodType == "PROMOTIONAL" }

  /// Returns an event with the fields that all kinds have.
  ///
  /// - Parameter id: Of the event; by default that of the notice.
  func base(_ kind: EventKind, id: String? = nil) -> NativeEvent {
    var event = NativeEvent(kind, id: id ?? NativeEvent.id(vendor, type, key))
    event[.ts] = noticedAt
    event[.app] = .string(app)
    event[.userID] = userID
    event[.receivedAt] = noticedAt
    event[.store] = store.map { .string($0.lowercased()) }
    event[.platform] = platform.map { .string($0) }
    event[.country] = country
    event[.environment] = Self.environment(environment)
    event[.offering] = offering
    event[.productID] = productID.map { .string($0) }
    event[.subscriptionID] = subscriptionID
    event[.transactionID] = transactionID
    if isFamilyShared { event[.ownership] = "family_shared" }
    event.properties = properties
    return event
  }

  /// Returns the environment; `nil` for the default, `production`.
  static func environment(_ name: String?) -> JSONNode? {
    guard let name = name?.lowercased(), name != "production" else { return nil }
    return .string(name)
  }

  private var platform: String? {
    switch store {
    case "APP_STORE": "ios"
    case "MAC_APP_STORE": "macos"
    case "PLAY_STORE", "AMAZON": "android"
    case "STRIPE", "RC_BILLING", "PADDLE": "web"
    case "ROKU": "roku"
    default: nil
    }
  }

  private var period: Int64? {
    guard let start = purchasedAt?.integer, let end = expiresAt?.integer, end > start else { return nil }
    return end - start
  }

  // MARK: Bought

  private func purchase(_ plans: ProductPlans) throws(PayloadRejection) -> NativeEvent {
    if isNegative { return refund() }
    if periodType == "TRIAL" { return trial(plans) }
    let isRenewal = type == "RENEWAL" && !isTrialConversion
    var event = base(isRenewal && !isPromotional ? .renewal : .conversion)
    event[.ts] = purchasedAt ?? noticedAt
    event.setExpiresAt(expiresAt?.integer, property: "expiration_at_ms")
    event[.price] = isPromotional ? .number("0") : price
    event[.currency] = currency
    event[.priceUSD] = isPromotional ? nil : dollars?.unsigned
    event[.taxPercentage] = taxPercentage
    event[.commissionPercentage] = commissionPercentage
    event[.offerCode] = offerCode
    if isPromotional {
      event[.offerType] = "promotional"
    } else if periodType == "INTRO" {
      event[.offerType] = "introductory"
    } else if offerCode != nil {
      event[.offerType] = "offer_code"
    }
    event[.plan] = try plan(plans).map { .string($0.name) }
    return event
  }

  private func plan(_ plans: ProductPlans) throws(PayloadRejection) -> Plan? {
    guard let productID else { return nil }
    let isFullPeriod = periodType != "INTRO" && environment != "SANDBOX"
    if let plan = plans.given(for: productID) { return plan }
    if expiresAt == nil && !isPromotional && type == "NON_RENEWING_PURCHASE" {
      guard unlocks else { throw .notMapped("\(vendor):\(type) of a product that unlocks nothing") }
      return .lifetime
    }
    if let plan = plans.plan(of: productID, period: isFullPeriod ? period : nil) { return plan }
    return isPromotional ? ProductPlans.nearest(period: period) : nil
  }

  private func trial(_ plans: ProductPlans) -> NativeEvent {
    var event = base(.trialStart)
    event[.ts] = purchasedAt ?? noticedAt
    event[.trialEndsAt] = expiresAt
    event[.plan] = productID.flatMap { plans.plan(of: $0) }.map { .string($0.name) }
    event[.offerCode] = offerCode
    if offerCode != nil { event[.offerType] = "offer_code" }
    return event
  }

  private func productChange(_ plans: ProductPlans) -> NativeEvent {
    var event = base(.planChange)
    if let newProductID {
      event[.previousProductID] = event[.productID]
      event[.productID] = newProductID
    }
    event[.plan] = event[.productID]?.text.flatMap { plans.plan(of: $0) }.map { .string($0.name) }
    if let price { event.properties.append(JSONMember("price_in_purchased_currency", price)) }
    if let dollars { event.properties.append(JSONMember("price", dollars)) }
    return event
  }

  // MARK: Given up

  private func cancellation() throws(PayloadRejection) -> NativeEvent {
    if isNegative { return refund() }
    switch reason {
    case "BILLING_ERROR": return billingIssue()
    case "CUSTOMER_SUPPORT" where periodType != "TRIAL": return refund()
    default:
      var event = base(.cancellation)
      event[.reason] = .string(nativeReason ?? "other")
      if let reason { event.properties.append(JSONMember("cancel_reason", .string(reason))) }
      return event
    }
  }

  private var nativeReason: String? {
    switch reason {
    case "UNSUBSCRIBE": "voluntary"
    case "BILLING_ERROR": "billing"
    case "PRICE_INCREASE": "price_increase"
    case nil: nil
    default: "other"
    }
  }

  /// Returns a refund; a price of 0 or no price refunds everything.
  private func refund() -> NativeEvent {
    var event = base(.refund)
    if isNegative, let price = price?.positive {
      event[.price] = price
      event[.currency] = currency
      event[.priceUSD] = dollars?.unsigned
    }
    if let reason { event[.reason] = .string(reason.lowercased()) }
    return event
  }

  /// Returns a billing issue. A failed charge is sent twice, as `BILLING_ISSUE` and as `CANCELLATION` with
  /// `BILLING_ERROR`. Both get one id and equal content, unless there is a grace period, which only the former has. So
  /// the latter counts as received a minute later and is superseded.
  private func billingIssue() -> NativeEvent {
    var event = base(.billingIssue)
    let subject = [subscriptionID?.text ?? userID?.text, productID].compactMap { $0 }.joined(separator: ":")
    let period = expiresAt ?? purchasedAt ?? noticedAt
    event[.eventID] = .string(NativeEvent.id(vendor, "billing_issue", subject, period?.text))
    event[.graceEndsAt] = graceEndsAt
    if let noticed = noticedAt?.integer {
      let minute: Int64 = 60_000
      event.set(.ts, milliseconds: min(expiresAt?.integer ?? noticed, noticed - noticed % minute))
      if type == "CANCELLATION" { event.set(.receivedAt, milliseconds: noticed + minute) }
    }
    return event
  }

  private func expiration() -> NativeEvent {
    var event = base(.expiration)
    event.setExpired(at: expiresAt?.integer)
    event[.reason] = nativeReason.map { .string($0) }
    if let reason { event.properties.append(JSONMember("expiration_reason", .string(reason))) }
    return event
  }

  /// How a vendor spells the names of the common fields.
  enum Spelling {
    /// `purchased_at_ms`
    case snake
    /// `purchasedAt`
    case camel

    /// - Parameter words: In lower case, joined by `_`.
    func callAsFunction(_ words: String) -> String {
      switch self {
      case .snake: return words.hasSuffix("_at") ? words + "_ms" : words
      case .camel:
        let parts = words.split(separator: "_")
        return parts.prefix(1).joined() + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
      }
    }
  }

  /// Takes the fields that all vendors' notices have; the others are for `properties`.
  ///
  /// - Parameter currencyName: The name of the field with the currency of the price.
  mutating func take(_ fields: inout PayloadFields, _ name: Spelling, currencyName: String) {
    periodType = fields.text(name("period_type"))
    purchasedAt = fields.take(name("purchased_at"))
    expiresAt = fields.take(name("expiration_at"))
    graceEndsAt = fields.take(name("grace_period_expiration_at"))
    productID = fields.text(name("product_id"))
    newProductID = fields.take(name("new_product_id"))
    price = fields.take(name("price_in_purchased_currency"))
    currency = fields.take(currencyName)
    dollars = fields.take("price")
    if price == nil, let dollars {
      price = dollars
      currency = "USD"
    }
    transactionID = fields.take(name("transaction_id"))
    subscriptionID = fields.take(name("original_transaction_id"))
    isTrialConversion = fields.flag(name("is_trial_conversion")) ?? false
    isFamilyShared = fields.flag(name("is_family_share")) ?? false
    let cancelReason = fields.text(name("cancel_reason"))
    reason = fields.text(name("expiration_reason")) ?? cancelReason
    store = fields.text("store")
    country = fields.country(name("country_code"))
    offerCode = fields.take(name("offer_code"))
    taxPercentage = fields.share(name("tax_percentage"))
    commissionPercentage = fields.share(name("commission_percentage"))
  }
}

extension JSONNode {
  /// A number without its sign, as an amount of money.
  var unsigned: JSONNode { positive ?? self }

  /// A negative number without its sign; `nil` for others.
  var positive: JSONNode? {
    switch self {
    case .number(let text) where text.hasPrefix("-"): .number(String(text.dropFirst()))
    case .string(let text) where text.hasPrefix("-"): .string(String(text.dropFirst()))
    default: nil
    }
  }
}
