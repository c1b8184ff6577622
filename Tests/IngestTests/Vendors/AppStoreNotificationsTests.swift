import EventModel
import EventSupport
import FolderSupport
import Foundation
import SigningSupport
import Testing

@testable import Ingest

/// Composes texts in the App Store's format, with a signature that is not verified.
enum AppStoreText {
  static func base64URL(_ bytes: some Sequence<UInt8>) -> String { SigningChain.base64URL(bytes) }

  static func signed(_ json: String) -> String {
    [#"{"alg":"ES256","typ":"JWT"}"#, json, "signature"].map { base64URL($0.utf8) }.joined(separator: ".")
  }

  /// 2026-03-01T00:00:00Z.
  static let march: Int64 = 1_772_323_200_000
  static let day: Int64 = 86_400_000

  /// Returns a monthly renewal on March 1st, with some members replaced or added.
  static func transaction(_ more: [String: String] = [:]) -> String {
    object(
      [
        "transactionId": "\"T2\"", "originalTransactionId": "\"T1\"", "bundleId": "\"com.example\"",
        "productId": "\"pro_monthly\"", "purchaseDate": "\(march)", "originalPurchaseDate": "\(march - 31 * day)",
        "expiresDate": "\(march + 31 * day)", "quantity": "1", "type": "\"Auto-Renewable Subscription\"",
        "inAppOwnershipType": "\"PURCHASED\"", "signedDate": "\(march + 1_000)", "environment": "\"Production\"",
        "transactionReason": "\"RENEWAL\"", "storefront": "\"DEU\"", "storefrontId": "\"143443\"", "price": "7990",
        "currency": "\"EUR\"", "appAccountToken": "\"7e3fb20b-4cdb-47cc-936d-99d65f608138\"",
      ], more)
  }

  static func object(_ members: [String: String], _ more: [String: String]) -> String {
    let all = members.merging(more) { _, new in new }.filter { $0.value != "" }
    return "{" + all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  static func payload(
    _ type: String, _ subtype: String? = nil, transaction: String, renewal: String? = nil, uuid: String = "U"
  ) -> String {
    object(
      [
        "notificationType": "\"\(type)\"", "notificationUUID": "\"\(uuid)\"", "version": "\"2.0\"",
        "signedDate": "\(march + 60_000)",
        "data": object(
          [
            "bundleId": "\"com.example\"", "bundleVersion": "\"1.2.3\"", "environment": "\"Production\"",
            "signedTransactionInfo": "\"\(signed(transaction))\"",
          ], renewal.map { ["signedRenewalInfo": "\"\(signed($0))\""] } ?? [:]),
      ], subtype.map { ["subtype": "\"\($0)\""] } ?? [:])
  }

  static func body(
    _ type: String, _ subtype: String? = nil, transaction: String = AppStoreText.transaction(), renewal: String? = nil
  ) -> String {
    #"{"signedPayload":"\#(signed(payload(type, subtype, transaction: transaction, renewal: renewal)))"}"#
  }
}

/// Expected events were derived by hand from Apple's "notificationType", "subtype" and "JWSTransactionDecodedPayload".
@Suite struct AppStoreNotificationsTests {
  private let user = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
  private let bought = "2026-03-01T00:00:00.000Z"
  private let signed = "2026-03-01T00:01:00.000Z"

  private static let first = ["transactionId": "\"T1\"", "transactionReason": "\"PURCHASE\""]

  @Test func aFirstPurchaseIsAConversion() throws {
    let reading = try Reading(
      AppStoreText.body("SUBSCRIBED", "INITIAL_BUY", transaction: AppStoreText.transaction(Self.first)))
    #expect(reading.rejected.isEmpty)
    let event = try #require(reading.events.first)
    #expect(reading.lines(\.planName, \.money) == ["conversion \(bought) \(user) monthly 7.99 EUR"])
    #expect(event.app == "com.example" && event.country == "DE" && event.store == "app_store" && !event.isSandbox)
    #expect(event.subscriptionID == "T1" && event.transactionID == "T1" && event.productID == "pro_monthly")
    #expect(event.expires == "2026-04-01T00:00:00.000Z" && event.receivedAt?.description == signed)
    #expect(event.properties["quantity"] == "1" && event.properties["transactionReason"] == "PURCHASE")
  }

  @Test func laterPaymentsAreRenewals() throws {
    for (type, subtype) in [("DID_RENEW", nil), ("DID_RENEW", "BILLING_RECOVERY"), ("SUBSCRIBED", "RESUBSCRIBE")] {
      #expect(try Reading(AppStoreText.body(type, subtype)).lines(\.money) == ["renewal \(bought) \(user) 7.99 EUR"])
    }
  }

  /// The trial's grant makes its first renewal the conversion (definitions 1.5).
  @Test func aFreeTrialIsATrialAndAGrant() throws {
    let trial = AppStoreText.transaction(
      Self.first.merging([
        "offerType": "1", "offerDiscountType": "\"FREE_TRIAL\"", "offerPeriod": "\"P1W\"", "price": "0",
        "expiresDate": "\(AppStoreText.march + 7 * AppStoreText.day)",
      ]) { $1 })
    let reading = try Reading(AppStoreText.body("SUBSCRIBED", "INITIAL_BUY", transaction: trial))
    #expect(
      reading.lines(\.planName, \.trialEnds, \.money, \.offerType) == [
        "trial_start \(bought) \(user) monthly 2026-03-08T00:00:00.000Z - introductory",
        "conversion \(bought) \(user) monthly - 0.0 EUR introductory",
      ])
    // A paid offer is not a trial.
    let paid = AppStoreText.transaction(
      Self.first.merging(["offerType": "1", "offerDiscountType": "\"PAY_AS_YOU_GO\"", "price": "990"]) { $1 })
    #expect(
      try Reading(AppStoreText.body("SUBSCRIBED", "INITIAL_BUY", transaction: paid)).lines(\.money, \.offerType)
        == ["conversion \(bought) \(user) 0.99 EUR introductory"])
  }

  /// A payment is identified by its transaction, however often and in whatever payload it arrives.
  @Test func aTransactionIsOneEventInNotificationsAndHistories() throws {
    let transaction = AppStoreText.transaction()
    let history =
      #"{"revision":"r","hasMore":false,"bundleId":"com.example","signedTransactions":["\#(AppStoreText.signed(transaction))"]}"#
    let notifications =
      #"{"hasMore":false,"notificationHistory":[{"sendAttempts":[],"signedPayload":"\#(AppStoreText.signed(AppStoreText.payload("DID_RENEW", transaction: transaction)))"}]}"#
    let texts = [
      AppStoreText.body("DID_RENEW"), history, notifications, AppStoreText.signed(transaction), transaction,
      AppStoreText.signed(AppStoreText.payload("DID_RENEW", transaction: transaction)),
    ]
    var contents: Set<[UInt8]> = []
    for text in texts {
      let reading = try Reading(text)
      #expect(reading.kinds == ["renewal"], "\(text.prefix(60)): \(reading.reasons)")
      contents.formUnion(reading.events.map(\.canonicalJSONBytes))
    }
    #expect(contents.count == 1)
  }

  @Test func autoRenewTurnedOffAndOn() throws {
    #expect(
      try Reading(AppStoreText.body("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")).lines(\.reason)
        == ["cancellation \(signed) \(user) voluntary"])
    #expect(
      try Reading(AppStoreText.body("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED")).lines()
        == ["reactivation \(signed) \(user)"])
  }

  @Test func planChanges() throws {
    let renewal = #"{"autoRenewProductId":"pro_yearly","productId":"pro_monthly"}"#
    let change = "plan_change \(signed) \(user)"
    #expect(
      try Reading(AppStoreText.body("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", renewal: renewal))
        .lines(\.productID, \.previousProductID, \.planName, \.money) == ["\(change) pro_yearly pro_monthly yearly -"])
    let upgraded = AppStoreText.transaction([
      "productId": "\"pro_yearly\"", "transactionReason": "\"PURCHASE\"", "price": "49990",
    ])
    #expect(
      try Reading(AppStoreText.body("DID_CHANGE_RENEWAL_PREF", "UPGRADE", transaction: upgraded, renewal: renewal))
        .lines(\.productID, \.money) == ["\(change) pro_yearly -", "renewal \(bought) \(user) pro_yearly 49.99 EUR"])
  }

  @Test func failedChargesAndEnds() throws {
    let grace = #"{"gracePeriodExpiresDate":\#(AppStoreText.march + 16 * AppStoreText.day),"expirationIntent":2}"#
    let issue = try Reading(AppStoreText.body("DID_FAIL_TO_RENEW", "GRACE_PERIOD", renewal: grace))
    #expect(issue.events.map { $0.graceEndsAt?.description } == ["2026-03-17T00:00:00.000Z"])
    #expect(try Reading(AppStoreText.body("DID_FAIL_TO_RENEW")).kinds == ["billing_issue"])
    let ended = AppStoreText.transaction(["expiresDate": "\(AppStoreText.march + 1_000)"])
    for (subtype, reason) in [
      ("VOLUNTARY", "voluntary"), ("BILLING_RETRY", "billing"), ("PRICE_INCREASE", "price_increase"),
      ("PRODUCT_NOT_FOR_SALE", "product_unavailable"),
    ] {
      #expect(
        try Reading(AppStoreText.body("EXPIRED", subtype, transaction: ended)).lines(\.reason)
          == ["expiration 2026-03-01T00:00:01.000Z \(user) \(reason)"])
    }
    #expect(
      try Reading(AppStoreText.body("EXPIRED", transaction: ended, renewal: grace)).lines(\.reason)
        == ["expiration 2026-03-01T00:00:01.000Z \(user) billing"])
    #expect(
      try Reading(
        AppStoreText.body("REVOKE", transaction: AppStoreText.transaction(["inAppOwnershipType": "\"FAMILY_SHARED\""]))
      )
      .events.map { [$0.kind.name, "\($0.isFamilyShared)"] } == [["expiration", "true"]])
  }

  @Test func refundsAreWholeOrInPart() throws {
    let at = ["revocationDate": "\(AppStoreText.march + AppStoreText.day)", "revocationReason": "0"]
    let whole = AppStoreText.transaction(at)
    #expect(
      try Reading(AppStoreText.body("REFUND", transaction: whole)).lines(\.money, \.transactionID)
        == ["refund 2026-03-02T00:00:00.000Z \(user) - T2"])
    // The refund is half of 7.99.
    let part = AppStoreText.transaction(
      at.merging(["revocationType": "\"REFUND_PRORATED\"", "revocationPercentage": "50000"]) { $1 })
    #expect(try Reading(AppStoreText.body("REFUND", transaction: part)).events.map(\.money) == ["3.995 EUR"])
    // A history gives the payment and its refund.
    #expect(try Reading(whole).kinds == ["renewal", "refund"])
  }

  @Test func offersRedeemed() throws {
    let offer = ["offerType": "3", "offerIdentifier": "\"SPRING\"", "offerDiscountType": "\"PAY_UP_FRONT\""]
    let active = AppStoreText.transaction(offer)
    #expect(
      try Reading(AppStoreText.body("OFFER_REDEEMED", transaction: active)).lines(\.offerCode) == [
        "offer_redemption \(signed) \(user) SPRING"
      ])
    let initial = AppStoreText.transaction(offer.merging(Self.first) { $1 })
    #expect(
      try Reading(AppStoreText.body("OFFER_REDEEMED", "INITIAL_BUY", transaction: initial)).lines(
        \.offerCode, \.offerType) == [
          "offer_redemption \(signed) \(user) SPRING -", "conversion \(bought) \(user) SPRING offer_code",
        ])
  }

  @Test func productsThatDoNotRenew() throws {
    func charge(_ type: String) -> String {
      AppStoreText.body(
        "ONE_TIME_CHARGE",
        transaction: AppStoreText.transaction(
          Self.first.merging(["type": "\"\(type)\"", "expiresDate": "", "productId": "\"all\""]) { $1 }))
    }
    #expect(try Reading(charge("Non-Consumable")).events.map(\.planName) == ["lifetime"])
    #expect(try Reading(charge("Consumable")).notMapped == ["appstore:Consumable"])
    #expect(
      try Reading(charge("Non-Renewing Subscription"), plans: ["all": "yearly"]).events.map(\.planName) == ["yearly"])
  }

  /// The name and paid period of this product do not show its plan.
  @Test func thePlanIsWhatTheTransactionSaysOfPeriods() throws {
    func plan(_ more: String) throws -> [String?] {
      let text = AppStoreText.transaction(["productId": #""pro""#, "environment": #""Sandbox""#])
      return try Reading(String(text.dropLast()) + "," + more + "}").events.map(\.planName)
    }
    #expect(try plan(#""advancedCommerceInfo":{"period":"P3M"}"#) == ["quarterly"])
    #expect(try plan(#""billingPlanType":"MONTHLY""#) == ["monthly"])
    #expect(try plan(#""offerType":1,"offerDiscountType":"PAY_UP_FRONT","offerPeriod":"P6M""#) == ["semiannual"])
    #expect(try plan(#""offerType":1,"offerDiscountType":"PAY_AS_YOU_GO","offerPeriod":"P1M""#) == ["monthly"])
    // The length of a free trial does not show the plan.
    #expect(try plan(#""offerType":1,"offerDiscountType":"FREE_TRIAL","offerPeriod":"P1M""#) == [])
  }

  @Test func onlyProductionIsProduction() throws {
    for environment in ["Sandbox", "Xcode", "LocalTesting"] {
      let transaction = AppStoreText.transaction(["environment": "\"\(environment)\""])
      #expect(try Reading(AppStoreText.body("DID_RENEW", transaction: transaction)).events.map(\.isSandbox) == [true])
    }
  }

  @Test func withoutATokenTheSubscriptionIsThePerson() throws {
    let reading = try Reading(
      AppStoreText.body("DID_RENEW", transaction: AppStoreText.transaction(["appAccountToken": ""])))
    #expect(reading.events.map(\.userID) == ["T1"])
  }

  @Test func anExtendedTrialEndsLaterAndAnExtendedPeriodIsNoPayment() throws {
    #expect(try Reading(AppStoreText.body("RENEWAL_EXTENDED")).notMapped == ["appstore:RENEWAL_EXTENDED"])
    let trial = AppStoreText.transaction(
      Self.first.merging(["offerType": "1", "offerDiscountType": "\"FREE_TRIAL\"", "price": "0"]) { $1 })
    #expect(try Reading(AppStoreText.body("RENEWAL_EXTENDED", transaction: trial)).kinds == ["trial_start"])
  }

  @Test func othersAreKeptAsNotMapped() throws {
    for (type, subtype) in [
      ("TEST", nil), ("PRICE_INCREASE", "PENDING"), ("REFUND_DECLINED", nil), ("REFUND_REVERSED", nil),
      ("CONSUMPTION_REQUEST", nil), ("RENEWAL_EXTENSION", "SUMMARY"), ("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED"),
      ("RESCIND_CONSENT", nil), ("METADATA_UPDATE", nil), ("MIGRATION", nil), ("PRICE_CHANGE", nil), ("NEW", "TYPE"),
    ] {
      let reading = try Reading(AppStoreText.body(type, subtype))
      #expect(
        reading.events.isEmpty
          && reading.notMapped == ["appstore:" + [type, subtype].compactMap { $0 }.joined(separator: "/")])
    }
  }

  @Test func badTextsGoToQuarantine() throws {
    #expect(try Reading(#"{"signedPayload":"no text"}"#).reasons == ["invalid:signedPayload"])
    let broken = AppStoreText.payload("DID_RENEW", transaction: "{").replacingOccurrences(
      of: "\"version\"", with: "\"v\"")
    #expect(
      try Reading(#"{"signedPayload":"\#(AppStoreText.signed(broken))"}"#).reasons == ["invalid:signedTransactionInfo"])
    let priceless = AppStoreText.transaction(["price": ""])
    #expect(try Reading(AppStoreText.body("DID_RENEW", transaction: priceless)).reasons == ["missing:price"])
  }
}

/// Tests the vendor's own samples by their names and contents.
@Suite(.enabled(if: SharedFolder.isTried("data/appstore"), "\(SharedFolder.absence(of: "data/appstore"))"))
struct AppStoreSampleTests {
  @Test func eachIsWhatItsNameSays() throws {
    let expected: [(name: String, kinds: [String], reasons: [String])] = [
      // This `PURCHASE` is not the first transaction of its subscription; the revoked one is refunded as well.
      ("signedTransaction.json", ["renewal", "refund"], []),
      ("signedTransactionWithRevocation.json", ["renewal", "refund"], []),
      // These files have names in place of signed texts.
      ("signedNotification.json", [], ["invalid:signedTransactionInfo"]),
      ("getNotificationHistoryResponse.json", [], ["invalid:signedPayload", "invalid:signedPayload"]),
      ("transactionHistoryResponse.json", [], ["invalid:signed text", "invalid:signed text"]),
      ("signedConsumptionRequestNotification.json", [], ["not mapped"]),
      ("signedExternalPurchaseTokenNotification.json", [], ["not mapped"]),
      ("signedExternalPurchaseTokenSandboxNotification.json", [], ["not mapped"]),
      ("signedRescindConsentNotification.json", [], ["not mapped"]),
      ("signedSummaryNotification.json", [], ["not mapped"]),
      ("signedRenewalInfo.json", [], ["not mapped"]),
      ("testNotification", [], ["not mapped"]),
      ("transactionInfo", [], ["not mapped"]),
      ("renewalInfo", [], ["not mapped"]),
    ]
    for (name, kinds, reasons) in expected {
      let reading = try SharedPayloads.read("appstore/\(name)", SourceSettings(source: .appstore))
      #expect(reading.kinds == kinds && reading.reasons == reasons, "\(name): \(reading.kinds) \(reading.reasons)")
    }
    // The transaction is 10.99, refunded at 50%; the offer is a paid one for P1Y.
    let revoked = try SharedPayloads.read("appstore/signedTransactionWithRevocation.json")
    #expect(revoked.events.map(\.money) == ["10.99 USD", "5.495 USD"] && revoked.events[0].plan == .yearly)
    // The plan is a yearly commitment that is paid monthly, in periods of P1M.
    #expect(try SharedPayloads.read("appstore/signedTransaction.json").events[0].plan == .monthly)
  }

  /// If the signature is good, the text is rejected for another reason.
  @Test func verificationAcceptsAndRejectsWhatTheNamesSay() throws {
    let root = try Data(contentsOf: URL(fileURLWithPath: SharedPayloads.path("appstore/testCA.der")))
    let settings = SourceSettings(source: .appstore, verifier: try SignatureVerifier(rootCertificate: root))
    for name in ["testNotification", "transactionInfo", "renewalInfo"] {
      #expect(try SharedPayloads.read("appstore/\(name)", settings).reasons == ["not mapped"], "\(name)")
    }
    for name in ["missingX5CHeaderClaim", "wrongBundleId", "signedTransaction.json", "signedNotification.json"] {
      #expect(try SharedPayloads.read("appstore/\(name)", settings).reasons == ["bad_signature"], "\(name)")
    }
    // Another app's bundle id, and another root.
    let other = SourceSettings(
      source: .appstore, verifier: try SignatureVerifier(rootCertificate: root, bundleIDs: ["com.other"]))
    #expect(try SharedPayloads.read("appstore/testNotification", other).reasons == ["wrong_bundle_id"])
    let apple = SourceSettings(source: .appstore, verifier: try SignatureVerifier())
    #expect(try SharedPayloads.read("appstore/testNotification", apple).reasons == ["bad_signature"])
  }
}
