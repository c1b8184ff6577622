internal import Basics
internal import EventModel

/// Reads states of subscriptions of the Google Play Developer API v3, as `purchases.subscriptionsv2.get` gives them.
/// They tell what is, not what was, and the price of the next charge only: never a payment.
///
/// Source: Google, developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2.
///
/// | state | event |
/// |---|---|
/// | any, with an item whose `offerPhase` is a free trial | `trial_start` |
/// | canceled by the user, or expired after it | `cancellation` |
/// | `EXPIRED` | `expiration`, with the reason of the cancellation |
/// | `ON_HOLD`, `IN_GRACE_PERIOD` | `billing_issue`; the latter with `grace_ends_at` |
///
/// Ignored: active subscriptions beyond their trials, those not paid for yet, and those that another one replaced.
/// Not mapped: `PAUSED`, because access ends with the state that follows, and unknown states.
///
/// | state | native |
/// |---|---|
/// | the token, else the order, else the user and the product, with the time | `event_id` |
/// | `startTime`, `cancelTime`, `expiryTime`; in a grace period when the state was received | `ts` |
/// | `externalAccountIdentifiers.obfuscatedExternalAccountId`, else the token or the order | `user_id` |
/// | `linkedPurchaseToken`, else `purchaseToken`, if it was stored with the state | `subscription_id` |
/// | `productId`, `offerDetails.basePlanId` | `product_id`, `plan` |
/// | `expiryTime` | `trial_ends_at`, `grace_ends_at` |
/// | `regionCode`, `testPurchase` | `country`, `environment` |
extension GooglePlayAdapter {
  func events(ofSubscription state: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    let prefix = "SUBSCRIPTION_STATE_"
    let name = state["subscriptionState"]?.text ?? ""
    let items = state["lineItems"]?.elements ?? []
    let orders = items.map { $0["latestSuccessfulOrderId"]?.text } + [state["latestOrderId"]?.text]
    let purchase = Purchase(state, orders: orders.compactMap { $0 })
    let startedAt = VendorTime.milliseconds(state["startTime"])
    var events: [NativeEvent] = []
    for item in items {
      guard item["offerPhase"]?["freeTrial"]?.members != nil else { continue }
      var event = self.event(.trialStart, item, state, of: purchase, at: startedAt)
      event.set(.trialEndsAt, milliseconds: Self.end(of: item))
      events.append(event)
    }
    let canceled = state["canceledStateContext"]
    let isReplaced = canceled?["replacementCancellation"]?.members != nil
    switch name {
    case prefix + "PENDING", prefix + "PENDING_PURCHASE_CANCELED", prefix + "ACTIVE": break
    case prefix + "CANCELED", prefix + "EXPIRED":
      if isReplaced { break }
      for item in items {
        if let at = VendorTime.milliseconds(canceled?["userInitiatedCancellation"]?["cancelTime"]) {
          var event = self.event(.cancellation, item, state, of: purchase, at: at)
          event[.reason] = "voluntary"
          events.append(event)
        }
        guard name == prefix + "EXPIRED" else { continue }
        var event = self.event(.expiration, item, state, of: purchase, at: Self.end(of: item))
        event[.reason] = Self.reason(canceled).map { .string($0) }
        events.append(event)
      }
    case prefix + "ON_HOLD":
      for item in items {
        events.append(event(.billingIssue, item, state, of: purchase, at: Self.end(of: item)))
      }
    case prefix + "IN_GRACE_PERIOD":
      for item in items {
        let end = Self.end(of: item)
        var event = self.event(.billingIssue, item, state, of: purchase, at: end)
        event[.ts] = nil
        event.happensWhenReceived = true
        event.set(.graceEndsAt, milliseconds: end)
        events.append(event)
      }
    default: throw .notMapped("\(Self.vendor):\(name)")
    }
    return events + joins(of: purchase, at: startedAt)
  }

  /// - Parameter instant: The time of the event, which is part of its id.
  private func event(
    _ kind: EventKind, _ item: JSONNode, _ state: JSONNode, of purchase: Purchase, at instant: Int64?
  ) -> NativeEvent {
    let product = item["productId"]?.text
    let key = [purchase.subscription ?? purchase.others.last ?? purchase.user, product, instant.map { "\($0)" }]
    var event = self.event(kind, id: key.compactMap { $0 }.joined(separator: ":"), of: purchase, at: instant)
    event[.productID] = product.map { .string($0) }
    event[.country] = state["regionCode"]
    if state["testPurchase"]?.members != nil { event[.environment] = "sandbox" }
    if kind == .trialStart { event[.plan] = plan(product, item["offerDetails"]?["basePlanId"]?.text) }
    return event
  }

  private static func end(of item: JSONNode) -> Int64? { VendorTime.milliseconds(item["expiryTime"]) }

  private static func reason(_ canceled: JSONNode?) -> String? {
    if canceled?["userInitiatedCancellation"]?.members != nil { return "voluntary" }
    if canceled?["systemInitiatedCancellation"]?.members != nil { return "billing" }
    if canceled?["developerInitiatedCancellation"]?.members != nil { return "other" }
    return nil
  }
}
