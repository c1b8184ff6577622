import Basics
import EventModel
import EventSupport
import Testing

@testable import Ingest

/// Tests the section "Values" of Events.md, and the results of valid lines.
@Suite struct ValuesTests {
  @Test func everyFieldArrives() throws {
    let text = #"""
      {"event_id":"e1","event":"identify","ts":"2026-03-01T01:00:00+01:00","app":"steps","user_id":"u1",
      "received_at":1772323200001,"platform":"ios","store":"app_store","country":"de","app_version":"4.1",
      "environment":"sandbox","properties":{"b":"2","a":1.50},"entry_point":"settings_card","experiment":"headline",
      "variant":"b","paywall":"p1","offering":"o1","price_weekly":0.99,"price_monthly":"6.99","price_yearly":3999e-2,
      "price_lifetime":99,"tier":"family","product_id":"steps.monthly","plan":"two_month","price":6.99,"currency":"eur","price_usd":"7.5200005",
      "tax_percentage":0.19,"commission_percentage":0.15,"subscription_id":"S1","transaction_id":"T1","subscription_started_at":"2026-02-28T23:59:59.5Z",
      "expires_at":"2026-04-01T00:00:00Z","ownership":"family_shared","offer_type":"win_back","offer_code":"C1",
      "limit_name":"runs","limit":10,"used":2.5,"trial_days":7,"trial_ends_at":1772928000000,"trial_kind":"app",
      "previous_product_id":"steps.weekly","reason":"free text","grace_ends_at":1772409600000,
      "previous_user_id":"u0","extra":true}
      """#.replacing("\n", with: "")
    let event = try #require(try decode(text).event)
    #expect(event.receivedAt?.millisecondsSince1970 == 1_772_323_200_001)
    #expect(
      event.canonicalJSON()
        == #"""
        {"app":"steps","app_version":"4.1","commission_percentage":0.15,"country":"DE","currency":"EUR",
        "entry_point":"settings_card","environment":"sandbox","event":"identify","event_id":"e1",
        "experiment":"headline","expires_at":1775001600000,"grace_ends_at":1772409600000,"limit":10,
        "limit_name":"runs","offer_code":"C1","offer_type":"win_back","offering":"o1","ownership":"family_shared",
        "paywall":"p1","plan":"two_month","platform":"ios","previous_product_id":"steps.weekly",
        "previous_user_id":"u0","price":6.99,"price_lifetime":99,"price_monthly":6.99,"price_usd":7.52,
        "price_weekly":0.99,"price_yearly":39.99,"product_id":"steps.monthly",
        "properties":{"a":"1.50","b":"2","extra":"true"},"reason":"free text","store":"app_store",
        "subscription_id":"S1","subscription_started_at":1772323199500,"tax_percentage":0.19,"tier":"family","transaction_id":"T1","trial_days":7,
        "trial_ends_at":1772928000000,"trial_kind":"app","ts":1772323200000,"used":2.5,"user_id":"u1","variant":"b"}
        """#.replacing("\n", with: ""))
  }

  @Test func nullAndEmptyStringsAreAbsent() throws {
    let optional = EventField.allCases.dropFirst(5).map(\.name)
    let plain = try #require(try decode(activityLine()).event)
    for value in ["null", "\"\""] {
      let members = optional.map { #""\#($0)":\#(value)"# }.joined(separator: ",")
      #expect(try decode(activityLine(members)).event?.canonicalJSONBytes == plain.canonicalJSONBytes)
    }
  }

  @Test func explicitDefaultsEqualAbsentFields() throws {
    let defaults = #""environment":"production","tier":"individual","ownership":"purchased""#
    #expect(
      try decode(activityLine(defaults)).event?.canonicalJSONBytes == decode(activityLine()).event?.canonicalJSONBytes)
    let cancellation = try decode(eventLine("cancellation")).event
    #expect(cancellation?.reason == "voluntary")
    #expect(
      try decode(eventLine("cancellation", #""reason":"voluntary""#)).event?.canonicalJSONBytes
        == cancellation?.canonicalJSONBytes)
    let trial = try decode(eventLine("trial_start", #""trial_days":7,"plan":"monthly""#)).event
    #expect(trial?.trialKind == "introductory")
    #expect(try decode(eventLine("expiration")).event?.reason == nil)
  }

  @Test(arguments: [
    ("17", "17"), ("17.0", "17"), ("1e3", "1000"), ("-0", "0"), ("12345678901234567890123", "12345678901234567890123"),
  ])
  func integersAreTakenAsTextWhereIdsStand(number: String, text: String) throws {
    let ids = #""subscription_id":\#(number),"transaction_id":\#(number),"product_id":\#(number)"#
    let event = try decode(
      #"{"event_id":\#(number),"event":"activity","ts":1772323200000,"app":"steps","user_id":\#(number),\#(ids)}"#
    ).event
    #expect(event?.eventID == text)
    #expect(event?.userID == text)
    #expect(event?.subscriptionID == text)
    #expect(event?.transactionID == text)
    #expect(event?.productID == text)
  }

  @Test(arguments: ["1772323200000", "1.7723232e12", "1772323200000.0", "17723232000000e-1"])
  func epochMillisecondsAreIntegersHoweverWritten(number: String) throws {
    let text = #"{"event_id":"e","event":"activity","ts":\#(number),"app":"steps","user_id":"u"}"#
    #expect(try decode(text).event?.ts.description == "2026-03-01T00:00:00.000Z")
  }

  @Test func escapesStandForTheirCharacters() throws {
    let escaped = #"\"\\\/\b\f\n\r\t\u00e9\u65e5\ud83d\ude00\u001f é"#
    let event = try #require(try decode(activityLine(#""variant":"\#(escaped)","x":"\#(escaped)""#)).event)
    let text = "\"\\/\u{8}\u{C}\n\r\té日😀\u{1F} é"
    #expect(event.variant.map { Array($0.utf8) } == Array(text.utf8))
    #expect(event.properties["x"].map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test func stringsAreKeptByteForByte() throws {
    let composed = try decode(activityLine("\"variant\":\"\u{E9}\"")).event
    let decomposed = try decode(activityLine("\"variant\":\"e\u{301}\"")).event
    #expect(composed?.canonicalJSONBytes != decomposed?.canonicalJSONBytes)
    #expect(try decode(activityLine(#""variant":" a ""#)).event?.variant == " a ")
  }

  @Test func propertiesAndUnknownFieldsBecomeOneSortedObjectOfTexts() throws {
    let members = #"""
      "zeta":1.50,"a":null,"properties":{"n":1e2,"flag":false,"empty":"","nothing":null,"nested": {"x" : [1, "\n"]},
      "list":[ 1 ],"é":"\u00e9","Z":"q\"","dup":1,"dup":2,"both":"inner"},"both":"outer","only":"outer"
      """#.replacing("\n", with: "")
    let event = try #require(try decode(activityLine(members)).event)
    #expect(
      String(decoding: event.properties.json, as: UTF8.self)
        == #"""
        {"Z":"q\"","both":"inner","dup":"2","flag":"false","list":"[ 1 ]","n":"1e2","nested":"{\"x\" : [1, \"\\n\"]}",
        "only":"outer","zeta":"1.50","é":"é"}
        """#.replacing("\n", with: ""))
  }

  @Test func anAbsentPropertyLeavesTheUnknownFieldOfItsNameStanding() throws {
    #expect(try decode(activityLine(#""x":"1","properties":{"x":null}"#)).event?.properties["x"] == "1")
    #expect(try decode(activityLine(#""properties":{"x":"1","x":null}"#)).event?.properties == EventProperties.none)
    #expect(try decode(activityLine(#""properties":{}"#)).event?.properties == EventProperties.none)
  }

  @Test func hundredsOfPropertiesAreSortedAsWellAsFew() throws {
    var generator = SplitMix64(seed: 23)
    for count in [1, 2, 15, 16, 17, 18, 300] {
      let names = (0..<count).map { _ in "k\(Int.random(in: 0..<200, using: &generator))" }
      let members = names.enumerated().map { #""\#($1)":\#($0)"# }.joined(separator: ",")
      let expected = EventProperties(names.enumerated().map { (name: $1, value: String($0)) })
      #expect(try decode(activityLine(members)).event?.properties == expected)
    }
  }

  @Test func whiteSpaceOfJSONIsAllowedBetweenTokens() throws {
    let spaced =
      "\t { \"event_id\" :\t\"e1\" , \"event\": \"activity\",\"ts\" : 1772323200000 ,\"app\":\"steps\" ,\"user_id\":\"u1\" } \r"
    #expect(try decode(spaced).event?.canonicalJSONBytes == decode(activityLine()).event?.canonicalJSONBytes)
  }

  @Test func previousUserIsKeptOfIdentifyOnly() throws {
    #expect(try decode(eventLine("identify", #""previous_user_id":"u0""#)).event?.previousUserID == "u0")
    #expect(try decode(activityLine(#""previous_user_id":"u0""#)).event?.previousUserID == nil)
  }

  @Test func identityAndPersonsAreHashedUnderTheirApp() throws {
    let decoder = try #require(EventDecoder())
    for app in ["steps", "runs", "steps"] {
      let text = activityLine().replacing("steps", with: app)
      #expect(decoder.decode(Array(text.utf8), number: 1) == nil)
    }
    let batch = decoder.takeBatch()
    #expect(batch.records[0].identityHash == batch.records[2].identityHash)
    #expect(batch.records[0].identityHash != batch.records[1].identityHash)
    #expect(batch.records.map(\.user) == [0, 1, 0])
    let seed = Array("runs".utf8).withUnsafeBytes { ByteHash.hash($0) }
    #expect(batch.users[1].hash == Array("u1".utf8).withUnsafeBytes { ByteHash.hash($0, seed: seed) })
    #expect(batch.records[1].identityHash == Array("e1".utf8).withUnsafeBytes { ByteHash.hash($0, seed: seed) })
  }

  @Test func aRejectedLineLeavesNothingInTheBatch() throws {
    let decoder = try #require(EventDecoder())
    #expect(decoder.decode(Array(activityLine().utf8), number: 1) == nil)
    let bad = activityLine(#""platform":"never seen before","variant":"nor this","used":"x""#)
    #expect(decoder.decode(Array(bad.utf8), number: 2)?.reason == "invalid:used")
    let otherApp = activityLine(#""used":"x""#).replacing("steps", with: "junk")
    #expect(decoder.decode(Array(otherApp.utf8), number: 3)?.reason == "invalid:used")
    #expect(
      decoder.decode(Array(activityLine(#""platform":"ios""#).replacing("steps", with: "runs").utf8), number: 4) == nil)
    let batch = decoder.takeBatch()
    #expect((0..<batch.names.count).map { batch.names[UInt32($0)] } == ["", "steps", "runs", "ios"])
    #expect(batch.records.map { batch.names[batch.clients.rows[Int($0.client)].app] } == ["steps", "runs"])
  }
}
