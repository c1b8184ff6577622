import Basics
import EventModel
import EventSupport
import Foundation
import PackingSupport
import Testing

@testable import Ingest

/// Tests that the content of each file determines its format.
@Suite struct SourceDetectionTests {
  private static let webhook =
    #"{"api_version":"1.0","event":{"type":"UNCANCELLATION","id":"A","event_timestamp_ms":1772323200000,"app_user_id":"ann"}}"#

  private func pretty(_ json: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
    return String(
      decoding: try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys]),
      as: UTF8.self)
  }

  @Test func payloadsMayStandOnLinesSpanThemOrBeInAnArray() throws {
    let pretty = try pretty(Self.webhook)
    let other = Self.webhook.replacingOccurrences(of: "\"A\"", with: "\"B\"")
    for (text, count) in [
      (Self.webhook, 1), (Self.webhook + "\r\n\r\n" + other + "\n", 2), (pretty, 1), (pretty + "\n" + pretty, 2),
      ("[\(Self.webhook),\(other)]", 2), ("[\n\(pretty),\n\(try self.pretty(other))\n]\n", 2),
      ("\u{FEFF}" + Self.webhook, 1), ("\n\n  \(Self.webhook)", 1), (Self.webhook + other, 2),
    ] {
      let reading = try Reading(text)
      #expect(reading.kinds == Array(repeating: "reactivation", count: count), "\(text.prefix(80))")
      #expect(reading.rejected.isEmpty)
    }
  }

  /// The pieces do not depend on how the bytes arrive.
  @Test func sizesOfBlocksAndChunksDoNotMatter() throws {
    let texts = [
      Self.webhook + "\n{broken\n" + Self.webhook, "[\(try pretty(Self.webhook)), \(try pretty(Self.webhook))]",
    ]
    for text in texts {
      let expected = try Reading(Array(text.utf8), SourceSettings())
      for chunk in [1, 7, 64, 1_000] {
        let reading = try Reading(Array(text.utf8), SourceSettings(), block: 16, chunk: chunk)
        #expect(reading.kinds == expected.kinds && reading.reasons == expected.reasons, "\(chunk)")
        #expect(reading.rejected.map(\.line) == expected.rejected.map(\.line))
      }
    }
  }

  @Test func compressedFilesAreFoundToo() throws {
    for bytes in [zstdFrame(Array(Self.webhook.utf8)), gzipMember(Array(Self.webhook.utf8))] {
      #expect(try Reading(bytes, SourceSettings()).kinds == ["reactivation"])
    }
  }

  /// A collector stores the time of receipt, and the body as JSON or as text.
  @Test func collectedBodiesKeepTheirReception() throws {
    let quoted = String(decoding: JSONNode.string(Self.webhook).json, as: UTF8.self)
    for body in [Self.webhook, quoted] {
      let reading = try Reading(#"{"received_at":"2026-03-01T00:00:09Z","source":"revenuecat","body":\#(body)}"#)
      #expect(reading.events.map { $0.receivedAt?.description } == ["2026-03-01T00:00:09.000Z"])
    }
  }

  @Test func nativeFilesStayNative() throws {
    let native = activityLine()
    for text in [native, "not JSON\n" + native, "\n" + native + "\n" + Self.webhook] {
      let reading = try Reading(text)
      #expect(reading.kinds == ["activity"])
    }
    let csv =
      "event_id,event,ts,app,user_id,rc_original_app_user_id,store_transaction_id\ne1,activity,1772323200000,steps,u1,x,y\n"
    #expect(try Reading(csv).kinds == ["activity"])
    // A record with two names of events shows that the file is native; without one, the file fails as a whole.
    #expect(
      try Reading("[1, 2]\n{\"event\":\"x\",\"ts\":1}\n").reasons == ["not_json_object", "missing:event_id"])
    #expect(try Reading("[1, 2]\n{\"a\":1}\n").failures.first?.hasPrefix("not in a known format.") == true)
    #expect(try Reading("").rejected.isEmpty)
  }

  /// A payload has the names of its own format alone, so that the order of the formats does not matter.
  @Test func payloadsAreOfOneFormatEach() {
    let payloads: [(format: VendorFormat?, text: String)] = [
      (.revenuecatWebhook, Self.webhook), (.appstore, #"{"signedPayload":"x"}"#),
      (.adaptyWebhook, #"{"profile_id":"p","event_type":"t","event_datetime":"d","event_properties":{}}"#),
      (.superwall, #"{"object":"event","type":"renewal","projectId":1,"applicationId":2,"timestamp":3,"data":{}}"#),
      (.googleplay, #"{"version":"1.0","packageName":"p","eventTimeMillis":"1","testNotification":{}}"#),
      (.googleplay, #"{"message":{"data":"e30=","messageId":"m"},"subscription":"s"}"#),
      (
        .googleplayOrders,
        #"{"orderId":"GPA.1","purchaseToken":"t","state":"PROCESSED","createTime":"c","total":{},"lineItems":[]}"#
      ),
      (.googleplaySubscriptions, #"{"kind":"k","startTime":"s","subscriptionState":"x","lineItems":[]}"#),
      (.stripe, #"{"id":"evt","object":"event","type":"t","data":{},"livemode":true,"created":1}"#),
      (.paddle, #"{"event_id":"e","event_type":"t","occurred_at":"o","notification_id":"n","data":{}}"#),
      (
        .qonversion,
        #"{"event_name":"t","user_id":"q","custom_user_id":"","time":1,"product_id":"p","revenue":{},"transaction":{}}"#
      ),
      (.qonversion, #"{"event_name":"t","user_id":"q","product_id":"p","transaction":{}}"#),
      // An app's own records, and those of an analytics service, are no vendor's.
      (nil, #"{"event_name":"t","user_id":"q","time":1,"product_id":"p","price":1}"#),
      (nil, #"{"event_name":"t","event_timestamp":1,"event_params":[],"user_id":"u","user_pseudo_id":"p"}"#),
      (nil, #"{"order_id":"o","state":"paid","items":[],"total":1,"created_at":1}"#),
    ]
    for (format, text) in payloads {
      let names = Array(text.utf8).withUnsafeBytes { Set(JSONExtent.names(of: $0)) }
      let found = VendorFormat.allCases.filter { format in
        !format.isCSV && format.signatures.contains { $0.isSubset(of: names) }
      }
      #expect(found == (format.map { [$0] } ?? []), "\(text)")
    }
    for format in VendorFormat.allCases where !format.isCSV {
      #expect(payloads.contains { $0.format == format }, "\(format.signatures) has no payload here")
    }
  }

  /// The help marks the files of a source that do not name the app, if it has any.
  @Test func theHelpTellsWhichFilesNameNoApp() {
    for source in EventSource.allCases {
      let lacksApps = source.formats.contains { $0.needsApp || $0.assumesApp }
      #expect(source.files.contains("*") == lacksApps, "\(source)")
    }
  }

  @Test func aNamedSourceTakesItsOwnFilesOnly() throws {
    #expect(try Reading(Self.webhook, as: .revenuecat).kinds == ["reactivation"])
    #expect(
      try Reading(Self.webhook, as: .appstore).failures == [
        "is a file of revenuecat, not of appstore; name its own format with --source, or leave --source out"
      ])
    #expect(
      try Reading(activityLine(), as: .revenuecat).failures == [
        "is a native file, not of revenuecat; leave --source out, or use --source native"
      ])
    // With `native`, a vendor's file is not detected.
    #expect(try Reading(Self.webhook, as: .native).failures.first?.contains("known members: event;") == true)
    // Text from no known source is quarantined piece by piece.
    #expect(try Reading("{\"a\":1}\nnonsense\n", as: .revenuecat).reasons == ["missing:type", "not_json_object"])
  }

  @Test func badInputIsOnePayloadEach() throws {
    func reasons(_ middle: [UInt8]) throws -> [String] {
      let line = Array((Self.webhook + "\n").utf8)
      let reading = try Reading(line + middle + [0x0A] + line, SourceSettings())
      #expect(reading.kinds == ["reactivation", "reactivation"])
      #expect(reading.rejected.map(\.line) == [2])
      return reading.reasons
    }
    #expect(try reasons(Array(Self.webhook.utf8.prefix(60))) == ["not_json_object"])
    #expect(try reasons(Array("nonsense".utf8)) == ["not_json_object"])
    #expect(try reasons([0x7B, 0xFF, 0x7D]) == ["invalid_utf8"])
    #expect(try reasons(Array("{\"a\":\"".utf8) + [0] + Array("\"}".utf8)) == ["nul"])
    #expect(try reasons([UInt8](repeating: UInt8(ascii: "x"), count: (1 << 20) + 1)) == ["line_too_long"])
    #expect(try reasons([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == ["not_json_object"])
    // A truncated document.
    let cut = try Reading(String(try pretty(Self.webhook).dropLast(20)))
    #expect(cut.events.isEmpty && cut.reasons == ["not_json_object"])
    // A document without an end is rejected once it exceeds the longest allowed line.
    let endless = "{\n\"api_version\":1,\"event\":{\n\"type\":\"" + String(repeating: "x", count: 3 << 20)
    #expect(try Reading(endless).reasons == ["line_too_long"])
  }

  @Test func quarantinedPayloadsReadAgainAlone() throws {
    let plain = Self.webhook.replacingOccurrences(of: "UNCANCELLATION", with: "INITIAL_PURCHASE").replacingOccurrences(
      of: "\"A\"", with: #""A","product_id":"p1","price":1,"currency":"EUR""#)
    let rejected = try Reading(plain).rejected
    #expect(rejected.map(\.reason) == ["missing:plan"])
    let decoder = try #require(EventDecoder(sources: SourceSettings(plans: ["p1": "yearly"])))
    #expect(decoder.decode(rejected[0].raw, number: 1) == nil)
    #expect(decoder.takeBatch().records.map(\.kind) == [.conversion])
  }
}

/// Tests which plan a product's name shows.
@Suite struct ProductPlansTests {
  @Test(
    arguments: [
      ("com.subscription.weekly", Plan.weekly), ("onemonth_no_trial", .monthly), ("premiummonthly", .monthly),
      ("pro_1y", .yearly), ("pro.P1Y", .yearly), ("ProYearly", .yearly), ("annual_7day_trial", .yearly),
      ("1week_trial_yearly", .yearly), ("pro_3_months", .quarterly), ("six_month", .semiannual), ("12m", .yearly),
      ("semiannual", .semiannual), ("halfYearly", .semiannual), ("sub:monthly-base", .monthly),
      ("pro_lifetime", .lifetime),
      ("pro", nil), ("week_6.99_nottrial", .weekly), ("monthly_or_yearly", nil), ("2months", .twoMonth),
      ("com.weekly.planner.yearly", nil),
    ] as [(String, Plan?)])
  func namesTellPlans(name: String, plan: Plan?) {
    #expect(ProductPlans.plan(name: name) == plan, "\(name)")
  }

  @Test func lengthsTellPlansWithinADay() {
    let day: Int64 = 86_400_000
    for (days, plan) in [
      (7, Plan.weekly), (28, .monthly), (31, .monthly), (61, .twoMonth), (92, .quarterly), (183, .semiannual),
      (366, .yearly),
    ] as [(Int64, Plan)] {
      #expect(ProductPlans.plan(period: days * day) == plan)
    }
    #expect(ProductPlans.plan(period: 14 * day) == nil && ProductPlans.plan(period: 400 * day) == nil)
  }
}
