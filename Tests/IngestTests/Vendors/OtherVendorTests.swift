import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

/// Expected events were derived by hand from Adapty's "Webhook event types and fields" and "Amazon S3".
@Suite struct AdaptyTests {
  private static func webhook(_ type: String, _ more: String = "") -> String {
    #"""
    {"profile_id":"P","customer_user_id":"ann","profile_install_datetime":"2026-02-01T00:00:00.000000+0000","event_type":"\#(type)","event_datetime":"2026-03-01T00:00:00.000000+0000","event_api_version":1,"email":null,"event_properties":{"store":"app_store","currency":"EUR","price_usd":8.14,"price_local":7.99,"environment":"Production","developer_id":"settings_card","paywall_name":"Blue","ab_test_name":"colours","variation_id":"V","store_country":"DE","transaction_id":410003298316682,"original_transaction_id":"T1","vendor_product_id":"pro_monthly","subscription_expires_at":"2026-04-01T00:00:00.000000+0000","profile_event_id":"E-\#(type)"\#(more)}}
    """#
  }

  private let at = "2026-03-01T00:00:00.000Z"

  @Test func webhooksAreEventsWithTheirPlacement() throws {
    let reading = try Reading(Self.webhook("subscription_started"), app: "steps")
    #expect(reading.rejected.isEmpty)
    let event = try #require(reading.events.first)
    #expect(
      reading.lines(\.planName, \.money, \.previousUserID) == [
        "conversion \(at) ann monthly 7.99 EUR -", "identify 2026-02-01T00:00:00.000Z ann - - P",
      ])
    #expect(event.priceUSD == 8_140_000 && event.properties["price_usd"] == nil)
    #expect(try Reading(Self.webhook("subscription_refunded")).events[0].priceUSD == 8_140_000)
    #expect(event.entryPoint == "settings_card" && event.paywall == "Blue" && event.experiment == "colours")
    #expect(event.variant == "Blue" && event.app == "steps" && event.country == "DE" && event.platform == "ios")
    #expect(event.transactionID == "410003298316682" && event.subscriptionID == "T1")
    #expect(event.expires == "2026-04-01T00:00:00.000Z" && event.properties["variation_id"] == "V")
  }

  @Test func everyTypeHasItsKind() throws {
    let kinds = [
      "trial_started": "trial_start", "trial_converted": "conversion", "subscription_renewed": "renewal",
      "subscription_renewal_cancelled": "cancellation", "trial_renewal_cancelled": "cancellation",
      "subscription_renewal_reactivated": "reactivation", "trial_renewal_reactivated": "reactivation",
      "billing_issue_detected": "billing_issue", "entered_grace_period": "billing_issue",
      "subscription_expired": "expiration", "trial_expired": "expiration", "subscription_refunded": "refund",
    ]
    for (type, kind) in kinds { #expect(try Reading(Self.webhook(type)).kinds == [kind, "identify"], "\(type)") }
    for type in ["access_level_updated", "subscription_paused", "subscription_deferred", "new"] {
      #expect(try Reading(Self.webhook(type)).notMapped == ["adapty:\(type)"])
    }
    #expect(
      try Reading(Self.webhook("subscription_expired", #","cancellation_reason":"billing_error""#)).lines(\.reason)
        .first
        == "expiration \(at) ann billing")
    #expect(
      try Reading(Self.webhook("entered_grace_period")).events[0].graceEndsAt?.description == "2026-04-01T00:00:00.000Z"
    )
    #expect(try Reading(Self.webhook("subscription_refunded")).events[0].money == "7.99 EUR")
    #expect(
      try Reading(Self.webhook("non_subscription_purchase")).notMapped == [
        "adapty:non_subscription_purchase of a product that is not lifetime"
      ])
    #expect(
      try Reading(Self.webhook("non_subscription_purchase"), plans: ["pro_monthly": "lifetime"]).events.map(\.planName)
        .first == "lifetime")
  }

  @Test func exportedEventsAreTheSame() throws {
    let text = """
      profile_id,event_type,event_datetime,transaction_id,original_transaction_id,subscription_expires_at,environment,revenue_usd,revenue_local,currency,customer_user_id,store,product_id,developer_id,ab_test_name,paywall_name,profile_county,install_date,cancellation_reason,attributes
      P,subscription_started,2026-03-01 00:00:00.000000+0000,T1,T1,2026-04-01 00:00:00.000000+0000,Production,8.14,7.99,EUR,ann,app_store,pro_monthly,settings_card,,Blue,DE,2026-02-01 00:00:00,,"{""a"": 1}"
      P,subscription_refunded,2026-03-02T00:00:00Z,T1,T1,,Production,-8.14,-7.99,EUR,,app_store,pro_monthly,settings_card,,Blue,DE,,,
      P,subscription_started,2026-03-01 00:00:00,T9,T9,,Sandbox,8.14,7.99,EUR,,app_store,pro_monthly,,,,,,,
      """
    let reading = try Reading(text, app: "steps")
    #expect(reading.rejected.isEmpty)
    #expect(
      reading.lines(\.money, \.entryPoint) == [
        "conversion \(at) ann 7.99 EUR settings_card", "identify 2026-02-01T00:00:00.000Z ann - -",
        "refund 2026-03-02T00:00:00.000Z P 7.99 EUR settings_card", "conversion \(at) P 7.99 EUR -",
      ])
    #expect(reading.events.map(\.isSandbox) == [false, false, false, true])
  }

  @Test func visitsAreImpressionsAtTheirPlacement() throws {
    let text = """
      profile_id,customer_user_id,profile_country,install_date,store,paywall_showed_at,developer_id,ab_test_name,ab_test_revision,paywall_name,paywall_revision
      P,,DE,2026-02-01,app_store,2026-03-01 10:00:00.123456+0000,settings_card,colours,2,Blue,7
      P,,DE,2026-02-01,app_store,2026-03-01 10:00:00.123456+0000,,,,Blue,7
      """
    let reading = try Reading(text, app: "steps")
    #expect(
      reading.lines(\.entryPoint, \.experiment, \.variant, \.paywall)
        == ["paywall_impression 2026-03-01T10:00:00.123Z P settings_card colours Blue Blue"])
    #expect(reading.reasons == ["missing:entry_point"])
    #expect(reading.events.first?.properties["paywall_revision"] == "7")
  }
}

/// Expected events were derived by hand from Superwall's "Webhooks".
@Suite struct SuperwallTests {
  private static func webhook(_ name: String, _ more: [String: Any] = [:]) throws -> String {
    var data: [String: Any] = [
      "id": "W:\(name)", "name": name, "periodType": "NORMAL", "countryCode": "US", "price": 9.99, "proceeds": 6.99,
      "priceInPurchasedCurrency": 9.99, "currencyCode": "USD", "taxPercentage": 0, "commissionPercentage": 0.3,
      "expirationAt": 1_775_001_600_000, "transactionId": "T2", "originalTransactionId": "T1",
      "originalAppUserId": "ann", "store": "APP_STORE", "purchasedAt": 1_772_323_200_000, "productId": "pro_monthly",
      "environment": "PRODUCTION", "isTrialConversion": false, "bundleId": "com.example", "ts": 1_772_323_260_000,
    ]
    data.merge(more) { $1 }
    let body: [String: Any] = [
      "object": "event", "type": name, "projectId": 1, "applicationId": 2, "timestamp": 1_772_323_260_500, "data": data,
    ]
    return String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
  }

  @Test func namesAndPeriodsTellTheKind() throws {
    let at = "2026-03-01T00:00:00.000Z"
    let noticed = "2026-03-01T00:01:00.000Z"
    #expect(try Reading(Self.webhook("initial_purchase")).lines(\.money) == ["conversion \(at) ann 9.99 USD"])
    #expect(try Reading(Self.webhook("renewal")).lines(\.money) == ["renewal \(at) ann 9.99 USD"])
    #expect(try Reading(Self.webhook("renewal", ["isTrialConversion": true])).kinds == ["conversion"])
    #expect(
      try Reading(Self.webhook("initial_purchase", ["periodType": "TRIAL", "priceInPurchasedCurrency": 0])).lines(
        \.trialEnds)
        == ["trial_start \(at) ann 2026-04-01T00:00:00.000Z"])
    #expect(
      try Reading(
        Self.webhook("cancellation", ["priceInPurchasedCurrency": -9.99, "cancelReason": "CUSTOMER_SUPPORT"])
      )
      .lines(\.money) == ["refund \(noticed) ann 9.99 USD"])
    #expect(
      try Reading(Self.webhook("cancellation", ["cancelReason": "UNSUBSCRIBE", "priceInPurchasedCurrency": 0])).lines(
        \.reason)
        == ["cancellation \(noticed) ann voluntary"])
    #expect(try Reading(Self.webhook("uncancellation")).kinds == ["reactivation"])
    #expect(
      try Reading(Self.webhook("expiration", ["expirationReason": "BILLING_ERROR"])).lines(\.reason) == [
        "expiration \(noticed) ann billing"
      ])
    #expect(try Reading(Self.webhook("billing_issue")).kinds == ["billing_issue"])
    #expect(
      try Reading(Self.webhook("product_change", ["newProductId": "pro_yearly"])).lines(\.productID, \.money) == [
        "plan_change \(noticed) ann pro_yearly -"
      ])
    #expect(try Reading(Self.webhook("subscription_paused")).notMapped == ["superwall:SUBSCRIPTION_PAUSED"])
    #expect(try Reading(Self.webhook("renewal", ["originalAppUserId": NSNull()])).events.map(\.userID) == ["T1"])
  }
}

/// Expected events were derived by hand from Google's "Real-time developer notifications reference guide".
@Suite struct GooglePlayTests {
  private static func notification(_ details: String) -> String {
    #"{"version":"1.0","packageName":"com.example","eventTimeMillis":"1772323200000",\#(details)}"#
  }

  @Test func statesAreHintsAndNeverPayments() throws {
    let kinds: [Int: String?] = [
      1: nil, 2: nil, 3: "cancellation", 4: nil, 5: "billing_issue", 6: "billing_issue", 7: "reactivation", 8: nil,
      9: nil, 10: nil, 11: nil, 12: "expiration", 13: "expiration", 20: nil,
    ]
    for (type, kind) in kinds {
      let text = Self.notification(
        #""subscriptionNotification":{"version":"1.0","notificationType":\#(type),"purchaseToken":"token","subscriptionId":"pro"}"#
      )
      let reading = try Reading(text)
      #expect(reading.kinds == (kind.map { [$0] } ?? []), "\(type)")
      #expect(reading.notMapped == (kind == nil ? ["googleplay:subscription \(type)"] : []), "\(type)")
      let pushed =
        #"{"message":{"data":"\#(Data(text.utf8).base64EncodedString())","messageId":"M"},"subscription":"projects/p"}"#
      #expect(try Reading(pushed).kinds == reading.kinds)
    }
  }

  @Test func aVoidedPurchaseIsARefund() throws {
    let reading = try Reading(
      Self.notification(
        #""voidedPurchaseNotification":{"purchaseToken":"token","orderId":"GPA.1","productType":1,"refundType":1}"#))
    #expect(reading.lines(\.transactionID, \.store) == ["refund 2026-03-01T00:00:00.000Z token GPA.1 play_store"])
    #expect(
      try Reading(Self.notification(#""testNotification":{"version":"1.0"}"#)).notMapped == [
        "googleplay:testNotification"
      ])
    let long = String(repeating: "x", count: 300)
    let hashed = try Reading(
      Self.notification(
        #""subscriptionNotification":{"notificationType":3,"purchaseToken":"\#(long)","subscriptionId":"pro"}"#))
    #expect(hashed.events.map(\.userID.count) == [64])
    #expect(try Reading(#"{"message":{"data":"!"},"subscription":"s"}"#).reasons == ["invalid:message.data"])
  }
}
