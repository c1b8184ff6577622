import Basics
import Metrics
import Testing

/// Steps of paths as metrics of experiments (definitions 11.9), derived by hand and from metrics of events.
struct PathMetricTests {
  private typealias Events = ExperimentEvents

  private static let hour: Int64 = 3_600_000

  private static func event(_ kind: String, _ user: String, ms: Int64) -> String {
    Events.line(kind, user, ms: ms, kind == "paywall_dismissal" ? #","entry_point":"map""# : "")
  }

  /// All see `control` at the start of day 1. a opens the sheet after 2 h, starts a trial of 7 d after 3 h and pays when
  /// it ends; b opens the sheet on day 9, too late; c opens it before the exposure, and buys at once without it;
  /// d does nothing. e sees `new`, opens the sheet after 1 h and leaves.
  private static let store = Result {
    let at = Events.days
    return try TestStore(
      lines: ["a", "b", "c", "d"].map { Events.exposure($0, "control", ms: at(1, 0)) }
        + [Events.exposure("e", "new", ms: at(1, 0))]
        + [
          event("purchase_started", "a", ms: at(1, 2 * hour)), Events.trial("a", ms: at(1, 3 * hour)),
          Events.conversion("a", ms: at(8, 3 * hour), "6"), event("purchase_started", "b", ms: at(9, 0)),
          event("purchase_started", "c", ms: at(0, 0)), Events.conversion("c", ms: at(1, hour), "9"),
          event("purchase_started", "e", ms: at(1, hour)), event("paywall_dismissal", "e", ms: at(1, 2 * hour)),
          Events.line("activity", "z", ms: at(60, 0)),
        ])
  }

  private func readout(_ metric: String, paths: String = "") throws -> ExperimentReadout {
    try Self.store.get().readout(yaml: "\(paths)metrics:\n  - {name: own, \(metric)}")
  }

  @Test func stepsOfCheckoutCountFromTheExposure() throws {
    let sheet = try readout("path: checkout, step: sheet")
    #expect(sheet.counts("own", "control") == "4 1 0" && sheet.counts("own", "new") == "1 1 0")
    let started = try readout("path: checkout, step: started")
    #expect(started.counts("own", "control") == "4 2 0" && started.counts("own", "new") == "1 0 0")
    // The trial ends 7 d after its start, and its conversion counts with the grace of 3.3.
    let paid = try readout("path: checkout, step: paid")
    #expect(paid.counts("own", "control") == "4 2 0" && paid.counts("own", "new") == "1 0 0")
    let horizons = try [sheet, started, paid].map { try #require($0.metrics.first { $0.metric.name == "own" }) }
      .map { $0.metric.horizon / Events.day }
    // 7 d; 7 d; 7 d, the longest trial's 7 d and 3 d of grace.
    #expect(horizons == [7, 7, 17])
  }

  /// A sheet within 7 d is an event within 7 d: both metrics have one value, as a share and by time.
  @Test func aStepOfOneEventEqualsTheMetricOfThatEvent() throws {
    let one =
      "paths:\n  opens:\n    entry: {event: paywall_impression}\n    steps: "
      + "[{name: opened, event: purchase_started, within: 7d}]\n"
    for (step, event) in [("share", "proportion"), ("hours", "time_to_event")] {
      let expected = try readout("kind: \(event), event: purchase_started, window: 7")
      for (metric, paths) in [("path: checkout, step: sheet", ""), ("path: opens, step: opened", one)] {
        let found = try readout("\(metric), measure: \(step)", paths: paths)
        for variant in ["control", "new"] {
          #expect(found.counts("own", variant) == expected.counts("own", variant))
          #expect(found.value("own", variant) == expected.value("own", variant))
        }
      }
    }
  }

  /// In order: the sheet, then the dismissal within an hour of it. e is just too late, as the window has no end.
  @Test(arguments: [("61m", "1 1 0"), ("1h", "1 0 0")])
  func laterStepsCountFromTheStepBefore(within: String, counts: String) throws {
    let paths =
      "paths:\n  leaves:\n    entry: {event: activity}\n    steps: [{name: opened, event: purchase_started, within: 7d}, "
      + "{name: left, event: paywall_dismissal, within: \(within)}]\n"
    let readout = try readout("path: leaves, step: left", paths: paths)
    #expect(readout.counts("own", "new") == counts && readout.counts("own", "control") == "4 0 0")
  }

  /// Five users of clients that send no sheet start: nobody knows how many opened one (11.9).
  @Test func withoutSheetsTheStepIsNotKnown() throws {
    let users = (1...5).map { "u\($0)" }
    let store = try TestStore(
      lines: users.map { Events.exposure($0, "control") } + users.map { Events.conversion($0, ms: Self.hour, "6") }
        + [Events.exposure("v", "new"), Events.line("activity", "z", ms: Events.days(60))])
    let readout = try store.readout(yaml: "metrics:\n  - {name: own, path: checkout, step: sheet}")
    #expect(readout.value("own", "control") == nil)
    let started = try store.readout(yaml: "metrics:\n  - {name: own, path: checkout, step: started}")
    #expect(started.counts("own", "control") == "5 5 0")
  }

  @Test(arguments: [
    ("path: checkout", "metrics.path needs a step, such as step: sheet"),
    (
      "path: checkout, step: shet",
      "metrics.step is shet, but must be one of sheet, started, paid; did you mean sheet?"
    ),
    ("path: chekout, step: sheet", "metrics.path is chekout, but must be one of checkout; did you mean checkout?"),
    ("path: checkout, step: sheet, window: 7", "metrics.window cannot be combined with path"),
    (
      "step: sheet, kind: proportion, event: activity, window: 7",
      "metrics.step needs path, such as path: checkout"
    ),
    ("path: checkout, step: sheet, measure: mean", "metrics.measure is mean, but must be one of share, hours"),
  ])
  func wrongStepsAreRefused(metric: String, message: String) throws {
    let error = #expect(throws: ConfigurationError.self) {
      try ExperimentPlan(yaml: "metrics:\n  - {name: own, \(metric)}", experiment: "test", file: "plan.yaml")
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  /// An exposure is no trial, and has no deadline.
  @Test func aStepWithoutTheTrialOfItsEntryIsRefused() throws {
    let error = #expect(throws: ConfigurationError.self) {
      try ExperimentPlan(
        yaml: """
          paths: {tried: {entry: {fact: trial}, steps: [{name: paid, fact: trial_paid}]}}
          metrics: [{name: own, path: tried, step: paid}]
          """, experiment: "test", file: "plan.yaml")
    }
    #expect(
      error?.description.contains("is paid, but paid ends with the trial of the path's entry") == true,
      "\(error?.description ?? "")")
  }
}
