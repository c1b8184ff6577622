import Basics
import EventModel
import Foundation
import Testing

@Suite struct InstantTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0),
    ("2026-03-01T00:00:00.000Z", 1_772_323_200_000),
    ("2026-03-01t00:00:00z", 1_772_323_200_000),
    ("2026-03-01T01:30:00+01:30", 1_772_323_200_000),
    ("2026-02-28T23:59:00-00:01", 1_772_323_200_000),
    ("2026-03-01T00:00:00-00:00", 1_772_323_200_000),
    ("2026-03-01T00:00:00.1Z", 1_772_323_200_100),
    ("2026-03-01T00:00:00.9999Z", 1_772_323_200_999),
    ("2026-03-01T00:00:00.123456789+00:00", 1_772_323_200_123),
    ("2024-02-29T23:59:59Z", 1_709_251_199_000),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("1969-12-31T23:59:59.999Z", -1),
  ])
  func readsRFC3339(text: String, milliseconds: Int64) {
    #expect(Instant(rfc3339: text)?.millisecondsSince1970 == milliseconds)
  }

  @Test(arguments: [
    "", "2026-03-01", "2026-03-01T00:00:00", "2026-03-01 00:00:00Z", "2026-03-01T00:00:00.Z",
    "2026-03-01T00:00:00.1234567890Z", "2026-03-01T00:00:00,5Z", "2026-03-01T00:00:60Z", "2016-12-31T23:59:60Z",
    "2026-03-01T24:00:00Z", "2026-03-01T00:60:00Z", "2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-03-00T00:00:00Z", "2026-3-01T00:00:00Z",
    "2026-03-01T0:00:00Z", "2026-03-01T00:00Z", "2026-03-01T00:00:00+24:00", "2026-03-01T00:00:00+01:60",
    "2026-03-01T00:00:00+0100", "2026-03-01T00:00:00+01", "2026-03-01T00:00:00ZZ", "2026-03-01T00:00:00Z ",
    " 2026-03-01T00:00:00Z", "+2026-03-01T00:00:00Z", "2026/03/01T00:00:00Z", "2026-03-01T00-00-00Z",
    "２026-03-01T00:00:00Z", "2026-03-01T00:00:0:Z", "2026-03-01T00:00:00.5", "20260301T000000Z....",
  ])
  func refusesWhatTheGrammarDoesNotHave(text: String) {
    #expect(Instant(rfc3339: text) == nil)
  }

  /// Sets each byte of a valid text to every other value: only digits in place of digits, and lower-case `t` and `z`,
  /// are accepted.
  @Test func refusesEveryWrongByte() throws {
    let good = Array("2026-03-01T10:20:30.456Z".utf8)
    let digits = Set([0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 22])
    for place in good.indices {
      for byte in UInt8.min...UInt8.max where byte != good[place] {
        var changed = good
        changed[place] = byte
        let instant = changed.withUnsafeBytes { Instant(rfc3339: $0) }
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        if digits.contains(place) {
          if !isDigit { #expect(instant == nil) }
        } else {
          let isOtherCase = (place == 10 && byte == UInt8(ascii: "t")) || (place == 23 && byte == UInt8(ascii: "z"))
          #expect((instant != nil) == isOtherCase, "\(String(decoding: changed, as: UTF8.self))")
        }
      }
    }
  }

  /// Oracle: Foundation's `ISO8601DateFormatter`; its instants are whole milliseconds here.
  @Test func agreesWithFoundationBothWays() throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var generator = SplitMix64(seed: 3)
    for _ in 0..<2_000 {
      let milliseconds = Int64.random(in: -2_208_988_800_000..<4_102_444_800_000, using: &generator)
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
      #expect(Instant(rfc3339: text)?.millisecondsSince1970 == milliseconds)
      #expect(Instant(millisecondsSince1970: milliseconds).description == text)
    }
  }

  @Test func printsUTCWithMilliseconds() {
    #expect(Instant(millisecondsSince1970: 1_772_323_200_000).description == "2026-03-01T00:00:00.000Z")
    #expect(Instant(millisecondsSince1970: -1).description == "1969-12-31T23:59:59.999Z")
    #expect(Instant.first.description == "0000-01-01T00:00:00.000Z")
  }

  @Test func rangeOfEventsIsHalfOpen() throws {
    let cases = [
      ("2007-12-31T23:59:59.999Z", false), ("2008-01-01T00:00:00Z", true), ("2099-12-31T23:59:59.999Z", true),
      ("2100-01-01T00:00:00Z", false),
    ]
    for (text, isInRange) in cases {
      let instant = try #require(Instant(rfc3339: text))
      #expect(instant.isInRangeOfEvents == isInRange, "\(text)")
    }
  }

  @Test(arguments: [
    ("2026-01-31T10:00:00.007Z", 1, "2026-02-28T10:00:00.007Z"),
    ("2028-01-31T23:59:59.999Z", 1, "2028-02-29T23:59:59.999Z"),
    ("2028-02-29T10:00:00Z", 12, "2029-02-28T10:00:00Z"),
    ("2025-11-30T00:00:00Z", 3, "2026-02-28T00:00:00Z"),
    ("1968-02-29T12:00:00Z", -12, "1967-02-28T12:00:00Z"),
  ])
  func addingMonthsKeepsTheTimeOfDay(start: String, months: Int, end: String) throws {
    #expect(try #require(Instant(rfc3339: start)).addingMonths(months) == Instant(rfc3339: end))
  }
}
