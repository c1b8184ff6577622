import Basics
import EventModel
import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

/// Expected events were derived by hand from Superwall's "Superwall Events" and the parameters that its SDK for iOS sends
/// with them.
@Suite struct SuperwallFragmentTests {
  private static let yaml =
    "{app: {value: tides}, id: id, name: event, user: user_id, time: timestamp, properties: none, include: superwall-sdk"

  private static func read(
    _ text: String, _ keys: String = "", _ money: SuperwallMoney = .server
  ) throws -> Reading {
    let mapping = try MappingFile(yaml: "\(yaml)\(keys)}", file: "m", superwallMoney: money)
    return try Reading(Array(text.utf8), SourceSettings(mapping: mapping))
  }

  private static func record(_ name: String, _ parameters: String) -> String {
    #"{"id":"\#(name)","event":"\#(name)","timestamp":"2026-03-01T00:00:00Z","user_id":"ann","properties":{"is_superwall":true,"app_session_id":"s","\#(parameters)}}"#
  }

  private static let shown =
    #"presented_by_event_name":"home","presented_by":"placement","paywall_identifier":"waves","paywall_id":"9","experiment_id":"77","variant_id":"8","#
  private static let product =
    shown
    + #""product_id":"tides.m","product_period":"month","product_raw_price":"5.49","product_currency_code":"EUR","product_trial_period_days":"7","product_raw_trial_period_price":"0","original_transaction_identifier":"T1","store_transaction_id":"T2""#

  private static let context = "home waves 77 8"

  private static func lines(_ reading: Reading) -> [String] {
    reading.lines(\.entryPoint, \.paywall, \.experiment, \.variant).map {
      $0.replacing("2026-03-01T00:00:00.000Z ann ", with: "")
    }
  }

  @Test func eventsOfPaywalls() throws {
    for (name, kind) in [
      ("paywall_open", "paywall_impression"), ("paywall_decline", "paywall_dismissal"),
      ("transaction_start", "purchase_started"),
    ] {
      #expect(try Self.lines(Self.read(Self.record(name, Self.product))) == ["\(kind) \(Self.context)"], "\(name)")
    }
    let fired =
      #"trigger_name":"home","result":"present","experiment_id":"77","variant_id":"8","paywall_identifier":"waves""#
    #expect(try Self.lines(Self.read(Self.record("trigger_fire", fired))) == ["exposure \(Self.context)"])
    let holdout = #"trigger_name":"home","result":"holdout","experiment_id":"77","variant_id":"9""#
    #expect(try Self.lines(Self.read(Self.record("trigger_fire", holdout))) == ["exposure home - 77 9"])
    // Without an experiment, nobody is exposed.
    for result in ["no_rule_match", "eventNotFound"] {
      let reading = try Self.read(Self.record("trigger_fire", #"trigger_name":"home","result":"\#(result)""#))
      #expect(reading.events.isEmpty && reading.rejected.isEmpty, "\(result)")
    }
    // A paywall that no placement presented.
    let code = #"presented_by_event_name":"","presented_by":"programmatically","paywall_identifier":"waves""#
    #expect(
      try Self.lines(Self.read(Self.record("paywall_open", code)))
        == ["paywall_impression programmatically waves - -"])
    #expect(
      try Self.read(Self.record("paywall_open", #"paywall_identifier":"waves""#)).reasons == ["missing:entry_point"])
  }

  /// A decline and the close that follows it are one dismissal; a close after a purchase is none.
  @Test func aPaywallIsDismissedOnce() throws {
    let text = ["paywall_open", "paywall_decline", "paywall_close"].map { Self.record($0, Self.product) }
    #expect(
      try Self.read(text.joined(separator: "\n")).kinds == ["paywall_impression", "paywall_dismissal"])
  }

  /// One set of parameters, as different services store it.
  @Test func layouts() throws {
    let members =
      #""presented_by_event_name":"home","paywall_identifier":"waves","experiment_id":"77","variant_id":"8""#
    let list = ["presented_by_event_name:home", "paywall_identifier:waves", "experiment_id:77", "variant_id:8"]
      .map { $0.split(separator: ":") }
      .map { #"{"key":"\#($0[0])","value":{"string_value":"\#($0[1])","int_value":null}}"# }
    let quoted = String(decoding: JSONNode.string("{\(members)}").json, as: UTF8.self)
    for parameters in [
      #""properties":{\#(members)}"#, #""properties":\#(quoted)"#, #""event_properties":{\#(members)}"#,
      #""event_params":[\#(list.joined(separator: ","))]"#, members,
    ] {
      let record =
        #"{"id":"1","event":"paywall_open","timestamp":"2026-03-01T00:00:00Z","user_id":"ann",\#(parameters)}"#
      #expect(try Self.lines(Self.read(record)) == ["paywall_impression \(Self.context)"], "\(parameters)")
    }
  }

  @Test func paymentsAreTheServersUnlessTheyAreTaken() throws {
    let names = ["subscription_start", "freeTrial_start", "nonRecurringProduct_purchase", "transaction_complete"]
    let text = names.map { Self.record($0, Self.product) }.joined(separator: "\n")
    let server = try Self.read(text)
    #expect(server.events.isEmpty && server.rejected.isEmpty)
    let sdk = try Self.read(text, "", .sdk)
    // The plan of a product that is bought once is not known.
    #expect(sdk.kinds == ["conversion", "trial_start"] && sdk.reasons == ["missing:plan"])
    let conversion = sdk.events[0]
    #expect(conversion.money == "5.49 EUR" && conversion.planName == "monthly" && conversion.productID == "tides.m")
    #expect(conversion.subscriptionID == "T1" && conversion.transactionID == "T2")
    #expect(conversion.entryPoint == "home" && conversion.variant == "8")
    let trial = sdk.events[1]
    #expect(trial.trialDays == 7 && trial.planName == "monthly" && trial.price == nil)
    let forever = Self.product.replacing("tides.m", with: "tides.lifetime")
    let lifetime = Self.record("nonRecurringProduct_purchase", forever)
    #expect(try Self.read(lifetime, "", .sdk).events.map(\.planName) == ["lifetime"])
    // An introductory offer at a price is no free trial.
    let offer = Self.product.replacing(#"trial_period_price":"0""#, with: #"trial_period_price":"0.99""#)
    let paid = try Self.read(Self.record("freeTrial_start", offer), "", .sdk).events
    #expect(paid.map(\.kind) == [.conversion] && paid[0].money == "0.99 EUR" && paid[0].offerType == "introductory")
  }

  /// A file's own rules and names to ignore come before those of the fragment, and its pattern for all others after what
  /// the fragment ignores.
  @Test func ownRulesComeFirst() throws {
    func kinds(_ name: String, _ keys: String) throws -> [String] {
      try Self.read(Self.record(name, Self.product), keys).kinds
    }
    #expect(try kinds("paywall_close", ", events: {paywall_close: paywall_dismissal}") == ["paywall_dismissal"])
    #expect(try kinds("paywall_open", ", events: {paywall_open: activity}") == ["activity"])
    #expect(try kinds("paywall_open", ", ignore: [paywall_open]") == [])
    #expect(try kinds("survey_response", #", events: {"*": activity}"#) == [])
    #expect(try kinds("survey_response", #", events: {"survey_*": activity}"#) == ["activity"])
    #expect(try kinds("lesson_done", #", events: {"*": activity}"#) == ["activity"])
    #expect(try kinds("paywall_open", #", events: {"*": activity}"#) == ["paywall_impression"])
    let reading = try Self.read(Self.record("lesson_done", Self.product))
    #expect(reading.notMapped == ["lesson_done"])
  }

  /// The events that the SDK has, and what its payments mean, are part of the mapping's meaning.
  @Test func theFragmentIsValid() throws {
    for money in SuperwallMoney.allCases {
      let mapping = try MappingFile(yaml: "\(Self.yaml)}", file: "m", superwallMoney: money)
      let kinds = SuperwallFragment.kinds(money)
      #expect(Set(mapping.events.keys) == Set(kinds.keys) && mapping.includesSuperwall)
      for (name, rules) in mapping.events { #expect(rules.first?.kind == kinds[name], "\(name)") }
      #expect(mapping.includedIgnored.isDisjoint(with: kinds.keys))
      #expect(mapping.includedIgnored.allSatisfy { SuperwallFragment.ignores($0, money) })
      // Paths of other layouts are no mistakes of the file.
      #expect(mapping.paths.map(\.text) == ["event", "user_id", "timestamp", "id"])
      #expect(mapping.explanation.contains("paywall_open → paywall_impression: superwall-sdk"))
    }
    func digest(_ keys: String, _ money: SuperwallMoney = .server) throws -> String {
      try MappingFile(
        yaml: "{name: n, user: u, time: t, events: {x: activity}\(keys)}", file: "m", superwallMoney: money
      ).digest
    }
    let all = [
      try digest(""), try digest(", include: superwall-sdk"), try digest(", include: superwall-sdk", .sdk),
    ]
    #expect(Set(all).count == 3)
    #expect(try digest("", .sdk) == all[0])
  }

  @Test func mistakes() throws {
    for (keys, message) in [
      ("include: superwal", "include is superwal, but must be superwall-sdk"),
      ("inclde: superwall-sdk", "did you mean include?"),
    ] {
      do throws(ConfigurationError) {
        _ = try MappingFile(yaml: "{name: n, user: u, time: t, events: {x: activity}, \(keys)}", file: "m")
        Issue.record("\(keys) was taken")
      } catch {
        #expect(error.description.contains(message), "\(error)")
      }
    }
    // With the fragment alone, events need a name but no rules of their own.
    do throws(ConfigurationError) {
      _ = try MappingFile(yaml: "{user: u, time: t, include: superwall-sdk}", file: "m")
      Issue.record("a missing name was taken")
    } catch {
      #expect(error.description.contains("name is missing"), "\(error)")
    }
  }

  /// The samples of the onboarding material: one paywall, shown in a test and declined.
  @Test(
    .enabled(
      if: SharedFolder.isTried("data/onboarding/payloads"), "\(SharedFolder.absence(of: "data/onboarding/payloads"))"))
  func theSamplesAreOnePaywall() throws {
    let yaml = Self.yaml.replacing("id: id, ", with: "") + "}"
    let settings = SourceSettings(mapping: try MappingFile(yaml: yaml, file: "m"))
    let reading = try SharedPayloads.read("onboarding/payloads/superwall-sdk.ndjson", settings)
    #expect(reading.kinds == ["exposure", "paywall_impression", "purchase_started", "paywall_dismissal"])
    #expect(Set(reading.events.map(\.entryPoint)) == ["home_card"] && reading.rejected.isEmpty)
    #expect(Set(reading.events.map(\.variant)) == ["8"] && Set(reading.events.map(\.paywall)) == ["waves_v2"])
  }
}
