import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

@Suite struct CollectedLineTests {
  private static let noon = Instant(millisecondsSince1970: 1_772_366_400_000)

  private func line(_ body: String) -> String? {
    CollectedLine.bytes(of: Array(body.utf8), receivedAt: Self.noon).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Digits, escapes and order do not change, so that signatures and prices stay intact.
  @Test func theBodyStandsAsItWasPosted() {
    for body in [#"{"b":1.50,"a":"\u00e9 é","a":1e2}"#, "[1, 2]", #""text""#, "3.0", "null", " {} "] {
      #expect(line(body) == #"{"received_at":"2026-03-01T12:00:00.000Z","body":\#(body)}"# + "\n")
    }
    #expect(line("{\r\n\t\"a\": 1\n}") == #"{"received_at":"2026-03-01T12:00:00.000Z","body":{  "# + "\t\"a\": 1 }}\n")
  }

  @Test func whatIsNoJSONIsNoLine() {
    for body in [
      "", " ", "{", #"{"a":1,}"#, "{'a':1}", #"1,"body":2"#, "1}", "1 2", "nul", "\u{0}", "{}\u{0}", "\"a\nb\"", "NaN",
    ] { #expect(line(body) == nil, "\(body)") }
    #expect(CollectedLine.bytes(of: [0x22, 0xFF, 0x22], receivedAt: Self.noon) == nil)
    // `ingest` reads 64 levels of nesting; the wrapper is one of them.
    let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(line(deep(63)) != nil && line(deep(64)) == nil)
  }

  /// The longest line of `ingest` is 1 MiB (Events.md).
  @Test func theLongestBodyIsReadBack() throws {
    let room = CollectedLine.maximumByteCount - CollectedLine.wrapperByteCount
    let event = #"{"api_version":"1.0","event":{"type":"TEST","id":"1","event_timestamp_ms":1772323260000,"x":""#
    let end = #""}}"#
    let fill = String(repeating: "x", count: room - event.utf8.count - end.utf8.count)
    let longest = try #require(line(event + fill + end))
    #expect(try Reading(longest).notMapped == ["revenuecat:TEST"])
    #expect(line(event + fill + "xx" + end) == nil)
  }
}
