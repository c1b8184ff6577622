import Metrics
import Testing

@testable import Reports

struct ExperimentChartTests {
  private typealias Events = ExperimentEvents

  private func store(_ lines: [String]) throws -> TestStore {
    try TestStore(lines: lines + [Events.line("activity", "z", ms: Events.days(70))])
  }

  /// 20 of 200 against 60 of 200: the difference is 20 points, with the interval of the readout.
  @Test func theForestHasTheDifferencesOfTheReadout() throws {
    let report = try store(
      Events.arm("control", persons: 200, paying: 20) + Events.arm("new", persons: 200, paying: 60)
    ).experiment(overTime: true)
    let readout = try #require(report.readouts.first)
    let charts = charts(of: readout)
    let shares = try #require(charts.first { $0.title.hasPrefix("Difference in shares, percentage points: new less") })
    let text = MetricText(try #require(readout.primary))
    let bounds = try #require(text.bounds(readout.primary?.comparisons.first?.sequential.interval))
    #expect(shares.description.contains("paid *: +20.0 pp (\(bounds))"))
    #expect(charts.contains { $0.title.hasPrefix("Difference in money, USD a viewer: ") })
    let effect = try #require(charts.last)
    #expect(effect.title == "Paid: the difference by day of data, with its always-valid band")
    #expect(effect.marks.contains { $0.contains(#"class="band s0""#) })
  }

  @Test func withoutDaysThereIsNoEffectOverTime() throws {
    let report = try store(Events.arm("control", persons: 50, paying: 5) + Events.arm("new", persons: 50, paying: 6))
      .experiment()
    #expect(!charts(of: try #require(report.readouts.first)).contains { $0.title.contains("by day of data") })
  }

  @Test func oneVariantHasNoPicture() throws {
    let report = try store(Events.arm("control", persons: 50, paying: 5)).experiment()
    #expect(charts(of: try #require(report.readouts.first)).isEmpty)
  }
}
