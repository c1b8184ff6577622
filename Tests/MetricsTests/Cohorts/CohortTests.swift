import Basics
import EventModel
import Foundation
import Store
import Testing

@testable import Metrics

/// Cohorts derived by hand; random stores and all reports are compared with `Tests/Acceptance/Oracle/cohorts.py`.
struct CohortTests {
  /// On 1 January, all see a paywall. a sees a second one two days later and buys; b sees one ten days later; c buys at
  /// once; d came from Germany and does nothing more; e is of another app.
  private static let lines =
    ["a", "b", "c"].map { Behaviour.line("paywall_impression", "2026-01-01T10:00:00", $0, Behaviour.seen) } + [
      Behaviour.line("paywall_impression", "2026-01-01T10:00:00", "d", Behaviour.seen + #","country":"DE""#),
      Behaviour.line("paywall_impression", "2026-01-03T10:00:00", "a", Behaviour.seen),
      Behaviour.line("conversion", "2026-01-03T11:00:00", "a", Behaviour.sale),
      Behaviour.line("paywall_impression", "2026-01-11T10:00:00", "b", Behaviour.seen),
      Behaviour.line("conversion", "2026-01-01T10:00:00", "c", Behaviour.sale),
      Behaviour.line("activity", "2026-03-01T10:00:00", "z"),
    ]

  private static let file = """
    cohorts:
      twice: {all: [{event: paywall_impression, at_least: 2}]}
      quick: {all: [{event: paywall_impression, at_least: 2, within: {of: install, days: 7}}]}
      edge: {all: [{event: paywall_impression, at_least: 2, within: {of: entry, days: 2}}]}
      buyers: {any: [{fact: purchase}, {country: DE}]}
      germans: {all: [{country: DE}]}
      others: {app: other, all: [{event: paywall_impression}]}
      january: {all: [{event: paywall_impression, at_least: 2}], from: 2026-01-01, to: 2026-01-05}
    """

  private static let store = Result {
    let store = try TestStore(lines: lines)
    try Data(file.utf8).write(to: store.directory.url.appendingPathComponent("cohorts.yaml"))
    return store
  }

  private func funnel(_ filters: String..., from: String? = nil) throws -> Report {
    var given = [ReportRequest.Given("where", filters), .init("by", ["none"]), .init("horizon", ["7"])]
    if let from { given.append(.init("from", [from])) }
    let request = try ReportRequest(.funnel, given)
    return try Self.store.get().store.read { try #require(try request.table($0)) }
  }

  private func users(_ filters: String...) throws -> Int {
    let report = try filters.count == 2 ? funnel(filters[0], filters[1]) : funnel(filters[0])
    return report.rows.first.flatMap { report.count("users", in: $0) } ?? 0
  }

  @Test(arguments: [
    ("twice", 2), ("!twice", 2), ("quick", 1),
    // [10:00 on the 1st, 10:00 on the 3rd): the second view of a is too late by nothing.
    ("edge", 0), ("!edge", 4), ("buyers", 3), ("germans", 1), ("others", 0), ("january", 1),
  ])
  func members(name: String, count: Int) throws { #expect(try users("cohort:\(name)") == count) }

  @Test func severalCohorts() throws {
    #expect(try users("cohort:twice", "cohort:buyers") == 1)
    #expect(try users("cohort:twice", "cohort:!buyers") == 1)
    #expect(try users("cohort=twice,germans") == 3)
    #expect(try users("cohort!=twice,germans") == 1)
  }

  /// Purchases come after the paywall; first events do not, and neither do events before the first day counted.
  @Test func cohortsOfLaterEventsAreMarked() throws {
    #expect(try funnel("cohort:buyers").looksAhead("buyers"))
    #expect(try funnel("cohort:!buyers").looksAhead("buyers"))
    #expect(try !funnel("cohort:germans").looksAhead("germans"))
    #expect(try funnel("cohort:january", from: "2026-01-04").looksAhead("january"))
    #expect(try !funnel("cohort:!january", from: "2026-01-05").looksAhead("january"))
  }

  /// The days before start on the 2nd, so that a's view on the 3rd comes after some of them.
  @Test func bothSidesOfAComparisonAreMarked() throws {
    var request = try ReportRequest(
      .funnel,
      [.init("where", ["cohort:january"]), .init("by", ["none"]), .init("from", ["2026-01-05"])]
        + [.init("to", ["2026-01-08"])])
    #expect(try Self.store.get().store.read { try #require(try request.table($0)) }.cohortNotes.isEmpty)
    request.comparison = try ComparedWith("previous")
    for why in [false, true] {
      request.drivers = why ? DriverQuestion(column: "paid_rate") : nil
      let report = try Self.store.get().store.read { try #require(try request.table($0)) }
      #expect(report.looksAhead("january"))
    }
  }

  /// 7 days, the 7 of the only trial, which is of none of these users, and 3 of grace (definitions 3.3).
  @Test func theHorizonIsOfTheTrialsOfAllUsers() throws {
    let trial = Behaviour.line("trial_start", "2026-02-01T10:00:00", "a", Behaviour.trial)
    let store = try TestStore(lines: Self.lines + [trial])
    try Data(Self.file.utf8).write(to: store.directory.url.appendingPathComponent("cohorts.yaml"))
    for cohort in [[], ["cohort:germans"]] {
      let request = try ReportRequest(.funnel, [.init("where", cohort), .init("by", ["none"])])
      let report = try store.store.read { try #require(try request.table($0)) }
      #expect(report.parameters.first { $0.name == "horizon_days" }?.value == "17", "\(cohort)")
    }
  }

  @Test func unknownCohortsAreRefused() throws {
    let error = #expect(throws: ReportError.self) { try funnel("cohort:twise") }
    #expect(error?.description.hasSuffix("did you mean twice?") == true)
    let none = try TestStore(lines: Self.lines)
    let request = try ReportRequest(.funnel, [.init("where", ["cohort:twice"])])
    #expect(throws: ReportError.self) { try none.store.read { try request.table($0) } }
  }

  @Test(arguments: [
    ("x: {}", "has neither all nor any"), ("x: {all: []}", "must have 1 to 63"),
    ("x: {all: [{event: activity}], any: [{country: DE}]}", "cannot be combined with all"),
    ("x: {all: [{event: activty}]}", "did you mean activity?"), ("x: {all: [{contry: DE}]}", "did you mean country?"),
    ("x: {all: [{event: activity, at_least: 0}]}", "a whole number of at least 1"),
    ("x: {all: [{event: activity, within: {of: birth, days: 7}}]}", "must be one of entry, install"),
    ("x: {all: [{event: activity, within: {of: entry}}]}", "has no days"),
    ("x: {all: [{country: DE}], from: 2026-02-01, to: 2026-02-01}", "must be after from"),
    ("x: {all: [{country: DE, to: 2026-02-01}]}", "x.all.to is not part of a condition: put it next to all or any"),
    ("x: {all: [{event: activity, from: 2026-02-01}]}", "x.all.from is not part of a condition"),
    ("x: {country: DE}", "x.country is a condition: put it into a list, such as `all: [{country: …}]`"),
    ("x: [a]", "x must have all or any"), ("\"a b\": {all: [{country: DE}]}", "letters, digits, - and _"),
  ])
  func wrongFilesAreRefused(cohort: String, message: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try Cohort.all(yaml: "cohorts:\n  \(cohort)", file: "cohorts.yaml")
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
