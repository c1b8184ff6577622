import Basics
import EventModel
import EventSupport
import Testing

@testable import Ingest

/// Tests the table "Rejected lines" of Events.md, and the ranges of its field tables.
@Suite struct BadInputTests {
  @Test(arguments: [
    "this is not JSON", "[1,2,3]", "\"text\"", "17", "null", "{\"event_id\":\"q1\"", "{} {}", "{},", "{\"a\":1,}",
    "{,}",
    "{\"a\" 1}", "{\"a\":}", "{'a':1}", "{a:1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}",
    "{\"a\":-}", "{\"a\":nul}", "{\"a\":True}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\uD800\"}",
    "{\"a\":\"\\uDC00\"}", "{\"a\":\"\\uD800\\u0041\"}", "{\"a\":\"\\uD800\\uD800\"}", "{\"a\":\"tab\there\"}",
    "{\"a\":\"open}", "{\"a\":[1,]}", "{\"a\":[1 2]}", "{\"a\":{\"b\"}}", "{\"a\":{\"b\":\"\\uD800\"}}", "{\"a\":1}x",
    "{\"a\":/* */1}", "{\"properties\":{\"a\":1,}}", "{\"properties\":{\"a\":}}", "{\"a\":Infinity}", "{\"a\":1}}",
  ])
  func whatIsNoJSONObjectIsRejectedAsThat(text: String) throws {
    #expect(try decode(text).reason == "not_json_object")
  }

  @Test(arguments: [
    (#"{"event":"activity","ts":1772323200000,"app":"steps","user_id":"u"}"#, "missing:event_id"),
    (#"{"event_id":"","event":"activity","ts":1772323200000,"app":"steps","user_id":"u"}"#, "missing:event_id"),
    (#"{"event_id":null,"event":"activity","ts":1772323200000,"app":"steps","user_id":"u"}"#, "missing:event_id"),
    (#"{"event_id":true,"event":"activity","ts":1772323200000,"app":"steps","user_id":"u"}"#, "invalid:event_id"),
    (#"{"event_id":"e","ts":1772323200000,"app":"steps","user_id":"u"}"#, "missing:event"),
    (#"{"event_id":"e","event":17,"ts":1772323200000,"app":"steps","user_id":"u"}"#, "invalid:event"),
    (#"{"event_id":"e","event":"Activity","ts":1772323200000,"app":"steps","user_id":"u"}"#, "unknown_kind"),
    (#"{"event_id":"e","event":"activity","app":"steps","user_id":"u"}"#, "missing:ts"),
    (#"{"event_id":"e","event":"activity","ts":"1772323200000","app":"steps","user_id":"u"}"#, "invalid:ts"),
    (#"{"event_id":"e","event":"activity","ts":1772323200000.5,"app":"steps","user_id":"u"}"#, "invalid:ts"),
    (#"{"event_id":"e","event":"activity","ts":1199145599999,"app":"steps","user_id":"u"}"#, "invalid:ts"),
    (#"{"event_id":"e","event":"activity","ts":4102444800000,"app":"steps","user_id":"u"}"#, "invalid:ts"),
    (#"{"event_id":"e","event":"activity","ts":"2026-03-01T00:00:00","app":"steps","user_id":"u"}"#, "invalid:ts"),
    (#"{"event_id":"e","event":"activity","ts":"2016-12-31T23:59:60Z","app":"steps","user_id":"u"}"#, "invalid:ts"),
    (#"{"event_id":"e","event":"activity","ts":1772323200000,"user_id":"u"}"#, "missing:app"),
    (#"{"event_id":"e","event":"activity","ts":1772323200000,"app":17,"user_id":"u"}"#, "invalid:app"),
    (#"{"event_id":"e","event":"activity","ts":1772323200000,"app":"steps"}"#, "missing:user_id"),
    (#"{"event_id":"e","event":"activity","ts":1772323200000,"app":"steps","user_id":17.5}"#, "invalid:user_id"),
    (#"{"event_id":"e","event":"activity","ts":1772323200000,"app":"steps","user_id":[]}"#, "invalid:user_id"),
    (#"{"event_id":"e","event":"activity","ts":1772323200000,"app":"steps","user_id":1e200}"#, "invalid:user_id"),
  ])
  func commonFieldsAreRequiredInTheirTypes(text: String, reason: String) throws {
    #expect(try decode(text).reason == reason)
  }

  @Test(arguments: [
    (#""received_at":"yesterday""#, "received_at"), (#""received_at":0"#, "received_at"),
    (#""platform":17"#, "platform"), (#""store":true"#, "store"), (#""app_version":1.5"#, "app_version"),
    (#""country":"USA""#, "country"), (#""country":"U1""#, "country"), (#""country":"é""#, "country"),
    (#""environment":"test""#, "environment"), (#""environment":"Sandbox""#, "environment"),
    (#""properties":[1]"#, "properties"), (#""properties":"a""#, "properties"), (#""properties":1"#, "properties"),
    (#""entry_point":1"#, "entry_point"), (#""experiment":{}"#, "experiment"), (#""variant":false"#, "variant"),
    (#""paywall":1"#, "paywall"), (#""offering":1"#, "offering"),
    (#""price_weekly":"a""#, "price_weekly"), (#""price_monthly":-1"#, "price_monthly"),
    (#""price_yearly":1e12"#, "price_yearly"), (#""price_lifetime":true"#, "price_lifetime"),
    (#""tier":"Family""#, "tier"), (#""product_id":1.5"#, "product_id"), (#""plan":"daily""#, "plan"),
    (#""plan":1"#, "plan"), (#""price":-1"#, "price"), (#""price":"6,99""#, "price"), (#""price":"1e1""#, "price"),
    (#""price":" 1""#, "price"), (#""price":1000000000000"#, "price"), (#""price":[]"#, "price"),
    (#""currency":"US""#, "currency"), (#""currency":"US1""#, "currency"), (#""currency":1"#, "currency"),
    (#""price_usd":-1"#, "price_usd"), (#""price_usd":"7,99""#, "price_usd"), (#""price_usd":1e12"#, "price_usd"),
    (#""tax_percentage":1.01"#, "tax_percentage"), (#""tax_percentage":"0.1""#, "tax_percentage"),
    (#""commission_percentage":-0.1"#, "commission_percentage"),
    (#""subscription_id":1.5"#, "subscription_id"), (#""transaction_id":true"#, "transaction_id"),
    (#""expires_at":1772323200000"#, "expires_at"), (#""expires_at":"2026-02-01T00:00:00Z""#, "expires_at"),
    (#""expires_at":"x""#, "expires_at"), (#""ownership":"mine""#, "ownership"),
    (#""offer_type":"gift""#, "offer_type"), (#""offer_code":1"#, "offer_code"), (#""limit_name":1"#, "limit_name"),
    (#""limit":"10""#, "limit"), (#""limit":1e999"#, "limit"), (#""used":true"#, "used"),
    (#""trial_days":7.5"#, "trial_days"), (#""trial_days":"7""#, "trial_days"),
    (#""trial_ends_at":"x""#, "trial_ends_at"), (#""trial_kind":"free""#, "trial_kind"),
    (#""previous_product_id":1"#, "previous_product_id"), (#""reason":1"#, "reason"),
    (#""grace_ends_at":true"#, "grace_ends_at"), (#""subscription_started_at":"soon""#, "subscription_started_at"),
    (#""previous_user_id":17"#, "previous_user_id"),
  ])
  func wrongTypesAndRangesAreErrorsOnAnyKind(member: String, field: String) throws {
    let result = try decode(eventLine("activity", member))
    #expect(result.reason == "invalid:\(field)")
    if case .rejected(let line) = result { #expect(line.field == field) }
  }

  @Test(arguments: [
    ("exposure", #""variant":"a""#, "missing:experiment"), ("exposure", #""experiment":"x""#, "missing:variant"),
    ("exposure", "", "missing:experiment"), ("paywall_impression", "", "missing:entry_point"),
    ("paywall_impression", #""entry_point":"""#, "missing:entry_point"), ("gate_hit", "", "missing:entry_point"),
    ("trial_start", #""plan":"monthly""#, "missing:trial_days"), ("trial_start", "", "missing:trial_days"),
    ("trial_start", #""trial_days":7"#, "missing:plan"),
    ("trial_start", #""trial_days":7,"trial_kind":"introductory""#, "missing:plan"),
    ("trial_start", #""trial_days":0,"plan":"monthly""#, "invalid:trial_days"),
    ("trial_start", #""trial_days":367,"plan":"monthly""#, "invalid:trial_days"),
    ("trial_start", #""trial_ends_at":1772323200000,"plan":"monthly""#, "invalid:trial_ends_at"),
    ("conversion", "", "missing:product_id"), ("conversion", #""product_id":"p""#, "missing:plan"),
    ("conversion", #""product_id":"p","plan":"monthly""#, "missing:price"),
    ("renewal", #""product_id":"p","price":0"#, "missing:plan"),
    ("plan_change", #""plan":"monthly""#, "missing:product_id"), ("plan_change", #""product_id":"p""#, "missing:plan"),
    ("offer_redemption", "", "missing:offer_code"), ("identify", "", "missing:previous_user_id"),
    ("cancellation", #""reason":"bored""#, "invalid:reason"), ("expiration", #""reason":"bored""#, "invalid:reason"),
    ("conversion", #""product_id":"p","plan":"monthly","price":6.99"#, "price_without_currency"),
    ("refund", #""price":0.000001"#, "price_without_currency"),
  ])
  func kindsNeedTheirFields(kind: String, members: String, reason: String) throws {
    #expect(try decode(eventLine(kind, members)).reason == reason)
  }

  @Test(arguments: [
    ("trial_start", #""trial_days":7,"trial_kind":"app""#), ("trial_start", #""trial_days":366,"plan":"yearly""#),
    ("trial_start", #""trial_ends_at":1772323200001,"plan":"weekly""#), ("activity", #""trial_days":0"#),
    ("activity", #""trial_days":-5"#), ("activity", #""trial_ends_at":0"#), ("activity", #""grace_ends_at":0"#),
    ("conversion", #""product_id":"p","plan":"monthly","price":0"#), ("refund", #""reason":"was bored""#),
    (
      "conversion",
      #""product_id":"p","plan":"lifetime","price":1,"currency":"eur","expires_at":"9999-12-31T23:59:59Z""#
    ),
    ("activity", #""price_yearly":39.99"#), ("activity", #""variant":"a""#), ("billing_issue", ""), ("restore", ""),
  ])
  func whatTheTablesAllowIsAnEvent(kind: String, members: String) throws {
    #expect(try decode(eventLine(kind, members)).reason == nil)
  }

  @Test func stringsHaveAtMost200BytesAfterUnescaping() throws {
    for field in [
      "app_version", "offering", "reason", "limit_name", "offer_code", "subscription_id", "previous_user_id",
    ] {
      let fitting = String(repeating: "é", count: 100)
      #expect(try decode(eventLine("activity", #""\#(field)":"\#(fitting)""#)).reason == nil)
      #expect(try decode(eventLine("activity", #""\#(field)":"\#(fitting)x""#)).reason == "invalid:\(field)")
      let escaped = String(repeating: "\\u00e9", count: 100)
      #expect(try decode(eventLine("activity", #""\#(field)":"\#(escaped)""#)).reason == nil)
    }
  }

  @Test func aKnownFieldTwiceIsAnErrorHoweverItsNameIsWritten() throws {
    #expect(try decode(activityLine(#""user_id":"u1""#)).reason == "field_twice:user_id")
    #expect(try decode(activityLine(#""user\u005fid":"u2""#)).reason == "field_twice:user_id")
    #expect(try decode(activityLine(#""paywall":null,"paywall":null"#)).reason == "field_twice:paywall")
    #expect(try decode(activityLine(#""properties":{},"properties":{}"#)).reason == "field_twice:properties")
    #expect(try decode(activityLine(#""x":1,"x":2"#)).event?.properties["x"] == "2")
  }

  @Test func nulIsRejectedRawAndEscapedWhereverItStands() throws {
    #expect(try decode(activityLine("\"x\":\"a\u{0}b\"")).reason == "nul")
    #expect(try decode(activityLine(#""x":"a\u0000b""#)).reason == "nul")
    #expect(try decode(activityLine(#""x":{"y":["\u0000"]}"#)).reason == "nul")
    #expect(try decode(activityLine(#""properties":{"\u0000":1}"#)).reason == "nul")
    #expect(try decode(#"no object \u0000"#).reason == "nul")
    // An escaped backslash before "u0000" is not a NUL.
    #expect(try decode(activityLine(#""x":"a\\u0000b""#)).event?.properties["x"] == #"a\u0000b"#)
  }

  @Test(arguments: [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xE2, 0x82],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
  ])
  func invalidUTF8IsRejected(bytes: [UInt8]) throws {
    for padding in 0..<9 {
      var text = Array(activityLine(#""x":""#).utf8.dropLast(1))
      text += [UInt8](repeating: 0x61, count: padding) + bytes + Array("\"}".utf8)
      #expect(try decode(text).reason == "invalid_utf8")
    }
  }

  /// The oracle is the standard library's validation.
  @Test func utf8IsJudgedAsTheStandardLibraryDoes() {
    var generator = SplitMix64(seed: 17)
    let pieces: [[UInt8]] = [
      [0x61], [0x7F], [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80], [0x80], [0xC3], [0xED, 0xA0],
      [0xF4, 0x8F],
      Array("plain ascii".utf8), [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
    ]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &generator)).flatMap { _ in pieces.randomElement(using: &generator)!
      }
      let padded = bytes + [UInt8](repeating: 0, count: LineBuffer.padding)
      let isUTF8 = padded.withUnsafeBufferPointer { TextCheck.isUTF8($0.baseAddress!, count: bytes.count) }
      let isPlain = padded.withUnsafeBufferPointer { TextCheck.isPlain($0.baseAddress!, count: bytes.count) }
      #expect(isUTF8 == (String(validating: bytes, as: UTF8.self) != nil))
      #expect(isPlain == bytes.allSatisfy { $0 > 0 && $0 < 0x80 })
    }
  }

  @Test func theOrderOfChecksIsThatOfTheTables() throws {
    #expect(try decode(Array("\u{0}".utf8) + [0xFF]).reason == "invalid_utf8")
    #expect(try decode("{\u{0}").reason == "nul")
    #expect(try decode(#"{"user_id":1,"user_id":2"#).reason == "not_json_object")
    #expect(try decode(#"{"app":1,"app":2}"#).reason == "field_twice:app")
    #expect(try decode(#"{"event":"x","user_id":[]}"#).reason == "missing:event_id")
    #expect(try decode(#"{"event_id":"e","event":"x","ts":"x"}"#).reason == "unknown_kind")
    #expect(try decode(eventLine("conversion", #""currency":1,"plan":1"#)).reason == "invalid:plan")
    #expect(try decode(eventLine("conversion", #""price":1,"used":"x""#)).reason == "invalid:used")
    #expect(try decode(eventLine("conversion", #""price":1"#)).reason == "missing:product_id")
  }

  @Test func nestingIsBoundedAndNotByTheStack() throws {
    let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(try decode(activityLine(#""x":\#(deep(500))"#)).event?.properties["x"] == deep(500))
    #expect(try decode(activityLine(#""x":\#(deep(513))"#)).reason == "not_json_object")
    #expect(try decode(activityLine(#""x":\#(String(repeating: "[", count: 1_000_000))"#)).reason == "not_json_object")
    #expect(
      try decode(activityLine(#""x":\#(String(repeating: #"{"a":"#, count: 200_000))"#)).reason == "not_json_object")
  }

  @Test func rejectedLinesKeepTheirPlaceAndTheirBytes() throws {
    let reading = try Reading(content: "\n\(eventLine("activity"))\r\n \t\r\nbad é\r\n\n{}")
    #expect(reading.events.count == 1)
    #expect(reading.rejected.map(\.line) == [4, 6])
    #expect(reading.rejected.map { String(decoding: $0.raw, as: UTF8.self) } == ["bad é", "{}"])
    #expect(reading.parts.first?.lineCount == 3)
  }
}
