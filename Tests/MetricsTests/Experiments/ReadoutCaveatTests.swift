import Metrics
import Testing

/// Caveats that keep a verdict from being read as more than it is.
struct ReadoutCaveatTests {
  private typealias Events = ExperimentEvents

  /// All users begin a trial at once. Of 14 days and more, no trial can be paid within the goal's 14 days; of 7 days, each
  /// can.
  @Test(arguments: [(14, true), (7, false)])
  func trialsThatOutlastTheGoalAreSaid(days: Int, isSaid: Bool) throws {
    func arm(_ variant: String) -> [String] {
      (0..<60).flatMap { place -> [String] in
        let user = "\(variant)-\(place)"
        return [Events.exposure(user, variant), Events.trial(user, ms: 1_000, days: days)]
      }
    }
    let readout = try Events.readout([arm("control"), arm("new")], "primary: paid")
    #expect(readout.caveats.contains(.trialsOutlastGoal(trialDays: days, goalDays: 14)) == isSaid)
  }

  /// `new` sorts before `old`, so it would be the control by name alone.
  @Test func aControlByNameAloneIsSaid() throws {
    let arms = [Events.arm("old", persons: 60, paying: 12), Events.arm("new", persons: 60, paying: 20)]
    #expect(try Events.readout(arms).caveats.contains(.controlAssumed))
    #expect(try !Events.readout(arms, "control: old").caveats.contains(.controlAssumed))
    #expect(try Events.readout(arms, "control: old").arms.map(\.variant) == ["old", "new"])
  }

  /// Without a trial or payment, usage decides, which nobody asked for.
  @Test func aGoalOfUsageIsSaid() throws {
    func arm(_ variant: String) -> [String] {
      (0..<60).map { "\(variant)-\($0)" }.flatMap { user in
        [Events.exposure(user, variant), Events.line("activity", user, ms: Events.days(8))]
      }
    }
    #expect(try Events.readout([arm("control"), arm("new")]).caveats.contains(.usageDecides))
    #expect(try !Events.readout([arm("control"), arm("new")], "primary: retained").caveats.contains(.usageDecides))
  }

  /// Users come for 20 days. Those of the first ten are a part of the test, which does not end on the tenth.
  @Test func aPartOfATestHasNotEnded() throws {
    let arms = [Events.arm("control", persons: 200, paying: 40), Events.arm("new", persons: 200, paying: 60)]
    let store = try TestStore(lines: arms.joined() + [Events.line("activity", "end", ms: Events.days(60, ms: -1))])
    let part = try store.readout("test", ["--to", "2026-01-11"])
    #expect(part.arms.map(\.persons) == [100, 100])
    #expect(!part.schedule.isEnded && part.caveats.contains(.partOfTest))
    // Nobody has a country: this asks for all, and yet for users by a value.
    #expect(
      try store.readout("test", ["--where", "country!=US"]).caveats.first == .partOfUsers(filters: ["country!=US"]))
    let whole = try store.readout()
    #expect(whole.schedule.isEnded && !whole.caveats.contains(.partOfTest))
  }

  /// One of twenty payers of `new` brings 10,000 instead of 10, which is nearly all of the difference: 99.9% of all users
  /// brought 10 or less.
  @Test func aSinglePayerBehindTheDifferenceIsSaid() throws {
    let control = Events.arm("control", persons: 2_000, paying: 20)
    let new = Events.arm("new", persons: 2_000, paying: 20)
    #expect(try !Events.readout([control, new]).caveats.contains(.cap))
    let whale = Events.conversion("new-20", ms: Events.days(20), "10000")
    #expect(try Events.readout([control, new + [whale]]).caveats.contains(.cap))
  }
}
