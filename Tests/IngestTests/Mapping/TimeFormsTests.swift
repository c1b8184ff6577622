import EventSupport
import Testing

@testable import Ingest

/// Times in forms of other programs; 2026-01-05T08:18:59Z is 1767601139 (`date -u -d 2026-01-05T08:18:59Z +%s`).
@Suite struct TimeFormsTests {
  @Test(arguments: [
    "2026/01/05 08:18:59", "2026.01.05 08:18:59", "20260105T081859Z", "2026-01-05 08:18:59 +0000 UTC",
    "Mon, 05 Jan 2026 08:18:59 +0000", "Mon, 05 Jan 2026 08:18:59 GMT", "05/Jan/2026:08:18:59 +0000",
    "Mon Jan 05 2026 08:18:59 GMT+0000 (Coordinated Universal Time)", "2026-01-05 09:18:59 CET",
    "2026/1/5 03:18:59 EST", "2026-01-05 17:18:59 JST", "2026/01/05 10:18:59+02:00",
  ])
  func formsOfOneReading(text: String) {
    #expect(DateForm.instant(ofOneReading: text)?.milliseconds == 1_767_601_139_000, "\(text)")
  }

  @Test func aTimeMayHaveNoSeconds() {
    #expect(DateForm.instant(ofOneReading: "2026-01-05T08:18")?.milliseconds == 1_767_601_080_000)
    #expect(DateForm.monthFirst.instant("01/05/2026 03:18:59 AM EST")?.milliseconds == 1_767_601_139_000)
  }

  /// Letters of several zones, and days that do not exist, are not read.
  @Test(arguments: ["2026-01-05 08:18:59 IST", "2026-01-05 08:18:59 XYZ", "2026/13/05", "2026/01-05", "20260105081859"])
  func otherTextsAreNoTimes(text: String) { #expect(DateForm.instant(ofOneReading: text) == nil) }

  /// A time that was cut is read as the last millisecond of its unit. 2026-01-05T08:18:00Z is 1767601080, a day begins at
  /// 1767571200.
  @Test(arguments: [
    ("minute", "2026-01-05 08:18", 1_767_601_139_999), ("hour", "1767600000", 1_767_603_599_999),
    ("day", "2026-01-05", 1_767_657_599_999),
  ])
  func aCutTimeIsReadAsItsEnd(unit: String, text: String, expected: Int64) {
    var time = MappedTime()
    time.cut = MappedTime.Cut(rawValue: unit)
    #expect(time.native(.string(text))?.integer == expected)
  }

  /// A pattern is read before a number: 20260105081859 is no time in milliseconds.
  @Test func aPatternMayBeOfDigits() {
    var time = MappedTime()
    time.dates = DateForm("yyyyMMddHHmmss")
    #expect(time.native(.string("20260105081859"))?.integer == 1_767_601_139_000)
  }

  @Test(arguments: [
    ("1 199,00", "1199,00"), ("1'199.00", "1199.00"), ("-1\u{202F}199", "-1199"), ("12 34", "12 34"),
    ("1 1999", "1 1999"),
    ("a b", "a b"), ("1999 000", "1999 000"),
  ])
  func groupsOfThousandsAreJoined(text: String, joined: String) { #expect(ExactDecimal.withoutGroups(text) == joined) }
}
