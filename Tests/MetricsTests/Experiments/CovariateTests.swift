import Metrics
import Testing

/// CUPED and the log-rank test in a readout.
struct CovariateTests {
  private typealias Events = ExperimentEvents

  /// (before, after) of four users each.
  private static let treatment = [(1, 1), (1, 1), (0, 0), (0, 1)]
  private static let control = [(1, 1), (0, 0), (0, 0), (0, 0)]

  private static func lines(_ history: (_ user: String, _ before: Int, _ after: Int) -> [String]) -> [String] {
    [("new", treatment), ("control", control)].flatMap { variant, persons in
      persons.enumerated().flatMap { place, person in
        [Events.exposure("\(variant)-\(place)", variant)] + history("\(variant)-\(place)", person.0, person.1)
      }
    }
  }

  /// Derived by hand: x̄ = 3/8, ȳ = 4/8, Σ(x − x̄)(y − ȳ) = 3 − 8·3/8·4/8 = 1.5, Σ(x − x̄)² = 3 − 9/8 = 1.875, θ = 0.8;
  /// the difference 3/4 − 1/4 less θ(2/4 − 1/4) is 0.3.
  @Test func aShareIsAdjustedByActivityBefore() throws {
    let store = try TestStore(
      lines: Self.lines { user, before, after in
        (before == 1 ? [Events.line("activity", user, ms: -Events.day)] : [])
          + (after == 1 ? [Events.line("activity", user, ms: Events.days(8))] : [])
      } + [Events.line("activity", "z", ms: Events.days(40))])
    let readout = try store.readout()
    let retained = try #require(readout.comparison("retained"))
    let adjustment = try #require(retained.covariate?.adjustment)
    #expect(abs(adjustment.theta - 0.8) < 1e-12 && abs(adjustment.difference - 0.3) < 1e-12)
    #expect(retained.difference == 0.5)
    #expect(retained.covariate?.covariate == "activity in the 30 d before the exposure")
    // The variance of Welch's statistic, s²/4 each: of y′ against y.
    #expect(adjustment.varianceReduction > 0 && adjustment.varianceReduction < 1)
    // No user paid, so there is no revenue to adjust, and a constant cannot be adjusted.
    #expect(readout.comparison("paid")?.covariate?.adjustment == nil)
  }

  /// The values times 10 before and 20 after give θ = 1.6, and the difference 10 less 1.6·2.5 is 6. For the ratio,
  /// every payer gave 20 after and 10 before, so that no ratio varies.
  @Test func revenueIsAdjustedByRevenueBefore() throws {
    let store = try TestStore(
      lines: Self.lines { user, before, after in
        (before == 1 ? [Events.conversion(user, ms: -Events.day, "10")] : [])
          + (after == 1 ? [Events.line("renewal", user, ms: Events.days(8), Self.renewal)] : [])
      } + [Events.line("activity", "z", ms: Events.days(40))])
    let readout = try store.readout()
    let adjustment = try #require(readout.comparison("revenue")?.covariate?.adjustment)
    #expect(abs(adjustment.theta - 1.6) < 1e-12 && abs(adjustment.difference - 6) < 1e-12)
    let ratio = try #require(readout.comparison("revenue_per_payer")?.covariate)
    #expect(ratio.adjustment == nil && ratio.reason != nil)
  }

  private static let renewal = #","plan":"monthly","product_id":"pro","price":20,"currency":"USD""#

  @Test func withoutAHistoryItIsSaidNotToApply() throws {
    let lines = Events.arm("control", persons: 40, paying: 9) + Events.arm("new", persons: 40, paying: 11)
    let store = try TestStore(lines: lines + [Events.line("activity", "z", ms: Events.days(70))])
    let readout = try store.readout()
    for metric in ["paid", "revenue"] {
      let covariate = try #require(readout.comparison(metric)?.covariate)
      #expect(covariate.adjustment == nil && covariate.reason?.hasSuffix("before the exposure") == true, "\(metric)")
    }
  }

  /// Freireich et al. (1963), weeks in remission; R's survdiff gives χ² = 16.79 on 1 df. Patients without a relapse
  /// were exposed that many weeks before the as-of.
  @Test func aTimeToEventHasTheLogRankTest() throws {
    let relapsed = [6, 6, 6, 7, 10, 13, 16, 22, 23]
    let watched = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
    let placebo = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]
    let week = 7 * Events.day
    func relapse(_ user: String, _ variant: String, _ weeks: Int) -> [String] {
      [Events.exposure(user, variant), Events.line("activity", user, ms: Int64(weeks) * week)]
    }
    let lines =
      placebo.enumerated().flatMap { relapse("p\($0)", "control", $1) }
      + relapsed.enumerated().flatMap { relapse("r\($0)", "new", $1) }
      + watched.enumerated().map { Events.exposure("w\($0)", "new", ms: Int64(40 - $1) * week) }
    let readout = try TestStore(lines: lines).readout(
      "test", ["--as-of", "2026-10-08T00:00:00Z"],
      yaml: "metrics: [{name: relapse, kind: time_to_event, event: activity, window: 280, direction: down}]")
    let test = try #require(readout.comparison("relapse")?.logRank)
    #expect(abs(test.chiSquare - 16.79) < 0.005 && test.degrees == 1)
  }
}
