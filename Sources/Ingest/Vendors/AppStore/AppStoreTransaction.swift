internal import Basics
internal import EventModel

/// The mapping of an App Store transaction (`JWSTransactionDecodedPayload`) from a notification or a history.
///
/// | transaction | event |
/// |---|---|
/// | `offerDiscountType` `FREE_TRIAL` | `trial_start`, and a grant: a `conversion` with price 0 and an offer (definitions 1.5) |
/// | first transaction of its subscription, non-consumables | `conversion` |
/// | other transactions of a subscription | `renewal` |
/// | with `revocationDate` | `refund`; `REFUND_PRORATED` of `revocationPercentage` of the price |
///
/// The App Store does not say which renewal is the first payment after a trial. The grant does: the first renewal above
/// 0 after it is read as its conversion. Consumables and non-renewing subscriptions need `--plan`.
///
/// | App Store | native |
/// |---|---|
/// | `transactionId` | `transaction_id`, and `event_id` of payments, trials and refunds |
/// | `originalTransactionId` | `subscription_id`, and `user_id` without an `appAccountToken` |
/// | `appAccountToken` | `user_id` |
/// | `bundleId` | `app`, unless `--app` names it |
/// | `purchaseDate`, `expiresDate`, `revocationDate` | `ts`, `expires_at` or `trial_ends_at`, `ts` of the refund |
/// | `price`, in thousandths, and `currency` | `price`, `currency` |
/// | `productId` | `product_id`; the plan by ``ProductPlans`` |
/// | `advancedCommerceInfo.period`, `billingPlanType`, `offerPeriod` of a paid offer | `plan`, if `--plan` gives none |
/// | `offerType`, `offerIdentifier` | `offer_type`, `offer_code` |
/// | `inAppOwnershipType` `FAMILY_SHARED` | `ownership` |
/// | `storefront` (alpha-3) | `country` |
/// | `environment` other than `Production` | `environment` `sandbox` |
/// | all others except `signedDate`, `isUpgraded` and revocation fields | `properties` of payments and trials |
struct AppStoreTransaction {
  var productID: String?
  var offerCode: JSONNode?
  var expiresAt: Int64?
  var isTrial: Bool

  private let transaction: JSONNode
  private let app: String?
  private let receivedAt: JSONNode?
  private let plans: ProductPlans

  init(_ transaction: JSONNode, app: String?, receivedAt: JSONNode?, plans: ProductPlans) {
    self.transaction = transaction
    self.app = app
    self.receivedAt = receivedAt
    self.plans = plans
    productID = transaction["productId"]?.text
    offerCode = transaction["offerIdentifier"].flatMap { $0.isAbsent ? nil : $0 }
    expiresAt = transaction["expiresDate"]?.integer
    switch transaction["offerDiscountType"]?.text {
    case "FREE_TRIAL": isTrial = transaction["transactionReason"]?.text != "RENEWAL"
    case nil: isTrial = transaction["offerType"]?.integer == 1 && transaction["price"]?.integer == 0
    default: isTrial = false
    }
  }

  func base(_ kind: EventKind, id: String) -> NativeEvent {
    var event = NativeEvent(kind, id: id)
    let subscription = transaction["originalTransactionId"]?.text
    event[.app] = (app ?? transaction["bundleId"]?.text).map { .string($0) }
    event[.userID] = (transaction["appAccountToken"]?.text ?? subscription).map { .string($0) }
    event[.receivedAt] = receivedAt
    event[.store] = "app_store"
    event[.country] = transaction["storefront"]?.text.flatMap { StorefrontCountry.alpha2($0) }.map { .string($0) }
    if let environment = transaction["environment"]?.text, environment != "Production" {
      event[.environment] = "sandbox"
    }
    event[.productID] = productID.map { .string($0) }
    event[.subscriptionID] = subscription.map { .string($0) }
    event[.transactionID] = transaction["transactionId"]
    if transaction["inAppOwnershipType"]?.text == "FAMILY_SHARED" { event[.ownership] = "family_shared" }
    return event
  }

  /// - Parameter isInitial: Whether the notification says that it is the first purchase.
  func payments(isInitial: Bool) throws(PayloadRejection) -> [NativeEvent] {
    if isTrial { return [try trialStart(), try payment(.conversion)] }
    let isFirst = isInitial || transactionID == transaction["originalTransactionId"]?.text
    let isRenewal = transaction["transactionReason"]?.text == "RENEWAL"
    switch transaction["type"]?.text {
    case "Auto-Renewable Subscription", nil:
      return [try payment(isFirst && !isRenewal ? .conversion : .renewal)]
    case "Non-Consumable": return [try payment(.conversion)]
    case let type:
      guard productID.flatMap({ plans.given(for: $0) }) != nil else {
        throw .notMapped("\(AppStoreNotifications.vendor):\(type ?? "")")
      }
      return [try payment(.conversion)]
    }
  }

  func trialStart() throws(PayloadRejection) -> NativeEvent {
    var event = base(.trialStart, id: try id("trial_start"))
    event[.ts] = transaction["purchaseDate"]
    event[.trialEndsAt] = transaction["expiresDate"]
    event[.plan] = plan(ofProduct: productID)
    setOffer(of: &event)
    event.properties = properties
    return event
  }

  /// The refund if the transaction is revoked; else none.
  var refunds: [NativeEvent] {
    guard let revokedAt = transaction["revocationDate"], !revokedAt.isAbsent, let transactionID else { return [] }
    if transaction["revocationType"]?.text == "FAMILY_REVOKE" { return [] }
    let id = NativeEvent.id(AppStoreNotifications.vendor, transactionID, "refund", revokedAt.text)
    var event = base(.refund, id: id)
    event[.ts] = revokedAt
    event[.reason] = transaction["revocationReason"]?.integer == 1 ? "app_issue" : "other"
    if transaction["revocationType"]?.text == "REFUND_PRORATED", let price = transaction["price"]?.integer,
      let share = transaction["revocationPercentage"]?.integer, (0...100_000).contains(share)
    {
      // Thousandths of the unit times thousandths of a percent.
      let (amount, overflow) = price.multipliedReportingOverflow(by: share)
      if !overflow && amount > 0 {
        event[.price] = .number(JSONNode.decimal(amount, places: 8))
        event[.currency] = transaction["currency"]
      }
    }
    return [event]
  }

  /// Returns the plan of a product; for the transaction's own product, its period fields count too. Outside production,
  /// periods are shortened.
  func plan(ofProduct product: String?) -> JSONNode? {
    guard let product else { return nil }
    var (duration, period, offerPeriod) = (String?.none, Int64?.none, String?.none)
    if product == productID {
      let discount = transaction["offerDiscountType"]?.text
      let isFull = transaction["offerType"] == nil || discount == "PAY_AS_YOU_GO"
      if isFull, transaction["environment"]?.text == "Production", let start = transaction["purchaseDate"]?.integer {
        period = expiresAt.map { $0 - start }
      }
      // A yearly commitment that is paid monthly is a monthly plan.
      let isByMonth = transaction["billingPlanType"]?.text == "MONTHLY"
      duration = transaction["advancedCommerceInfo"]?["period"]?.text ?? (isByMonth ? "P1M" : nil)
      if !isTrial, discount == "PAY_AS_YOU_GO" || discount == "PAY_UP_FRONT" {
        offerPeriod = transaction["offerPeriod"]?.text
      }
    }
    let plan =
      plans.plan(of: product, duration: duration, period: period)
      ?? offerPeriod.flatMap { ProductPlans.plan(duration: $0) }
    return plan.map { .string($0.name) }
  }

  private var transactionID: String? { transaction["transactionId"]?.text }

  private func id(_ what: String) throws(PayloadRejection) -> String {
    guard let transactionID else { throw .missing("transactionId") }
    return NativeEvent.id(AppStoreNotifications.vendor, transactionID, what)
  }

  private func payment(_ kind: EventKind) throws(PayloadRejection) -> NativeEvent {
    var event = base(kind, id: try id(isTrial ? "grant" : "payment"))
    event[.ts] = transaction["purchaseDate"]
    event.setExpiresAt(expiresAt, property: "expiresDate")
    if isTrial {
      event[.price] = .number("0")
    } else if let price = transaction["price"] {
      event[.price] = price.integer.map { .number(JSONNode.decimal($0, places: 3)) } ?? price
    }
    event[.currency] = transaction["currency"]
    setOffer(of: &event)
    if isTrial && event[.offerType] == nil { event[.offerType] = "introductory" }
    if transaction["type"]?.text == "Non-Consumable" {
      event[.plan] = productID.flatMap { plans.given(for: $0) }.map { .string($0.name) } ?? "lifetime"
    } else {
      event[.plan] = plan(ofProduct: productID)
    }
    event.properties = properties
    return event
  }

  private func setOffer(of event: inout NativeEvent) {
    event[.offerCode] = offerCode
    switch transaction["offerType"]?.integer {
    case 1: event[.offerType] = "introductory"
    case 2: event[.offerType] = "promotional"
    case 3: event[.offerType] = "offer_code"
    case 4: event[.offerType] = "win_back"
    default: break
    }
  }

  /// The properties that are equal whenever the transaction is sent again.
  private var properties: [JSONMember] {
    var fields = PayloadFields(transaction)
    fields.drop(
      "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "expiresDate",
      "appAccountToken", "inAppOwnershipType", "signedDate", "revocationReason", "revocationDate", "revocationType",
      "revocationPercentage", "isUpgraded", "offerType", "offerIdentifier", "environment", "price", "currency")
    if let storefront = transaction["storefront"]?.text, StorefrontCountry.alpha2(storefront) != nil {
      fields.drop("storefront", "storefrontId")
    }
    return fields.rest
  }
}
