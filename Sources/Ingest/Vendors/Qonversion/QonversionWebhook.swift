internal import Basics
internal import EventModel

/// Reads Qonversion's webhooks.
///
/// Sources: Qonversion, documentation.qonversion.io: "Webhooks" (/docs/webhooks) and "Integrations"
/// (/docs/integrations-overview); the names of events are those of its SDKs (`QONAutomationsEventType`), which a webhook
/// sends unless its settings rename them.
///
/// | `event_name` | event |
/// |---|---|
/// | `trial_started` | `trial_start` |
/// | `trial_converted`, `subscription_started` | `conversion` |
/// | `subscription_renewed` | `renewal` |
/// | `subscription_upgraded` | `plan_change`; a `refund`, if its value is below 0 |
/// | `subscription_product_changed` | `plan_change` without a price |
/// | `trial_canceled`, `subscription_canceled` | `cancellation`, of which Qonversion does not say why |
/// | `trial_billing_retry_entered`, `subscription_billing_retry_entered` | `billing_issue` |
/// | `trial_expired`, `subscription_expired` | `expiration` |
/// | `subscription_refunded`, `in_app_refunded` | `refund` |
/// | `in_app_purchase` | `conversion`, where the product's name or `--plan` says `lifetime` |
///
/// Not mapped: `trial_still_active`, `subscription_downgraded`, and unknown or renamed types.
///
/// | Qonversion | native |
/// |---|---|
/// | the type with `transaction.transaction_id`, and with `time` unless it is a trial or payment | `event_id` |
/// | `time`, `created_at`, in seconds | `ts`, `received_at` |
/// | `custom_user_id`, else `identity_id`, else `user_id` | `user_id`; all that are there are one user |
/// | `product_id`; of a change `old_product_id`, `new_product_id` | `product_id`, `previous_product_id` |
/// | `revenue.value`, `revenue.currency`; without the first, `revenue.value_usd` in USD | `price`, `currency` |
/// | `revenue.value_usd` | `price_usd` |
/// | `price`, instead of `revenue`, where `revenue.is_proceed` says that the store's share is taken off | the same |
/// | 100 − `revenue.proceeds_rate` percent | `commission_percentage` |
/// | `transaction.transaction_id`, `.original_transaction_id` | `transaction_id`, `subscription_id` |
/// | `transaction.expires`, `.grace_period_expires` | `expires_at`, `trial_ends_at`; `grace_ends_at` |
/// | `platform` | `platform`, `store` |
/// | `environment`, `country`, `app_version` | the same |
///
/// Qonversion's data has no app: it is `--app`.
struct QonversionWebhook: VendorAdapter {
  static let vendor = "qonversion"

  let context: VendorContext

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let members = payload.members, let type = payload["event_name"]?.text else { throw .notOf(Self.vendor) }
    guard let kind = Self.kinds[type] else { throw .notMapped("\(Self.vendor):\(type)") }
    var notice = Notice(members, type: type, context.plans)
    let event = try notice.event(kind, app: context.app)
    return [event] + context.joins(notice.users.first, Array(notice.users.dropFirst()), at: notice.time)
  }

  private static let kinds: [String: EventKind] = [
    "trial_started": .trialStart, "trial_converted": .conversion, "subscription_started": .conversion,
    "subscription_renewed": .renewal, "subscription_upgraded": .planChange,
    "subscription_product_changed": .planChange, "trial_canceled": .cancellation,
    "subscription_canceled": .cancellation, "trial_billing_retry_entered": .billingIssue,
    "subscription_billing_retry_entered": .billingIssue, "trial_expired": .expiration,
    "subscription_expired": .expiration, "subscription_refunded": .refund, "in_app_refunded": .refund,
    "in_app_purchase": .conversion,
  ]

  private struct Notice {
    let type: String
    let plans: ProductPlans
    /// The ids of the user, first the app's own.
    let users: [String]
    let time: Int64?
    private let createdAt: Int64?
    private var fields: PayloadFields
    private let transaction: PayloadFields
    private let revenue: JSONNode?
    private let productPrice: JSONNode?

    init(_ members: [JSONMember], type: String, _ plans: ProductPlans) {
      self.type = type
      self.plans = plans
      fields = PayloadFields(members)
      let names = ["custom_user_id", "identity_id", "user_id"]
      var ids: [String] = []
      for name in names { if let id = fields.text(name) { ids.append(id) } }
      users = ids
      time = VendorTime.milliseconds(seconds: fields.take("time"))
      transaction = PayloadFields(fields.take("transaction"))
      revenue = fields.take("revenue")
      productPrice = fields.take("price")
      createdAt = VendorTime.milliseconds(seconds: fields.take("created_at"))
      fields.drop("event_name")
    }

    mutating func event(_ kind: EventKind, app: String?) throws(PayloadRejection) -> NativeEvent {
      let amount = self.amount
      let isGivenBack = kind == .planChange && amount?.isNegative == true
      var event = base(isGivenBack ? .refund : kind, app: app)
      let expires = VendorTime.milliseconds(seconds: transaction.peek("expires"))
      switch kind {
      case _ where isGivenBack: set(amount, of: &event)
      case .trialStart:
        event.set(.trialEndsAt, milliseconds: expires)
        event[.plan] = plan(of: event, period: nil)
      case .conversion, .renewal, .planChange:
        if type == "in_app_purchase" {
          guard plan(of: event, period: nil)?.text == Plan.lifetime.name else {
            throw .notMapped("\(QonversionWebhook.vendor):\(type) of a product that is not lifetime")
          }
        }
        // A product that changed is paid for by another event.
        if type != "subscription_product_changed" {
          if type != "in_app_purchase" { event.setExpiresAt(expires, property: "expires") }
          set(amount, of: &event)
        }
        let isTest = event[.environment] != nil
        let period = isTest ? nil : time.flatMap { time in expires.map { $0 - time } }
        event[.plan] = plan(of: event, period: kind == .planChange ? nil : period)
      case .refund: set(amount, of: &event)
      case .billingIssue:
        let grace = transaction.peek("grace_period_expires")
        event.set(.graceEndsAt, milliseconds: VendorTime.milliseconds(seconds: grace))
      case .expiration:
        event.setExpired(at: expires)
      default: break
      }
      event.properties += fields.rest
      return event
    }

    private mutating func base(_ kind: EventKind, app: String?) -> NativeEvent {
      let id = transaction.peek("transaction_id")
      let isOnce = [.trialStart, .conversion, .renewal].contains(kind) && id != nil
      var event = NativeEvent(
        kind,
        id: NativeEvent.id(
          QonversionWebhook.vendor, type, id?.text ?? users.first, isOnce ? nil : time.map { "\($0 / 1_000)" }))
      event.set(.ts, milliseconds: time)
      event.set(.receivedAt, milliseconds: createdAt)
      event[.app] = app.map { .string($0) }
      event[.userID] = users.first.map { .string($0) }
      let environment = fields.text("environment")
      event[.environment] = environment == "prod" ? nil : SubscriptionNotice.environment(environment)
      event[.country] = fields.country("country")
      event[.appVersion] = fields.text("app_version").map { .string($0) }
      let platform = fields.text("platform")?.lowercased()
      event[.platform] = platform.map { .string($0) }
      event[.store] = platform.flatMap { Self.stores[$0] }.map { .string($0) }
      event[.transactionID] = id
      event[.subscriptionID] = transaction.peek("original_transaction_id")
      let product = fields.take("product_id")
      let (old, new) = (fields.take("old_product_id"), fields.take("new_product_id"))
      event[.productID] = kind == .planChange ? new ?? product : product
      if kind == .planChange { event[.previousProductID] = old }
      return event
    }

    private static let stores = ["ios": "app_store", "macos": "app_store", "android": "play_store"]

    private func plan(of event: NativeEvent, period: Int64?) -> JSONNode? {
      event[.productID]?.text.flatMap { plans.plan(of: $0, period: period) }.map { .string($0.name) }
    }

    // MARK: Money

    private struct Amount {
      var price: JSONNode
      var currency: JSONNode?
      var dollars: JSONNode?

      var isNegative: Bool { (price.double ?? 0) < 0 }
    }

    /// The amount that was paid or given back; `nil` if the payload does not have it.
    private var amount: Amount? {
      let isProceeds = revenue?["is_proceed"]?.integer == 1 || revenue?["is_proceed"]?.flag == true
      let fields = PayloadFields(isProceeds ? productPrice : revenue)
      let dollars = fields.peek("value_usd")
      if let local = fields.peek("value") {
        return Amount(price: local, currency: fields.peek("currency"), dollars: dollars)
      }
      return dollars.map { Amount(price: $0, currency: "USD", dollars: $0) }
    }

    private func set(_ amount: Amount?, of event: inout NativeEvent) {
      guard let amount else { return }
      event.setMoney(amount.price, amount.currency, dollars: amount.dollars)
      if let rate = revenue?["proceeds_rate"]?.integer, event[.event]?.text != EventKind.refund.name {
        event[.commissionPercentage] = BilledAmounts.share(100 - rate, of: 100)
      }
    }
  }
}
