import Metrics
import Testing

/// A plan's own metrics, derived by hand.
struct OwnMetricTests {
  private typealias Events = ExperimentEvents

  /// In `control`, all exposed at the start: a opens twice on day 1 (screen export, weight 2 and 3) and once on day 20;
  /// b opens once on day 2 (screen home, weight 7); c does nothing. In `new`: d opens once on day 13 (export, weight
  /// 4).
  private static let store = Result {
    let at = Events.days
    func open(_ user: String, _ ms: Int64, _ screen: String, _ weight: Int) -> String {
      Events.line("activity", user, ms: ms, #","properties":{"screen":"\#(screen)","weight":\#(weight)}"#)
    }
    return try TestStore(
      lines: ["a", "b", "c"].map { Events.exposure($0, "control") } + [Events.exposure("d", "new")] + [
        open("a", at(1, 0), "export", 2), open("a", at(1, 5), "export", 3), open("a", at(20, 0), "export", 9),
        open("b", at(2, 0), "home", 7), open("d", at(13, 0), "export", 4),
        Events.conversion("a", ms: at(3, 0), "6"), Events.conversion("b", ms: at(3, 0), "9"),
        Events.line("activity", "z", ms: at(30, 0)),
      ])
  }

  private func readout(_ metric: String) throws -> ExperimentReadout {
    try Self.store.get().readout(yaml: "metrics:\n  - {name: own, \(metric)}")
  }

  @Test func proportionsCountPersons() throws {
    let readout = try readout("kind: proportion, event: activity, window: 14")
    #expect(readout.counts("own", "control") == "3 2 0" && readout.counts("own", "new") == "1 1 0")
    let exported = try self.readout(
      "kind: proportion, event: activity, window: 14, filter: {\"property:screen\": export}")
    #expect(exported.counts("own", "control") == "3 1 0")
    // Day 13 lies in [13, 14), day 20 past it.
    let late = try self.readout("kind: proportion, event: activity, window: [13, 14]")
    #expect(late.counts("own", "control") == "3 0 0" && late.counts("own", "new") == "1 1 0")
  }

  @Test func meansSumPerPersonUpToTheirCap() throws {
    #expect(try readout("kind: mean, event: activity, window: 14").value("own", "control") == 1)
    #expect(try readout("kind: mean, event: activity, window: 14, cap: 1").value("own", "control") == 2 / 3.0)
    // 2 + 3 of a and 7 of b.
    #expect(
      try readout("kind: mean, event: activity, value: \"property:weight\", window: 14").value("own", "control") == 4)
    #expect(
      try readout("kind: mean, event: conversion, value: price, currency: USD, window: 14").value("own", "control") == 5
    )
  }

  @Test func ratiosDivideTheSums() throws {
    let readout = try readout(
      "kind: ratio, event: activity, value: \"property:weight\", window: 14, denominator: {event: activity}")
    #expect(readout.value("own", "control") == 4)
  }

  /// c is censored at the as-of: of three, two had the event by day 14.
  @Test func timesToEventCensor() throws {
    let readout = try readout("kind: time_to_event, event: activity, window: 14, direction: down")
    #expect(abs((readout.value("own", "control") ?? 0) - 2 / 3.0) < 1e-12)
    #expect(readout.metrics.first { $0.metric.name == "own" }?.metric.direction == .down)
    // By day 30 all users have been followed for 14 days, with or without the event.
    #expect(readout.counts("own", "control") == "3 2 0" && readout.counts("own", "new") == "1 1 0")
  }

  /// A price selects the purchases of its currency; a share of users is not money.
  @Test func sharesOfPricesAreShares() throws {
    for kind in ["proportion", "time_to_event"] {
      let dollars = try readout("kind: \(kind), event: conversion, value: price, currency: USD, window: 14")
      #expect(dollars.counts("own", "control") == "3 2 0")
      #expect(dollars.metrics.first { $0.metric.name == "own" }?.metric.unit == .share)
      let euros = try readout("kind: \(kind), event: conversion, value: price, currency: EUR, window: 14")
      #expect(euros.counts("own", "control") == "3 0 0")
    }
  }
}
