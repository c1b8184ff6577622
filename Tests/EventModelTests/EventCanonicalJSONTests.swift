import EventModel
import EventSupport
import Foundation
import Testing

@Suite struct EventCanonicalJSONTests {
  private func event(_ kind: EventKind) -> Event {
    Event(kind: kind, eventID: "e1", ts: Instant(millisecondsSince1970: 1_772_323_200_000), app: "steps", userID: "u1")
  }

  @Test func writesDefaultsSoThatTheyEqualAbsentFields() {
    #expect(
      event(.activity).canonicalJSON() == """
        {"app":"steps","environment":"production","event":"activity","event_id":"e1","ownership":"purchased",\
        "tier":"individual","ts":1772323200000,"user_id":"u1"}
        """)
    #expect(event(.cancellation).canonicalJSON().contains(#""reason":"voluntary""#))
    #expect(event(.trialStart).canonicalJSON().contains(#""trial_kind":"introductory""#))
  }

  /// Compares every field with keys in the order of `JSONSerialization`.
  @Test func keysAreInByteOrderAndReceivedAtIsLeftOut() throws {
    var event = event(.identify)
    event.receivedAt = Instant(millisecondsSince1970: 5)
    event.platform = "ios"
    event.store = "app_store"
    event.country = "US"
    event.appVersion = "1.0"
    event.isSandbox = true
    event.properties = EventProperties([("n", "1.50"), ("case", "a")])
    event.entryPoint = "x"
    event.experiment = "x"
    event.variant = "x"
    event.paywall = "x"
    event.offering = "x"
    event.priceWeekly = 1_000_000
    event.priceMonthly = 2_500_000
    event.priceYearly = 30_000_000
    event.priceLifetime = 4_000_000
    event.isFamilyTier = true
    event.productID = "p"
    event.plan = .twoMonth
    event.price = 6_500_000
    event.currency = "EUR"
    event.priceUSD = 7_250_000
    event.taxPercentage = 0.25
    event.commissionPercentage = 0.3
    event.subscriptionID = "S"
    event.subscriptionStartedAt = Instant(millisecondsSince1970: 5)
    event.transactionID = "T"
    event.expiresAt = Instant(millisecondsSince1970: 6)
    event.isFamilyShared = true
    event.offerType = "win_back"
    event.offerCode = "C"
    event.limitName = "runs"
    event.limit = 10
    event.used = 2.5
    event.trialDays = 7
    event.trialEndsAt = Instant(millisecondsSince1970: 7)
    event.trialKind = "app"
    event.previousProductID = "q"
    event.reason = "other"
    event.graceEndsAt = Instant(millisecondsSince1970: 8)
    event.previousUserID = "v"

    let bytes = Data(event.canonicalJSONBytes)
    let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    #expect(Set(object.keys) == Set(EventField.allCases.map(\.name)).subtracting(["received_at"]))
    #expect(
      try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]) == bytes)
    #expect(object["limit"] as? Int == 10)
    #expect(object["plan"] as? String == "two_month")
  }

  @Test func escapesOnlyWhatJSONDemands() {
    var event = event(.activity)
    event.app = "\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}é日"
    #expect(event.canonicalJSON().hasPrefix(#"{"app":"\"\\/\b\f\n\r\t\u0001\u001f"# + "\u{7F}é日\","))
  }

  @Test func contentsOfEqualStringsInOtherBytesDiffer() {
    var composed = event(.activity)
    composed.userID = "\u{E9}"
    var decomposed = event(.activity)
    decomposed.userID = "e\u{301}"
    #expect(composed.canonicalJSONBytes != decomposed.canonicalJSONBytes)
  }
}
