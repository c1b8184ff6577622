internal import Basics
internal import EventModel

/// Reads the transactions of RevenueCat's scheduled exports (CSV). A row is the current state of a transaction, and is
/// exported again after a change. Each fact in it becomes a separate event, so that a later version only adds new ones.
///
/// Source: RevenueCat, "Scheduled Data Exports: transactions", export versions 3 to 7.
///
/// | row | event |
/// |---|---|
/// | `is_trial_period` | `trial_start` |
/// | first of its subscription, `is_trial_conversion`, not `is_auto_renewable` | `conversion` |
/// | all others | `renewal` |
/// | `refunded_at` | `refund` of the gross price minus the net price |
/// | `unsubscribe_detected_at` | `cancellation` |
/// | `billing_issues_detected_at` | `billing_issue` with `grace_period_end_time` |
///
/// | RevenueCat | native |
/// |---|---|
/// | `store_transaction_id`, `renewal_number` and the fact | `event_id` |
/// | `updated_at` | `received_at`: the newest version of a fact counts |
/// | `start_time`, `end_time` | `ts`, `expires_at` or `trial_ends_at` |
/// | `rc_last_seen_app_user_id_alias`, else `rc_original_app_user_id` | `user_id`; with both an `identify` at `first_seen_time` |
/// | `product_identifier`, `product_duration` | `product_id`, `plan` |
/// | `purchase_price_in_purchased_currency`, `purchased_currency` | `price`, `currency`; else the price in USD |
/// | `purchase_price_in_usd`, `price_in_usd` | `price_usd` |
/// | `original_store_transaction_id` | `subscription_id` |
/// | `ownership_type`, `is_sandbox` | `ownership`, `environment` |
/// | `store`, `platform`, `country` | `store`, `platform`, `country` |
/// | `offer`, `offer_type`, `presented_offering` | `offer_code`, `offer_type`, `offering` |
/// | `experiment_id`, `experiment_variant` | properties, because the export has no enrolment time |
///
/// Exports have no app: it is `--app`, or else `revenuecat`. Promotional rows are grants, as in ``RevenueCatWebhook``.
struct RevenueCatExport: VendorAdapter {
  static let vendor = EventSource.revenuecat.rawValue

  let context: VendorContext

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    var row = Row(fields: PayloadFields(payload))
    guard let transaction = row.fields.text("store_transaction_id") else { throw .missing("store_transaction_id") }
    let renewal = row.fields.text("renewal_number")
    row.key = [transaction, renewal].compactMap { $0 }.joined(separator: ":")
    row.transaction = transaction
    row.renewal = renewal
    row.app = context.app ?? Self.vendor
    row.take()
    var events = [row.isTrial ? row.trial(context.plans) : try row.payment(context.plans)]
    if let refund = row.refund { events.append(refund) }
    if let cancelledAt = row.cancelledAt { events.append(row.fact(.cancellation, "cancellation", at: cancelledAt)) }
    if let issueAt = row.billingIssueAt {
      var event = row.fact(.billingIssue, "billing_issue", at: issueAt)
      event[.graceEndsAt] = row.graceEndsAt
      events.append(event)
    }
    if let identify = row.identify { events.append(identify) }
    return events
  }

  private struct Row {
    var fields: PayloadFields
    var key = ""
    var transaction = ""
    var renewal: String?
    var app = ""
    var isTrial = false
    var cancelledAt: JSONNode?
    var billingIssueAt: JSONNode?
    var graceEndsAt: JSONNode?

    private var isTrialConversion = false
    private var isRenewing = true
    private var isIntro = false
    private var isSandbox = false
    private var isFamilyShared = false
    private var isPromotional: Bool { store == "promotional" }
    private var original: String?
    private var user: String?
    private var firstUser: String?
    private var firstSeenAt: JSONNode?
    private var startAt: JSONNode?
    private var endAt: Int64?
    private var updatedAt: JSONNode?
    private var refundedAt: JSONNode?
    private var product: String?
    private var duration: String?
    private var gross: JSONNode?
    private var net: JSONNode?
    private var currency: JSONNode?
    private var grossDollars: JSONNode?
    private var netDollars: JSONNode?
    private var store: String?
    private var platform: JSONNode?
    private var country: JSONNode?
    private var offering: JSONNode?
    private var offer: JSONNode?
    private var offerType: String?
    private var taxPercentage: JSONNode?
    private var commissionPercentage: JSONNode?

    init(fields: PayloadFields) { self.fields = fields }

    mutating func take() {
      isTrial = fields.flag("is_trial_period") ?? false
      isTrialConversion = fields.flag("is_trial_conversion") ?? false
      isRenewing = fields.flag("is_auto_renewable") ?? true
      isIntro = fields.flag("is_in_intro_offer_period") ?? false
      isSandbox = fields.flag("is_sandbox") ?? false
      isFamilyShared = fields.text("ownership_type") == "FAMILY_SHARED"
      original = fields.text("original_store_transaction_id")
      firstUser = fields.text("rc_original_app_user_id")
      user = fields.text("rc_last_seen_app_user_id_alias") ?? firstUser
      firstSeenAt = VendorTime.native(fields.take("first_seen_time"))
      startAt = VendorTime.native(fields.take("start_time"))
      endAt = VendorTime.milliseconds(fields.take("end_time"))
      updatedAt = VendorTime.native(fields.take("updated_at"))
      refundedAt = VendorTime.native(fields.take("refunded_at"))
      cancelledAt = VendorTime.native(fields.take("unsubscribe_detected_at"))
      billingIssueAt = VendorTime.native(fields.take("billing_issues_detected_at"))
      graceEndsAt = VendorTime.native(fields.take("grace_period_end_time"))
      fields.drop("effective_end_time")
      product = fields.text("product_identifier")
      duration = fields.text("product_duration")
      store = fields.text("store")
      platform = fields.take("platform")
      country = fields.country("country")
      offering = fields.take("presented_offering")
      offer = fields.take("offer")
      offerType = fields.text("offer_type")
      taxPercentage = fields.share("tax_percentage")
      commissionPercentage = fields.share("commission_percentage")
      net = fields.take("price_in_purchased_currency")
      gross = fields.take("purchase_price_in_purchased_currency") ?? (refundedAt == nil ? net : nil)
      currency = fields.take("purchased_currency")
      netDollars = fields.take("price_in_usd")
      grossDollars = fields.take("purchase_price_in_usd") ?? (refundedAt == nil ? netDollars : nil)
      if gross == nil {
        net = netDollars
        gross = grossDollars
        currency = "USD"
      }
      fields.drop("takehome_percentage", "refunded_at")
    }

    func fact(_ kind: EventKind, _ name: String, at time: JSONNode?) -> NativeEvent {
      var event = NativeEvent(kind, id: NativeEvent.id(String(SourceSettings.mutableRowPrefix.dropLast()), name, key))
      event[.ts] = time
      event[.app] = .string(app)
      event[.userID] = user.map { .string($0) }
      event[.receivedAt] = updatedAt
      event[.store] = store.map { .string($0) }
      event[.platform] = platform
      event[.country] = country
      if isSandbox { event[.environment] = "sandbox" }
      event[.productID] = product.map { .string($0) }
      event[.transactionID] = .string(transaction)
      event[.subscriptionID] = .string(original ?? transaction)
      if isFamilyShared { event[.ownership] = "family_shared" }
      return event
    }

    func trial(_ plans: ProductPlans) -> NativeEvent {
      var event = fact(.trialStart, "trial", at: startAt)
      event.set(.trialEndsAt, milliseconds: endAt)
      event[.plan] = product.flatMap { plans.plan(of: $0, duration: duration) }.map { .string($0.name) }
      event.properties = fields.rest
      return event
    }

    func payment(_ plans: ProductPlans) throws(PayloadRejection) -> NativeEvent {
      if gross == nil, refundedAt != nil, !isPromotional { throw .missing("purchase_price_in_purchased_currency") }
      let isFirst = renewal.map { $0 == "1" } ?? (original == nil || original == transaction)
      let isConversion = isTrialConversion || !isRenewing || isFirst || isPromotional
      var event = fact(isConversion ? .conversion : .renewal, "payment", at: startAt)
      event.setExpiresAt(endAt, property: "end_time")
      event[.price] = isPromotional ? .number("0") : gross
      event[.currency] = currency
      event[.priceUSD] = isPromotional ? nil : grossDollars
      event[.taxPercentage] = taxPercentage
      event[.commissionPercentage] = commissionPercentage
      event[.offering] = offering
      event[.offerCode] = offer
      event[.offerType] = nativeOfferType.map { .string($0) }
      event[.plan] = try plan(plans).map { .string($0.name) }
      event.properties = fields.rest
      return event
    }

    private var nativeOfferType: String? {
      if isPromotional { return "promotional" }
      if isIntro { return "introductory" }
      switch offerType {
      case "introductory", "introductory_offer", "intro": return "introductory"
      case "promotional", "promotional_offer": return "promotional"
      case "win_back", "win_back_offer", "winback": return "win_back"
      case nil where offer == nil: return nil
      default: return "offer_code"
      }
    }

    private func plan(_ plans: ProductPlans) throws(PayloadRejection) -> Plan? {
      guard let product else { return nil }
      if !isRenewing && endAt == nil && !isPromotional {
        if let plan = plans.given(for: product) { return plan }
        let entitlements = fields.peek("entitlement_identifiers")?.text ?? ""
        guard entitlements.contains(where: { $0.isLetter || $0.isNumber }) else {
          throw .notMapped("revenuecat:transaction of a product that unlocks nothing")
        }
        return .lifetime
      }
      let start = startAt?.integer
      let period = start.flatMap { start in endAt.map { $0 - start } }
      let plan = plans.plan(of: product, duration: duration, period: isIntro || isSandbox ? nil : period)
      return plan ?? (isPromotional ? ProductPlans.nearest(period: period) : nil)
    }

    var refund: NativeEvent? {
      guard let refundedAt, !isTrial else { return nil }
      var event = fact(.refund, "refund", at: refundedAt)
      if let amount = Self.givenBack(gross, net) {
        event[.price] = amount
        event[.currency] = currency
        event[.priceUSD] = Self.givenBack(grossDollars, netDollars)
      }
      return event
    }

    /// Returns the refunded part of a price; `nil` if it is all of it or nothing.
    private static func givenBack(_ gross: JSONNode?, _ net: JSONNode?) -> JSONNode? {
      guard let gross = gross?.micro, let net = net?.micro, net > 0, gross > net else { return nil }
      return .number(JSONNode.decimal(gross - net, places: 6))
    }

    var identify: NativeEvent? {
      guard let user, let firstUser, user != firstUser, let at = firstSeenAt ?? startAt else { return nil }
      let stable = firstSeenAt == nil ? key : nil
      var event = NativeEvent(.identify, id: NativeEvent.id("revenuecat", "identify", firstUser, user, stable))
      event[.ts] = at
      event[.app] = .string(app)
      event[.userID] = .string(user)
      event[.previousUserID] = .string(firstUser)
      if isSandbox { event[.environment] = "sandbox" }
      return event
    }
  }
}

extension JSONNode {
  /// Millionths, rounded half to even; `nil` if it is not a number or below 0.
  fileprivate var micro: Int64? {
    switch self {
    case .number(let text), .string(let text):
      var text = text
      return text.withUTF8 { DecimalText(UnsafeRawBufferPointer($0), allowingExponent: true)?.microUnits }
    default: return nil
    }
  }
}
