internal import Basics
internal import EventModel

/// Reads notifications of Paddle Billing.
///
/// Source: developer.paddle.com, "Webhooks"; PaddleHQ/paddle-node-sdk, mocks of notifications.
///
/// | Paddle | native |
/// |---|---|
/// | `subscription.created` in trial | `trial_start` |
/// | `transaction.completed` above 0: origin `web` with a subscription | `conversion` |
/// | `web` of a product that is lifetime by `--plan` | `conversion` |
/// | `subscription_update` | `plan_change` |
/// | other origins with a subscription, except `subscription_charge` | `payment` |
/// | `subscription.updated` with a scheduled cancellation | `cancellation` |
/// | without a scheduled change, active or in trial | `reactivation`, which changes nothing if auto-renew was on |
/// | `subscription.canceled` | `expiration` |
/// | `subscription.past_due` | `billing_issue` |
/// | `adjustment.created`, `.updated`: an approved refund | `refund` |
///
/// Ignored: `subscription.trialing` and `.activated`, which repeat other types, transactions of 0, one-time charges, and
/// other adjustments. Not mapped: all other types.
///
/// | Paddle | native |
/// |---|---|
/// | the entity's id, with the time of states that return | `event_id` |
/// | `custom_data.user_id` and the like, else `customer_id` | `user_id`; where both are there, they are one user |
/// | `billed_at`, `trial_dates`, `canceled_at`, else `occurred_at` | `ts` |
/// | `details.totals.grand_total`, `currency_code` | `price`, `currency` |
/// | `tax`, `fee` ÷ `total` | `tax_percentage`, `commission_percentage` |
/// | product, billing cycle, `custom_data.tier` of the first recurring price | `product_id`, `plan`, `tier` |
/// | the subscription's id; the transaction's | `subscription_id`; `transaction_id` |
/// | `billing_period.ends_at` | `expires_at` |
struct PaddleAdapter: VendorAdapter {
  static let vendor = "paddle"

  let context: VendorContext

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let type = payload["event_type"]?.text, let data = payload["data"], data.members != nil else {
      throw .notOf(Self.vendor)
    }
    guard let occurredAt = VendorTime.milliseconds(payload["occurred_at"]) else { throw .invalid("occurred_at") }
    let notice = Notice(data, occurredAt: occurredAt, context)
    return try notice.events(type) + context.joins(notice.user, [notice.customer], at: occurredAt)
  }

  private struct Notice {
    let data: JSONNode
    let occurredAt: Int64
    let context: VendorContext
    let user: String?
    let customer: String?

    init(_ data: JSONNode, occurredAt: Int64, _ context: VendorContext) {
      self.data = data
      self.occurredAt = occurredAt
      self.context = context
      user = BilledUsers.user(in: data["custom_data"], context.userKeys)
      customer = data["customer_id"]?.text
    }

    private var id: String { data["id"]?.text ?? "" }

    func events(_ type: String) throws(PayloadRejection) -> [NativeEvent] {
      switch type {
      case "subscription.created": return trial()
      case "subscription.trialing", "subscription.activated": return []
      case "subscription.updated": return update()
      case "subscription.canceled":
        return [ofSubscription(base(.expiration, id: id, at: instant("canceled_at")))]
      case "subscription.past_due":
        return [ofSubscription(base(.billingIssue, id: "\(id):\(occurredAt)"))]
      case "transaction.completed": return try payment()
      case "adjustment.created", "adjustment.updated": return try refund()
      default: throw .notMapped("\(PaddleAdapter.vendor):\(type)")
      }
    }

    private func instant(_ name: String) -> Int64? { VendorTime.milliseconds(data[name]) }

    private func base(_ kind: EventKind, id: String, at instant: Int64? = nil) -> NativeEvent {
      var event = NativeEvent(kind, id: NativeEvent.id(PaddleAdapter.vendor, kind.name, id))
      event.set(.ts, milliseconds: instant ?? occurredAt)
      event[.app] = context.app.map { .string($0) }
      event[.userID] = (user ?? customer).map { .string($0) }
      event[.store] = "paddle"
      event[.platform] = "web"
      return event
    }

    // MARK: Subscriptions

    /// The first item that is billed again and again, else the first.
    private var item: JSONNode? {
      let items = data["items"]?.elements ?? []
      return items.first { $0["price"]?["billing_cycle"]?.members != nil } ?? items.first
    }

    private func ofSubscription(_ event: NativeEvent) -> NativeEvent {
      var event = event
      event[.subscriptionID] = .string(id)
      return ofPrice(event)
    }

    private func ofPrice(_ event: NativeEvent, period: Int64? = nil) -> NativeEvent {
      var event = event
      guard let price = item?["price"], let product = price["product_id"]?.text ?? price["id"]?.text else {
        return event
      }
      event[.productID] = .string(product)
      event[.plan] = plan(price, product, period).map { .string($0.name) }
      let tier = price["custom_data"]?["tier"]?.text
      if tier == "individual" || tier == "family" { event[.tier] = tier.map { .string($0) } }
      return event
    }

    private func plan(_ price: JSONNode, _ product: String, _ period: Int64?) -> Plan? {
      let plans = context.plans
      let ids = [product, price["id"]?.text].compactMap { $0 }
      if let given = ids.lazy.compactMap({ plans.given(for: $0) }).first { return given }
      let cycle = price["billing_cycle"]
      if let plan = ProductPlans.plan(every: cycle?["frequency"]?.integer ?? 1, cycle?["interval"]?.text) {
        return plan
      }
      return plans.plan(of: product, period: period) ?? price["name"]?.text.flatMap { plans.plan(of: $0) }
    }

    private func trial() -> [NativeEvent] {
      let dates = item?["trial_dates"]
      guard data["status"]?.text == "trialing", let end = VendorTime.milliseconds(dates?["ends_at"]) else { return [] }
      var event = base(.trialStart, id: id, at: VendorTime.milliseconds(dates?["starts_at"]))
      event.set(.trialEndsAt, milliseconds: end)
      return [ofSubscription(event)]
    }

    private func update() -> [NativeEvent] {
      if let change = data["scheduled_change"], change.members != nil {
        guard change["action"]?.text == "cancel" else { return [] }
        var event = ofSubscription(base(.cancellation, id: "\(id):\(occurredAt)"))
        event[.reason] = "voluntary"
        return [event]
      }
      guard ["active", "trialing"].contains(data["status"]?.text) else { return [] }
      return [ofSubscription(base(.reactivation, id: "\(id):\(occurredAt)"))]
    }

    // MARK: Money

    private func payment() throws(PayloadRejection) -> [NativeEvent] {
      let totals = data["details"]?["totals"]
      guard let paid = (totals?["grand_total"] ?? totals?["total"])?.integer else { throw .missing("grand_total") }
      let subscription = data["subscription_id"]?.text
      let period = data["billing_period"]
      let (start, end) = (VendorTime.milliseconds(period?["starts_at"]), VendorTime.milliseconds(period?["ends_at"]))
      let length = start.flatMap { start in end.map { $0 - start } }
      let kind: EventKind
      switch (data["origin"]?.text, subscription) {
      case _ where paid <= 0: return []
      case ("subscription_charge", _): return []
      case ("web", _?): kind = .conversion
      case ("subscription_update", _?): kind = .planChange
      case (_, _?): kind = .payment
      case (_, nil):
        guard ofPrice(base(.conversion, id: id))[.plan]?.text == Plan.lifetime.name else { return [] }
        kind = .conversion
      }
      var event = ofPrice(base(kind, id: id, at: instant("billed_at")), period: length)
      event[.subscriptionID] = subscription.map { .string($0) }
      event[.transactionID] = .string(id)
      event.setExpiresAt(end, property: "period_end")
      event[.taxPercentage] = BilledAmounts.share(totals?["tax"]?.integer, of: totals?["total"]?.integer)
      event[.commissionPercentage] = BilledAmounts.share(totals?["fee"]?.integer, of: totals?["total"]?.integer)
      try event.setPrice(paid, in: data, currency: "currency_code")
      return [event]
    }

    private func refund() throws(PayloadRejection) -> [NativeEvent] {
      guard data["action"]?.text == "refund", data["status"]?.text == "approved" else { return [] }
      guard let amount = data["totals"]?["total"]?.integer else { throw .missing("totals") }
      guard amount > 0 else { return [] }
      var event = base(.refund, id: id)
      event[.transactionID] = data["transaction_id"]
      event[.subscriptionID] = data["subscription_id"]
      try event.setPrice(amount, in: data, currency: "currency_code")
      return [event]
    }
  }
}
