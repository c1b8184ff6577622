internal import Basics
internal import EventModel

/// Reads orders of the Google Play Developer API v3, as `orders.get` and `orders.batchget` give them.
///
/// Source: Google, developers.google.com/android-publisher/api-ref/rest/v3/orders.
///
/// | order | event |
/// |---|---|
/// | a subscription's, above 0 | `payment`; of a first order it says that the subscription starts with it |
/// | a subscription's free trial | `trial_start` |
/// | of a product that is lifetime by its name or `--plan` | `conversion` |
/// | `orderHistory.partialRefundEvents` that were processed | `refund` |
/// | `state` `REFUNDED` | `refund` of all that is left |
///
/// Ignored: orders that are pending or were canceled before they were charged, other one-time products, and orders of 0.
/// Not mapped: unknown states, and partial refunds of an order of several items.
///
/// | order | native |
/// |---|---|
/// | `orderId`, with the product if there are several; the time of a partial refund | `event_id` |
/// | `createTime`; of a trial `servicePeriodStartTime`; of a refund `refundEvent.eventTime`, `processTime` | `ts` |
/// | `purchaseToken`, which notifications have, too; its SHA-256 if it is long | `user_id`, `subscription_id` |
/// | `total`, of several items each one's own | `price`, `currency` |
/// | `tax` ÷ `total` | `tax_percentage` |
/// | `productId`; its base plan and paid period | `product_id`; `plan` |
/// | `servicePeriodEndTime` | `expires_at`, `trial_ends_at` |
/// | `orderId` | `transaction_id` |
/// | `buyerAddress.buyerCountry` | `country` |
///
/// Google's share is not read: an order's revenue changes with its refunds, and its payment must not.
extension GooglePlayAdapter {
  func events(ofOrder order: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let id = order["orderId"]?.text else { throw .missing("orderId") }
    guard let state = order["state"]?.text else { throw .missing("state") }
    switch state {
    case "PENDING", "CANCELED": return []
    case "PROCESSED", "PENDING_REFUND", "PARTIALLY_REFUNDED", "REFUNDED": break
    default: throw .notMapped("\(Self.vendor):order \(state)")
    }
    guard let items = order["lineItems"]?.elements, !items.isEmpty else { throw .missing("lineItems") }
    let purchase = Purchase(order, orders: [id])
    let createdAt = VendorTime.milliseconds(order["createTime"])
    var events: [NativeEvent] = []
    for item in items {
      let money = items.count == 1 ? order : item
      if money["total"]?.isAbsent != false { throw .missing("total") }
      guard let total = PlayMoney(money["total"]) else { throw .invalid("total") }
      let key = items.count == 1 ? id : "\(id):\(item["productId"]?.text ?? "")"
      var event: NativeEvent
      if let details = item["subscriptionDetails"], details.members != nil {
        guard let found = subscription(item, details, key, total, of: purchase, createdAt) else { continue }
        event = found
        if total.isPositive, Purchase.isFirst(id) { event[.subscriptionStartedAt] = event[.ts] }
      } else {
        let plan = self.plan(item["productId"]?.text, nil)
        guard total.isPositive, plan?.text == Plan.lifetime.name else { continue }
        event = self.event(.conversion, id: key, of: purchase, at: createdAt)
        event[.subscriptionID] = nil
        event[.plan] = plan
      }
      event[.productID] = item["productId"]
      event[.transactionID] = .string(NativeEvent.short(key))
      event[.country] = order["buyerAddress"]?["buyerCountry"]
      if total.isPositive {
        event[.price] = .string(total.amount)
        event[.currency] = .string(total.currency)
        event[.taxPercentage] = BilledAmounts.share(PlayMoney(money["tax"])?.thousandths, of: total.thousandths)
      }
      events.append(event)
    }
    let payments = events.filter { $0[.price] != nil }
    return events + (try refunds(order, id, state, payments, of: purchase)) + joins(of: purchase, at: createdAt)
  }

  /// Returns the trial or the payment of an item; `nil` if it is neither.
  private func subscription(
    _ item: JSONNode, _ details: JSONNode, _ key: String, _ total: PlayMoney, of purchase: Purchase,
    _ createdAt: Int64?
  ) -> NativeEvent? {
    let (start, end) = (
      VendorTime.milliseconds(details["servicePeriodStartTime"]),
      VendorTime.milliseconds(details["servicePeriodEndTime"])
    )
    let phase = details["offerPhaseDetails"]
    let isTrial = details["offerPhase"]?.text == "FREE_TRIAL" || phase?["freeTrialDetails"]?.members != nil
    let isIntroductory =
      details["offerPhase"]?.text == "INTRODUCTORY" || phase?["introductoryPriceDetails"]?.members != nil
    let (product, basePlan) = (item["productId"]?.text, details["basePlanId"]?.text)
    var event: NativeEvent
    if isTrial, !total.isPositive {
      guard let end else { return nil }
      event = self.event(.trialStart, id: key, of: purchase, at: start ?? createdAt)
      event.set(.trialEndsAt, milliseconds: end)
      event[.plan] = plan(product, basePlan)
    } else {
      guard total.isPositive else { return nil }
      event = self.event(.payment, id: key, of: purchase, at: createdAt)
      event.setExpiresAt(end, property: "service_period_end")
      let length = start.flatMap { start in end.map { $0 - start } }
      event[.plan] = plan(product, basePlan, period: isIntroductory ? nil : length)
      if isIntroductory { event[.offerType] = "introductory" }
    }
    if let basePlan { event.properties.append(JSONMember("base_plan_id", .string(basePlan))) }
    if let offer = details["offerId"]?.text { event.properties.append(JSONMember("offer_id", .string(offer))) }
    return event
  }

  /// Returns the refunds of an order's payments.
  private func refunds(
    _ order: JSONNode, _ id: String, _ state: String, _ payments: [NativeEvent], of purchase: Purchase
  ) throws(PayloadRejection) -> [NativeEvent] {
    guard let payment = payments.first else { return [] }
    let history = order["orderHistory"]
    let parts = (history?["partialRefundEvents"]?.elements ?? []).filter {
      $0["state"]?.text == "PROCESSED_SUCCESSFULLY"
    }
    if payments.count > 1, !parts.isEmpty {
      throw .notMapped("\(Self.vendor):order of several items, refunded in part")
    }
    var refunds: [NativeEvent] = []
    for part in parts {
      guard let given = PlayMoney(part["refundDetails"]?["total"]) else { throw .invalid("refundDetails") }
      guard let at = part["processTime"]?.text ?? part["createTime"]?.text else { throw .missing("processTime") }
      var refund = self.refund(id: "\(id):\(at)", of: payment, purchase, at: VendorTime.milliseconds(at))
      refund[.price] = .string(given.amount)
      refund[.currency] = .string(given.currency)
      refunds.append(refund)
    }
    guard state == "REFUNDED" else { return refunds }
    let event = history?["refundEvent"]
    guard let at = VendorTime.milliseconds(event?["eventTime"] ?? order["lastEventTime"]) else {
      throw .missing("refundEvent")
    }
    for payment in payments {
      var refund = self.refund(id: payment[.transactionID]?.text ?? id, of: payment, purchase, at: at)
      refund[.reason] = event?["refundReason"]?.text.map { .string($0.lowercased()) }
      refunds.append(refund)
    }
    return refunds
  }

  private func refund(id: String, of payment: NativeEvent, _ purchase: Purchase, at instant: Int64?) -> NativeEvent {
    var refund = event(.refund, id: id, of: purchase, at: instant)
    for field in [EventField.transactionID, .productID, .subscriptionID, .country] { refund[field] = payment[field] }
    return refund
  }
}

/// An amount as Google writes it: whole units and billionths of a unit, each absent if 0.
private struct PlayMoney {
  let amount: String
  let currency: String
  let isPositive: Bool
  /// The amount in thousandths of a unit, cut.
  let thousandths: Int64?

  /// Returns `nil` for anything but an amount that is not negative.
  init?(_ node: JSONNode?) {
    let fields = PayloadFields(node)
    guard let currency = fields.peek("currencyCode")?.text else { return nil }
    var parts: [Int64] = []
    for name in ["units", "nanos"] {
      guard let part = fields.peek(name) else {
        parts.append(0)
        continue
      }
      guard let number = part.integer, number >= 0 else { return nil }
      parts.append(number)
    }
    guard parts[1] < 1_000_000_000 else { return nil }
    let digits = String(1_000_000_000 + parts[1]).dropFirst()
    guard let exact = ExactDecimal("\(parts[0]).\(digits)") else { return nil }
    amount = exact.text
    self.currency = currency
    isPositive = parts[0] > 0 || parts[1] > 0
    thousandths = exact.shifted(by: 3).integer
  }
}
