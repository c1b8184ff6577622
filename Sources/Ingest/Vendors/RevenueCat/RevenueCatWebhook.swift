internal import Basics
internal import EventModel

/// Reads RevenueCat's webhooks, as the envelope `{"api_version", "event"}` or the event alone.
///
/// Source: RevenueCat, "Event Types and Fields", "Common Webhook Flows", "Sample Events".
///
/// | RevenueCat | native |
/// |---|---|
/// | `type`, `id`, `event_timestamp_ms` | `event_id`, equal for retries |
/// | `event_timestamp_ms` | `received_at`, and `ts` of events without their own time |
/// | `purchased_at_ms` | `ts` of trials and payments |
/// | `expiration_at_ms` | `expires_at`, `trial_ends_at`, `ts` of an expiration |
/// | `grace_period_expiration_at_ms` | `grace_ends_at` |
/// | `app_id` | `app`, unless `--app` names it; `revenuecat` if it is missing |
/// | `app_user_id` | `user_id` |
/// | `original_app_user_id`, `aliases` | an `identify` each, `previous_user_id` |
/// | `transferred_from`, `transferred_to` | an `identify` each, into the first of `transferred_to` |
/// | `product_id`, `new_product_id` | `product_id`; for a change `previous_product_id`, `product_id` |
/// | `price_in_purchased_currency`, `currency` | `price`, `currency`; without the first, `price` in USD |
/// | `price` | `price_usd` |
/// | `tax_percentage`, `commission_percentage` | `tax_percentage`, `commission_percentage` |
/// | `transaction_id`, `original_transaction_id` | `transaction_id`, `subscription_id` |
/// | `period_type` `INTRO`, `PROMOTIONAL` | `offer_type` |
/// | `offer_code`, `presented_offering_id`, `country_code` | `offer_code`, `offering`, `country` |
/// | `store`, `environment`, `is_family_share` | `store`, `platform`, `environment`, `ownership` |
/// | `cancel_reason`, `expiration_reason` | `reason` |
/// | `experiments[]`, `EXPERIMENT_ENROLLMENT` | an `exposure` each, at `enrolled_at_ms` or `experiment_enrolled_at_ms` |
///
/// The kinds are those of ``SubscriptionNotice``. Not mapped: `TEST`, `SUBSCRIPTION_PAUSED` (access ends with the
/// `EXPIRATION` that follows), `SUBSCRIPTION_EXTENDED` of paid periods, `REFUND_REVERSED`, `INVOICE_ISSUANCE`,
/// `TEMPORARY_ENTITLEMENT_GRANT`, `VIRTUAL_CURRENCY_TRANSACTION`, and unknown types. Promotional grants are conversions
/// with price 0 and `offer_type` `promotional`, which count as grants (definitions 1.5).
struct RevenueCatWebhook: VendorAdapter {
  static let vendor = "revenuecat"

  let context: VendorContext

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let members = (payload["event"] ?? payload).members else { throw .notOf(Self.vendor) }
    var fields = PayloadFields(members)
    guard let type = fields.text("type") else { throw .missing("type") }
    guard let id = fields.text("id") else { throw .missing("id") }
    guard let noticedAt = fields.take("event_timestamp_ms") else { throw .missing("event_timestamp_ms") }
    var common = SubscriptionNotice(
      vendor: Self.vendor, key: NativeEvent.id(id, noticedAt.text), type: type,
      app: context.app ?? fields.text("app_id") ?? Self.vendor)
    common.userID = fields.take("app_user_id")
    common.noticedAt = noticedAt
    common.environment = fields.text("environment")
    fields.drop("app_id")
    let aliases = [fields.take("original_app_user_id")] + (fields.take("aliases")?.elements ?? [])
    let experiments = fields.take("experiments")?.elements ?? []

    var events: [NativeEvent] = []
    switch type {
    case "TRANSFER":
      let receivers = fields.take("transferred_to")?.elements ?? []
      let givers = fields.take("transferred_from")?.elements ?? []
      guard let receiver = receivers.first?.text else { throw .missing("transferred_to") }
      if givers.isEmpty { throw .missing("transferred_from") }
      events = identifies(givers + receivers.dropFirst(), as: .string(receiver), common)
    case "SUBSCRIBER_ALIAS":
      if aliases.allSatisfy({ $0?.text == nil }) { throw .missing("aliases") }
    case "EXPERIMENT_ENROLLMENT":
      var event = common.base(.exposure)
      let enrolledAt = fields.take("experiment_enrolled_at_ms")
      event[.ts] = fields.take("enrolled_at_ms") ?? enrolledAt ?? noticedAt
      event[.experiment] = fields.take("experiment_id")
      event[.variant] = fields.take("experiment_variant")
      event[.offering] = fields.take("offering_id")
      event.properties = fields.rest
      events = [event]
    default:
      events = [try notice(common, &fields).event(context.plans)]
    }
    events += exposures(experiments, common)
    if let userID = common.userID { events += identifies(aliases.compactMap { $0 }, as: userID, common) }
    return events
  }

  private func notice(_ common: SubscriptionNotice, _ fields: inout PayloadFields) -> SubscriptionNotice {
    var notice = common
    notice.take(&fields, .snake, currencyName: "currency")
    let entitlements = fields.peek("entitlement_ids")?.elements ?? []
    notice.unlocks = !entitlements.isEmpty || fields.peek("entitlement_id") != nil
    notice.offering = fields.take("presented_offering_id")
    notice.properties = fields.rest
    return notice
  }

  /// Returns the exposures, which every webhook of a user repeats; they have their own ids and content, so each counts
  /// once.
  private func exposures(_ experiments: [JSONNode], _ common: SubscriptionNotice) -> [NativeEvent] {
    experiments.compactMap { experiment in
      guard let name = experiment["experiment_id"]?.text, let variant = experiment["experiment_variant"]?.text,
        let user = common.userID?.text,
        let enrolledAt = experiment["enrolled_at_ms"] ?? experiment["experiment_enrolled_at_ms"], !enrolledAt.isAbsent
      else { return nil }
      var event = common.base(
        .exposure,
        id: NativeEvent.id(Self.vendor, "experiment", user, name, variant, enrolledAt.text, common.environment))
      event[.ts] = enrolledAt
      event[.experiment] = .string(name)
      event[.variant] = .string(variant)
      return event
    }
  }

  private func identifies(_ ids: [JSONNode], as userID: JSONNode, _ common: SubscriptionNotice) -> [NativeEvent] {
    var met: Set<String?> = [userID.text, nil]
    return ids.compactMap { id in
      guard let previous = id.text, met.insert(previous).inserted else { return nil }
      var event = common.base(.identify, id: NativeEvent.id(Self.vendor, common.type, common.key, previous))
      event[.userID] = userID
      event[.previousUserID] = .string(previous)
      return event
    }
  }
}
