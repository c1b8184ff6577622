import Foundation
import Metrics
import Reports
import Testing

/// The list of `explain experiments` adds up to the users of the experiment.
@Suite struct ExperimentListExplainerTests {
  private typealias Events = ExperimentEvents

  /// Derived by hand: a and b see one variant each, c both.
  private static let lines = [
    Events.exposure("a", "control"), Events.exposure("b", "new"), Events.exposure("c", "new"),
    Events.exposure("c", "control", ms: 1),
  ]

  private func explain(_ store: TestStore, _ column: String, _ experiment: String = "test") throws -> Explanation {
    try store.store.read { snapshot in
      try ExperimentListExplainer(snapshot, ReportOptions(), cell: [("experiment", experiment)])
        .explanation(of: column)
    }
  }

  @Test func personsAreThoseOfOneVariant() throws {
    let store = try TestStore(lines: Self.lines)
    let persons = try explain(store, "persons")
    #expect(persons.persons.map(\.user) == ["a", "b", "c"] && persons.total.millionths == 2_000_000)
    #expect(persons.counts.map { $0.amount.millionths / 1_000_000 } == [2, 1])
    let crossed = try explain(store, "crossed")
    #expect(crossed.persons.map(\.user) == ["c", "a", "b"] && crossed.total.millionths == 1_000_000)
    #expect(
      crossed.persons.first?.events.map(\.role) == [
        "first exposure to the variant new of test (8.1)", "first exposure to the variant control of test (8.1)",
      ])
    let split = try explain(store, "even_split_p")
    #expect(split.isEstimate && split.total.millionths == 2_000_000)
  }

  @Test func whatIsNoSumIsRefused() throws {
    let store = try TestStore(lines: Self.lines)
    for (column, experiment, reason) in [
      ("variants", "test", "is not a sum over users"), ("persons", "nix", "no row has experiment=nix"),
      ("x", "test", "--column is x"),
    ] {
      let error = #expect(throws: ExplanationError.self) { try explain(store, column, experiment) }
      #expect(error?.description.contains(reason) == true, "\(column): \(error.map { "\($0)" } ?? "")")
    }
  }

  @Test func everyExperimentOfTheSampleAddsUp() throws {
    let store = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    try store.store.read { snapshot in
      let report = try ExperimentList.report(snapshot, ReportOptions())
      #expect(report.rows.count >= 4)
      for row in report.rows {
        guard case .text(let app) = row[0], case .text(let name) = row[1], case .count(let persons) = row[4],
          case .count(let crossed) = row[5]
        else {
          Issue.record("a row of the list has other columns")
          continue
        }
        let explainer = try ExperimentListExplainer(
          snapshot, ReportOptions(), cell: [("app", app), ("experiment", name)])
        let explanation = try explainer.explanation(of: "persons", limit: 5)
        #expect(explanation.total.millionths == Int128(persons) * 1_000_000, "\(name)")
        #expect(explanation.personCount == persons + crossed && explanation.persons.count == 5, "\(name)")
        #expect(explanation.persons.allSatisfy { !$0.events.isEmpty }, "\(name)")
        #expect(try explainer.explanation(of: "crossed", limit: 0).total.millionths == Int128(crossed) * 1_000_000)
      }
    }
  }
}
