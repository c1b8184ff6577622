import Foundation
import Metrics
import Reports
import Simulation
import Testing

/// The list of `explain health` adds up to the cases of the check.
@Suite struct HealthExplainerTests {
  private static func line(_ id: String, _ event: String, _ day: Int, _ user: String, _ rest: String = "") -> String {
    """
    {"event_id":"\(id)","event":"\(event)","ts":"2026-03-\(day < 10 ? "0" : "")\(day)T00:00:00Z","app":"x",\
    "user_id":"\(user)"\(rest.isEmpty ? "" : ",")\(rest)}
    """
  }

  private static let sale = #""plan":"monthly","product_id":"p","price":"5","currency":"EUR""#

  /// Derived by hand. `a` buys a day after an impression, `b` nine days after one, `c` without any. `d` is seen twice
  /// and `e` once, and neither again. `f`, who is also `g`, sees both variants, one under each id; `h` sees both under
  /// one id. `b` and `c` share a subscription id, and `i` has a renewal without a recorded start.
  private static let lines = [
    line("a1", "paywall_impression", 1, "a", #""entry_point":"settings""#), line("a2", "conversion", 2, "a", sale),
    line("b1", "paywall_impression", 1, "b", #""entry_point":"settings""#),
    line("b2", "conversion", 10, "b", sale + #","subscription_id":"S""#),
    line("c1", "conversion", 3, "c", sale + #","subscription_id":"S""#),
    line("d1", "paywall_impression", 1, "d", #""entry_point":"home""#),
    line("d2", "paywall_impression", 2, "d", #""entry_point":"home""#),
    line("e1", "paywall_impression", 3, "e", #""entry_point":"home""#),
    line("f1", "exposure", 1, "f", #""experiment":"t","variant":"one""#),
    line("g1", "exposure", 2, "g", #""experiment":"t","variant":"two""#),
    line("g2", "identify", 3, "g", #""previous_user_id":"f""#),
    line("h1", "exposure", 4, "h", #""experiment":"t","variant":"one""#),
    line("h2", "exposure", 5, "h", #""experiment":"t","variant":"two""#),
    line("i1", "renewal", 5, "i", sale),
  ]

  private func explain(_ store: TestStore, _ check: String, _ column: String = "cases") throws -> Explanation {
    try store.store.read { snapshot in
      try HealthExplainer(snapshot, ReportOptions(), cell: [("app", "x"), ("check", check)]).explanation(of: column)
    }
  }

  @Test(arguments: [
    ("purchases without an impression", "b:1 c:1", "3"), ("impressions without an entry point", "", "5"),
    ("persons with impressions and no later identity", "d:1 e:1", "4"),
    ("persons in two variants of an experiment", "f:1 h:1", "2"),
    ("subscriptions that began before the data", "i:1", "4"),
    ("subscription ids of two persons", "b:1 c:0", ""), ("persons of several ids", "f:1", "8"),
    ("persons whose variants a join changed", "f:1", "2"), ("persons crossed by a join", "f:1", "2"),
    ("conversions that a join changed", "", "3"), ("trials without an impression", "", "0"),
  ])
  func personsAreThoseOfTheCases(check: String, persons: String, of: String) throws {
    let explanation = try explain(TestStore(lines: Self.lines), check)
    #expect(
      explanation.persons.map { "\($0.user):\($0.amount.millionths / 1_000_000)" }.joined(separator: " ") == persons)
    #expect(explanation.persons.allSatisfy { !$0.events.isEmpty && $0.reasons.count == 1 })
    let cases = explanation.counts.map { $0.amount.millionths / 1_000_000 }.reduce(0, +)
    #expect(of.isEmpty || "\(cases)" == of)
  }

  @Test func checksHaveTheWordsOfTheTable() throws {
    let store = try TestStore(lines: Self.lines)
    for check in ["purchases without an impression", "persons of several ids", "persons crossed by a join"] {
      #expect(Health.finding(ofCheck: check) != check)
      let (spoken, named) = (try explain(store, Health.finding(ofCheck: check)), try explain(store, check))
      #expect(spoken.persons.map(\.user) == named.persons.map(\.user) && spoken.total == named.total)
    }
  }

  @Test func readersSeeTheWordsOfTheTable() throws {
    let raw = try explain(TestStore(lines: Self.lines), "purchases without a paywall before")
    let readable = raw.inWordsOfTable
    let (check, finding) = ("purchases without an impression", "purchases without a paywall before")
    #expect(raw.cell.last?.value == check && readable.cell.last?.value == finding)
    #expect(raw.rule.hasPrefix("\(check): ") && readable.rule.hasPrefix("\(finding): no paywall view in the 7 days"))
    #expect(raw.counts[0].reason == check && readable.counts[0].reason == finding)
    #expect(raw.persons[0].reasons == [check] && readable.persons[0].reasons == [finding])
  }

  @Test func eventsShowWhyItIsACase() throws {
    let store = try TestStore(lines: Self.lines)
    let purchases = try explain(store, "purchases without an impression", "share")
    #expect(purchases.persons.first?.events.map(\.id) == ["b1", "b2"])
    #expect(purchases.total.millionths == 2_000_000 && purchases.of?.millionths == 3_000_000)
    let crossed = try explain(store, "persons crossed by a join")
    #expect(
      crossed.persons.first?.events.map(\.role) == [
        "first exposure to the variant one of t (8.1)", "first exposure to the variant two of t (8.1)",
        "joins g with f (1.3)",
      ])
  }

  @Test func whatHasNoPersonsIsRefused() throws {
    let store = try TestStore(lines: Self.lines)
    for (check, column, reason) in [
      ("days without an event", "cases", "counts days"), ("variants without impressions", "cases", "counts variants"),
      ("events received 1 to 2 d late", "cases", "counts events by when they were received"),
      ("persons of several ids", "of", "explain cases instead"),
      ("persons of several ids", "severity", "is not a number"),
      ("colour", "cases", "no row has check=colour"),
      ("trials without an impression", "share", "is empty in this cell"),
      ("persons of several ids", "app", "names a row"), ("persons of several ids", "x", "--column is x"),
    ] {
      let error = #expect(throws: ExplanationError.self) { try explain(store, check, column) }
      #expect(error?.description.contains(reason) == true, "\(check) \(column): \(error.map { "\($0)" } ?? "")")
    }
    let all = #expect(throws: ExplanationError.self) {
      try store.store.read { snapshot in
        try HealthExplainer(snapshot, ReportOptions(), cell: [("app", "(all)"), ("check", "failed files")])
          .explanation(of: "cases")
      }
    }
    #expect(all?.description.contains("counts files") == true)
  }

  /// Every check of the sample that has users, and of lives with joins and late payments.
  @Test func whatIsListedAddsUp() throws {
    let lives = try TestStore(lines: RandomLives(seed: 3, persons: 60).lines.map(\.text))
    let sample = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    var (explained, withCases) = (0, 0)
    for store in [lives, sample] {
      try store.store.read { snapshot in
        let report = try Health.report(snapshot, ReportOptions())
        let place = try #require(report.columns.firstIndex { $0.name == "cases" })
        for row in report.rows {
          guard case .text(let app) = row[0], case .text(let check) = row[1], case .count(let cases) = row[place]
          else { continue }
          let cell = [(name: "app", value: app), (name: "check", value: check)]
          guard Explanation.explains(report.columns[place], row, of: report) else { continue }
          let explanation = try HealthExplainer(snapshot, ReportOptions(), cell: cell).explanation(of: "cases")
          let sum = explanation.persons.reduce(Int128(0)) { $0 + $1.amount.millionths }
          #expect(sum == Int128(cases) * 1_000_000, "\(app) \(check)")
          #expect(explanation.persons.allSatisfy { !$0.events.isEmpty && !$0.user.isEmpty }, "\(app) \(check)")
          explained += 1
          if cases > 0 { withCases += 1 }
        }
      }
    }
    #expect(explained > 40 && withCases > 12)
  }
}
