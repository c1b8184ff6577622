import EventModel
import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

/// Expected events were derived by hand from Google's reference of `orders`: `total` is what the buyer paid, in units and
/// billionths; the order's number without `..N` is the purchase's first.
@Suite struct GooglePlayOrderTests {
  private static func money(_ units: String, _ nanos: Int = 0, _ currency: String = "EUR") -> String {
    #"{"currencyCode":"\#(currency)","units":"\#(units)","nanos":\#(nanos)}"#
  }

  private static let period =
    #""servicePeriodStartTime":"2026-03-01T00:00:00Z","servicePeriodEndTime":"2026-04-01T00:00:00Z""#

  private static func item(_ details: String = #""basePlanId":"monthly",\#(period)"#, _ more: String = "") -> String {
    #"{"productId":"tides","productTitle":"Tides","subscriptionDetails":{\#(details)}\#(more)}"#
  }

  private static func order(
    _ id: String = "GPA.1-2-3", state: String = "PROCESSED", total: String = money("5", 490_000_000),
    items: String = item(), _ more: String = ""
  ) -> String {
    #"{"orderId":"\#(id)","purchaseToken":"token","state":"\#(state)","createTime":"2026-03-01T00:00:00Z","lastEventTime":"2026-03-09T00:00:00Z","buyerAddress":{"buyerCountry":"DE"},"total":\#(total),"tax":\#(money("0", 880_000_000)),"lineItems":[\#(items)]\#(more)}"#
  }

  private let at = "2026-03-01T00:00:00.000Z"

  private func read(_ text: String, app: String? = "tides", plans: [String: String] = [:]) throws -> Reading {
    try Reading(text, app: app, plans: plans)
  }

  /// 0.88 of 5.49 is a share of 0.160291.
  @Test func ordersArePayments() throws {
    let reading = try read(Self.order())
    #expect(reading.parts.first?.source == "googleplay")
    #expect(
      reading.lines(\.planName, \.money, \.expires, \.previousUserID) == [
        "payment \(at) token monthly 5.49 EUR 2026-04-01T00:00:00.000Z -", "identify \(at) token - - - GPA.1-2-3",
      ])
    let event = try #require(reading.events.first)
    #expect(event.taxPercentage == 0.160291 && event.commissionPercentage == nil && event.country == "DE")
    #expect(event.transactionID == "GPA.1-2-3" && event.subscriptionID == "token" && event.productID == "tides")
    #expect(event.store == "play_store" && event.platform == "android" && !event.isSandbox)
    #expect(event.eventID == "googleplay:payment:GPA.1-2-3")
    // The subscription starts with its first order, not with those of its renewals, which are the same user's.
    #expect(event.subscriptionStartedAt?.description == at)
    let renewal = try read(Self.order("GPA.1-2-3..0"))
    #expect(renewal.events[0].subscriptionStartedAt == nil && renewal.events[0].transactionID == "GPA.1-2-3..0")
    #expect(renewal.events[1].previousUserID == "GPA.1-2-3")
  }

  /// Members of 0 are left out by Google; digits may be numbers; 0.123456789 has seven digits too many for a price.
  @Test func amountsAreExact() throws {
    func money(_ text: String) throws -> [String?] { try read(Self.order(total: text)).events.map(\.money) }
    #expect(try money(#"{"currencyCode":"JPY","units":"750"}"#).first == "750.0 JPY")
    #expect(try money(#"{"currencyCode":"EUR","nanos":990000000}"#).first == "0.99 EUR")
    #expect(try money(#"{"currencyCode":"eur","units":5,"nanos":"10000000"}"#).first == "5.01 EUR")
    let event = try read(Self.order(total: Self.money("0", 123_456_789))).events[0]
    #expect(event.price == 123_457)
    #expect(try read(Self.order(total: #"{"currencyCode":"EUR"}"#)).kinds == ["identify"])
    for wrong in [
      #"{"units":"5"}"#, #"{"currencyCode":"EUR","units":"five"}"#, #"{"currencyCode":"EUR","units":"-5"}"#,
      #"{"currencyCode":"EUR","units":"5","nanos":1000000000}"#, "5.49",
    ] {
      let reading = try read(Self.order(total: wrong))
      #expect(reading.events.isEmpty && reading.reasons == ["invalid:total"], "\(wrong)")
    }
    #expect(try read(Self.order(total: "null")).reasons == ["missing:total"])
  }

  @Test func whatIsNotChargedIsNoPayment() throws {
    for state in ["PENDING", "CANCELED"] {
      #expect(try read(Self.order(state: state)).events.isEmpty && read(Self.order(state: state)).rejected.isEmpty)
    }
    #expect(try read(Self.order(state: "PENDING_REFUND")).kinds == ["payment", "identify"])
    #expect(try read(Self.order(state: "LOST")).notMapped == ["googleplay:order LOST"])
    #expect(try read(Self.order(total: Self.money("0"))).kinds == ["identify"])
    #expect(try read(Self.order(items: "")).reasons == ["missing:lineItems"])
    #expect(try read(Self.order(), app: nil).reasons == ["missing:app"])
  }

  @Test func freeTrialsAndIntroductoryPrices() throws {
    let week =
      #""basePlanId":"monthly","offerId":"free-week","servicePeriodStartTime":"2026-03-01T00:00:00Z","servicePeriodEndTime":"2026-03-08T00:00:00Z""#
    for phase in [#","offerPhase":"FREE_TRIAL""#, #","offerPhaseDetails":{"freeTrialDetails":{}}"#] {
      let reading = try read(Self.order(total: Self.money("0"), items: Self.item(week + phase)))
      #expect(
        reading.lines(\.planName, \.trialEnds, \.money).first
          == "trial_start \(at) token monthly 2026-03-08T00:00:00.000Z -", "\(phase)")
    }
    // A week at a price of its own is no weekly plan.
    for phase in [#","offerPhase":"INTRODUCTORY""#, #","offerPhaseDetails":{"introductoryPriceDetails":{}}"#] {
      let unnamed = week.replacing(#""basePlanId":"monthly""#, with: #""basePlanId":"base""#) + phase
      #expect(try read(Self.order(items: Self.item(unnamed))).reasons == ["missing:plan"], "\(phase)")
      let event = try read(Self.order(items: Self.item(week + phase))).events[0]
      #expect(event.kind == .payment && event.offerType == "introductory" && event.planName == "monthly", "\(phase)")
    }
  }

  @Test func plansComeFromTheBasePlanOrThePeriod() throws {
    let unnamed = Self.order(items: Self.item(#""basePlanId":"base",\#(Self.period)"#))
    #expect(try read(unnamed).events[0].planName == "monthly")
    for product in ["tides", "tides:base", "base"] {
      #expect(try read(unnamed, plans: [product: "yearly"]).events[0].planName == "yearly", "\(product)")
    }
  }

  @Test func refundsInPartAndInFull() throws {
    let part =
      #"{"createTime":"2026-03-02T00:00:00Z","processTime":"2026-03-03T00:00:00Z","state":"PROCESSED_SUCCESSFULLY","refundDetails":{"total":\#(Self.money("1", 500_000_000))}}"#
    let pending = part.replacing("PROCESSED_SUCCESSFULLY", with: "PENDING")
    let partial = try read(
      Self.order(state: "PARTIALLY_REFUNDED", #","orderHistory":{"partialRefundEvents":[\#(part),\#(pending)]}"#))
    #expect(
      partial.lines(\.transactionID, \.money) == [
        "payment \(at) token GPA.1-2-3 5.49 EUR", "refund 2026-03-03T00:00:00.000Z token GPA.1-2-3 1.5 EUR",
        "identify \(at) token - -",
      ])
    let full =
      #"{"eventTime":"2026-03-05T00:00:00Z","refundReason":"CHARGEBACK","refundDetails":{"total":\#(Self.money("3", 990_000_000))}}"#
    let both = try read(
      Self.order(
        state: "REFUNDED", #","orderHistory":{"partialRefundEvents":[\#(part)],"refundEvent":\#(full)}"#))
    // Without an amount, a refund is of all that is left (definitions 2.7).
    #expect(
      both.lines(\.money, \.reason).dropFirst().dropLast() == [
        "refund 2026-03-03T00:00:00.000Z token 1.5 EUR -", "refund 2026-03-05T00:00:00.000Z token - chargeback",
      ])
    // The payment is the same event, whatever became of the order.
    #expect(try read(Self.order() + "\n" + Self.order(state: "REFUNDED")).rejected.isEmpty)
    let plain = try read(Self.order(state: "REFUNDED"))
    #expect(plain.lines().dropFirst().first == "refund 2026-03-09T00:00:00.000Z token")
    let unknown = Self.order(state: "REFUNDED").replacing(#""lastEventTime":"2026-03-09T00:00:00Z","#, with: "")
    #expect(try read(unknown).reasons == ["missing:refundEvent"])
  }

  @Test func eachItemHasItsOwnPayment() throws {
    let second = Self.item().replacing("tides", with: "extra")
    func priced(_ item: String, _ units: String) -> String {
      String(item.dropLast()) + #","total":\#(Self.money(units)),"tax":\#(Self.money("1"))}"#
    }
    let items = priced(Self.item(), "4") + "," + priced(second, "6")
    let reading = try read(Self.order(state: "REFUNDED", total: Self.money("10"), items: items))
    #expect(
      reading.lines(\.transactionID, \.productID, \.money) == [
        "payment \(at) token GPA.1-2-3:tides tides 4.0 EUR", "payment \(at) token GPA.1-2-3:extra extra 6.0 EUR",
        "refund 2026-03-09T00:00:00.000Z token GPA.1-2-3:tides tides -",
        "refund 2026-03-09T00:00:00.000Z token GPA.1-2-3:extra extra -", "identify \(at) token - - -",
      ])
    let part = #"{"processTime":"2026-03-03T00:00:00Z","state":"PROCESSED_SUCCESSFULLY"}"#
    #expect(
      try read(Self.order(items: items, #","orderHistory":{"partialRefundEvents":[\#(part)]}"#)).notMapped
        == ["googleplay:order of several items, refunded in part"])
    #expect(try read(Self.order(items: Self.item() + "," + second)).reasons == ["missing:total"])
  }

  @Test func aLifetimeIsBoughtOnce() throws {
    let bought = Self.order(items: #"{"productId":"extra","oneTimePurchaseDetails":{"quantity":1}}"#)
    #expect(try read(bought).kinds == ["identify"])
    let event = try read(bought, plans: ["extra": "lifetime"]).events[0]
    #expect(event.kind == .conversion && event.money == "5.49 EUR" && event.subscriptionID == nil)
  }

  /// `orders.batchget` answers with a list, of any size.
  @Test func listsOfOrders() throws {
    let orders = (1...3).map { Self.order("GPA.\($0)") }.joined(separator: ",")
    for text in [#"{"orders":[\#(orders)]}"#, "{\n  \"orders\": [\n\(orders)\n  ]\n}\n", "[\(orders)]"] {
      #expect(try read(text).kinds.filter { $0 == "payment" }.count == 3, "\(text.prefix(30))")
    }
    let many = (1...3_000).map { Self.order("GPA.\($0)") }.joined(separator: ",")
    let list = #"{"orders":[\#(many)]}"#
    #expect(list.utf8.count > 1 << 20)
    #expect(try read(list).kinds.filter { $0 == "payment" }.count == 3_000)
    #expect(try read(#"{"orders":[{"id":1}]}"#).failures.first?.hasPrefix("not in a known format.") == true)
  }
}

/// Expected events were derived by hand from Google's reference of `purchases.subscriptionsv2`.
@Suite struct GooglePlaySubscriptionTests {
  private static func state(
    _ name: String, item: String = "", order: String? = "GPA.1-2-3..0",
    account: String? = "ann", expiry: String = "2026-03-08T00:00:00Z", _ more: String = ""
  ) -> String {
    let order = order.map { #","latestSuccessfulOrderId":"\#($0)""# } ?? ""
    let account = account.map { #","externalAccountIdentifiers":{"obfuscatedExternalAccountId":"\#($0)"}"# } ?? ""
    return
      #"{"kind":"androidpublisher#subscriptionPurchaseV2","regionCode":"DE","startTime":"2026-03-01T00:00:00Z","subscriptionState":"SUBSCRIPTION_STATE_\#(name)"\#(account),"lineItems":[{"productId":"tides","expiryTime":"\#(expiry)","autoRenewingPlan":{"autoRenewEnabled":true,"recurringPrice":{"currencyCode":"EUR","units":"5","nanos":490000000}},"offerDetails":{"basePlanId":"monthly"}\#(order)\#(item)}]\#(more)}"#
  }

  private let start = "2026-03-01T00:00:00.000Z"
  private let end = "2026-03-08T00:00:00.000Z"
  private static let trial = #","offerPhase":{"freeTrial":{}}"#
  private static let byUser =
    #","canceledStateContext":{"userInitiatedCancellation":{"cancelTime":"2026-03-02T00:00:00Z"}}"#

  private func read(_ text: String, app: String? = "tides") throws -> Reading { try Reading(text, app: app) }

  @Test func aFreeTrialIsKnownByItsPhaseAlone() throws {
    let reading = try read(Self.state("ACTIVE", item: Self.trial))
    #expect(reading.parts.first?.source == "googleplay")
    #expect(
      reading.lines(\.planName, \.trialEnds, \.previousUserID) == [
        "trial_start \(start) ann monthly \(end) -", "identify \(start) ann - - GPA.1-2-3",
      ])
    let trial = try #require(reading.events.first)
    #expect(trial.price == nil && trial.productID == "tides" && trial.country == "DE" && trial.subscriptionID == nil)
    // The price of the next charge is no payment, and the name of an offer no phase.
    for phase in ["", #","offerPhase":{"basePrice":{}}"#, #","offerPhase":{"introductoryPrice":{}}"#] {
      #expect(try read(Self.state("ACTIVE", item: phase)).kinds == ["identify"], "\(phase)")
    }
    #expect(
      try read(Self.state("ACTIVE", item: Self.trial, #","testPurchase":{}"#)).events.first?.isSandbox == true)
  }

  @Test func cancellationsAndEnds() throws {
    let canceled = try read(Self.state("CANCELED", item: Self.trial, Self.byUser))
    #expect(
      canceled.lines(\.reason).dropLast() == [
        "trial_start \(start) ann -", "cancellation 2026-03-02T00:00:00.000Z ann voluntary",
      ])
    let expired = try read(Self.state("EXPIRED", Self.byUser))
    #expect(
      expired.lines(\.reason).dropLast() == [
        "cancellation 2026-03-02T00:00:00.000Z ann voluntary", "expiration \(end) ann voluntary",
      ])
    // Both states tell of one cancellation.
    #expect(canceled.events[1].eventID == expired.events[0].eventID)
    for (context, reason) in [("system", "billing"), ("developer", "other")] {
      let by = #","canceledStateContext":{"\#(context)InitiatedCancellation":{}}"#
      #expect(try read(Self.state("EXPIRED", by)).lines(\.reason).dropLast() == ["expiration \(end) ann \(reason)"])
      // Google does not say when it was canceled.
      #expect(try read(Self.state("CANCELED", by)).kinds == ["identify"])
    }
    #expect(try read(Self.state("EXPIRED")).lines(\.reason).dropLast() == ["expiration \(end) ann -"])
    let replaced = #","canceledStateContext":{"replacementCancellation":{}}"#
    #expect(try read(Self.state("EXPIRED", replaced)).kinds == ["identify"])
  }

  @Test func failedCharges() throws {
    let held = try read(Self.state("ON_HOLD"))
    #expect(held.lines().first == "billing_issue \(end) ann" && held.events[0].graceEndsAt == nil)
    // In a grace period, the state has no time but that of its reception.
    let graced = Self.state("IN_GRACE_PERIOD")
    #expect(try read(graced).reasons == ["missing:ts"])
    let collected = try read(#"{"received_at":"2026-03-04T00:00:00Z","body":\#(graced)}"#)
    #expect(collected.lines().first == "billing_issue 2026-03-04T00:00:00.000Z ann")
    #expect(collected.events.first?.graceEndsAt?.description == end)
  }

  @Test func otherStates() throws {
    for name in ["PENDING", "PENDING_PURCHASE_CANCELED"] {
      let reading = try read(Self.state(name, order: nil))
      #expect(reading.events.isEmpty && reading.rejected.isEmpty, "\(name)")
    }
    for name in ["PAUSED", "UNSPECIFIED", "LOST"] {
      #expect(try read(Self.state(name)).notMapped == ["googleplay:SUBSCRIPTION_STATE_\(name)"])
    }
    #expect(try read(Self.state("EXPIRED", expiry: "soon")).reasons == ["missing:ts"])
    #expect(try read(Self.state("EXPIRED", order: nil, account: nil)).reasons == ["missing:user_id"])
    #expect(try read(Self.state("EXPIRED"), app: nil).reasons == ["missing:app"])
  }

  /// A state that was stored with its token and package is of that purchase; a linked token is of the purchase before.
  @Test func tokensNameThePurchase() throws {
    let stored = Self.state("EXPIRED", #","purchaseToken":"new","packageName":"com.example""#)
    let reading = try read(stored, app: nil)
    #expect(
      reading.lines(\.subscriptionID, \.previousUserID) == [
        "expiration \(end) ann new -", "identify \(start) ann - new", "identify \(start) ann - GPA.1-2-3",
      ])
    #expect(reading.events.first?.app == "com.example")
    let linked = try read(Self.state("EXPIRED", #","linkedPurchaseToken":"old""#))
    #expect(linked.events.map(\.subscriptionID).first == "old" && linked.events[1].previousUserID == "old")
    let none = try read(Self.state("EXPIRED", account: nil))
    #expect(none.lines() == ["expiration \(end) GPA.1-2-3"])
  }

  /// Notifications, orders and states may share a file.
  @Test func allOfGooglePlayInOneFile() throws {
    let order =
      #"{"orderId":"GPA.1","purchaseToken":"t","state":"PROCESSED","createTime":"2026-03-01T00:00:00Z","total":{"currencyCode":"EUR","units":"5"},"lineItems":[{"productId":"tides_monthly","subscriptionDetails":{}}]}"#
    let notification =
      #"{"version":"1.0","packageName":"com.example","eventTimeMillis":"1772323200000","subscriptionNotification":{"notificationType":13,"purchaseToken":"t","subscriptionId":"tides"}}"#
    let lines = [Self.state("EXPIRED"), order, notification]
    for first in lines {
      let text = ([first] + lines.filter { $0 != first }).joined(separator: "\n")
      let kinds = try read(text).kinds.filter { $0 != "identify" }.sorted()
      #expect(kinds == ["expiration", "expiration", "payment"], "\(first.prefix(40))")
    }
  }

  /// The samples of the onboarding material: 5.49 EUR in a monthly subscription that has no trial phase.
  @Test(
    .enabled(
      if: SharedFolder.isTried("data/onboarding/payloads"), "\(SharedFolder.absence(of: "data/onboarding/payloads"))"))
  func theSamplesAreOnePayment() throws {
    let settings = SourceSettings(app: "tides")
    let orders = try SharedPayloads.read("onboarding/payloads/googleplay-orders.ndjson", settings)
    #expect(orders.lines(\.money, \.planName).first == "payment 2026-02-10T09:00:00.000Z token-a 5.49 EUR monthly")
    let states = try SharedPayloads.read("onboarding/payloads/googleplay-subscriptionsv2.ndjson", settings)
    #expect(states.kinds == ["identify"] && states.events[0].userID == "u-101")
    // Both name the order, so that the payer is the app's user.
    #expect(states.events[0].previousUserID == orders.events[1].previousUserID)
  }
}
