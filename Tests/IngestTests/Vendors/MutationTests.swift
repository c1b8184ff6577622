import Basics
import EventModel
import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

/// Damages payloads of every source: nothing may crash, and no event may contain anything that its payload does not.
///
/// `TOLLGATE_MUTATIONS` sets the number of damaged payloads per source, such as 5000; the seeds are fixed.
@Suite struct MutationTests {
  private static let count = ProcessInfo.processInfo.environment["TOLLGATE_MUTATIONS"].flatMap { Int($0) } ?? 300

  /// One payload per source, in the source's format, with a header if it is CSV.
  private static let payloads: [(name: String, header: String, text: String)] = [
    (
      "revenuecat", "",
      #"{"api_version":"1.0","event":{"type":"RENEWAL","id":"A","event_timestamp_ms":1772323260000,"app_id":"steps","app_user_id":"ann","aliases":["anon"],"product_id":"pro_monthly","period_type":"NORMAL","purchased_at_ms":1772323200000,"expiration_at_ms":1775001600000,"environment":"PRODUCTION","price_in_purchased_currency":7.99,"currency":"EUR","transaction_id":"T2","original_transaction_id":"T1","store":"APP_STORE","is_trial_conversion":false}}"#
    ),
    ("appstore", "", AppStoreText.transaction()),
    ("appstore signed", "", AppStoreText.body("DID_RENEW")),
    (
      "adapty", "",
      #"{"profile_id":"P","customer_user_id":"ann","event_type":"subscription_renewed","event_datetime":"2026-03-01T00:00:00.000000+0000","event_properties":{"store":"app_store","currency":"EUR","price_local":7.99,"environment":"Production","vendor_product_id":"pro_monthly","subscription_expires_at":"2026-04-01T00:00:00.000000+0000","profile_event_id":"E"}}"#
    ),
    (
      "adapty visits", "profile_id,customer_user_id,paywall_showed_at,developer_id,paywall_name",
      "P,ann,2026-03-01 10:00:00,settings_card,\"Blue, big\""
    ),
    (
      "superwall", "",
      #"{"object":"event","type":"renewal","projectId":1,"applicationId":2,"timestamp":1772323260500,"data":{"id":"W","name":"renewal","periodType":"NORMAL","priceInPurchasedCurrency":7.99,"currencyCode":"EUR","expirationAt":1775001600000,"originalTransactionId":"T1","originalAppUserId":"ann","store":"APP_STORE","purchasedAt":1772323200000,"productId":"pro_monthly","environment":"PRODUCTION","ts":1772323260000}}"#
    ),
    (
      "googleplay", "",
      #"{"version":"1.0","packageName":"com.example","eventTimeMillis":"1772323200000","subscriptionNotification":{"version":"1.0","notificationType":13,"purchaseToken":"token","subscriptionId":"pro"}}"#
    ),
    (
      "qonversion", "",
      #"{"event_name":"subscription_renewed","user_id":"q","custom_user_id":"ann","identity_id":"","time":1772323200,"created_at":1772323260,"product_id":"pro_monthly","environment":"production","platform":"iOS","revenue":{"value":7.99,"value_usd":8.63,"currency":"EUR","is_proceed":0,"proceeds_rate":85},"price":{"value":7.99,"value_usd":8.63,"currency":"EUR"},"transaction":{"transaction_id":1001,"original_transaction_id":1000,"expires":1775001600}}"#
    ),
    (
      "stripe", "",
      #"{"id":"evt_1","object":"event","api_version":"2025-08-27.basil","created":1772323200,"livemode":true,"type":"invoice.paid","data":{"object":{"id":"in_1","object":"invoice","customer":"cus_1","currency":"usd","amount_paid":499,"total":499,"status":"paid","billing_reason":"subscription_cycle","created":1772323100,"status_transitions":{"paid_at":1772323200},"lines":{"data":[{"amount":499,"period":{"start":1772323200,"end":1775001600},"price":{"id":"price_m","product":"prod_m","recurring":{"interval":"month","interval_count":1},"metadata":{"tier":"family"}}}]},"parent":{"subscription_details":{"subscription":"sub_1","metadata":{"user_id":"ann"}}}}}}"#
    ),
    (
      "paddle", "",
      #"{"event_id":"evt_1","event_type":"transaction.completed","occurred_at":"2026-03-01T00:00:00.123456Z","notification_id":"ntf_1","data":{"id":"txn_1","status":"completed","origin":"subscription_recurring","customer_id":"ctm_1","subscription_id":"sub_1","custom_data":null,"currency_code":"USD","billed_at":"2026-03-01T00:00:00Z","billing_period":{"starts_at":"2026-03-01T00:00:00Z","ends_at":"2026-06-01T00:00:00Z"},"items":[{"price":{"id":"pri_m","product_id":"pro_m","name":"Pro","billing_cycle":{"interval":"month","frequency":3},"custom_data":{"tier":"family"}},"trial_dates":{"starts_at":"2026-03-01T00:00:00Z","ends_at":"2026-03-08T00:00:00Z"}}],"details":{"totals":{"tax":"100","total":"500","grand_total":"500","fee":"25"}}}}"#
    ),
    (
      "revenuecat export",
      "rc_original_app_user_id,store_transaction_id,original_store_transaction_id,renewal_number,product_identifier,product_duration,start_time,end_time,purchase_price_in_purchased_currency,purchased_currency,refunded_at",
      "ann,T2,T1,2,pro,P1M,2026-03-01 00:00:00,2026-04-01 00:00:00,7.99,EUR,2026-03-05 00:00:00"
    ),
  ]

  @Test func everySourceOfEventsHasAPayload() {
    for source in EventSource.allCases where !source.formats.isEmpty && source != .appstoreconnect {
      #expect(Self.payloads.contains { $0.name.hasPrefix(source.rawValue) }, "\(source)")
    }
  }

  /// Payloads of these name no app.
  private static func app(of source: String) -> String? {
    EventSource(rawValue: source)?.formats.allSatisfy(\.needsApp) ?? false ? "steps" : nil
  }

  /// Flips, drops, doubles or swaps bytes, truncates, or exchanges values.
  private static func mutated(_ text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = text
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(bytes[place], at: place)
      case 4: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 4)
      case 5:
        let words = ["null", "-1", "1e999", "\"\"", "[]", "{}", "true", "99999999999999999999", "\"\\u0000\"", "-7.99"]
        let end = min(bytes.count, place + Int.random(in: 1...12, using: &random))
        bytes.replaceSubrange(place..<end, with: words[Int.random(in: 0..<words.count, using: &random)].utf8)
      default:
        let other = Int.random(in: 0..<bytes.count, using: &random)
        bytes.swapAt(place, other)
      }
    }
    return bytes
  }

  /// Returns every number and text of a JSON value, including signed and encoded texts.
  private static func leaves(_ value: Any?) -> Set<String> {
    switch value {
    case let object as [String: Any]: return object.values.reduce(into: []) { $0.formUnion(leaves($1)) }
    case let array as [Any]: return array.reduce(into: []) { $0.formUnion(leaves($1)) }
    case let text as String:
      guard let signed = SignedText(text) else { return [text] }
      return leaves(try? JSONSerialization.jsonObject(with: Data(signed.payload.json)))
    case let number as NSNumber: return [number.stringValue, "\(abs(number.doubleValue))"]
    default: return []
    }
  }

  @Test(arguments: payloads.indices)
  func damagedPayloadsAddNothing(place: Int) throws {
    let (name, header, text) = Self.payloads[place]
    var random = SplitMix64(seed: UInt64(place) + 77)
    let folder = try TemporaryDirectory()
    var accepted = 0
    for round in 0..<Self.count {
      let bytes = Self.mutated(Array(text.utf8), &random)
      let file = try folder.write(header.isEmpty ? bytes : Array((header + "\n").utf8) + bytes, to: "\(round % 8)")
      let settings = SourceSettings(app: Self.app(of: name))
      let reading = try Reading(BatchReader(inputs: try InputFile.discover([file]), sources: settings))
      accepted += reading.events.isEmpty ? 0 : 1
      guard !reading.events.isEmpty else { continue }
      #expect(reading.events.count <= 3, "\(name) \(round): \(String(decoding: bytes, as: UTF8.self))")
      if header.isEmpty {
        let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        // Foundation is stricter about numbers beyond doubles; if it reads the payload, the payload's values must
        // include the event's.
        guard let value else { continue }
        let leaves = Self.leaves(value)
        let line = String(decoding: bytes, as: UTF8.self)
        // For repeated names, Foundation keeps any value.
        func says(_ text: String) -> Bool { leaves.contains(text) || line.contains(text) }
        for event in reading.events {
          #expect(says(event.userID), "\(name) \(round): \(event.userID)")
          if let price = event.price, price > 0 {
            // Amounts are in units, in hundredths or, for the App Store, in thousandths.
            let micro = Double(price)
            let amounts = leaves.compactMap(Double.init).flatMap { [abs($0) * 1e6, abs($0) * 1e4, abs($0) * 1e3] }
            #expect(
              amounts.contains { abs($0 - micro) <= 1 + micro * 1e-9 },
              "\(name) \(round): \(price) of \(line)")
          }
          if let product = event.productID { #expect(says(product), "\(name) \(round)") }
          if let transaction = event.transactionID { #expect(says(transaction), "\(name) \(round)") }
        }
      } else {
        let line = String(decoding: bytes, as: UTF8.self)
        for event in reading.events where event.kind != .identify {
          #expect(line.contains(event.userID), "\(name) \(round)")
          if let product = event.productID { #expect(line.contains(product), "\(name) \(round)") }
        }
      }
    }
    // Some damaged payloads must stay valid (few of the signed ones do); otherwise the test would prove nothing.
    #expect(accepted > 0, "\(name): \(accepted)")
  }

  @Test func theUndamagedPayloadsAreEvents() throws {
    for (name, header, text) in Self.payloads {
      let reading = try Reading(
        header.isEmpty ? text : header + "\n" + text, app: Self.app(of: name))
      #expect(!reading.events.isEmpty && reading.rejected.isEmpty, "\(name): \(reading.reasons)")
    }
  }
}
