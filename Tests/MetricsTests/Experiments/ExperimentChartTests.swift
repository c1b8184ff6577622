import Metrics
import Testing

@testable import Reports

struct ExperimentChartTests {
  private typealias Events = ExperimentEvents

  private func store(_ lines: [String]) throws -> TestStore {
    try TestStore(lines: lines + [Events.line("activity", "z", ms: Events.days(70))])
  }

  /// 20 of 200 against 60 of 200: the last day's difference is 20 points, with the interval that the readout states.
  @Test func theCourseEndsAtTheDifferenceOfTheReadout() throws {
    let report = try store(
      Events.arm("control", persons: 200, paying: 20) + Events.arm("new", persons: 200, paying: 60)
    ).experiment(overTime: true)
    let readout = try #require(report.readouts.first)
    let course = try #require(charts(of: readout).first)
    #expect(course.title == "The difference over time")
    let text = MetricText(try #require(readout.primary))
    let bounds = try #require(text.bounds(readout.primary?.comparisons.first?.sequential.interval))
    #expect(course.table.rows.last?.last == "+20.0 pp (\(bounds))")
    #expect(course.markup.text.contains(#"class="f1 band""#))
  }

  @Test func withoutDaysThereIsNoCourse() throws {
    let report = try store(Events.arm("control", persons: 50, paying: 5) + Events.arm("new", persons: 50, paying: 6))
      .experiment()
    #expect(!charts(of: try #require(report.readouts.first)).contains { $0.title == "The difference over time" })
  }

  @Test func oneVariantHasNoPicture() throws {
    let report = try store(Events.arm("control", persons: 50, paying: 5)).experiment()
    #expect(charts(of: try #require(report.readouts.first)).isEmpty)
  }
}
