import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

/// Expected events were derived by hand from Paddle's "Webhooks"; the shapes are those of the mocks in
/// PaddleHQ/paddle-node-sdk.
@Suite struct PaddleTests {
  private static func event(_ type: String, _ data: String, at: String = "2026-03-01T00:00:00.123456Z") -> String {
    #"{"event_id":"evt_1","event_type":"\#(type)","occurred_at":"\#(at)","notification_id":"ntf_1","data":\#(data)}"#
  }

  private static let item =
    #"{"price":{"id":"pri_m","product_id":"pro_m","name":"Pro","billing_cycle":{"interval":"month","frequency":3},"custom_data":{"tier":"family"}},"trial_dates":{"starts_at":"2026-03-01T00:00:00Z","ends_at":"2026-03-08T00:00:00Z"}}"#

  private static let once =
    #"{"price":{"id":"pri_l","product_id":"pro_l","name":"Extra","billing_cycle":null},"quantity":1}"#

  private static func subscription(_ status: String, _ more: String = "") -> String {
    #"{"id":"sub_1","status":"\#(status)","customer_id":"ctm_1","custom_data":{"user_id":"ann"},"currency_code":"USD","scheduled_change":null,"items":[\#(once),\#(item)]\#(more)}"#
  }

  private static func transaction(
    _ origin: String, _ total: Int = 500, _ currency: String = "USD", subscription: String? = "sub_1",
    items: String = item
  ) -> String {
    #"{"id":"txn_1","status":"completed","origin":"\#(origin)","customer_id":"ctm_1","subscription_id":\#(subscription.map { "\"\($0)\"" } ?? "null"),"custom_data":null,"currency_code":"\#(currency)","billed_at":"2026-03-01T00:00:00Z","billing_period":{"starts_at":"2026-03-01T00:00:00Z","ends_at":"2026-06-01T00:00:00Z"},"items":[\#(items)],"details":{"totals":{"tax":"\#(total / 5)","total":"\#(total)","grand_total":"\#(total)","fee":"\#(total / 20)"}}}"#
  }

  private let at = "2026-03-01T00:00:00.000Z"

  private func read(_ text: String, plans: [String: String] = [:]) throws -> Reading {
    try Reading(text, app: "tides", plans: plans)
  }

  @Test func aTrialJoinsTheCustomerWithTheAppsUser() throws {
    let reading = try read(Self.event("subscription.created", Self.subscription("trialing")))
    #expect(reading.parts.first?.source == "paddle")
    #expect(
      reading.lines(\.planName, \.previousUserID)
        == ["trial_start \(at) ann quarterly -", "identify \(at) ann - ctm_1"])
    let trial = try #require(reading.events.first)
    #expect(trial.trialEndsAt?.description == "2026-03-08T00:00:00.000Z" && trial.isFamilyTier)
    #expect(trial.subscriptionID == "sub_1" && trial.productID == "pro_m" && trial.store == "paddle")
    #expect(try read(Self.event("subscription.created", Self.subscription("active"))).kinds == ["identify"])
    #expect(try read(Self.event("subscription.activated", Self.subscription("active"))).kinds == ["identify"])
  }

  @Test func transactionsArePayments() throws {
    let kinds = [
      "web": "conversion", "api": "payment", "subscription_recurring": "payment",
      "subscription_update": "plan_change",
    ]
    for (origin, kind) in kinds {
      let reading = try read(Self.event("transaction.completed", Self.transaction(origin)))
      #expect(reading.lines(\.planName, \.money) == ["\(kind) \(at) ctm_1 quarterly 5.0 USD"], "\(origin)")
    }
    let event = try read(Self.event("transaction.completed", Self.transaction("web"))).events[0]
    #expect(event.transactionID == "txn_1" && event.subscriptionID == "sub_1")
    #expect(event.expires == "2026-06-01T00:00:00.000Z")
    #expect(event.taxPercentage == 0.2 && event.commissionPercentage == 0.05)
    #expect(try read(Self.event("transaction.completed", Self.transaction("subscription_charge"))).kinds == [])
    #expect(try read(Self.event("transaction.completed", Self.transaction("web", 0))).kinds == [])
  }

  /// JPY has no minor unit (ISO 4217).
  @Test func amountsAreInTheSmallestUnit() throws {
    let yen = try read(Self.event("transaction.completed", Self.transaction("subscription_recurring", 500, "JPY")))
    #expect(yen.events.first?.money == "500.0 JPY")
    let unknown = try read(Self.event("transaction.completed", Self.transaction("web", 500, "XXQ")))
    #expect(unknown.events.isEmpty && unknown.rejected.map(\.reason) == ["invalid:currency_code"])
  }

  @Test func aLifetimeIsBoughtOnce() throws {
    let text = Self.event("transaction.completed", Self.transaction("web", subscription: nil, items: Self.once))
    #expect(try read(text).kinds == [])
    #expect(
      try read(text, plans: ["pro_l": "lifetime"]).lines(\.planName).first == "conversion \(at) ctm_1 lifetime")
  }

  @Test func updatesTurnAutoRenew() throws {
    func kinds(_ data: String) throws -> [String] {
      try read(Self.event("subscription.updated", data)).kinds.filter { $0 != "identify" }
    }
    let active = Self.subscription("active")
    func scheduled(_ action: String) -> String {
      active.replacing(#""scheduled_change":null"#, with: #""scheduled_change":{"action":"\#(action)"}"#)
    }
    #expect(try kinds(scheduled("cancel")) == ["cancellation"])
    #expect(try kinds(active) == ["reactivation"])
    #expect(try kinds(scheduled("pause")) == [] && kinds(Self.subscription("past_due")) == [])
  }

  @Test func endsFailuresAndRefunds() throws {
    let ended = try read(
      Self.event("subscription.canceled", Self.subscription("canceled", #","canceled_at":"2026-03-01T00:00:00Z""#)))
    #expect(ended.lines(\.subscriptionID).first == "expiration \(at) ann sub_1")
    #expect(
      try read(Self.event("subscription.past_due", Self.subscription("past_due"))).kinds
        == ["billing_issue", "identify"])
    func adjustment(_ action: String, _ status: String) -> String {
      #"{"id":"adj_1","action":"\#(action)","status":"\#(status)","transaction_id":"txn_1","subscription_id":"sub_1","customer_id":"ctm_1","currency_code":"EUR","totals":{"total":"199"}}"#
    }
    let refund = try read(Self.event("adjustment.updated", adjustment("refund", "approved"))).events
    #expect(refund.first?.money == "1.99 EUR" && refund.first?.transactionID == "txn_1")
    #expect(try read(Self.event("adjustment.created", adjustment("refund", "pending_approval"))).kinds == [])
    #expect(try read(Self.event("adjustment.created", adjustment("credit", "approved"))).kinds == [])
    #expect(
      try read(Self.event("subscription.paused", Self.subscription("paused"))).notMapped
        == ["paddle:subscription.paused"])
  }
}
