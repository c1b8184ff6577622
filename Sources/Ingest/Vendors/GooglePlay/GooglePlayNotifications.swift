internal import Basics
internal import EventModel

/// Reads Google Play's Real-time developer notifications, as pushed by Pub/Sub or decoded. They report state changes
/// without price and user, so they supplement another source of payments, such as Google Play's orders, and are never
/// payments themselves.
///
/// Source: Google, "Real-time developer notifications reference guide".
///
/// | notification | event |
/// |---|---|
/// | `subscriptionNotification` 3 canceled | `cancellation` |
/// | 7 restarted | `reactivation` |
/// | 5 on hold, 6 in grace period | `billing_issue` |
/// | 12 revoked, 13 expired | `expiration` |
/// | `voidedPurchaseNotification`, all of it | `refund` |
///
/// Not mapped: all others, including recovered, renewed and purchased, which are payments without an amount.
///
/// | Google Play | native |
/// |---|---|
/// | `message.messageId`; if decoded, the type, the token and the time | `event_id` |
/// | `eventTimeMillis` | `ts` |
/// | `packageName` | `app`, unless `--app` names it |
/// | `purchaseToken` | `user_id` and `subscription_id`; its SHA-256 if it is longer than 200 bytes |
/// | `subscriptionId` | `product_id` |
/// | `orderId` | `transaction_id` |
struct GooglePlayNotifications {
  private static let vendor = GooglePlayAdapter.vendor

  let app: String?

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    var notification = payload
    var messageID: String?
    if let message = payload["message"] {
      guard let data = message["data"]?.text.flatMap({ SignedText.decode($0) }),
        let decoded = JSONNode(parsing: data), decoded.members != nil
      else { throw .invalid("message.data") }
      notification = decoded
      messageID = message["messageId"]?.text ?? message["message_id"]?.text
    }
    guard let time = notification["eventTimeMillis"] else { throw .notOf(Self.vendor) }
    if let subscription = notification["subscriptionNotification"], let type = subscription["notificationType"]?.integer
    {
      let kind: EventKind
      switch type {
      case 3: kind = .cancellation
      case 5, 6: kind = .billingIssue
      case 7: kind = .reactivation
      case 12, 13: kind = .expiration
      default: throw .notMapped("\(Self.vendor):subscription \(type)")
      }
      return [try event(kind, subscription, type: "\(type)", time, notification, messageID)]
    }
    if let voided = notification["voidedPurchaseNotification"] {
      // 2 is a partial refund of a multi-item purchase.
      guard voided["refundType"]?.integer != 2 else { throw .notMapped("\(Self.vendor):voided in part") }
      return [try event(.refund, voided, type: "voided", time, notification, messageID)]
    }
    let kind = notification.members?.first { $0.name.hasSuffix("Notification") }?.name ?? "no notification"
    throw .notMapped("\(Self.vendor):\(kind)")
  }

  private func event(
    _ kind: EventKind, _ details: JSONNode, type: String, _ time: JSONNode, _ notification: JSONNode,
    _ messageID: String?
  ) throws(PayloadRejection) -> NativeEvent {
    guard let token = details["purchaseToken"]?.text else { throw .missing("purchaseToken") }
    let subject = NativeEvent.short(token)
    var event = NativeEvent(
      kind,
      id: messageID.map { NativeEvent.id(Self.vendor, $0) } ?? NativeEvent.id(Self.vendor, type, subject, time.text))
    event[.ts] = time.integer.map { JSONNode($0) } ?? time
    event[.app] = app.map { .string($0) } ?? notification["packageName"]
    event[.userID] = .string(subject)
    event[.subscriptionID] = .string(subject)
    event[.store] = "play_store"
    event[.platform] = "android"
    event[.productID] = details["subscriptionId"]
    event[.transactionID] = details["orderId"]
    if kind == .cancellation { event[.reason] = "voluntary" }
    var fields = PayloadFields(details)
    fields.drop("purchaseToken", "subscriptionId", "orderId", "version")
    event.properties = fields.rest
    return event
  }
}
