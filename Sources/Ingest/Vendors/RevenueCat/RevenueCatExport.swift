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
    var fields = PayloadFields(payload)
    guard let transaction = fields.text("store_transaction_id") else { throw .missing("store_transaction_id") }
    let renewal = fields.text("renewal_number")
    let key = [transaction, renewal].compactMap { $0 }.joined(separator: ":")
    let original = fields.text("original_store_transaction_id")
    let firstUser = fields.text("rc_original_app_user_id")
    let user = fields.text("rc_last_seen_app_user_id_alias") ?? firstUser
    let product = fields.text("product_identifier")
    let store = fields.text("store")
    let isPromotional = store == "promotional"
    func time(_ name: String) -> JSONNode? { VendorTime.native(fields.take(name)) }

    var common = NativeEvent(.conversion, id: key)
    common[.app] = .string(context.app ?? Self.vendor)
    common[.userID] = user.map { .string($0) }
    common[.receivedAt] = time("updated_at")
    common[.store] = store.map { .string($0) }
    common[.platform] = fields.take("platform")
    common[.country] = fields.country("country")
    if fields.flag("is_sandbox") ?? false { common[.environment] = "sandbox" }
    common[.productID] = product.map { .string($0) }
    common[.transactionID] = .string(transaction)
    common[.subscriptionID] = .string(original ?? transaction)
    if fields.text("ownership_type") == "FAMILY_SHARED" { common[.ownership] = "family_shared" }
    func fact(_ kind: EventKind, _ name: String, at time: JSONNode?) -> NativeEvent {
      var event = common
      event[.event] = .string(kind.name)
      event[.eventID] = .string(NativeEvent.id(String(SourceSettings.mutableRowPrefix.dropLast()), name, key))
      event[.ts] = time
      return event
    }

    let isRenewing = fields.flag("is_auto_renewable") ?? true
    let isIntro = fields.flag("is_in_intro_offer_period") ?? false
    let isTrialConversion = fields.flag("is_trial_conversion") ?? false
    let isFirst = renewal.map { $0 == "1" } ?? (original == nil || original == transaction)
    let isConversion = isTrialConversion || !isRenewing || isFirst || isPromotional
    let (startAt, endAt) = (time("start_time"), VendorTime.milliseconds(fields.take("end_time")))
    let duration = fields.text("product_duration")
    var payment = fact(isConversion ? .conversion : .renewal, "payment", at: startAt)
    payment.setExpiresAt(endAt, property: "end_time")
    payment[.taxPercentage] = fields.share("tax_percentage")
    payment[.commissionPercentage] = fields.share("commission_percentage")
    payment[.offering] = fields.take("presented_offering")
    payment[.offerCode] = fields.take("offer")
    let offerType = Self.offerType(fields.text("offer_type"), hasCode: payment[.offerCode] != nil)
    payment[.offerType] = isPromotional ? "promotional" : isIntro ? "introductory" : offerType

    // Net prices are what refunds leave of the gross ones.
    let refundedAt = time("refunded_at")
    var (net, currency) = (fields.take("price_in_purchased_currency"), fields.take("purchased_currency"))
    var gross = fields.take("purchase_price_in_purchased_currency") ?? (refundedAt == nil ? net : nil)
    let netDollars = fields.take("price_in_usd")
    let grossDollars = fields.take("purchase_price_in_usd") ?? (refundedAt == nil ? netDollars : nil)
    if gross == nil { (net, gross, currency) = (netDollars, grossDollars, "USD") }
    payment[.price] = isPromotional ? .number("0") : gross
    payment[.currency] = currency
    payment[.priceUSD] = isPromotional ? nil : grossDollars

    let (cancelledAt, issueAt) = (time("unsubscribe_detected_at"), time("billing_issues_detected_at"))
    let (graceEndsAt, firstSeenAt) = (time("grace_period_end_time"), time("first_seen_time"))
    fields.drop("effective_end_time", "takehome_percentage")

    var events: [NativeEvent] = []
    if fields.flag("is_trial_period") ?? false {
      var trial = fact(.trialStart, "trial", at: startAt)
      trial.set(.trialEndsAt, milliseconds: endAt)
      trial[.plan] = product.flatMap { context.plans.plan(of: $0, duration: duration) }.map { .string($0.name) }
      trial.properties = fields.rest
      events.append(trial)
    } else {
      if gross == nil, refundedAt != nil, !isPromotional { throw .missing("purchase_price_in_purchased_currency") }
      if let product, !isRenewing, endAt == nil, !isPromotional {
        let entitlements = fields.peek("entitlement_identifiers")?.text ?? ""
        payment[.plan] = .string(try plan(ofProduct: product, unlocking: entitlements).name)
      } else if let product {
        let period = startAt?.integer.flatMap { start in endAt.map { $0 - start } }
        let isWhole = !isIntro && common[.environment] == nil
        let plan = context.plans.plan(of: product, duration: duration, period: isWhole ? period : nil)
        payment[.plan] = (plan ?? (isPromotional ? ProductPlans.nearest(period: period) : nil)).map { .string($0.name) }
      }
      payment.properties = fields.rest
      events.append(payment)
      if let refundedAt {
        var refund = fact(.refund, "refund", at: refundedAt)
        if let amount = Self.givenBack(gross, net) {
          refund[.price] = amount
          refund[.currency] = currency
          refund[.priceUSD] = Self.givenBack(grossDollars, netDollars)
        }
        events.append(refund)
      }
    }
    if let cancelledAt { events.append(fact(.cancellation, "cancellation", at: cancelledAt)) }
    if let issueAt {
      var issue = fact(.billingIssue, "billing_issue", at: issueAt)
      issue[.graceEndsAt] = graceEndsAt
      events.append(issue)
    }
    if let user, let firstUser, user != firstUser, let at = firstSeenAt ?? startAt {
      let id = NativeEvent.id(Self.vendor, "identify", firstUser, user, firstSeenAt == nil ? key : nil)
      var identify = NativeEvent(.identify, id: id)
      identify[.ts] = at
      for field in [EventField.app, .userID, .environment] { identify[field] = common[field] }
      identify[.previousUserID] = .string(firstUser)
      events.append(identify)
    }
    return events
  }

  private static func offerType(_ name: String?, hasCode: Bool) -> JSONNode? {
    switch name {
    case "introductory", "introductory_offer", "intro": "introductory"
    case "promotional", "promotional_offer": "promotional"
    case "win_back", "win_back_offer", "winback": "win_back"
    case nil where !hasCode: nil
    default: "offer_code"
    }
  }

  /// Returns the plan of a product that neither renews nor ends.
  private func plan(ofProduct product: String, unlocking entitlements: String) throws(PayloadRejection) -> Plan {
    if let plan = context.plans.given(for: product) { return plan }
    guard entitlements.contains(where: { $0.isLetter || $0.isNumber }) else {
      throw .notMapped("revenuecat:transaction of a product that unlocks nothing")
    }
    return .lifetime
  }

  /// Returns the refunded part of a price; `nil` if it is all of it or nothing.
  private static func givenBack(_ gross: JSONNode?, _ net: JSONNode?) -> JSONNode? {
    guard let gross = gross?.microUnits, let net = net?.microUnits, net > 0, gross > net else { return nil }
    return .number(JSONNode.decimal(gross - net, places: 6))
  }
}
