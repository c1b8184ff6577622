internal import Basics
internal import EventModel

/// The mapping of one Adapty event, from webhooks and from exported events.
///
/// Sources: Adapty, "Webhook event types and fields", "Amazon S3: table structure", "Events".
///
/// | `event_type` | event |
/// |---|---|
/// | `trial_started` | `trial_start` |
/// | `trial_converted`, `subscription_started` (`subscription_initial_purchase`) | `conversion` |
/// | `subscription_renewed` | `renewal` |
/// | `subscription_renewal_cancelled`, `trial_renewal_cancelled` (and without `renewal_`) | `cancellation` |
/// | `subscription_renewal_reactivated`, `trial_renewal_reactivated` | `reactivation` |
/// | `billing_issue_detected`, `entered_grace_period` | `billing_issue`; the latter with `grace_ends_at` |
/// | `subscription_expired`, `trial_expired` | `expiration` |
/// | `subscription_refunded`, `non_subscription_purchase_refunded` | `refund` |
/// | `non_subscription_purchase` | `conversion`, where the product's name or `--plan` says `lifetime` |
///
/// Not mapped: `access_level_updated`, `subscription_paused`, `subscription_deferred`, and unknown types.
///
/// | Adapty | native |
/// |---|---|
/// | `profile_event_id`; in exports `event_type`, `transaction_id`, `profile_id`, `event_datetime` | `event_id` |
/// | `event_datetime` | `ts` |
/// | `customer_user_id`, else `profile_id` | `user_id`; with both an `identify`, at the install date if it is given |
/// | `vendor_product_id`, in exports `product_id` | `product_id` |
/// | `price_local` (`revenue_local`), `currency`; else `price_usd` (`revenue_usd`) in USD | `price`, `currency` |
/// | `price_usd` (`revenue_usd`) | `price_usd` |
/// | `transaction_id`, `original_transaction_id` | `transaction_id`, `subscription_id` |
/// | `subscription_expires_at` | `expires_at`, `trial_ends_at`; of a grace period `grace_ends_at` |
/// | `developer_id`, which is the placement | `entry_point` |
/// | `paywall_name`, `ab_test_name` | `paywall`, `experiment`; in a test the paywall's name is the `variant`, too |
/// | `store`, `environment`, `store_country`, else `profile_country` | `store`, `environment`, `country` |
/// | `cancellation_reason` | `reason` |
/// | `promotional_offer_id`, `store_offer_category` | `offer_code`, `offer_type` |
///
/// Adapty's data has no app: it is `--app`, or else `adapty`.
struct AdaptyEvent {
  static let vendor = "adapty"

  var fields: PayloadFields
  let app: String
  let plans: ProductPlans

  init(_ fields: PayloadFields, _ context: VendorContext) {
    self.fields = fields
    app = context.app ?? Self.vendor
    plans = context.plans
  }

  /// Takes the fields that all of Adapty's rows have, and the user's ids.
  mutating func person(
    _ kind: EventKind, id: String, at time: JSONNode?, installedAt: JSONNode?
  ) -> (NativeEvent, identify: NativeEvent?) {
    var event = NativeEvent(kind, id: id)
    event[.ts] = time
    event[.app] = .string(app)
    let profile = fields.text("profile_id")
    let customer = fields.text("customer_user_id")
    event[.userID] = (customer ?? profile).map { .string($0) }
    let environment = fields.text("environment")
    event[.environment] = SubscriptionNotice.environment(environment)
    event[.store] = fields.take("store")
    switch event[.store]?.text {
    case "app_store": event[.platform] = "ios"
    case "play_store": event[.platform] = "android"
    case "stripe", "paddle": event[.platform] = "web"
    default: break
    }
    event[.country] =
      fields.country("store_country") ?? fields.country("profile_country") ?? fields.country("profile_county")
    event[.entryPoint] = fields.take("developer_id")
    event[.paywall] = fields.take("paywall_name")
    event[.experiment] = fields.take("ab_test_name")
    if event[.experiment] != nil { event[.variant] = event[.paywall] }
    guard let customer, let profile, customer != profile else { return (event, nil) }
    var identify = NativeEvent(
      .identify, id: NativeEvent.id(Self.vendor, "identify", profile, customer, installedAt == nil ? id : nil))
    identify[.ts] = installedAt ?? time
    identify[.app] = .string(app)
    identify[.userID] = .string(customer)
    identify[.previousUserID] = .string(profile)
    identify[.environment] = event[.environment]
    return (event, identify)
  }

  mutating func events(type: String, id: String, at time: JSONNode?) throws(PayloadRejection) -> [NativeEvent] {
    guard let kind = Self.kinds[type] else { throw .notMapped("\(Self.vendor):\(type)") }
    let installedAt = VendorTime.native(fields.take("install_date") ?? fields.take("profile_install_datetime"))
    var (event, identify) = person(kind, id: id, at: time, installedAt: installedAt)
    let vendorProduct = fields.take("vendor_product_id")
    let product = vendorProduct ?? fields.take("product_id")
    event[.productID] = product
    event[.transactionID] = fields.take("transaction_id")
    event[.subscriptionID] = fields.take("original_transaction_id")
    let expiresAt = VendorTime.milliseconds(fields.take("subscription_expires_at"))
    let reason = fields.text("cancellation_reason")
    switch kind {
    case .trialStart:
      event.set(.trialEndsAt, milliseconds: expiresAt)
      event[.plan] = product?.text.flatMap { plans.plan(of: $0) }.map { .string($0.name) }
      setOffer(of: &event)
    case .conversion, .renewal:
      event.setExpiresAt(expiresAt, property: "subscription_expires_at")
      setMoney(of: &event)
      setOffer(of: &event)
      let start = time?.integer
      let period =
        event[.offerType] == nil && event[.environment] == nil
        ? start.flatMap { start in expiresAt.map { $0 - start } } : nil
      event[.plan] = product?.text.flatMap { plans.plan(of: $0, period: period) }.map { .string($0.name) }
      if type == "non_subscription_purchase" && event[.plan]?.text != "lifetime" {
        throw .notMapped("\(Self.vendor):\(type) of a product that is not lifetime")
      }
    case .refund:
      setMoney(of: &event)
      event[.reason] = reason.map { .string($0) }
    case .cancellation, .expiration:
      event[.reason] = Self.nativeReason(reason).map { .string($0) } ?? (kind == .cancellation ? "voluntary" : nil)
      if let reason { event.properties.append(JSONMember("cancellation_reason", .string(reason))) }
      if kind == .expiration { event.setExpired(at: expiresAt) }
    case .billingIssue:
      if type == "entered_grace_period" { event.set(.graceEndsAt, milliseconds: expiresAt) }
    default: break
    }
    event.properties += fields.rest
    return [event] + (identify.map { [$0] } ?? [])
  }

  private mutating func setMoney(of event: inout NativeEvent) {
    let local = fields.take("price_local") ?? fields.take("revenue_local")
    let currency = fields.take("currency")
    let dollars = fields.take("price_usd") ?? fields.take("revenue_usd")
    event.setMoney(local ?? dollars, local == nil ? "USD" : currency ?? "USD", dollars: dollars)
  }

  private mutating func setOffer(of event: inout NativeEvent) {
    event[.offerCode] = fields.take("promotional_offer_id")
    switch fields.peek("store_offer_category")?.text {
    case "introductory": event[.offerType] = "introductory"
    case "promotional": event[.offerType] = "promotional"
    case "offer_code", "promo_code": event[.offerType] = "offer_code"
    case "win_back", "winback": event[.offerType] = "win_back"
    default: break
    }
  }

  private static func nativeReason(_ reason: String?) -> String? {
    switch reason {
    case nil: nil
    case "voluntarily_cancelled": "voluntary"
    case "billing_error": "billing"
    case "price_increase": "price_increase"
    case "product_was_not_available": "product_unavailable"
    default: "other"
    }
  }

  private static let kinds: [String: EventKind] = [
    "trial_started": .trialStart, "trial_converted": .conversion, "subscription_started": .conversion,
    "subscription_initial_purchase": .conversion, "subscription_renewed": .renewal,
    "subscription_renewal_cancelled": .cancellation, "subscription_cancelled": .cancellation,
    "trial_renewal_cancelled": .cancellation, "trial_cancelled": .cancellation,
    "subscription_renewal_reactivated": .reactivation, "trial_renewal_reactivated": .reactivation,
    "billing_issue_detected": .billingIssue, "entered_grace_period": .billingIssue,
    "subscription_expired": .expiration, "trial_expired": .expiration, "subscription_refunded": .refund,
    "non_subscription_purchase_refunded": .refund, "non_subscription_purchase": .conversion,
  ]
}
