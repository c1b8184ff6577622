import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

/// Expected events were derived by hand from Stripe's "Types of events", "The Invoice object" and "The Subscription
/// object"; the older spelling of an invoice is that of before 2025-03-31 (changelog of basil).
@Suite struct StripeTests {
  private static let user = #""metadata":{"user_id":"ann"}"#
  private static let price =
    #"{"id":"price_m","product":"prod_m","recurring":{"interval":"month","interval_count":1},"metadata":{"tier":"family"}}"#

  private static func event(_ type: String, _ object: String, previous: String? = nil, live: Bool = true) -> String {
    #"{"id":"evt_1","object":"event","api_version":"2025-08-27.basil","created":1772323200,"livemode":\#(live),"type":"\#(type)","data":{"object":\#(object)\#(previous.map { ",\"previous_attributes\":\($0)" } ?? "")}}"#
  }

  private static func subscription(_ more: String = "") -> String {
    #"{"id":"sub_1","object":"subscription","customer":"cus_1","created":1772323200,\#(user),"items":{"object":"list","data":[{"price":\#(price)}]}\#(more)}"#
  }

  private static func invoice(_ reason: String, paid: Int = 499, _ currency: String = "usd", _ more: String = "")
    -> String
  {
    #"{"id":"in_1","object":"invoice","customer":"cus_1","currency":"\#(currency)","amount_paid":\#(paid),"total":\#(paid),"status":"paid","billing_reason":"\#(reason)","created":1772323100,"status_transitions":{"paid_at":1772323200},"lines":{"data":[{"amount":\#(paid),"period":{"start":1772323200,"end":1775001600},"pricing":{"price_details":{"price":"price_m","product":"prod_m"}}}]},"parent":{"subscription_details":{"subscription":"sub_1",\#(user)}}\#(more)}"#
  }

  private static let old =
    #"{"id":"in_1","object":"invoice","customer":"cus_1","currency":"usd","amount_paid":499,"total":499,"tax":80,"status":"paid","billing_reason":"subscription_cycle","created":1772323100,"status_transitions":{"paid_at":1772323200},"subscription":"sub_1","subscription_details":{\#(user)},"lines":{"data":[{"amount":499,"period":{"start":1772323200,"end":1775001600},"price":\#(price)}]}}"#

  private let at = "2026-03-01T00:00:00.000Z"

  private func read(_ text: String, plans: [String: String] = [:]) throws -> Reading {
    try Reading(text, app: "tides", plans: plans)
  }

  @Test func aTrialJoinsTheCustomerWithTheAppsUser() throws {
    let reading = try read(
      Self.event(
        "customer.subscription.created",
        Self.subscription(#","status":"trialing","trial_start":1772323200,"trial_end":1772928000"#)))
    #expect(
      reading.lines(\.planName, \.previousUserID) == ["trial_start \(at) ann monthly -", "identify \(at) ann - cus_1"])
    let trial = try #require(reading.events.first)
    #expect(trial.trialEndsAt?.description == "2026-03-08T00:00:00.000Z" && trial.isFamilyTier)
    #expect(trial.subscriptionID == "sub_1" && trial.productID == "prod_m" && trial.store == "stripe")
    #expect(try read(Self.event("customer.subscription.created", Self.subscription())).kinds == ["identify"])
  }

  @Test func invoicesArePayments() throws {
    let kinds = [
      "subscription_create": "conversion", "subscription_cycle": "payment", "subscription_threshold": "payment",
      "subscription_update": "payment",
    ]
    for (reason, kind) in kinds {
      let reading = try read(Self.event("invoice.paid", Self.invoice(reason)))
      #expect(reading.lines(\.planName, \.money).first == "\(kind) \(at) ann monthly 4.99 USD", "\(reason)")
    }
    let event = try read(Self.event("invoice.paid", Self.invoice("subscription_cycle"))).events[0]
    #expect(event.transactionID == "in_1" && event.subscriptionID == "sub_1" && !event.isSandbox)
    #expect(event.expires == "2026-04-01T00:00:00.000Z")
    #expect(try read(Self.event("invoice.paid", Self.invoice("subscription_create", paid: 0))).kinds == ["identify"])
    #expect(try read(Self.event("invoice.payment_succeeded", Self.invoice("subscription_cycle"))).kinds == ["identify"])
    #expect(try read(Self.event("invoice.paid", Self.invoice("manual"), live: false)).events[0].isSandbox)
  }

  /// 80 of 499 is 0.160321.
  @Test func olderInvoicesReadAlike() throws {
    let reading = try read(Self.event("invoice.paid", Self.old))
    #expect(reading.lines(\.planName, \.money).first == "payment \(at) ann monthly 4.99 USD")
    #expect(reading.events[0].subscriptionID == "sub_1" && reading.events[0].taxPercentage == 0.160321)
  }

  /// JPY has no minor unit; Stripe writes ISK and UGX with two, and KWD with three as ISO 4217.
  @Test(arguments: [("jpy", "499.0 JPY"), ("isk", "4.99 ISK"), ("ugx", "4.99 UGX"), ("kwd", "0.499 KWD")])
  func amountsAreInStripesUnits(currency: String, money: String) throws {
    #expect(try read(Self.event("invoice.paid", Self.invoice("subscription_cycle", currency))).events[0].money == money)
  }

  @Test func updatesTellWhatChanged() throws {
    func kinds(_ object: String, _ previous: String) throws -> [String] {
      try read(Self.event("customer.subscription.updated", Self.subscription(object), previous: previous)).kinds
        .filter { $0 != "identify" }
    }
    let off = #","cancel_at_period_end":true,"canceled_at":1772323200"#
    #expect(try kinds(off, #"{"cancel_at_period_end":false,"canceled_at":null}"#) == ["cancellation"])
    #expect(try kinds(#","cancel_at_period_end":false"#, #"{"cancel_at_period_end":true}"#) == ["reactivation"])
    #expect(
      try kinds("", #"{"items":{"data":[{"price":{"id":"price_old","product":"prod_old"}}]}}"#) == ["plan_change"])
    #expect(
      try kinds(#","trial_start":1772323200,"trial_end":1773532800"#, #"{"trial_end":1772928000}"#) == ["trial_start"])
    #expect(try kinds(#","status":"active""#, #"{"status":"trialing"}"#) == [])
  }

  @Test func endsFailuresAndRefunds() throws {
    let deleted = try read(
      Self.event(
        "customer.subscription.deleted",
        Self.subscription(#","ended_at":1772323200,"cancellation_details":{"reason":"payment_failed"}"#)))
    #expect(deleted.lines(\.reason).first == "expiration \(at) ann billing")
    let failed = try read(
      Self.event(
        "invoice.payment_failed",
        Self.invoice("subscription_cycle", paid: 0, "usd", #","next_payment_attempt":1772582400"#)))
    #expect(failed.events[0].graceEndsAt?.description == "2026-03-04T00:00:00.000Z")
    let charge =
      #"{"id":"ch_1","object":"charge","customer":"cus_1","amount":499,"amount_refunded":300,"currency":"usd","invoice":"in_1"}"#
    let refund = try read(Self.event("charge.refunded", charge, previous: #"{"amount_refunded":100}"#))
    #expect(refund.lines(\.money).first == "refund \(at) cus_1 2.0 USD" && refund.events[0].transactionID == "in_1")
    #expect(
      try read(Self.event("refund.created", #"{"id":"re_1","charge":"ch_1","amount":200,"currency":"usd"}"#)).kinds
        == [])
    #expect(try read(Self.event("customer.created", "{}")).notMapped == ["stripe:customer.created"])
  }

  @Test func aLifetimeIsBoughtInCheckout() throws {
    let session =
      #"{"id":"cs_1","object":"checkout.session","mode":"payment","payment_status":"paid","client_reference_id":"ann","customer":"cus_1","amount_total":9900,"currency":"eur","payment_intent":"pi_1","line_items":{"data":[{"price":{"id":"price_l","product":"prod_l"}}]}}"#
    let text = Self.event("checkout.session.completed", session)
    #expect(try read(text).kinds == ["identify"])
    #expect(
      try read(text, plans: ["prod_l": "lifetime"]).lines(\.planName, \.money).first
        == "conversion \(at) ann lifetime 99.0 EUR")
  }

  /// A list is read item by item, whatever its size, and known before its end is.
  @Test func longListsAreRead() throws {
    let events = (0..<300).map { number in
      Self.event("invoice.paid", Self.invoice("subscription_cycle")).replacing("in_1", with: "in_\(number)")
    }
    let list =
      #"{"object":"list","data":["# + events.joined(separator: ",\n") + #"],"has_more":true,"url":"/v1/events"}"#
    let reading = try read(list)
    #expect(reading.kinds.filter { $0 == "payment" }.count == 300 && reading.rejected.isEmpty)
  }

  /// An event and a list tell one payment once: equal ids and contents.
  @Test func listsTellTheSameAgain() throws {
    let list =
      #"{"object":"list","has_more":false,"url":"/v1/invoices","data":[\#(Self.invoice("subscription_cycle"))]}"#
    let (event, row) = (try read(Self.event("invoice.paid", Self.invoice("subscription_cycle"))), try read(list))
    #expect(row.kinds.first == "payment" && row.parts.first?.source == "stripe")
    #expect(row.events.first?.canonicalJSON() == event.events.first?.canonicalJSON())
    let ended = Self.subscription(
      #","status":"canceled","cancel_at_period_end":true,"canceled_at":1772323200,"ended_at":1772928000,"trial_start":1772323100,"trial_end":1772928000"#
    )
    #expect(
      try read(#"{"object":"list","has_more":false,"data":[\#(ended)]}"#).kinds.filter { $0 != "identify" } == [
        "trial_start", "cancellation", "expiration",
      ])
  }

  /// The 499 cents of a charge come back as 100 and 300, and 50 more fail; each counts on its own day. The event of the
  /// second refund, with the running total of 400, has the same id.
  @Test func chargesInAListHaveTheirRefunds() throws {
    func charge(_ more: String) -> String {
      #"{"object":"list","has_more":false,"url":"/v1/charges","data":[{"id":"ch_1","object":"charge","customer":"cus_1","created":1772323200,"amount":499,"amount_refunded":400,"currency":"usd","invoice":"in_1"\#(more)}]}"#
    }
    func refund(_ id: Int, _ amount: Int, _ created: Int, _ status: String) -> String {
      #"{"id":"re_\#(id)","object":"refund","amount":\#(amount),"created":\#(created),"currency":"usd","status":"\#(status)"}"#
    }
    let refunds = [
      refund(2, 300, 1_772_496_000, "succeeded"), refund(3, 50, 1_772_582_400, "failed"),
      refund(1, 100, 1_772_409_600, "succeeded"),
    ]
    let reading = try read(charge(#","refunds":{"object":"list","data":[\#(refunds.joined(separator: ","))]}"#))
    #expect(
      reading.lines(\.money, \.transactionID) == [
        "refund 2026-03-02T00:00:00.000Z cus_1 1.0 USD in_1", "refund 2026-03-03T00:00:00.000Z cus_1 3.0 USD in_1",
      ])
    let object = #"{"id":"ch_1","object":"charge","customer":"cus_1","amount_refunded":400,"currency":"usd"}"#
    let event = try read(Self.event("charge.refunded", object, previous: #"{"amount_refunded":100}"#))
    #expect(reading.events.last?.eventID == event.events.first?.eventID)
    // When money came back, the charge alone does not say.
    #expect(try read(charge("")).rejected.map(\.reason) == ["missing:refunds"])
    #expect(try read(charge("").replacing("\"amount_refunded\":400", with: "\"amount_refunded\":0")).kinds == [])
  }

  /// A refund is of the customer of its charge, if the export has it.
  @Test func refundsInAListHaveTheirCharges() throws {
    func list(_ charge: String) -> String {
      #"{"object":"list","has_more":false,"url":"/v1/refunds","data":[{"id":"re_1","object":"refund","amount":300,"created":1772323200,"currency":"usd","status":"succeeded","charge":\#(charge)}]}"#
    }
    let charge =
      #"{"id":"ch_1","object":"charge","customer":"cus_1","created":1772236800,"amount":499,"amount_refunded":300,"currency":"usd","invoice":"in_1"}"#
    #expect(try read(list(charge)).lines(\.money, \.transactionID) == ["refund \(at) cus_1 3.0 USD in_1"])
    #expect(try read(list("\"ch_1\"")).rejected.map(\.reason) == ["missing:charge.customer"])
  }
}
