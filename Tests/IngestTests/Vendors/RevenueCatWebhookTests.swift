import EventModel
import EventSupport
import FolderSupport
import Testing

@testable import Ingest

/// Expected events were derived by hand from RevenueCat's "Event Types and Fields" and "Common Webhook Flows"; the
/// payloads are written for these tests.
@Suite struct RevenueCatWebhookTests {
  /// 2026-03-01T00:00:00Z.
  private static let march = 1_772_323_200_000
  private static let day = 86_400_000

  /// Returns a webhook for a monthly product bought on March 1st, with some members replaced or added.
  private static func webhook(_ type: String, id: String = "A", _ more: String...) -> String {
    let members = [
      "type": "\"\(type)\"", "id": "\"\(id)\"", "event_timestamp_ms": "\(march + 60_000)", "app_id": "\"steps\"",
      "app_user_id": "\"ann\"", "product_id": "\"pro_monthly\"", "period_type": "\"NORMAL\"",
      "purchased_at_ms": "\(march)", "expiration_at_ms": "\(march + 31 * day)", "environment": "\"PRODUCTION\"",
      "entitlement_ids": "[\"pro\"]", "transaction_id": "\"T2\"", "original_transaction_id": "\"T1\"",
      "country_code": "\"DE\"", "currency": "\"EUR\"", "price": "8.14", "price_in_purchased_currency": "7.99",
      "store": "\"APP_STORE\"", "tax_percentage": "0.19", "commission_percentage": "0.15",
    ]
    var all = members
    for member in more {
      let parts = member.split(separator: ":", maxSplits: 1).map(String.init)
      all[parts[0]] = parts[1]
    }
    let text = all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    return "{\"api_version\":\"1.0\",\"event\":{\(text)}}"
  }

  @Test func aPurchaseIsAConversionWithItsMoneyAndPeriod() throws {
    let reading = try Reading(Self.webhook("INITIAL_PURCHASE"))
    #expect(reading.rejected.isEmpty)
    let event = try #require(reading.events.first)
    #expect(reading.events.count == 1)
    #expect(event.kind == .conversion && event.ts.description == "2026-03-01T00:00:00.000Z")
    #expect(event.receivedAt?.description == "2026-03-01T00:01:00.000Z")
    #expect(event.app == "steps" && event.userID == "ann" && event.country == "DE")
    #expect(event.money == "7.99 EUR" && event.plan == .monthly && event.productID == "pro_monthly")
    #expect(event.expires == "2026-04-01T00:00:00.000Z")
    #expect(event.taxPercentage == 0.19 && event.commissionPercentage == 0.15)
    #expect(event.subscriptionID == "T1" && event.transactionID == "T2")
    #expect(event.store == "app_store" && event.platform == "ios" && !event.isSandbox && event.offerType == nil)
    // RevenueCat, "Event Types and Fields": `price` is the price in USD.
    #expect(event.priceUSD == 8_140_000)
    // Fields without a native counterpart, such as the entitlement, are kept as properties.
    #expect(event.properties["price"] == nil && event.properties["entitlement_ids"] == "[\"pro\"]")
  }

  @Test func theEnvelopeMayBeMissing() throws {
    let enveloped = Self.webhook("INITIAL_PURCHASE")
    let bare = String(enveloped.dropFirst(#"{"api_version":"1.0","event":"#.count).dropLast())
    #expect(try Reading(bare).events.map(\.canonicalJSONBytes) == Reading(enveloped).events.map(\.canonicalJSONBytes))
  }

  @Test func aTrialIsNoPurchaseAndItsRenewalIsItsConversion() throws {
    let trial = try Reading(
      Self.webhook(
        "INITIAL_PURCHASE", "period_type:\"TRIAL\"", "price:0", "price_in_purchased_currency:0",
        "expiration_at_ms:\(Self.march + 7 * Self.day)"))
    #expect(
      trial.lines(\.planName, \.trialEnds) == [
        "trial_start 2026-03-01T00:00:00.000Z ann monthly 2026-03-08T00:00:00.000Z"
      ])
    let converted = try Reading(Self.webhook("RENEWAL", "is_trial_conversion:true"))
    #expect(converted.lines(\.money) == ["conversion 2026-03-01T00:00:00.000Z ann 7.99 EUR"])
    let renewed = try Reading(Self.webhook("RENEWAL", "is_trial_conversion:false"))
    #expect(renewed.lines(\.money) == ["renewal 2026-03-01T00:00:00.000Z ann 7.99 EUR"])
  }

  /// Apple renews up to a day ahead: the payment has the later time, and the time of the notice is its time of receipt.
  @Test func aRenewalCanBeBoughtAfterItsNotice() throws {
    let reading = try Reading(
      Self.webhook("RENEWAL", "event_timestamp_ms:\(Self.march - 8 * 3_600_000)"))
    let event = try #require(reading.events.first)
    #expect(event.kind == .renewal && event.ts.description == "2026-03-01T00:00:00.000Z")
    #expect(event.receivedAt?.description == "2026-02-28T16:00:00.000Z")
  }

  @Test func cancellationsAreToldApartByTheirReasons() throws {
    func reading(_ reason: String, _ more: String...) throws -> Reading {
      let price = more.isEmpty ? ["price:0", "price_in_purchased_currency:0"] : more
      let all = ["cancel_reason:\"\(reason)\""] + price
      return try Reading(
        all.count == 3
          ? Self.webhook("CANCELLATION", all[0], all[1], all[2]) : Self.webhook("CANCELLATION", all[0], all[1]))
    }
    let noticed = "2026-03-01T00:01:00.000Z"
    #expect(try reading("UNSUBSCRIBE").lines(\.reason) == ["cancellation \(noticed) ann voluntary"])
    #expect(
      try reading("UNSUBSCRIBE", "period_type:\"TRIAL\"", "price:0").lines(\.reason) == [
        "cancellation \(noticed) ann voluntary"
      ])
    #expect(try reading("PRICE_INCREASE").lines(\.reason) == ["cancellation \(noticed) ann price_increase"])
    #expect(try reading("DEVELOPER_INITIATED").lines(\.reason) == ["cancellation \(noticed) ann other"])
    #expect(try reading("UNKNOWN").lines(\.reason) == ["cancellation \(noticed) ann other"])
    #expect(try reading("BILLING_ERROR").kinds == ["billing_issue"])
    #expect(
      try reading("CUSTOMER_SUPPORT", "price:-8.14", "price_in_purchased_currency:-7.99").lines(
        \.money, \.transactionID)
        == ["refund \(noticed) ann 7.99 EUR T2"])
    // Without an amount, everything is refunded.
    #expect(try reading("CUSTOMER_SUPPORT").lines(\.money) == ["refund \(noticed) ann -"])
    // A trial has no payment to refund.
    #expect(try reading("CUSTOMER_SUPPORT", "period_type:\"TRIAL\"", "price:0").kinds == ["cancellation"])
  }

  @Test func aNegativePriceIsARefundWhateverTheType() throws {
    for type in ["INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "CANCELLATION"] {
      let reading = try Reading(Self.webhook(type, "price:-8.14", "price_in_purchased_currency:-7.99"))
      #expect(reading.lines(\.money) == ["refund 2026-03-01T00:01:00.000Z ann 7.99 EUR"], "\(type)")
    }
  }

  /// "RevenueCat will immediately dispatch a `BILLING_ISSUE` event and a `CANCELLATION` event with a `cancel_reason` of
  /// `BILLING_ERROR`": both have one event id and, if there is no grace period, equal content.
  @Test func aFailedChargeToldTwiceIsOneBillingIssue() throws {
    let ended = "expiration_at_ms:\(Self.march)"
    let issue = Self.webhook("BILLING_ISSUE", id: "A", ended, "event_timestamp_ms:\(Self.march + 60_001)")
    let cancellation = Self.webhook(
      "CANCELLATION", id: "B", ended, "event_timestamp_ms:\(Self.march + 60_777)", "cancel_reason:\"BILLING_ERROR\"")
    for lines in [[issue, cancellation], [cancellation, issue]] {
      let events = try Reading(lines.joined(separator: "\n")).events
      #expect(events.map(\.kind) == [.billingIssue, .billingIssue])
      #expect(Set(events.map(\.eventID)).count == 1)
      #expect(Set(events.map(\.canonicalJSONBytes)).count == 1)
    }
    // Only one of them has the grace period; it counts as received first, so it stays.
    let graced = Self.webhook(
      "BILLING_ISSUE", id: "A", ended, "grace_period_expiration_at_ms:\(Self.march + 16 * Self.day)")
    let events = try Reading([cancellation, graced].joined(separator: "\n")).events
    #expect(Set(events.map(\.eventID)).count == 1)
    let kept = try #require(events.min { $0.receivedAt ?? $0.ts < $1.receivedAt ?? $1.ts })
    #expect(kept.graceEndsAt?.description == "2026-03-17T00:00:00.000Z")
    // Each of them alone gives a billing issue.
    #expect(try Reading(cancellation).kinds == ["billing_issue"])
  }

  @Test func aProductChangeCarriesNoMoney() throws {
    let deferred = try Reading(
      Self.webhook(
        "PRODUCT_CHANGE", "new_product_id:\"pro_yearly\"", "price:0", "price_in_purchased_currency:0"))
    #expect(
      deferred.lines(\.productID, \.previousProductID, \.planName, \.money)
        == ["plan_change 2026-03-01T00:01:00.000Z ann pro_yearly pro_monthly yearly -"])
    // For an immediate change, the payment arrives with the purchase that is sent as well.
    #expect(
      try Reading(Self.webhook("PRODUCT_CHANGE")).lines(\.money) == ["plan_change 2026-03-01T00:01:00.000Z ann -"])
  }

  @Test func transfersAndAliasesJoinIds() throws {
    let transfer =
      #"{"event":{"type":"TRANSFER","id":"A","app_id":"steps","event_timestamp_ms":\#(Self.march),"transferred_from":["x","y"],"transferred_to":["ann","z"]},"api_version":"1.0"}"#
    #expect(
      try Reading(transfer).lines(\.previousUserID)
        == ["x", "y", "z"].map { "identify 2026-03-01T00:00:00.000Z ann \($0)" })
    let aliased = try Reading(
      Self.webhook("UNCANCELLATION", "aliases:[\"ann\",\"anon\",\"old\"]", "original_app_user_id:\"anon\""))
    #expect(
      aliased.lines(\.previousUserID)
        == ["reactivation", "identify", "identify"].enumerated().map { place, kind in
          "\(kind) 2026-03-01T00:01:00.000Z ann \(["-", "anon", "old"][place])"
        })
    let alias = try Reading(Self.webhook("SUBSCRIBER_ALIAS", "aliases:[\"anon\"]"))
    #expect(alias.lines(\.previousUserID) == ["identify 2026-03-01T00:01:00.000Z ann anon"])
  }

  @Test func experimentsAreExposuresByEitherSpellingOfTheirTime() throws {
    for key in ["enrolled_at_ms", "experiment_enrolled_at_ms"] {
      let reading = try Reading(
        Self.webhook(
          "RENEWAL",
          "experiments:[{\"experiment_id\":\"x\",\"experiment_variant\":\"b\",\"\(key)\":\(Self.march - Self.day)}]"))
      #expect(
        reading.lines(\.experiment, \.variant) == [
          "renewal 2026-03-01T00:00:00.000Z ann - -", "exposure 2026-02-28T00:00:00.000Z ann x b",
        ])
      let enrolled = try Reading(
        #"{"event":{"type":"EXPERIMENT_ENROLLMENT","id":"E","event_timestamp_ms":\#(Self.march),"app_user_id":"ann","experiment_id":"x","experiment_variant":"b","offering_id":"o","\#(key)":\#(Self.march - Self.day)},"api_version":"1.0"}"#
      )
      #expect(enrolled.lines(\.experiment, \.variant, \.offering) == ["exposure 2026-02-28T00:00:00.000Z ann x b o"])
    }
    // Every webhook repeats the aliases; each is one event, however often it is sent.
    let text = ["A", "B"].map { id in
      Self.webhook(
        "RENEWAL", id: id,
        "experiments:[{\"experiment_id\":\"x\",\"experiment_variant\":\"b\",\"enrolled_at_ms\":\(Self.march)}]")
    }.joined(separator: "\n")
    let exposures = try Reading(text).events.filter { $0.kind == .exposure }
    #expect(exposures.count == 2 && Set(exposures.map(\.canonicalJSONBytes)).count == 1)
  }

  @Test func anExtensionAndAReversedRefundAreNoPayments() throws {
    let extended = try Reading(Self.webhook("SUBSCRIPTION_EXTENDED"))
    #expect(extended.events.isEmpty && extended.notMapped == ["revenuecat:SUBSCRIPTION_EXTENDED"])
    let reversed = try Reading(Self.webhook("REFUND_REVERSED", "price_in_purchased_currency:7.99"))
    #expect(reversed.events.isEmpty && reversed.notMapped == ["revenuecat:REFUND_REVERSED"])
    // A later end extends the existing trial (definitions 2.2).
    let trial = try Reading(Self.webhook("SUBSCRIPTION_EXTENDED", "period_type:\"TRIAL\""))
    #expect(trial.lines(\.trialEnds) == ["trial_start 2026-03-01T00:00:00.000Z ann 2026-04-01T00:00:00.000Z"])
  }

  /// Definitions 1.5: a conversion with price 0 and an offer is a grant; family-shared purchases are left out.
  @Test func promotionalAndSharedPurchasesAreNoMoney() throws {
    for promotional in ["store:\"PROMOTIONAL\"", "period_type:\"PROMOTIONAL\""] {
      let reading = try Reading(
        Self.webhook(
          "NON_RENEWING_PURCHASE", promotional, "product_id:\"rc_promo_pro_three_day\"",
          "expiration_at_ms:\(Self.march + 3 * Self.day)"))
      #expect(
        reading.lines(\.money, \.offerType) == ["conversion 2026-03-01T00:00:00.000Z ann 0.0 EUR promotional"])
    }
    let shared = try Reading(Self.webhook("INITIAL_PURCHASE", "is_family_share:true"))
    #expect(shared.events.map(\.isFamilyShared) == [true])
  }

  @Test func whatEndsEndsWithItsPeriod() throws {
    let ended = try Reading(
      Self.webhook(
        "EXPIRATION", "expiration_at_ms:\(Self.march - 5_000)", "expiration_reason:\"BILLING_ERROR\""))
    #expect(ended.lines(\.reason) == ["expiration 2026-02-28T23:59:55.000Z ann billing"])
    let paused = try Reading(Self.webhook("EXPIRATION", "expiration_reason:\"SUBSCRIPTION_PAUSED\""))
    #expect(paused.lines(\.reason) == ["expiration 2026-03-01T00:01:00.000Z ann other"])
  }

  @Test func productsWithoutAPeriodAreLifetimeOnlyWhereTheyUnlockSomething() throws {
    let lifetime = try Reading(Self.webhook("NON_RENEWING_PURCHASE", "expiration_at_ms:null", "product_id:\"all\""))
    #expect(lifetime.lines(\.planName, \.money) == ["conversion 2026-03-01T00:00:00.000Z ann lifetime 7.99 EUR"])
    let coins = Self.webhook(
      "NON_RENEWING_PURCHASE", "expiration_at_ms:null", "product_id:\"100_coins\"", "entitlement_ids:null")
    #expect(try Reading(coins).notMapped == ["revenuecat:NON_RENEWING_PURCHASE of a product that unlocks nothing"])
    #expect(try Reading(coins, plans: ["100_coins": "lifetime"]).kinds == ["conversion"])
  }

  @Test func thePlanIsToldByTheUserTheNameOrTheLength() throws {
    #expect(try Reading(Self.webhook("RENEWAL", "product_id:\"p1\"")).events.map(\.plan) == [.monthly])
    #expect(
      try Reading(Self.webhook("RENEWAL", "product_id:\"p1\""), plans: ["p1": "quarterly"]).events.map(\.plan) == [
        .quarterly
      ])
    // An introductory price does not show the plan's length; neither does a sandbox period, in which a month takes
    // minutes.
    let intro = try Reading(Self.webhook("RENEWAL", "product_id:\"p1\"", "period_type:\"INTRO\""))
    #expect(intro.events.isEmpty && intro.reasons == ["missing:plan"])
    #expect(try Reading(Self.webhook("RENEWAL", "period_type:\"INTRO\"")).events.map(\.offerType) == ["introductory"])
  }

  @Test func othersAreKeptAsNotMapped() throws {
    for type in [
      "TEST", "SUBSCRIPTION_PAUSED", "INVOICE_ISSUANCE", "TEMPORARY_ENTITLEMENT_GRANT", "VIRTUAL_CURRENCY_TRANSACTION",
      "SOMETHING_NEW",
    ] {
      let text = Self.webhook(type)
      let reading = try Reading(text)
      #expect(reading.events.isEmpty && reading.notMapped == ["revenuecat:\(type)"])
      #expect(reading.rejected.map(\.raw) == [Array(text.utf8)])
    }
  }

  @Test func aRetryIsTheSameEvent() throws {
    let text = Self.webhook("INITIAL_PURCHASE", "aliases:[\"anon\"]")
    let events = try Reading([text, text].joined(separator: "\n")).events
    #expect(events.count == 4 && Set(events.map(\.canonicalJSONBytes)).count == 2)
  }

  @Test func thePriceInDollarsStandsInForAMissingOne() throws {
    let reading = try Reading(Self.webhook("RENEWAL", "price_in_purchased_currency:null"))
    #expect(reading.events.map(\.money) == ["8.14 USD"])
    #expect(
      try Reading(Self.webhook("RENEWAL", "price_in_purchased_currency:null", "price:null")).reasons == [
        "missing:price"
      ])
  }

  @Test func badValuesGoToQuarantineWhole() throws {
    let cases: [(String, String)] = [
      ("price_in_purchased_currency:\"much\"", "invalid:price"), ("purchased_at_ms:78789789798798", "invalid:ts"),
      ("app_user_id:null", "missing:user_id"), ("currency:\"E\"", "invalid:currency"),
      ("environment:\"MOON\"", "invalid:environment"), ("id:null", "missing:id"), ("type:7.5", "missing:type"),
    ]
    for (member, reason) in cases {
      // The aliases alone would be valid events, but a payload is accepted completely or not at all.
      let reading = try Reading(Self.webhook("INITIAL_PURCHASE", member, "aliases:[\"anon\"]"))
      #expect(reading.events.isEmpty && reading.reasons == [reason], "\(member)")
    }
    // An invalid value of an optional field is kept as a property.
    let odd = try Reading(Self.webhook("RENEWAL", "country_code:\"Germany\"", "tax_percentage:19"))
    #expect(odd.events.map { $0.properties["country_code"] } == ["Germany"])
    #expect(odd.events.map { $0.properties["tax_percentage"] } == ["19"])
  }
}

/// Tests the vendor's own samples by their names and contents.
@Suite(.enabled(if: SharedFolder.isTried("data/revenuecat"), "\(SharedFolder.absence(of: "data/revenuecat"))"))
struct RevenueCatSampleTests {
  /// The file, the kinds of its events (without aliases), and its types that are not mapped.
  static let samples: [(name: String, kinds: [String], notMapped: [String])] = [
    ("event-types-and-fields_1", ["conversion"], []),
    ("sample-events_1", ["conversion", "exposure"], []),
    ("sample-events_2", ["renewal", "exposure"], []),
    ("sample-events_3", ["cancellation", "exposure"], []),
    ("sample-events_4", ["reactivation", "exposure"], []),
    ("sample-events_5", ["conversion", "exposure"], []),
    ("sample-events_6", [], ["revenuecat:SUBSCRIPTION_PAUSED"]),
    ("sample-events_7", ["billing_issue", "exposure"], []),
    ("sample-events_9", ["refund", "exposure"], []),
    ("sample-events_10", ["plan_change", "exposure"], []),
    ("sample-events_11", ["trial_start", "exposure"], []),
    ("sample-events_12", ["cancellation", "exposure"], []),
    ("sample-events_13", ["expiration", "exposure"], []),
    ("sample-events_14", [], ["revenuecat:SUBSCRIPTION_EXTENDED"]),
    ("sample-events_15", [], ["revenuecat:VIRTUAL_CURRENCY_TRANSACTION"]),
    ("sample-event-experiment-enrollment", ["exposure"], []),
    ("sample-event-invoice-issuance", [], ["revenuecat:INVOICE_ISSUANCE"]),
    ("sample-event-refund-reversed", [], ["revenuecat:REFUND_REVERSED"]),
    ("sample-event-temporary-entitlement-grant", [], ["revenuecat:TEMPORARY_ENTITLEMENT_GRANT"]),
  ]

  @Test func eachIsWhatItsNameSays() throws {
    for sample in Self.samples {
      let reading = try SharedPayloads.read("revenuecat/\(sample.name).json")
      #expect(reading.kinds.filter { $0 != "identify" } == sample.kinds, "\(sample.name): \(reading.reasons)")
      #expect(reading.notMapped == sample.notMapped, "\(sample.name)")
      #expect(reading.rejected.count == sample.notMapped.count, "\(sample.name)")
    }
  }

  /// The time of the transfer is in the year 4466.
  @Test func theTransferHasNoTimeThatCanBe() throws {
    let reading = try SharedPayloads.read("revenuecat/sample-events_8.json")
    #expect(reading.events.isEmpty && reading.reasons == ["invalid:ts"])
  }

  /// The samples share one `id` but are different events.
  @Test func togetherTheyAreAllDifferent() throws {
    let reading = try SharedPayloads.read("revenuecat")
    var contents: [String: Set<[UInt8]>] = [:]
    for event in reading.events {
      contents[event.app + " " + event.eventID, default: []].insert(event.canonicalJSONBytes)
    }
    #expect(contents.values.allSatisfy { $0.count == 1 })
  }
}
