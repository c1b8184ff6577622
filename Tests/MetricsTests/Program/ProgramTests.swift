import Basics
import FolderSupport
import Foundation
import Metrics
import Reports
import Statistics
import Testing

/// `program` over a store (D9).
struct ProgramTests {
  private typealias Events = ExperimentEvents

  /// `test`: 3,000 users per variant, of whom 240 and 372 pay (worked example 1); long over.
  private static let winner =
    Events.arm("control", persons: 3_000, paying: 240) + Events.arm("b", persons: 3_000, paying: 372)
    + [Events.line("activity", "z", ms: Events.days(90))]

  private func reports(_ store: TestStore, _ plans: [String: String] = [:]) throws -> [ProgramReport] {
    try withTemporaryDirectory { folder in
      for (name, text) in plans { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
      let files = try PlanFile.all(in: folder.path)
      return try store.store.read { try Program.reports($0, ReportOptions(), plans: files) }
    }
  }

  private func failure(_ plans: [String: String], _ store: TestStore? = nil) throws -> String {
    do {
      _ = try reports(try store ?? TestStore(lines: [Events.exposure("a", "x")]), plans)
      return "no error"
    } catch let error as ConfigurationError {
      return String(error.description.split(separator: "/").last ?? "")
    }
  }

  @Test func anExperimentWithoutAPlanIsListedAsUnplanned() throws {
    let report = try #require(try reports(TestStore(lines: Self.winner)).first)
    let test = try #require(report.tests.first)
    #expect(report.app == "demo" && report.tests.count == 1)
    #expect(test.plan == nil && test.state == .ended && test.users == 6_000 && !test.isShipped)
    #expect(report.shipped == nil)
    let table = programTable(report)
    #expect(table.rows[0][1] == .text("unplanned"))
    #expect(table.definition[0].hasPrefix("No test is recorded as shipped"))
  }

  /// y = ln(372.5/3000.5) − ln(240.5/3000.5) = 0.437517, s² = 0.006176 (mpmath, as in LogLiftTests); a single test's
  /// shrunken effect is the program's own posterior, tested in ShrunkenEffectsTests.
  @Test func aShippedTestAddsUpToItsShrunkenLift() throws {
    let plan = "experiment: test\nowner: ann\nchange: price\nshipped_on: 2026-03-01\n"
    let report = try #require(try reports(TestStore(lines: Self.winner), ["test.yaml": plan]).first)
    let test = try #require(report.tests.first)
    let effect = try #require(test.effect)
    #expect(abs(effect.value - 0.4375169482737983) < 1e-12)
    #expect(abs(effect.variance - 0.006176012342322432) < 1e-12)
    #expect(test.variant == "b" && test.isShipped && test.decision == .ship)
    let expected = ShrunkenEffects([effect])
    let shipped = try #require(report.shipped)
    #expect(shipped.corrected == expected.means[0] && shipped.measured == effect.value)
    #expect(report.wins.count == 1 && report.wins.of == 1 && report.learned.count == 1)
    #expect(report.kinds.map(\.change) == [.price] && !report.kinds[0].isReadable)
    // exp(0.4375) − 1 = 54.9%.
    let sentence = programTable(report).definition[0]
    #expect(sentence.hasPrefix("Shipped lifts add up to +55% as measured, +"), "\(sentence)")
    #expect(report.next?.chances.usesPriorAlone == true)
  }

  @Test func aTestWithAFailedSampleRatioHasNoEffectAndIsInNoRate() throws {
    let lines =
      Events.arm("control", persons: 2_700, paying: 270) + Events.arm("b", persons: 2_200, paying: 330)
      + [Events.line("activity", "z", ms: Events.days(90))]
    let report = try #require(
      try reports(TestStore(lines: lines), ["test.yml": "experiment: test\noutcome: ship\n"]).first)
    #expect(report.tests[0].effect == nil && report.tests[0].decision == ExperimentDecision.Outcome.none)
    #expect(report.readable == 0 && report.wins.value == nil && report.shipped == nil)
    #expect(programTable(report).definition[0].hasPrefix("No effect of a shipped test is known yet"))
  }

  @Test func aPlanOfAnExperimentThatNobodySawIsListedAsPlanned() throws {
    let report = try #require(
      try reports(TestStore(lines: Self.winner), ["next.yaml": "experiment: next\napp: demo\nchange: copy\n"]).first)
    let next = try #require(report.tests.first { $0.experiment == "next" })
    #expect(next.state == .planned && next.decision == nil && next.users == 0)
    #expect(report.tests.map(\.experiment) == ["next", "test"])
  }

  @Test func anEmptyStoreHasNoProgram() throws {
    #expect(try reports(TestStore(lines: [])).isEmpty)
    #expect(try reports(TestStore(lines: []), ["a.yaml": "experiment: a\n"]).isEmpty)
  }

  @Test func wrongPlansAreNamedWithFileAndLine() throws {
    #expect(try failure(["a.yaml": "experiment: a\nlooks: never\n"]).hasPrefix("a.yaml:2: looks is never"))
    #expect(
      try failure(["a.yaml": "owner: ann\n"])
        == "a.yaml: experiment is missing, but must name the experiment of the plan")
    #expect(try failure(["a.yaml": "experiment: a\n", "b.yaml": "experiment: a\n"]).hasPrefix("a.yaml plans already"))
    #expect(
      try failure(["a.yaml": "experiment: a\napp: other\n"])
        == "a.yaml: app is other, but must be one of the store's: demo")
    let control = "experiment: test\ncontrol: nobody\n"
    #expect(try failure(["a.yaml": control], TestStore(lines: Self.winner)).hasPrefix("a.yaml: control is nobody"))
    #expect(throws: ConfigurationError.self) { try PlanFile.all(in: "no such folder") }
  }

  @Test func theLongFormHasOneRowAValue() throws {
    let report = try #require(try reports(TestStore(lines: Self.winner)).first)
    let rows = programRows([report])
    func value(_ section: String, _ measure: String) -> ReportValue? {
      rows.rows.first { $0[1] == .text(section) && $0[3] == .text(measure) }?[4]
    }
    #expect(value("tests", "log_lift") == .number(report.tests[0].effect?.value))
    #expect(value("tests", "shrunken") == .number(report.tests[0].shrunken))
    #expect(value("summary", "sum") == .number(nil))
    #expect(value("next_test", "chance_14_days") == .number(report.next?.chances.lengths[0].chance))
    #expect(Set(rows.rows.map { "\($0[1])\($0[2])\($0[3])" }).count >= rows.rows.count - 8)
  }
}
