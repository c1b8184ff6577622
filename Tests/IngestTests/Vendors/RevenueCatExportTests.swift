import EventModel
import EventSupport
import Testing

@testable import Ingest

/// Expected events were derived by hand from RevenueCat's "Scheduled Data Exports: transactions".
@Suite struct RevenueCatExportTests {
  private static let columns = [
    "rc_original_app_user_id", "rc_last_seen_app_user_id_alias", "country", "product_identifier", "product_duration",
    "start_time", "end_time", "grace_period_end_time", "store", "is_auto_renewable", "is_trial_period",
    "is_in_intro_offer_period", "is_sandbox", "price_in_usd", "purchase_price_in_usd", "tax_percentage",
    "commission_percentage", "store_transaction_id", "original_store_transaction_id", "refunded_at",
    "unsubscribe_detected_at", "billing_issues_detected_at", "purchased_currency", "price_in_purchased_currency",
    "purchase_price_in_purchased_currency", "renewal_number", "is_trial_conversion", "ownership_type", "updated_at",
    "entitlement_identifiers", "first_seen_time", "custom_subscriber_attributes",
  ]

  private static func file(
    delimiter: String = ",", yes: String = "true", no: String = "false", _ rows: [String: String]...
  ) -> String {
    let common = [
      "rc_original_app_user_id": "anon", "rc_last_seen_app_user_id_alias": "ann", "country": "DE",
      "product_identifier": "pro", "product_duration": "P1M", "start_time": "2026-03-01 00:00:00",
      "end_time": "2026-04-01 00:00:00", "store": "app_store", "is_auto_renewable": yes, "is_trial_period": no,
      "is_in_intro_offer_period": no, "is_sandbox": no, "price_in_usd": "8.14", "purchase_price_in_usd": "8.14",
      "tax_percentage": "0.19", "commission_percentage": "0.15", "store_transaction_id": "T2",
      "original_store_transaction_id": "T1", "purchased_currency": "EUR", "price_in_purchased_currency": "7.99",
      "purchase_price_in_purchased_currency": "7.99", "renewal_number": "2", "is_trial_conversion": no,
      "ownership_type": "PURCHASED", "updated_at": "2026-03-01 00:05:00", "entitlement_identifiers": "[\"\"pro\"\"]",
      "first_seen_time": "2026-01-01 03:00:00",
      "custom_subscriber_attributes": "{\"\"a\"\": {\"\"value\"\": \"\"1\"\"}}",
    ]
    let lines = rows.map { row in
      columns.map { column in
        let cell = row[column] ?? common[column] ?? ""
        return cell.contains("\"") ? "\"\(cell)\"" : cell
      }.joined(separator: delimiter)
    }
    return ([columns.joined(separator: delimiter)] + lines).joined(separator: "\n") + "\n"
  }

  private let at = "2026-03-01T00:00:00.000Z"

  @Test func eitherDelimiterAndEitherSpellingOfBooleansReadTheSame() throws {
    let trial = ["is_trial_period": "true", "renewal_number": "1"]
    let expected = try Reading(Self.file(trial, [:]), app: "steps").events.map(\.canonicalJSONBytes)
    let short = ["is_trial_period": "t", "renewal_number": "1"]
    let other = try Reading(Self.file(delimiter: ";", yes: "t", no: "f", short, [:]), app: "steps").events
    #expect(!expected.isEmpty && other.map(\.canonicalJSONBytes) == expected)
  }

  @Test func aRowIsAPaymentOfItsPlace() throws {
    let renewal = try Reading(Self.file([:]), app: "steps")
    #expect(renewal.rejected.isEmpty)
    #expect(
      renewal.lines(\.planName, \.money, \.previousUserID) == [
        "renewal \(at) ann monthly 7.99 EUR -", "identify 2026-01-01T03:00:00.000Z ann - - anon",
      ])
    let event = try #require(renewal.events.first)
    #expect(event.app == "steps" && event.subscriptionID == "T1" && event.transactionID == "T2")
    #expect(event.priceUSD == 8_140_000)
    let partly = [
      "refunded_at": "2026-03-05 00:00:00", "price_in_purchased_currency": "5.99", "price_in_usd": "6.10",
    ]
    // The refunds are 7.99 − 5.99 and 8.14 − 6.10.
    let refund = try Reading(Self.file(partly)).events.first { $0.kind == .refund }
    #expect(refund?.money == "2.0 EUR" && refund?.priceUSD == 2_040_000)
    #expect(event.taxPercentage == 0.19 && event.expires == "2026-04-01T00:00:00.000Z")
    #expect(event.receivedAt?.description == "2026-03-01T00:05:00.000Z")
    #expect(try Reading(Self.file(["is_trial_conversion": "true"])).kinds.first == "conversion")
    #expect(try Reading(Self.file(["renewal_number": "1", "store_transaction_id": "T1"])).kinds.first == "conversion")
    let trial = try Reading(
      Self.file(["is_trial_period": "true", "renewal_number": "1", "end_time": "2026-03-08 00:00:00"]))
    #expect(trial.lines(\.trialEnds, \.planName).first == "trial_start \(at) ann 2026-03-08T00:00:00.000Z monthly")
  }

  @Test func whatHappenedSinceIsAnEventOfItsOwn() throws {
    let row = [
      "refunded_at": "2026-03-05 00:00:00", "price_in_purchased_currency": "0", "price_in_usd": "0",
      "unsubscribe_detected_at": "2026-03-02 00:00:00", "billing_issues_detected_at": "2026-04-01 00:00:15",
      "grace_period_end_time": "2026-04-17 00:00:00",
    ]
    let reading = try Reading(Self.file(row))
    #expect(
      reading.lines(\.money) == [
        "renewal \(at) ann 7.99 EUR", "refund 2026-03-05T00:00:00.000Z ann -",
        "cancellation 2026-03-02T00:00:00.000Z ann -", "billing_issue 2026-04-01T00:00:15.000Z ann -",
        "identify 2026-01-01T03:00:00.000Z ann -",
      ])
    // The refund is 7.99 − 5.50.
    let part = try Reading(Self.file(["refunded_at": "2026-03-05 00:00:00", "price_in_purchased_currency": "5.5"]))
    #expect(part.events.filter { $0.kind == .refund }.map(\.money) == ["2.49 EUR"])
    // Older exports do not have the price of a refunded payment.
    let unknown = [
      "refunded_at": "2026-03-05 00:00:00", "purchase_price_in_purchased_currency": "", "purchase_price_in_usd": "",
    ]
    #expect(try Reading(Self.file(unknown)).reasons == ["missing:purchase_price_in_purchased_currency"])
    // The payment is unchanged, so it is an equal event.
    let before = try Reading(Self.file([:])).events[0]
    #expect(reading.events[0].canonicalJSONBytes == before.canonicalJSONBytes)
  }

  @Test func promotionalRowsAreGrantsAndUnlockedProductsLifetime() throws {
    let promotional = try Reading(Self.file(["store": "promotional", "product_duration": ""]))
    #expect(promotional.lines(\.money, \.offerType).first == "conversion \(at) ann 0.0 EUR promotional")
    let once = ["is_auto_renewable": "false", "end_time": "", "product_duration": ""]
    #expect(try Reading(Self.file(once)).events.map(\.planName).first == "lifetime")
    let coins = once.merging(["entitlement_identifiers": ""]) { $1 }
    #expect(try Reading(Self.file(coins)).notMapped == ["revenuecat:transaction of a product that unlocks nothing"])
  }

  @Test func wrongRowsAreOneLineEach() throws {
    let text =
      Self.file([:]) + "one,two\n"
      + Self.file(["store_transaction_id": "T3", "start_time": "yesterday"]).split(separator: "\n")[1] + "\n"
    let reading = try Reading(text)
    #expect(reading.kinds == ["renewal", "identify"] && reading.reasons == ["csv_cells", "invalid:ts"])
    #expect(reading.rejected.map(\.line) == [3, 4])
  }
}
