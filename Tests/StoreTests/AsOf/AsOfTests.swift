import Metrics
import Store
import Testing

/// Definitions 1.1: "one millisecond after its newest stored production event (one whose `ts` is more than a day past
/// its own `received_at` or, without one, past the app's newest `received_at`, does not set `T`)". Expected instants
/// follow from this text, as each test explains.
@Suite struct AsOfTests {
  private func asOf(_ lines: [String]) throws -> Int64? {
    var found: Int64?
    // The instant depends on the set of events only: one file gives the same as one file per event in reverse order.
    for (index, files) in [[lines], lines.reversed().map { [$0] }].enumerated() {
      try withTestStore { store in
        for file in files { try store.ingest(file) }
        let newest = try store.newestAsOf()["demo"] ?? nil
        if index > 0 { #expect(newest == found) }
        found = newest
        #expect(try store.differencesFromRebuild() == [])
      }
    }
    return found
  }

  private func activity(_ id: String, _ ts: Int64, received: Int64? = nil, _ fields: [String: Any] = [:]) -> String {
    eventLine("activity", id, ts, user: "u", received: received, fields)
  }

  @Test func theDefaultIsOneMillisecondAfterTheNewest() throws {
    #expect(try asOf([activity("1", at(3)), activity("2", at(5, plus: 7)), activity("3", at(4))]) == at(5, plus: 8))
  }

  @Test func moreThanADayPastItsOwnReceptionDoesNotCount() throws {
    // An event exactly a day past still counts; a millisecond more does not.
    #expect(try asOf([activity("1", at(3)), activity("2", at(9), received: at(8))]) == at(9, plus: 1))
    #expect(try asOf([activity("1", at(3)), activity("2", at(9, plus: 1), received: at(8))]) == at(3, plus: 1))
  }

  @Test func withoutReceptionTheNewestOfTheAppIsTheMeasure() throws {
    // The newest reception is on day 5: events without `received_at` count up to day 6; the one at day 6 and 1 ms does
    // not.
    let known = activity("1", at(4), received: at(5))
    #expect(try asOf([known, activity("2", at(6))]) == at(6, plus: 1))
    #expect(try asOf([known, activity("2", at(6, plus: 1))]) == at(4, plus: 1))
    #expect(try asOf([known, activity("2", at(6, plus: 1)), activity("3", at(5.5))]) == at(5.5, plus: 1))
    // Events on the same day as the bound.
    #expect(
      try asOf([activity("1", at(4.3), received: at(5.3)), activity("2", at(6.2)), activity("3", at(6.4))])
        == at(6.2, plus: 1))
    // The reception of another event moves the bound.
    #expect(try asOf([known, activity("2", at(8)), activity("3", at(4), received: at(7))]) == at(8, plus: 1))
    // A reception in another app does not move the bound.
    let other = eventLine("activity", "4", at(7), user: "u", app: "other", received: at(7))
    #expect(try asOf([known, activity("2", at(8)), other]) == at(4, plus: 1))
  }

  @Test func withoutAnyReceptionEveryEventCounts() throws {
    #expect(try asOf([activity("1", at(0)), activity("2", at(4_000))]) == at(4_000, plus: 1))
  }

  @Test func anAppWhoseEventsAreAllAheadOfTheirTimeHasNoDefault() throws {
    #expect(try asOf([activity("1", at(9), received: at(3))]) == nil)
    try withTestStore { store in
      try store.ingest([activity("1", at(9), received: at(3)), impression("2", at(1), user: "u", app: "other")])
      let funnel = try store.reports()["funnel"] ?? ""
      #expect(funnel.split(separator: "\n").count == 2)
      // An explicit as-of includes the event.
      var options = ReportOptions()
      options.asOf = at(20)
      options.apps = ["demo"]
      #expect(try store.reports(options)["funnel"]?.isEmpty == false)
    }
  }

  @Test func sandboxDoesNotSetItAndFamilySharedDoes() throws {
    let known = activity("1", at(3))
    #expect(try asOf([known, activity("2", at(9), ["environment": "sandbox"])]) == at(3, plus: 1))
    #expect(try asOf([known, activity("2", at(9), ["ownership": "family_shared"])]) == at(9, plus: 1))
    try withTestStore { store in
      try store.ingest([activity("1", at(3), ["environment": "sandbox"])])
      #expect(try store.newestAsOf().isEmpty)
    }
  }

  /// If a content is replaced, or turns out to be received earlier, the as-of follows.
  @Test func theDefaultFollowsWhatStays() throws {
    try withTestStore { store in
      try store.ingest([activity("1", at(3)), activity("2", at(9), received: at(9.5))])
      #expect(try store.newestAsOf() == ["demo": at(9, plus: 1)])
      try store.ingest([activity("2", at(4), received: at(9))])
      #expect(try store.newestAsOf() == ["demo": at(4, plus: 1)])
      try store.ingest([activity("2", at(4), received: at(2.9))])
      #expect(try store.newestAsOf() == ["demo": at(3, plus: 1)])
      #expect(try store.differencesFromRebuild() == [])
    }
  }
}
