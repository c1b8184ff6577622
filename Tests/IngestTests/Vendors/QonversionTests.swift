import EventModel
import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

/// Expected events were derived by hand from Qonversion's "Webhooks" and "Integrations": seconds become instants, the
/// values of `revenue` the price.
@Suite struct QonversionTests {
  /// 2026-03-01T00:00:00Z in seconds; the end is a month later.
  private static let seconds = 1_772_323_200
  private static let monthLater = 1_775_001_600

  private static func webhook(
    _ name: String, user: String = #""custom_user_id":"ann","identity_id":"""#, time: String = "\(seconds)",
    product: String = "tides.monthly", revenue: String? = #""value":5.49,"value_usd":5.93,"currency":"EUR""#,
    transaction: String =
      #""transaction_id":1001,"original_transaction_id":1000,"expires":\#(monthLater),"grace_period_expires":null"#,
    _ more: String = ""
  ) -> String {
    let money = revenue.map {
      #","revenue":{\#($0),"is_proceed":0,"proceeds_rate":85},"price":{"value":6.99,"value_usd":7.55,"currency":"EUR"}"#
    }
    return
      #"{"event_name":"\#(name)","user_id":"q-1",\#(user),"advertiser_id":"","time":\#(time),"created_at":1772323260,"product_id":"\#(product)"\#(money ?? ""),"transaction":{\#(transaction)},"properties":{},"device_id":"d","app_version":"2.1.4","environment":"production","platform":"iOS","country":"DE"\#(more)}"#
  }

  private static let none = #""custom_user_id":"","identity_id":"""#
  private let at = "2026-03-01T00:00:00.000Z"
  private let end = "2026-04-01T00:00:00.000Z"

  private func read(_ text: String, app: String? = "tides", plans: [String: String] = [:]) throws -> Reading {
    try Reading(text, app: app, plans: plans)
  }

  /// Reads a webhook of a user with one id, so that nothing is joined.
  private func first(_ text: String, plans: [String: String] = [:]) throws -> Event {
    try #require(try read(text, plans: plans).events.first)
  }

  @Test func aTrialEndsWhenItsTransactionDoes() throws {
    let reading = try read(Self.webhook("trial_started", revenue: nil))
    #expect(reading.parts.first?.source == "qonversion")
    #expect(
      reading.lines(\.planName, \.previousUserID)
        == ["trial_start \(at) ann monthly -", "identify \(at) ann - q-1"])
    let trial = try #require(reading.events.first)
    #expect(trial.trialEnds == end && trial.price == nil && trial.eventID == "qonversion:trial_started:1001")
    #expect(trial.subscriptionID == "1000" && trial.transactionID == "1001" && trial.productID == "tides.monthly")
    #expect(trial.store == "app_store" && trial.platform == "ios" && trial.country == "DE")
    #expect(trial.appVersion == "2.1.4" && trial.receivedAt?.description == "2026-03-01T00:01:00.000Z")
  }

  /// The store keeps 15 % where 85 % are proceeds.
  @Test func paymentsHaveTheirAmountInBothCurrencies() throws {
    for (name, kind) in [
      ("trial_converted", "conversion"), ("subscription_started", "conversion"), ("subscription_renewed", "renewal"),
      ("subscription_upgraded", "plan_change"),
    ] {
      let reading = try read(Self.webhook(name))
      #expect(
        reading.lines(\.planName, \.money, \.expires).first == "\(kind) \(at) ann monthly 5.49 EUR \(end)", "\(name)")
      #expect(reading.events.first?.priceUSD == 5_930_000, "\(name)")
      #expect(reading.events.first?.commissionPercentage == 0.15, "\(name)")
    }
  }

  /// `is_proceed` says that `revenue` lacks the store's share; `price` is then what was paid.
  @Test func proceedsAreNotTakenForThePrice() throws {
    let proceeds = Self.webhook("subscription_renewed").replacing(#""is_proceed":0"#, with: #""is_proceed":1"#)
    let event = try first(proceeds)
    #expect(event.money == "6.99 EUR" && event.priceUSD == 7_550_000 && event.commissionPercentage == 0.15)
    let unknown = proceeds.replacing(
      #","price":{"value":6.99,"value_usd":7.55,"currency":"EUR"}"#, with: #","price":null"#)
    #expect(try read(unknown).reasons == ["missing:price"])
  }

  @Test func dollarsStandInForAMissingLocalAmount() throws {
    let event = try first(Self.webhook("subscription_renewed", revenue: #""value_usd":"5.93""#))
    #expect(event.money == "5.93 USD" && event.priceUSD == 5_930_000)
    #expect(try read(Self.webhook("subscription_renewed", revenue: nil)).reasons == ["missing:price"])
    let unnamed = try read(Self.webhook("subscription_renewed", revenue: #""value":5.49"#))
    #expect(unnamed.reasons == ["price_without_currency"])
  }

  /// Refunds have values below 0; one without a value gives all back.
  @Test func refundsLoseTheirSign() throws {
    for name in ["subscription_refunded", "in_app_refunded", "subscription_upgraded"] {
      let refund = try first(Self.webhook(name, revenue: #""value":-5.49,"value_usd":-5.93,"currency":"EUR""#))
      #expect(refund.kind == .refund && refund.money == "5.49 EUR" && refund.transactionID == "1001", "\(name)")
      #expect(refund.priceUSD == 5_930_000 && refund.eventID == "qonversion:\(name):1001:\(Self.seconds)", "\(name)")
    }
    let whole = try first(Self.webhook("subscription_refunded", revenue: nil))
    #expect(whole.kind == .refund && whole.price == nil)
    #expect(
      try first(Self.webhook("subscription_refunded", revenue: #""value":0,"currency":"EUR""#)).price == nil)
  }

  @Test func endsAndFailures() throws {
    for name in ["trial_canceled", "subscription_canceled"] {
      let event = try first(Self.webhook(name, revenue: nil))
      #expect(event.kind == .cancellation && event.subscriptionID == "1000", "\(name)")
      #expect(event.eventID == "qonversion:\(name):1001:\(Self.seconds)")
    }
    // Noticed a month and a second after the start, a second after the end.
    for name in ["trial_expired", "subscription_expired"] {
      let event = try first(Self.webhook(name, time: "\(Self.monthLater + 1)", revenue: nil))
      #expect(event.kind == .expiration && "\(event.ts)" == end, "\(name)")
    }
    let grace =
      #""transaction_id":1001,"original_transaction_id":1000,"expires":1772323200,"grace_period_expires":\#(Self.monthLater)"#
    for name in ["trial_billing_retry_entered", "subscription_billing_retry_entered"] {
      let event = try first(Self.webhook(name, revenue: nil, transaction: grace))
      #expect(event.kind == .billingIssue && event.graceEndsAt?.description == end, "\(name)")
    }
  }

  @Test func changesNameBothProducts() throws {
    let products = #","old_product_id":"tides.monthly","new_product_id":"tides.yearly""#
    for (name, money) in [("subscription_product_changed", nil), ("subscription_upgraded", "5.49 EUR")] {
      let event = try first(Self.webhook(name, products))
      #expect(event.kind == .planChange && event.productID == "tides.yearly", "\(name)")
      #expect(event.previousProductID == "tides.monthly" && event.planName == "yearly", "\(name)")
      #expect(event.money == money, "\(name)")
    }
  }

  @Test func aLifetimeIsBoughtOnce() throws {
    let bought = Self.webhook("in_app_purchase", product: "extra", transaction: #""transaction_id":7,"expires":null"#)
    #expect(try read(bought).notMapped == ["qonversion:in_app_purchase of a product that is not lifetime"])
    let event = try first(bought, plans: ["extra": "lifetime"])
    #expect(event.kind == .conversion && event.planName == "lifetime" && event.money == "5.49 EUR")
    #expect(event.expiresAt == nil)
  }

  /// Plans come from the product's name, `--plan`, or the paid period of 31 days; not from a period in the sandbox,
  /// where months last minutes.
  @Test func plansOfUnnamedProducts() throws {
    let unnamed = Self.webhook("subscription_renewed", product: "pro")
    #expect(try first(unnamed).planName == "monthly")
    #expect(try first(unnamed, plans: ["pro": "yearly"]).planName == "yearly")
    #expect(try read(unnamed.replacing(#""production""#, with: #""sandbox""#)).reasons == ["missing:plan"])
  }

  @Test func environments() throws {
    func isSandbox(_ name: String) throws -> Bool {
      try first(Self.webhook("trial_canceled").replacing(#""production""#, with: name)).isSandbox
    }
    #expect(try isSandbox(#""sandbox""#))
    #expect(try !isSandbox(#""prod""#) && !isSandbox(#""Production""#) && !isSandbox("null"))
    #expect(try read(Self.webhook("trial_canceled").replacing(#""production""#, with: #""qa""#)).events.isEmpty)
  }

  /// Each id that is there is the user's: the app's own comes first, Qonversion's last.
  @Test func idsOfAUserAreJoined() throws {
    let both = try read(Self.webhook("trial_canceled", user: #""custom_user_id":"ann","identity_id":"a@b""#))
    #expect(
      both.lines(\.previousUserID)
        == ["cancellation \(at) ann -", "identify \(at) ann a@b", "identify \(at) ann q-1"])
    let identity = try read(Self.webhook("trial_canceled", user: #""custom_user_id":null,"identity_id":"a@b""#))
    #expect(identity.lines(\.previousUserID) == ["cancellation \(at) a@b -", "identify \(at) a@b q-1"])
    let one = try read(Self.webhook("trial_canceled", user: Self.none))
    #expect(one.lines() == ["cancellation \(at) q-1"])
    // Once a day for a pair.
    let again = try read(Self.webhook("trial_canceled") + "\n" + Self.webhook("trial_canceled"))
    #expect(again.kinds.filter { $0 == "identify" }.count == 1)
  }

  @Test func whatIsUnknownIsToldAndNothingGuessed() throws {
    for name in ["trial_still_active", "subscription_downgraded", "Abo verlängert"] {
      #expect(try read(Self.webhook(name)).notMapped == ["qonversion:\(name)"])
    }
    #expect(try read(Self.webhook("trial_canceled", user: Self.none), app: nil).reasons == ["missing:app"])
    // Milliseconds are no seconds; a text of digits is a number.
    #expect(try read(Self.webhook("trial_canceled", time: "1772323200000")).reasons == ["missing:ts"])
    #expect(try read(Self.webhook("trial_canceled", time: #""1772323200""#)).kinds.first == "cancellation")
    let texts = Self.webhook("subscription_renewed", revenue: #""value":"5.49","value_usd":"5.93","currency":"eur""#)
    #expect(try first(texts).money == "5.49 EUR")
    let bare = #"{"event_name":"subscription_renewed","user_id":"q","product_id":"m","transaction":null}"#
    #expect(try read(bare).rejected.map(\.reason) == ["missing:ts"])
    #expect(
      try read(Self.webhook("subscription_renewed", revenue: #""value":true,"currency":"EUR""#)).events.isEmpty)
  }

  /// The samples of the onboarding material: one subscription from trial to refund, 5.49 EUR twice, once given back.
  @Test(
    .enabled(
      if: SharedFolder.isTried("data/onboarding/payloads"), "\(SharedFolder.absence(of: "data/onboarding/payloads"))"))
  func theSamplesAreOneSubscription() throws {
    let reading = try SharedPayloads.read("onboarding/payloads/qonversion.ndjson", SourceSettings(app: "tides"))
    let events = reading.events.filter { $0.kind != .identify }
    #expect(events.map(\.kind.name) == ["trial_start", "conversion", "renewal", "refund"])
    #expect(events.map { $0.money ?? "-" } == ["-", "5.49 EUR", "5.49 EUR", "5.49 EUR"])
    #expect(Set(events.map(\.userID)) == ["u-100"] && Set(events.map(\.subscriptionID)) == ["1000"])
    #expect(reading.rejected.isEmpty)
  }
}
