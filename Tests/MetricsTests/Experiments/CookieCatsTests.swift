import FolderSupport
import Foundation
import Metrics
import Reports
import Testing

/// A real experiment (public data): a gate at level 30 or 40, and users who returned after a week.
struct CookieCatsTests {
  private static let file = "data/public/events/cookie_cats.jsonl.zst"

  /// 8,502 of 44,700 against 8,279 of 45,489: R's `prop.test(c(8279, 8502), c(45489, 44700), correct = FALSE)` has
  /// p = 0.001554; χ² of the split 6.9024, p = 0.0086, no alarm at 0.001.
  @Test(.enabled(if: SharedFolder.isTried(file), "\(SharedFolder.absence(of: file))"))
  func theReadoutOfTheFirstGateIsRight() throws {
    let store = try TestStore(paths: [SharedFolder.url(of: Self.file).path])
    let report = try store.experiment("first_gate", ["--as-of", "2026-04-01T00:00:00Z"])
    let readout = try #require(report.readouts.first)
    #expect(readout.primary?.metric.name == "retained")
    #expect(readout.counts("retained", "gate_30") == "44700 8502 0")
    #expect(readout.counts("retained", "gate_40") == "45489 8279 0")
    let comparison = try #require(readout.comparison("retained"))
    #expect(abs((comparison.p ?? 0) - 0.001_554) < 1e-6)
    #expect(abs((readout.health.chiSquare?.chiSquare ?? 0) - 6.9024) < 1e-4)
    #expect(abs((readout.health.chiSquare?.p ?? 0) - 0.008_608) < 1e-6)
    #expect(!readout.health.isSampleRatioOff)
    // Nothing was planned: c = √{(1 + 1/143)·ln(144/0.0025)} = 3.32 at 90,189 users, and 3.32 standard errors of 0.0026
    // are 4.5% of 0.190. With a lift of −4.3%, losses up to 8.9% are possible.
    #expect(readout.decision.outcome == .noDifference)
    let lift = try #require(comparison.sequential.liftInterval)
    #expect(abs(lift.low + 0.0875) < 0.002 && abs(lift.high - 0.0026) < 0.002)
    let planned = try store.experiment(
      "first_gate", ["--as-of", "2026-04-01T00:00:00Z"], yaml: "planned_users: 90000")
    #expect(planned.readouts.first?.decision.outcome == .doNotShip)
    #expect(
      try store.sentence(planned).hasPrefix(
        "Do not ship gate_40: week-2 usage is 18.2% against 19.0% in gate_30"))
    // Stopped with nearly all users, the corrected difference is close to the raw one, and in its interval.
    let stopped = try #require(planned.readouts.first?.comparison("retained"))
    let (estimate, interval) = (try #require(stopped.decisionDifference), try #require(stopped.sequential.interval))
    #expect(abs(estimate + 0.0082) < 0.002 && interval.low < estimate && estimate < interval.high && interval.high < 0)
  }
}
