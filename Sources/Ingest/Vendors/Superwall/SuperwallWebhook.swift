internal import Basics

/// Reads Superwall's webhooks, which follow RevenueCat's model: the kinds are those of ``SubscriptionNotice``.
///
/// Source: Superwall, "Webhooks".
///
/// | Superwall | native |
/// |---|---|
/// | `data.id` | `event_id` |
/// | `data.ts`, else `timestamp` | `received_at`, and `ts` of events without their own time |
/// | `data.purchasedAt`, `data.expirationAt` | `ts` of trials and payments; `expires_at`, `trial_ends_at` |
/// | `data.bundleId`, else `applicationId` | `app`, unless `--app` names it |
/// | `data.originalAppUserId`, else `data.originalTransactionId` | `user_id` |
/// | `data.productId`, `data.newProductId` | `product_id`; for a change `previous_product_id`, `product_id` |
/// | `data.priceInPurchasedCurrency`, `data.currencyCode` | `price`, `currency`; without the first, `data.price` in USD |
/// | `data.price` | `price_usd` |
/// | `data.taxPercentage`, `data.commissionPercentage` | `tax_percentage`, `commission_percentage` |
/// | `data.transactionId`, `data.originalTransactionId` | `transaction_id`, `subscription_id` |
/// | `data.periodType`, `data.offerCode` | `offer_type`, `offer_code` |
/// | `data.store`, `data.environment` | `store`, `environment` |
/// | `data.countryCode`, `data.isFamilyShare` | `country`, `ownership` |
/// | `data.cancelReason`, `data.expirationReason` | `reason` |
///
/// Not mapped: `subscription_paused`, because access ends with the `expiration` that follows.
struct SuperwallWebhook: VendorAdapter {
  static let vendor = "superwall"

  let context: VendorContext

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let members = payload["data"]?.members else { throw .notOf(Self.vendor) }
    var fields = PayloadFields(members)
    let name = fields.text("name")
    guard let type = name ?? payload["type"]?.text else { throw .missing("type") }
    guard let id = fields.text("id") else { throw .missing("id") }
    let bundleID = fields.text("bundleId")
    var notice = SubscriptionNotice(
      vendor: Self.vendor, key: id, type: type.uppercased(),
      app: context.app ?? bundleID ?? payload["applicationId"]?.text ?? Self.vendor)
    notice.noticedAt = fields.take("ts") ?? payload["timestamp"]
    notice.take(&fields, .camel, currencyName: "currencyCode")
    notice.userID = fields.take("originalAppUserId") ?? notice.subscriptionID
    notice.environment = fields.text("environment")
    notice.properties = fields.rest
    return [try notice.event(context.plans)]
  }
}
