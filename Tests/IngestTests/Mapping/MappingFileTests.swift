import Basics
import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

/// Tests the examples of `SampleData/mappings` on records in their vendors' export formats.
@Suite struct MappingFileTests {
  private static func mapping(_ name: String) throws -> MappingFile {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let path = package.appendingPathComponent("SampleData/mappings/\(name).yaml").path
    return try MappingFile(yaml: String(contentsOfFile: path, encoding: .utf8), file: name)
  }

  private static func read(_ text: String, _ name: String) throws -> Reading {
    try Reading(Array(text.utf8), SourceSettings(mapping: try mapping(name)))
  }

  private let at = "2026-03-01T00:00:00.000Z"

  @Test func mixpanel() throws {
    let text = #"""
      {"event":"Paywall Viewed","properties":{"time":1772323200,"distinct_id":"ann","$insert_id":"I1","$os":"iOS","mp_country_code":"DE","source":"settings","paywall_id":"blue","experiment":"x","variant":"b","price_yearly":19.99,"currency":"EUR","theme":"dark"}}
      {"event":"$identify","properties":{"time":1772323201,"distinct_id":"ann","$insert_id":"I2","$anon_distinct_id":"anon"}}
      {"event":"Song Played","properties":{"time":1772323202,"distinct_id":"ann","$insert_id":"I3"}}
      """#
    let reading = try Self.read(text, "mixpanel")
    #expect(reading.rejected.isEmpty && reading.parts.map(\.lineCount) == [3])
    #expect(
      reading.lines(\.entryPoint, \.variant, \.previousUserID) == [
        "paywall_impression \(at) ann settings b -", "identify 2026-03-01T00:00:01.000Z ann - - anon",
      ])
    let event = try #require(reading.events.first)
    #expect(event.app == "steps" && event.eventID == "I1" && event.platform == "ios" && event.country == "DE")
    #expect(event.priceYearly == 19_990_000 && event.properties["theme"] == "dark" && event.properties["source"] == nil)
  }

  @Test func amplitude() throws {
    let text = #"""
      {"$insert_id":"I1","event_type":"Paywall Viewed","user_id":"ann","device_id":"D","event_time":"2026-03-01 00:00:00.000000","server_received_time":"2026-03-01 00:00:02.500000","country":"Germany","platform":"iOS","event_properties":{"source":"settings"},"user_properties":{"theme":"dark"}}
      {"uuid":"U2","event_type":"$exposure","user_id":null,"device_id":"D","event_time":"2026-03-01 00:00:00","event_properties":{"flag_key":"x","variant":"on"},"user_properties":{}}
      """#
    let reading = try Self.read(text, "amplitude")
    #expect(
      reading.lines(\.entryPoint, \.experiment, \.country) == [
        "paywall_impression \(at) ann settings - DE", "exposure \(at) D - x -",
      ])
    #expect(reading.events.map(\.eventID) == ["I1", "U2"] && reading.events[0].properties["theme"] == "dark")
    #expect(reading.events[0].receivedAt?.description == "2026-03-01T00:00:02.500Z")
  }

  @Test func segment() throws {
    let text = #"""
      {"type":"track","event":"Paywall Viewed","messageId":"M1","anonymousId":"anon","userId":"ann","timestamp":"2026-03-01T00:00:00.000Z","receivedAt":"2026-03-01T00:00:01.000Z","properties":{"source":"settings"},"context":{"app":{"version":"2.1"},"os":{"name":"iOS"}}}
      {"type":"identify","messageId":"M2","anonymousId":"anon","userId":"ann","timestamp":"2026-03-01T00:00:00.000Z","traits":{"theme":"dark"}}
      """#
    let reading = try Self.read(text, "segment")
    #expect(
      reading.lines(\.appVersion, \.platform, \.previousUserID)
        == ["paywall_impression \(at) ann 2.1 ios -", "identify \(at) ann - - anon"])
  }

  @Test func posthog() throws {
    let text = #"""
      {"uuid":"U1","event":"paywall viewed","distinct_id":"ann","timestamp":"2026-03-01T00:00:00+00:00","properties":{"source":"settings","$geoip_country_code":"DE","$os":"Android"}}
      {"uuid":"U2","event":"$feature_flag_called","distinct_id":"ann","timestamp":"2026-03-01T00:00:00Z","properties":{"$feature_flag":"x","$feature_flag_response":true}}
      """#
    let reading = try Self.read(text, "posthog")
    #expect(reading.kinds == ["paywall_impression"] && reading.events[0].platform == "android")
    // A boolean flag has no variant name; in practice, a mapping would list its values.
    #expect(reading.reasons == ["invalid:variant"])
  }

  @Test func anyCSV() throws {
    let text = """
      order_id;customer;kind;sku;amount;currency;created_at;paid_until;channel
      1;ann;new;SKU-12;19.99;eur;2026-03-01 00:00:00;2027-03-01;mail
      2;ann;back;SKU-12;-19.99;EUR;2026-03-02;;mail
      3;bob;gift;SKU-12;0;EUR;2026-03-02;;mail
      """
    let reading = try Self.read(text, "orders")
    #expect(
      reading.lines(\.planName, \.money, \.expires) == [
        "conversion \(at) ann yearly 19.99 EUR 2027-03-01T00:00:00.000Z",
        "refund 2026-03-02T00:00:00.000Z ann yearly 19.99 EUR -",
      ])
    #expect(reading.notMapped == ["gift"] && reading.events[0].properties["channel"] == "mail")
  }

  /// Without an id from the source, equal records are one event and different records are different events.
  @Test func theContentIdentifiesWhatHasNoId() throws {
    let mapping = try MappingFile(
      yaml: "{app: {value: a}, name: n, user: u, time: t, events: {x: activity}}", file: "m")
    let text =
      #"{"n":"x","u":"1","t":1772323200}"# + "\n" + #"{"n":"x","u":"1","t":1772323200}"# + "\n"
      + #"{"n":"x","u":"2","t":1772323200}"#
    let events = try Reading(Array(text.utf8), SourceSettings(mapping: mapping)).events
    #expect(events.count == 3 && Set(events.map(\.eventID)).count == 2)
  }

  @Test(arguments: [
    ("", "m: is empty"),
    ("a: [", "is not YAML"),
    ("name: n", "user is missing"),
    ("{name: n, user: u, time: t}", "events is missing"),
    ("{name: n, user: u, time: t, events: {x: seen}}", "events.x is seen, but must be one of exposure"),
    ("{name: n, user: u, time: t, events: {x: {fields: {}}}}", "events.x has no kind"),
    ("{name: n, user: u, time: t, evnts: {}}", "evnts is not a key; expected one of app"),
    (
      "{name: n, user: u, time: t, events: {x: {kind: activity, fields: {colour: c}}}}",
      "events.x.fields.colour is not a field of an event"
    ),
    ("{name: {values: {a: b}}, user: u, time: t, events: {x: activity}}", "name must have a path or a value"),
  ])
  func mistakesSayWhatAndWhere(yaml: String, message: String) {
    do throws(ConfigurationError) {
      _ = try MappingFile(yaml: yaml, file: "m")
      Issue.record("\(yaml) was taken")
    } catch {
      #expect(error.description.contains(message), "\(error)")
    }
  }
}
