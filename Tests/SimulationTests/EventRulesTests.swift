import Foundation
import Testing

struct EventRulesTests {
  /// `date -u -d 2026-03-01T08:15:30.123Z +%s%3N`.
  @Test func readsInstants() {
    #expect(EventRules.milliseconds("2026-03-01T08:15:30.123Z") == 1_772_352_930_123)
    #expect(EventRules.milliseconds("2026-03-01T08:15:30Z") == 1_772_352_930_000)
    #expect(EventRules.milliseconds("2026-03-01 08:15:30Z") == nil)
    #expect(EventRules.milliseconds("2026-03-01T24:15:30Z") == nil)
  }

  @Test(arguments: [
    ("", []),
    (#","colour":"red""#, ["unknown field colour"]),
    (#","price":6.99"#, ["price without currency"]),
    (#","price":"6,99","currency":"EUR""#, ["price is 6,99"]),
    (#","tier":"group""#, ["tier is group"]),
    (#","variant":"b""#, ["variant without experiment"]),
    (#","expires_at":"2026-03-01T08:15:30Z""#, ["expires_at is not later than ts"]),
  ])
  func findsFaults(fields: String, faults: [String]) {
    let line =
      #"{"event_id":"1","event":"activity","ts":"2026-03-01T08:15:30Z","app":"a","user_id":"u"\#(fields)}"#
    #expect(EventRules.faults(of: Data(line.utf8)) == faults)
  }
}
