internal import Basics
internal import EventModel

/// Reads App Store Server Notifications V2: posted bodies, the notification history, single signed texts, and their
/// decoded payloads.
///
/// Source: Apple, "App Store Server Notifications" (`notificationType`, `subtype`), "App Store Server API"
/// (`JWSTransactionDecodedPayload`, `JWSRenewalInfoDecodedPayload`, `Get Notification History`).
///
/// | notification | event |
/// |---|---|
/// | `SUBSCRIBED`, `DID_RENEW`, `ONE_TIME_CHARGE` | the transaction's event: see ``AppStoreTransaction`` |
/// | `OFFER_REDEEMED` | `offer_redemption`, and the transaction's with `INITIAL_BUY`, `RESUBSCRIBE`, `UPGRADE` |
/// | `DID_CHANGE_RENEWAL_PREF` | `plan_change` without a price; with `UPGRADE` also the transaction's event |
/// | `DID_CHANGE_RENEWAL_STATUS` | `cancellation`; with `AUTO_RENEW_ENABLED` `reactivation` |
/// | `DID_FAIL_TO_RENEW` | `billing_issue` with `grace_ends_at` |
/// | `EXPIRED`, `GRACE_PERIOD_EXPIRED`, `REVOKE` | `expiration`, reason by the subtype or `expirationIntent` |
/// | `REFUND` | `refund` |
/// | `RENEWAL_EXTENDED` of a trial | `trial_start` again, with the later end |
///
/// Not mapped: `TEST`, `PRICE_INCREASE`, `PRICE_CHANGE`, `RENEWAL_EXTENDED` of paid periods, `RENEWAL_EXTENSION`,
/// `REFUND_DECLINED`, `REFUND_REVERSED`, `CONSUMPTION_REQUEST`, `EXTERNAL_PURCHASE_TOKEN`, `RESCIND_CONSENT`,
/// `METADATA_UPDATE`, `MIGRATION`, renewal info alone, and unknown types.
///
/// | App Store | native |
/// |---|---|
/// | `notificationUUID` | `event_id` of events without their own transaction |
/// | `signedDate` | `received_at`, and `ts` of events without their own time |
/// | `gracePeriodExpiresDate` | `grace_ends_at` |
/// | `autoRenewProductId` | `product_id` of a `plan_change` |
/// | `bundleVersion`, `status`, `consumptionRequestReason` and all others | `properties` |
struct AppStoreNotifications: VendorAdapter {
  static let vendor = "appstore"

  private let app: String?
  private let plans: ProductPlans
  private let verifier: SignatureVerifier?

  init(_ settings: SourceSettings) {
    app = settings.app
    plans = ProductPlans(settings)
    verifier = settings.verifier
  }

  func payloads(in document: JSONNode) -> [JSONNode] {
    document["notificationHistory"]?.elements ?? document["signedTransactions"]?.elements ?? [document]
  }

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    if let signed = payload["signedPayload"] { return try events(ofSigned: signed, field: "signedPayload") }
    if case .string = payload { return try events(ofSigned: payload, field: "signed text") }
    if verifier != nil { throw .badSignature("it is not signed") }
    return try events(ofDecoded: payload)
  }

  private func events(ofSigned signed: JSONNode, field: String) throws(PayloadRejection) -> [NativeEvent] {
    try events(ofDecoded: try decoded(signed, field: field))
  }

  /// Returns the payload of a signed text; checks the signature if there is a verifier.
  private func decoded(_ signed: JSONNode, field: String) throws(PayloadRejection) -> JSONNode {
    if verifier == nil, signed.members != nil { return signed }
    guard let text = signed.text.flatMap({ SignedText($0) }) else {
      if verifier != nil { throw .badSignature("its \(field) is not a signed text") }
      throw .invalid(field)
    }
    try verifier?.verify(text)
    return text.payload
  }

  private func events(ofDecoded payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    if payload["notificationType"] != nil { return try events(ofNotification: payload) }
    if payload["transactionId"] != nil {
      try checkApp(payload["bundleId"])
      let transaction = AppStoreTransaction(payload, app: app, receivedAt: payload["signedDate"], plans: plans)
      return try transaction.payments(isInitial: false) + transaction.refunds
    }
    if payload["autoRenewStatus"] != nil || payload["autoRenewProductId"] != nil {
      throw .notMapped("\(Self.vendor):renewal info")
    }
    if payload["bundleId"] != nil || payload["environment"] != nil {
      try checkApp(payload["bundleId"])
      throw .notMapped("\(Self.vendor):signed text without a transaction")
    }
    throw .notOf(Self.vendor)
  }

  private func checkApp(_ bundleID: JSONNode?) throws(PayloadRejection) {
    guard let verifier, !verifier.isTrusted(bundleID: bundleID) else { return }
    throw PayloadRejection(reason: "wrong_bundle_id", field: "bundleId")
  }

  /// Returns the notification's data, whose name depends on its type.
  static func data(of notification: JSONNode) -> JSONNode? {
    notification["data"] ?? notification["appData"] ?? notification["summary"] ?? notification["externalPurchaseToken"]
  }

  private func events(ofNotification payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let type = payload["notificationType"]?.text else { throw .missing("notificationType") }
    let subtype = payload["subtype"]?.text
    let data = Self.data(of: payload)
    try checkApp(data?["bundleId"])
    let notMapped = PayloadRejection.notMapped(
      "\(Self.vendor):" + [type, subtype].compactMap { $0 }.joined(separator: "/"))
    guard Self.mapped.contains(type) else { throw notMapped }
    guard let uuid = payload["notificationUUID"]?.text else { throw .missing("notificationUUID") }
    guard let signedDate = payload["signedDate"] else { throw .missing("signedDate") }
    guard let signed = data?["signedTransactionInfo"] else { throw .missing("signedTransactionInfo") }
    let transactionInfo = try decoded(signed, field: "signedTransactionInfo")
    try checkApp(transactionInfo["bundleId"])
    var renewal = JSONNode.null
    if let signed = data?["signedRenewalInfo"], !signed.isAbsent {
      renewal = try decoded(signed, field: "signedRenewalInfo")
    }
    var fields = PayloadFields(data)
    fields.drop("bundleId", "environment", "signedTransactionInfo", "signedRenewalInfo")
    let notification = Notification(
      type: type, subtype: subtype, uuid: uuid, signedDate: signedDate, renewal: renewal, properties: fields.rest,
      transaction: AppStoreTransaction(transactionInfo, app: app, receivedAt: signedDate, plans: plans))
    let events = try notification.events()
    if events.isEmpty { throw notMapped }
    return events
  }

  private static let mapped: Set<String> = [
    "SUBSCRIBED", "DID_RENEW", "ONE_TIME_CHARGE", "OFFER_REDEEMED", "DID_CHANGE_RENEWAL_PREF",
    "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "EXPIRED", "GRACE_PERIOD_EXPIRED", "REVOKE", "REFUND",
    "RENEWAL_EXTENDED",
  ]
}

private struct Notification {
  var type: String
  var subtype: String?
  var uuid: String
  var signedDate: JSONNode
  var renewal: JSONNode
  var properties: [JSONMember]
  var transaction: AppStoreTransaction

  /// Returns the notification's events; none if it is not useful.
  func events() throws(PayloadRejection) -> [NativeEvent] {
    switch (type, subtype) {
    case ("SUBSCRIBED", _): return try transaction.payments(isInitial: subtype == "INITIAL_BUY")
    case ("DID_RENEW", _), ("ONE_TIME_CHARGE", _): return try transaction.payments(isInitial: false)
    case ("OFFER_REDEEMED", "INITIAL_BUY"), ("OFFER_REDEEMED", "RESUBSCRIBE"), ("OFFER_REDEEMED", "UPGRADE"):
      return try redemption + transaction.payments(isInitial: subtype == "INITIAL_BUY")
    case ("OFFER_REDEEMED", "DOWNGRADE"): return redemption + [planChange]
    case ("OFFER_REDEEMED", _): return redemption
    case ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"):
      return try [planChange] + transaction.payments(isInitial: false)
    case ("DID_CHANGE_RENEWAL_PREF", _): return [planChange]
    case ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"): return [base(.cancellation)]
    case ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"): return [base(.reactivation)]
    case ("DID_FAIL_TO_RENEW", _):
      var event = base(.billingIssue)
      event[.graceEndsAt] = renewal["gracePeriodExpiresDate"]
      return [event]
    case ("EXPIRED", _), ("GRACE_PERIOD_EXPIRED", _), ("REVOKE", _): return [expiration]
    case ("REFUND", _): return transaction.refunds
    case ("RENEWAL_EXTENDED", _) where transaction.isTrial:
      var event = try transaction.trialStart()
      event[.eventID] = .string(id)
      return [event]
    default: return []
    }
  }

  private var id: String { NativeEvent.id(AppStoreNotifications.vendor, type, uuid) }

  private func base(_ kind: EventKind) -> NativeEvent {
    var event = transaction.base(kind, id: id)
    event[.ts] = signedDate
    event.properties = properties
    return event
  }

  private var redemption: [NativeEvent] {
    guard let code = transaction.offerCode ?? renewal["offerIdentifier"] else { return [] }
    var event = base(.offerRedemption)
    event[.eventID] = .string(NativeEvent.id(AppStoreNotifications.vendor, type, uuid, "redemption"))
    event[.offerCode] = code
    return [event]
  }

  private var planChange: NativeEvent {
    var event = base(.planChange)
    let current = transaction.productID
    let next = subtype == "UPGRADE" ? current : renewal["autoRenewProductId"]?.text ?? current
    event[.productID] = next.map { .string($0) }
    if next != current { event[.previousProductID] = current.map { .string($0) } }
    event[.plan] = transaction.plan(ofProduct: next)
    return event
  }

  /// The expiration: access ends with the paid period, unless that ends after the notification.
  private var expiration: NativeEvent {
    var event = base(.expiration)
    let end = type == "GRACE_PERIOD_EXPIRED" ? renewal["gracePeriodExpiresDate"]?.integer : transaction.expiresAt
    if type != "REVOKE" { event.setExpired(at: end) }
    event[.reason] = reason.map { .string($0) }
    return event
  }

  private var reason: String? {
    switch (type, subtype) {
    case ("GRACE_PERIOD_EXPIRED", _), (_, "BILLING_RETRY"): return "billing"
    case (_, "VOLUNTARY"): return "voluntary"
    case (_, "PRICE_INCREASE"): return "price_increase"
    case (_, "PRODUCT_NOT_FOR_SALE"): return "product_unavailable"
    default: break
    }
    switch renewal["expirationIntent"]?.integer {
    case 1: return "voluntary"
    case 2: return "billing"
    case 3: return "price_increase"
    case 4: return "product_unavailable"
    default: return type == "EXPIRED" ? nil : "other"
    }
  }
}
