internal import Basics
internal import EventModel

/// Reads Stripe's events, as webhooks or `stripe events list` give them, and the API's lists of subscriptions,
/// invoices, charges and refunds; API versions before and after 2025-03-31 (basil).
///
/// Source: Stripe, "Types of events", "The Invoice object", "The Subscription object", changelog 2025-03-31.basil.
///
/// | Stripe | native |
/// |---|---|
/// | `customer.subscription.created` in trial; `.updated` with a later `trial_end` | `trial_start` |
/// | `invoice.paid` above 0: `subscription_create` | `conversion` |
/// | `subscription_update` with two prices | `plan_change` |
/// | other reasons with a subscription | `payment` |
/// | `customer.subscription.updated`: `cancel_at_period_end` or `cancel_at` on, off | `cancellation`, `reactivation` |
/// | another price | `plan_change` without a price: the invoice brings the money |
/// | `customer.subscription.deleted` | `expiration` |
/// | `invoice.payment_failed` | `billing_issue` |
/// | `charge.refunded` | `refund` of what was given back since the event before |
/// | a charge in a list, with its `refunds`; a refund in a list, with its `charge` | `refund` of each amount |
/// | `checkout.session.completed` in mode `payment` of a product that is lifetime by `--plan` | `conversion` |
///
/// Ignored: `invoice.payment_succeeded` and `refund.created` of a charge, which tell the same again, and invoices of 0 or
/// without a subscription. Not mapped: all other types.
///
/// | Stripe | native |
/// |---|---|
/// | the object's id, with the instant or amount that it tells | `event_id`; events and lists give equal ones |
/// | `metadata.user_id` and the like, `client_reference_id`, else `customer` | `user_id`; where both are there, they are one user |
/// | `status_transitions.paid_at`, `trial_start`, `canceled_at`, `ended_at`, else `created` | `ts` |
/// | `amount_paid`, `currency` | `price`, `currency` |
/// | `tax` or `total_taxes` ÷ `total` | `tax_percentage` |
/// | product, interval, `metadata.tier` of the price | `product_id`, `plan`, `tier` |
/// | the subscription's id; the invoice's | `subscription_id`; `transaction_id` |
/// | end of the line's period | `expires_at` |
/// | `customer_address.country` | `country` |
/// | `livemode` | `environment` |
struct StripeAdapter: VendorAdapter {
  static let vendor = "stripe"

  let context: VendorContext

  func payloads(in document: JSONNode) -> [JSONNode] {
    guard document["object"]?.text == "list", let items = document["data"]?.elements else { return [document] }
    return items
  }

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    switch payload["object"]?.text {
    case "event":
      guard let type = payload["type"]?.text, let object = payload["data"]?["object"] else {
        throw .notOf(Self.vendor)
      }
      var notice = Notice(StripeObject(object), context, createdAt: StripeObject.instant(payload["created"]))
      notice.previous = payload["data"]?["previous_attributes"]
      notice.isLive = payload["livemode"]?.flag
      return notice.withJoin(try notice.events(type))
    case "subscription":
      let notice = Notice(StripeObject(payload), context)
      return notice.withJoin(notice.states())
    case "invoice":
      let notice = Notice(StripeObject(payload), context)
      return notice.withJoin(payload["status"]?.text == "paid" ? try notice.payment() : [])
    case "charge":
      let notice = Notice(StripeObject(payload), context)
      return notice.withJoin(try notice.refunds())
    case "refund":
      // Without its charge, nothing says whose it is.
      guard let charge = payload["charge"], StripeObject(charge).id(of: "customer") != nil else {
        throw .missing("charge.customer")
      }
      guard Notice.isGivenBack(payload) else { return [] }
      let notice = Notice(StripeObject(charge), context)
      let isOnlyOne = payload["amount"]?.integer == charge["amount_refunded"]?.integer
      return notice.withJoin([try notice.refund(payload, isOnlyOne ? payload["amount"]?.integer : nil)])
    case let other?: throw .notMapped("\(Self.vendor):list of \(other)")
    case nil: throw .notOf(Self.vendor)
    }
  }

  /// An object with the event that tells of it, or alone.
  private struct Notice {
    let object: StripeObject
    let context: VendorContext
    /// The members of the object before an update.
    var previous: JSONNode?
    var isLive: Bool?
    private let createdAt: Int64?
    private let user: String?
    private let customer: String?

    init(_ object: StripeObject, _ context: VendorContext, createdAt: Int64? = nil) {
      self.object = object
      self.context = context
      self.createdAt = createdAt
      user = object.user(context.userKeys)
      customer = object.id(of: "customer")
    }

    private var id: String { object.text("id") ?? "" }

    func events(_ type: String) throws(PayloadRejection) -> [NativeEvent] {
      switch type {
      case "customer.subscription.created": return trial()
      case "customer.subscription.updated": return updates()
      case "customer.subscription.deleted": return [expiration()]
      case "invoice.paid": return try payment()
      case "invoice.payment_failed": return [billingIssue()]
      case "charge.refunded": return try refund(ofCharge: id)
      case "refund.created" where object.id(of: "charge") == nil: return try refund(ofCharge: nil)
      case "invoice.payment_succeeded", "refund.created": return []
      case "checkout.session.completed": return try checkout()
      default: throw .notMapped("\(StripeAdapter.vendor):\(type)")
      }
    }

    private func base(_ kind: EventKind, id: String, at instant: Int64?) -> NativeEvent {
      var event = NativeEvent(kind, id: NativeEvent.id(StripeAdapter.vendor, kind.name, id))
      event.set(.ts, milliseconds: instant ?? createdAt ?? object.instant("created"))
      event[.app] = context.app.map { .string($0) }
      event[.userID] = (user ?? customer).map { .string($0) }
      event[.store] = "stripe"
      event[.platform] = "web"
      if (isLive ?? object["livemode"]?.flag) == false { event[.environment] = "sandbox" }
      let address = object["customer_address"] ?? object["customer_details"]?["address"]
      event[.country] = address?["country"] ?? object["billing_details"]?["address"]?["country"]
      return event
    }

    /// Adds that the customer and the app's user are one.
    func withJoin(_ events: [NativeEvent]) -> [NativeEvent] {
      events + context.joins(user, [customer], at: createdAt ?? object.instant("created"))
    }

    // MARK: Subscriptions

    private func trial() -> [NativeEvent] {
      guard object.text("status") == "trialing" || object["trial_end"]?.integer != nil, let event = trialStart() else {
        return []
      }
      return [event]
    }

    private func trialStart() -> NativeEvent? {
      guard let end = object.instant("trial_end") else { return nil }
      let start = object.instant("trial_start") ?? object.instant("start_date")
      var event = base(.trialStart, id: "\(id):\(end / 1_000)", at: start)
      event.set(.trialEndsAt, milliseconds: end)
      return ofSubscription(event)
    }

    private func ofSubscription(_ event: NativeEvent) -> NativeEvent {
      var event = event
      let price = object.itemPrice
      event[.subscriptionID] = .string(id)
      event[.productID] = (price?.product ?? price?.id).map { .string($0) }
      event[.plan] = price?.plan(context.plans).map { .string($0.name) }
      event[.tier] = price?.tier
      return event
    }

    private func updates() -> [NativeEvent] {
      guard let previous, let names = previous.members.map({ Set($0.map(\.name)) }) else { return [] }
      var events: [NativeEvent] = []
      if names.contains("trial_end"),
        object.instant("trial_end") ?? 0 > StripeObject.instant(previous["trial_end"]) ?? 0,
        let event = trialStart()
      {
        events.append(event)
      }
      if names.contains("cancel_at_period_end") || names.contains("cancel_at") {
        let was = Self.isOff(previous["cancel_at_period_end"], previous["cancel_at"])
        let isOff = Self.isOff(object["cancel_at_period_end"], object["cancel_at"])
        if isOff, !was { events.append(cancellation()) }
        if was, !isOff {
          events.append(ofSubscription(base(.reactivation, id: "\(id):\(createdAt ?? 0)", at: createdAt)))
        }
      }
      if let old = StripeObject(previous).itemPrice, let price = object.itemPrice, old.id != price.id {
        var event = ofSubscription(base(.planChange, id: "\(id):\(createdAt ?? 0)", at: createdAt))
        event[.previousProductID] = .string(old.product ?? old.id)
        events.append(event)
      }
      return events
    }

    private static func isOff(_ atPeriodEnd: JSONNode?, _ at: JSONNode?) -> Bool {
      atPeriodEnd?.flag == true || at?.integer != nil
    }

    private func cancellation() -> NativeEvent {
      let at = object.instant("canceled_at") ?? createdAt ?? 0
      var event = ofSubscription(base(.cancellation, id: "\(id):\(at / 1_000)", at: at))
      event[.reason] = reason.map { .string($0) }
      return event
    }

    private func expiration() -> NativeEvent {
      var event = ofSubscription(base(.expiration, id: id, at: object.instant("ended_at")))
      event[.reason] = reason.map { .string($0) }
      return event
    }

    private var reason: String? {
      switch object["cancellation_details"]?["reason"]?.text {
      case "payment_failed": "billing"
      case "cancellation_requested": "voluntary"
      case "payment_disputed": "other"
      default: nil
      }
    }

    /// Returns what a subscription in a list tells: its state, not its history.
    func states() -> [NativeEvent] {
      var events = trial()
      let endedAt = object.instant("ended_at")
      if let canceledAt = object.instant("canceled_at"), canceledAt < endedAt ?? .max { events.append(cancellation()) }
      if endedAt != nil { events.append(expiration()) }
      return events
    }

    // MARK: Money

    func payment() throws(PayloadRejection) -> [NativeEvent] {
      guard let paid = object["amount_paid"]?.integer else { throw .missing("amount_paid") }
      guard paid > 0, let subscription = object.subscription else { return [] }
      let lines = object.lines
      // Of a change, the line of the old price is given back.
      guard let line = lines.filter({ $0.amount > 0 }).max(by: { $0.end ?? 0 < $1.end ?? 0 }) ?? lines.first else {
        throw .missing("lines")
      }
      let old = lines.first { $0.price?.id != line.price?.id && $0.amount < 0 }?.price
      let kind: EventKind
      switch object.text("billing_reason") {
      case "subscription_create": kind = .conversion
      case "subscription_update" where old != nil: kind = .planChange
      default: kind = .payment
      }
      var event = base(kind, id: id, at: StripeObject.instant(object["status_transitions"]?["paid_at"]))
      event[.subscriptionID] = .string(subscription)
      event[.transactionID] = .string(id)
      event[.productID] = (line.price?.product ?? line.price?.id).map { .string($0) }
      event[.previousProductID] = old.map { .string($0.product ?? $0.id) }
      var period: Int64?
      if let start = line.start, let end = line.end, end > start { period = end - start }
      event[.plan] = line.price?.plan(context.plans, period: period).map { .string($0.name) }
      event[.tier] = line.price?.tier
      event.setExpiresAt(line.end, property: "period_end")
      event[.taxPercentage] = object.taxShare
      try event.setPrice(paid, in: object.node, currency: "currency", decimals: StripeObject.decimals)
      return [event]
    }

    private func billingIssue() -> NativeEvent {
      let attempt = object["attempt_count"]?.text ?? "1"
      var event = base(.billingIssue, id: "\(id):\(attempt)", at: createdAt)
      event[.subscriptionID] = object.subscription.map { .string($0) }
      let price = object.lines.first?.price
      event[.productID] = (price?.product ?? price?.id).map { .string($0) }
      event.set(.graceEndsAt, milliseconds: object.instant("next_payment_attempt"))
      return event
    }

    /// - Parameter charge: The id of the charge, which carries the total of its refunds; `nil` of a refund alone.
    private func refund(ofCharge charge: String?) throws(PayloadRejection) -> [NativeEvent] {
      guard let total = object[charge == nil ? "amount" : "amount_refunded"]?.integer else {
        throw .missing("amount_refunded")
      }
      let amount = charge == nil ? total : total - (previous?["amount_refunded"]?.integer ?? 0)
      guard amount > 0 else { return [] }
      var event = base(.refund, id: charge.map { "\($0):\(total)" } ?? id, at: createdAt)
      event[.transactionID] = object.id(of: "invoice").map { .string($0) }
      try event.setPrice(amount, in: object.node, currency: "currency", decimals: StripeObject.decimals)
      return [event]
    }

    /// Returns what a charge in a list gave back, as the events of its refunds tell it.
    func refunds() throws(PayloadRejection) -> [NativeEvent] {
      guard object["amount_refunded"]?.integer ?? 0 > 0 else { return [] }
      // The charge alone does not say when.
      guard let refunds = object["refunds"]?["data"]?.elements, !refunds.isEmpty else { throw .missing("refunds") }
      let inOrder = refunds.filter(Self.isGivenBack).sorted {
        ($0["created"]?.integer ?? 0) < ($1["created"]?.integer ?? 0)
      }
      var total: Int64 = 0
      var events: [NativeEvent] = []
      for refund in inOrder {
        total += refund["amount"]?.integer ?? 0
        events.append(try self.refund(refund, total))
      }
      return events
    }

    static func isGivenBack(_ refund: JSONNode) -> Bool {
      !["failed", "canceled", "requires_action"].contains(refund["status"]?.text ?? "")
    }

    /// - Parameters:
    ///   - refund: One of the refunds of this charge.
    ///   - total: All that was given back up to it; `nil` if that is not known.
    func refund(_ refund: JSONNode, _ total: Int64?) throws(PayloadRejection) -> NativeEvent {
      guard let amount = refund["amount"]?.integer else { throw .missing("amount") }
      var event = base(
        .refund, id: total.map { "\(id):\($0)" } ?? refund["id"]?.text ?? "",
        at: StripeObject.instant(refund["created"]))
      event[.transactionID] = object.id(of: "invoice").map { .string($0) }
      try event.setPrice(amount, in: object.node, currency: "currency", decimals: StripeObject.decimals)
      return event
    }

    private func checkout() throws(PayloadRejection) -> [NativeEvent] {
      let item = object["line_items"]?["data"]?.elements?.first.flatMap { StripePrice($0["price"]) }
      guard object.text("mode") == "payment", object.text("payment_status") != "unpaid",
        let total = object["amount_total"]?.integer, total > 0, let item, item.plan(context.plans) == .lifetime
      else { return [] }
      let key = object.id(of: "invoice") ?? object.id(of: "payment_intent") ?? id
      var event = base(.conversion, id: key, at: createdAt)
      event[.transactionID] = .string(key)
      event[.productID] = .string(item.product ?? item.id)
      event[.plan] = .string(Plan.lifetime.name)
      event[.tier] = item.tier
      try event.setPrice(total, in: object.node, currency: "currency", decimals: StripeObject.decimals)
      return [event]
    }
  }
}
