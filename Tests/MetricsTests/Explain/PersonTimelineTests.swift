import Metrics
import Testing

/// One user of the sample data, and the order of variants.
@Suite struct PersonTimelineTests {
  private static let store = Result {
    try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
  }

  /// A trial from 22 to 29 January, paid until 29 March, auto-renew off since 15 March.
  @Test func statesOfAUser() throws {
    let timeline = try #require(
      try Self.store.get().store.read { try PersonTimeline.find("u-2xkeqbpy", $0, ReportOptions()) })
    #expect(timeline.spans.map(\.state) == [.trial, .paid, .cancelled])
    #expect(zip(timeline.spans, timeline.spans.dropFirst()).allSatisfy { $0.end == $1.start })
    let days = timeline.spans.map { $0.start / 86_400_000 } + [(timeline.spans.last?.end ?? 0) / 86_400_000]
    // Days since 1970: 22 and 29 January, 15 and 29 March 2026.
    #expect(days == [20_475, 20_482, 20_527, 20_541])
  }

  /// The app sends no reminders, no charge failed, and the subscription has not ended.
  @Test func placesOfAUser() throws {
    let timeline = try #require(
      try Self.store.get().store.read { try PersonTimeline.find("u-2xkeqbpy", $0, ReportOptions()) })
    func place(_ name: String) -> PersonTimeline.Place? { timeline.places.first { $0.name == name } }
    #expect(place("funnel")?.words == "anchor, goal_notifications: viewer, started a trial, paid after it")
    #expect(place("steps_yearly_anchor")?.isExperiment == true)
    #expect(place("trials")?.words.hasSuffix("Z: converted") == true)
    #expect(place("revenue")?.words == "2 payments, 11.98 USD")
    #expect(place("retention")?.words.hasSuffix(", still subscribed") == true)
    #expect(place("saves")?.words == "1 cancellation")
    let missing = Dictionary(uniqueKeysWithValues: timeline.places.filter { !$0.isCounted }.map { ($0.name, $0.words) })
    #expect(
      missing == [
        "nudges": "no reminder", "recovery": "no failed charge", "winback": "no subscription has ended",
      ])
  }

  /// Of one app, the variant that any user met first comes first.
  @Test func variantsByFirstExposure() throws {
    func exposure(_ id: String, _ variant: String, _ day: Int) -> String {
      """
      {"event_id":"\(id)","event":"exposure","ts":"2026-01-0\(day)T10:00:00Z","app":"a","user_id":"\(id)",\
      "experiment":"e","variant":"\(variant)"}
      """
    }
    func view(_ id: String, _ variant: String, _ day: Int) -> String {
      """
      {"event_id":"v\(id)","event":"paywall_impression","ts":"2026-01-0\(day)T11:00:00Z","app":"a","user_id":"\(id)",\
      "experiment":"e","variant":"\(variant)"}
      """
    }
    let seen = [("1", "zeta", 2), ("2", "control", 3), ("3", "alpha", 4), ("4", "zeta", 5)]
    let store = try TestStore(lines: seen.map { exposure($0.0, $0.1, $0.2) } + seen.map { view($0.0, $0.1, $0.2) })
    let report = try store.report("funnel", ["--by", "variant"])
    #expect(report.asOf.first?.variants == ["zeta", "control", "alpha"])
    #expect(try store.report("funnel", ["--by", "country"]).asOf.first?.variants == [])
  }
}
