internal import EventModel

/// The source of payments of an app whose analytics have the events of Superwall's SDK.
public enum SuperwallMoney: String, CaseIterable, Sendable {
  /// Superwall's webhooks, or another source: the SDK's payments are ignored.
  case server
  /// The SDK's events.
  case sdk
}

/// The rules of `include: superwall-sdk` in a mapping: events of Superwall's SDK, as apps forward them to Segment,
/// Mixpanel, Amplitude, PostHog, GA4 or a table.
///
/// Sources: Superwall, superwall.com/docs/tracking-analytics; its SDK for iOS (superwall/Superwall-iOS: `PaywallInfo`,
/// `TrackableSuperwallEvent`, `StoreProduct`) for the names of parameters.
///
/// | event | native |
/// |---|---|
/// | `trigger_fire` with an experiment | `exposure` |
/// | `paywall_open` | `paywall_impression` |
/// | `paywall_decline` | `paywall_dismissal` |
/// | `transaction_start` | `purchase_started` |
/// | `subscription_start` | `conversion`, by ``SuperwallMoney/sdk`` |
/// | `freeTrial_start`: free; at a price | `trial_start`; `conversion`, by ``SuperwallMoney/sdk`` |
/// | `nonRecurringProduct_purchase` | `conversion`, by ``SuperwallMoney/sdk``, if its plan is known |
///
/// Ignored: `paywall_close`, which follows a decline or a purchase; `transaction_complete`, which repeats the three
/// kinds of purchases; all other events of the SDK.
///
/// | parameter | native |
/// |---|---|
/// | `presented_by_event_name`, else `presented_by`; of `trigger_fire` `trigger_name` | `entry_point` |
/// | `paywall_identifier`, `experiment_id`, `variant_id` | `paywall`, `experiment`, `variant` |
/// | `product_id`, `product_period` | `product_id`, `plan` |
/// | `product_raw_price`, of an introductory offer `product_raw_trial_period_price`; `product_currency_code` | `price`,
/// `currency` | | `product_trial_period_days` | `trial_days` |
/// | `original_transaction_identifier`, `store_transaction_id` | `subscription_id`, `transaction_id` |
enum SuperwallFragment {
  static let name = "superwall-sdk"

  /// Returns the paths of a parameter where analytics services put it.
  private static func paths(_ parameter: String) -> [String] {
    ["properties.\(parameter)", "event_properties.\(parameter)", "event_params[key=\(parameter)].value", parameter]
      .map { "\"\($0)\"" }
  }

  /// Returns the first of the parameters that is there, in any layout.
  private static func value(_ parameters: String...) -> String {
    "[\(parameters.flatMap(paths).joined(separator: ", "))]"
  }

  /// Returns the condition that a parameter passes a test in some layout.
  private static func any(_ parameter: String, _ test: String) -> String {
    "{any: [\(paths(parameter).map { "{\($0): {\(test)}}" }.joined(separator: ", "))]}"
  }

  private static func rule(
    _ kind: EventKind, when condition: String? = nil, _ fields: [(field: EventField, value: String)]
  ) -> (kind: EventKind, yaml: String) {
    let values = fields.map { "\($0.field.name): \($0.value)" }.joined(separator: ", ")
    return (kind, "{kind: \(kind.name)\(condition.map { ", when: \($0)" } ?? ""), fields: {\(values)}}")
  }

  /// Returns the rules of each event that it maps.
  private static func rules(
    _ money: SuperwallMoney
  ) -> [(name: String, rules: [(kind: EventKind, yaml: String)])] {
    let test: [(field: EventField, value: String)] = [
      (.paywall, value("paywall_identifier")), (.experiment, value("experiment_id")), (.variant, value("variant_id")),
    ]
    let context = [(field: EventField.entryPoint, value: value("presented_by_event_name", "presented_by"))] + test
    let bought = context + [(.productID, value("product_id"))]
    var rules = [
      (
        "trigger_fire",
        [
          rule(
            .exposure, when: "{all: [\(any("experiment_id", "exists: true")), \(any("variant_id", "exists: true"))]}",
            [(.entryPoint, value("trigger_name"))] + test)
        ]
      ),
      ("paywall_open", [rule(.paywallImpression, context)]),
      ("paywall_decline", [rule(.paywallDismissal, context)]),
      ("transaction_start", [rule(.purchaseStarted, bought)]),
    ]
    if money == .sdk {
      let ids: [(field: EventField, value: String)] = [
        (.subscriptionID, value("original_transaction_identifier")), (.transactionID, value("store_transaction_id")),
      ]
      let plan: [(field: EventField, value: String)] = [(.plan, value("product_period"))]
      let currency: [(field: EventField, value: String)] = [(.currency, value("product_currency_code"))]
      let price = [(field: EventField.price, value: value("product_raw_price"))] + currency
      let offer =
        [(field: EventField.price, value: value("product_raw_trial_period_price"))] + currency
        + [(field: EventField.offerType, value: "{value: introductory}")]
      let isPaid = any("product_raw_trial_period_price", "gt: 0")
      rules += [
        ("subscription_start", [rule(.conversion, bought + ids + plan + price)]),
        (
          "freeTrial_start",
          [
            rule(
              .trialStart, when: "{not: \(isPaid)}",
              bought + ids + plan + [(.trialDays, value("product_trial_period_days"))]),
            rule(.conversion, when: isPaid, bought + ids + plan + offer),
          ]
        ),
        ("nonRecurringProduct_purchase", [rule(.conversion, bought + ids + price)]),
      ]
    }
    return rules
  }

  /// Returns the fragment: the keys `events` and `ignore` of a mapping.
  static func yaml(_ money: SuperwallMoney) -> String {
    let events = rules(money).map { "  \($0.name): [\($0.rules.map(\.yaml).joined(separator: ", "))]\n" }.joined()
    let ignored = money == .sdk ? others : others + payments
    return "events:\n\(events)ignore: [\(ignored.sorted().joined(separator: ", "))]\n"
  }

  /// The kinds of the events that it maps, by name; payments among them.
  static func kinds(_ money: SuperwallMoney) -> [String: EventKind] {
    Dictionary(uniqueKeysWithValues: rules(money).map { ($0.name, $0.rules[0].kind) })
  }

  /// Returns whether an event of the SDK repeats another event, or says nothing about paywalls and payments.
  static func ignores(_ name: String, _ money: SuperwallMoney) -> Bool {
    others.contains(name) || (money == .server && payments.contains(name))
  }

  /// The events of payments, which Superwall's server tells, too.
  static let payments = ["subscription_start", "freeTrial_start", "nonRecurringProduct_purchase"]

  /// The other events of the SDK, in the spellings of its documentation and of its code.
  private static let others = """
    adServicesTokenRequestComplete adServicesTokenRequestFail adServicesTokenRequestStart \
    adServicesTokenRequest_complete adServicesTokenRequest_fail adServicesTokenRequest_start app_close app_install \
    app_launch app_open attribution_match configAttributes configFail configRefresh config_attributes config_fail \
    config_refresh confirmAllAssignments confirm_all_assignments customPlacement custom_placement \
    customerInfo_didChange deepLink_open device_attributes enrichment_complete enrichment_fail enrichment_start \
    first_seen identityAlias identity_alias integration_attributes networkDecoding_fail paywallPreload_complete \
    paywallPreload_start paywallPresentationRequest paywallProductsLoad_complete paywallProductsLoad_fail \
    paywallProductsLoad_missingProducts paywallProductsLoad_retry paywallProductsLoad_start \
    paywallResponseLoad_complete paywallResponseLoad_fail paywallResponseLoad_notFound paywallResponseLoad_start \
    paywallWebviewLoad_complete paywallWebviewLoad_fail paywallWebviewLoad_fallback \
    paywallWebviewLoad_processTerminated paywallWebviewLoad_start paywallWebviewLoad_timeout paywall_close \
    paywall_page_view permission_denied permission_granted permission_requested redemption_complete redemption_fail \
    redemption_start reset restoreComplete restoreFail restoreStart restore_complete restore_fail restore_start \
    review_requested session_start shimmerViewComplete shimmerViewStart shimmerView_complete shimmerView_start \
    stripeCheckout_complete stripeCheckout_fail stripeCheckout_start stripeCheckout_submit \
    subscriptionStatus_didChange surveyClose survey_close survey_response testModeModal_close testModeModal_open \
    touches_began transaction_abandon transaction_complete transaction_fail transaction_restore transaction_timeout \
    user_attributes
    """.split(separator: " ").map(String.init)
}
