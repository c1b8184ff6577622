import EventModel
import Metrics
import Testing

/// Definitions 8.1, 8.2 and D5 at the edges of their windows, to the millisecond; counts derived by hand.
struct ExperimentOutcomeTests {
  private typealias Events = ExperimentEvents

  /// All are exposed at the start, S. In `control`:
  ///
  /// - a: trial at S + 7 d − 1 ms, the last instant of `trial_start`; converts at S + 14 d, past `paid` but within its
  ///   trial and grace, for 4.00
  /// - b: trial at S + 7 d: outside the window, and a trial is not usage (D5.1)
  /// - c: buys at S + 14 d − 1 ms for 9.99, refunded in full at S + 30 d − 1 ms
  /// - d: buys at S + 29 d for 5.00; 1.50 is refunded at S + 30 d − 1 ms, and 0.50 at S + 30 d, too late to be
  ///   subtracted
  /// - e: active at S + 7 d; f: at S + 7 d − 1 ms and S + 14 d
  ///
  /// In `new`: h buys at S for 10.00 EUR; i does nothing. g is seen with both.
  private static let lines: [String] = {
    let at = Events.days
    return ["a", "b", "c", "d", "e", "f", "g"].map { Events.exposure($0, "control") }
      + ["g", "h", "i"].map { Events.exposure($0, "new", ms: 0) }
      + [
        Events.trial("a", ms: at(7, -1)), Events.conversion("a", ms: at(14, 0), "4.00"),
        Events.trial("b", ms: at(7, 0)),
        Events.conversion("c", ms: at(14, -1), "9.99"), Events.line("refund", "c", ms: at(30, -1)),
        Events.conversion("d", ms: at(29, 0), "5.00"),
        Events.line("refund", "d", ms: at(30, -1), #","price":1.50,"currency":"USD""#),
        Events.line("refund", "d", ms: at(30, 0), #","price":0.50,"currency":"USD""#),
        Events.line("activity", "e", ms: at(7, 0)),
        Events.line("activity", "f", ms: at(7, -1)), Events.line("activity", "f", ms: at(14, 0)),
        Events.conversion("h", ms: 0, "10.00", "EUR"),
      ]
  }()

  /// D6.5: 121 users, of whom one pays 500, 50 pay 10 and the others nothing. The 99.9% quantile of type 7 is at place
  /// 119.88 of 0 to 120: 10 + 0.88 · 490 = 441.2. The user who pays 500 is in control: (20 · 10 + cap) ÷ 61.
  @Test func theCapIsThePlansElseTheFrozenOne() throws {
    let store = try TestStore(
      lines: Events.arm("control", persons: 60, paying: 20) + Events.arm("new", persons: 60, paying: 30)
        + [Events.exposure("w", "control"), Events.conversion("w", ms: 1, "500")])
    func capped(_ yaml: String?, _ fixed: FixedAtFirstReadout?) throws -> (cap: Double, mean: Double)? {
      let plan = try yaml.map { try ExperimentPlan(yaml: $0, experiment: "test", file: "plan.yaml") }
      let options = try ReportOptions(arguments: ["--as-of", "2026-03-10T00:00:00Z"])
      let report = try store.store.read {
        try Experiments.report(
          $0, options, ExperimentOptions(experiment: "test", plan: plan ?? ExperimentPlan(), fixed: fixed))
      }
      let twin = report.readouts[0].metrics.first { $0.capped != nil }
      #expect(report.readouts[0].money != nil)
      return twin.flatMap { twin in twin.capped.flatMap { cap in twin.arms[0].estimate.map { (cap.cap, $0) } } }
    }
    func expect(_ found: (cap: Double, mean: Double)?, _ cap: Double) {
      #expect(abs((found?.cap ?? 0) - cap) < 1e-9 && abs((found?.mean ?? 0) - (200 + cap) / 61) < 1e-9)
    }
    expect(try capped(nil, nil), 441.2)
    expect(try capped(nil, FixedAtFirstReadout(cap: 100, currency: "USD")), 100)
    expect(try capped(nil, FixedAtFirstReadout(cap: 100, currency: "EUR")), 441.2)
    expect(try capped("cap: 40", FixedAtFirstReadout(cap: 100, currency: "USD")), 40)
    #expect(try capped("cap: 1000", nil) == nil)
  }

  private static func readout(asOf: String) throws -> ExperimentReadout {
    try TestStore(lines: lines).readout("test", ["--as-of", asOf, "--currency", "native"])
  }

  /// After forty days, all have matured.
  @Test func windowsAreHalfOpen() throws {
    let readout = try Self.readout(asOf: "2026-02-10T00:00:00Z")
    #expect(readout.arms.map { "\($0.variant) \($0.persons)" } == ["control 6", "new 2"])
    #expect(readout.health.crossed == 1 && readout.health.persons == 9)
    #expect(readout.counts("trial_start", "control") == "6 1 0")
    #expect(readout.counts("paid", "control") == "6 1 0")
    #expect(readout.counts("paid", "new") == "2 1 0")
    #expect(readout.counts("retained", "control") == "6 1 0")
    #expect(readout.counts("refunded", "control") == "6 1 0")
    #expect(readout.counts("trial_to_paid", "control") == "1 1 0")
    // 4.00 + (9.99 − 9.99) + (5.00 − 1.50) of six users, three of whom paid.
    #expect(readout.value("revenue:USD", "control") == 1.25)
    #expect(readout.value("revenue_per_payer:USD", "control") == 2.5)
    #expect(readout.value("revenue:EUR", "new") == 5)
    let split = try #require(readout.revenue.first?.arms.first)
    #expect(split.payers == 3 && split.conversion == 0.5 && split.revenuePerPayer == 2.5)
  }

  /// Nothing happens after the data, however late the as-of.
  @Test func theAsOfMayLieMillenniaAfterTheData() throws {
    let (soon, late) = (try Self.readout(asOf: "2027-01-01T00:00:00Z"), try Self.readout(asOf: "9999-12-31T00:00:00Z"))
    func counts(_ readout: ExperimentReadout) -> [[Int]] {
      readout.metrics.flatMap { $0.arms.map { [$0.persons, $0.events, $0.immature] } }
    }
    #expect(counts(soon) == counts(late))
    #expect(soon.metrics.map { $0.comparisons.map(\.p) } == late.metrics.map { $0.comparisons.map(\.p) })
  }

  /// `paid` is known once S + 14 d is at or before the as-of, and not one millisecond earlier.
  @Test func aPersonMaturesWhenTheHorizonIsOver() throws {
    let before = try Self.readout(asOf: "2026-01-14T23:59:59.999Z")
    #expect(before.counts("paid", "control") == "0 0 6" && before.value("paid", "control") == nil)
    #expect(before.counts("trial_start", "control") == "6 1 0")
    let at = try Self.readout(asOf: "2026-01-15T00:00:00Z")
    #expect(at.counts("paid", "control") == "6 1 0")
    #expect(at.counts("refunded", "control") == "0 0 6")
    let beforeMonth = try Self.readout(asOf: "2026-01-30T23:59:59.999Z")
    #expect(beforeMonth.value("revenue:USD", "control") == nil)
  }

  /// Of users whose first introductory trial started within 7 d of the exposure, those who cancelled during it (D5.3).
  /// Trials last 14 days, so the horizon is 21 d. A second trial does not count, nor does one from the seventh day on.
  @Test func cancelledTrialsAreOfTheFirstTrial() throws {
    let at = Events.days
    func off(_ user: String, _ ms: Int64) -> String { Events.line("cancellation", user, ms: ms) }
    func on(_ user: String, _ ms: Int64) -> String { Events.line("reactivation", user, ms: ms) }
    let users = ["in", "at", "back", "second"]
    let store = try TestStore(
      lines: (users + ["other", "none", "late"]).map { Events.exposure($0, $0 == "other" ? "new" : "control") }
        + users.map { Events.trial($0, ms: at(1, 0), days: 14) }
        + [
          off("in", at(15, -1)),  // the last instant of the trial
          off("at", at(15, 0)),  // its end
          off("back", at(5, 0)), on("back", at(6, 0)),
          Events.trial("second", ms: at(20, 0), days: 14), off("second", at(21, 0)),
          Events.trial("late", ms: at(7, 0), days: 14), off("late", at(8, 0)),
        ])
    let before = try store.readout("test", ["--as-of", "2026-01-21T23:59:59.999Z"])
    #expect(before.counts("trial_cancelled", "control") == "0 0 6")
    let readout = try store.readout("test", ["--as-of", "2026-02-10T00:00:00Z"])
    #expect(readout.counts("trial_cancelled", "control") == "4 1 0")
    #expect(readout.counts("trial_cancelled_per_exposed", "control") == "6 1 0")
    #expect(readout.metrics.first { $0.metric.name == "trial_cancelled" }?.conditionalOn == "trials")
  }

  /// Exposures before the start do not count, even if the user was exposed before; nor do those at or after the end.
  @Test func exposuresCountBetweenStartAndEnd() throws {
    let at = Events.days
    let store = try TestStore(lines: [
      Events.exposure("early", "control", ms: at(1, 0)), Events.exposure("again", "control", ms: at(1, 0)),
      Events.exposure("again", "control", ms: at(12, 0)), Events.exposure("switched", "control", ms: at(1, 0)),
      Events.exposure("switched", "new", ms: at(10, 0)), Events.exposure("last", "new", ms: at(20, -1)),
      Events.exposure("past", "new", ms: at(20, 0)),
      Events.conversion("again", ms: at(13, 0), "10"), Events.conversion("early", ms: at(13, 0), "10"),
    ])
    let yaml = "start: 2026-01-11\nend: 2026-01-21"
    let readout = try store.readout("test", ["--as-of", "2026-03-01T00:00:00Z"], yaml: yaml)
    #expect(readout.arms.map { "\($0.variant) \($0.persons)" } == ["control 1", "new 2"])
    #expect(readout.health.crossed == 0)
    #expect(readout.counts("paid", "control") == "1 1 0")
    let whole = try store.readout("test", ["--as-of", "2026-03-01T00:00:00Z"])
    #expect(whole.health.crossed == 1)
    #expect(whole.arms.map { "\($0.variant) \($0.persons)" } == ["control 2", "new 2"])
  }

  /// Users in a variant without a planned share are leaks: counted but not compared, and there is no verdict.
  @Test func aVariantWithoutAShareLeaks() throws {
    let store = try TestStore(lines: ["a", "b", "c"].map { Events.exposure($0, $0) })
    let readout = try store.readout(yaml: "variants: {a: 1, b: 1, c: 0}")
    #expect(readout.arms.map(\.variant) == ["a", "b"])
    #expect(readout.health.leaks.map(\.variant) == ["c"] && readout.health.leaks.map(\.persons) == [1])
    #expect(readout.decision.outcome == .none && readout.decision.reason == "leak")
  }

  @Test func oneVariantIsNothingToCompare() throws {
    let readout = try TestStore(lines: [Events.exposure("a", "control")]).readout()
    #expect(readout.decision.outcome == .none && readout.decision.reason == "nothing_to_compare")
    #expect(readout.treatments.isEmpty)
    let crossed = try TestStore(lines: [Events.exposure("a", "b"), Events.exposure("a", "c", ms: 1)]).readout()
    #expect(crossed.arms.isEmpty && crossed.health.crossed == 1)
    #expect(crossed.decision.reason == "nothing_to_compare")
  }

  /// From cells, and from facts if days are selected.
  @Test func theExperimentsAreListed() throws {
    let store = try TestStore(lines: Self.lines)
    let report = try store.store.read { try ExperimentList.report($0, ReportOptions()) }
    #expect(report.rows.count == 1)
    #expect(
      report.rows[0][..<6] == ["demo", "test", "control 6, new 2", "control"].map { .text($0) } + [
        .count(8), .count(1),
      ])
    var options = ReportOptions()
    options.from = CivilDate(daysSince1970: 0)
    let slow = try store.store.read { try ExperimentList.report($0, options) }
    #expect(slow.rows == report.rows)
  }

  /// A part of one name is enough; of two, it could mean either.
  @Test(arguments: [(["steps_yearly_anchor", "gate"], true), (["steps_yearly_anchor", "coach_yearly_anchor"], false)])
  func aPartOfANameIsNamed(known: [String], isNamed: Bool) {
    let text = ExperimentError.unknownExperiment("yearly_anchor", known: known).description
    #expect(text.hasSuffix("; did you mean steps_yearly_anchor?") == isNamed, "\(text)")
  }

  @Test func anUnknownExperimentNamesThoseSeen() throws {
    let store = try TestStore(lines: Self.lines)
    #expect(throws: ExperimentError.unknownExperiment("tset", known: ["test"])) {
      try store.experiment("tset")
    }
    // The experiment exists, but the selection excludes all users; the error says both.
    let seen = try store.store.read { try ExperimentList.report($0, ReportOptions()) }.rows[0]
    guard case .text(let first) = seen[6], case .text(let last) = seen[7] else { throw TestError("no instants") }
    func nobody(_ asked: String) -> ExperimentError {
      .nobodyExposed("test", asked: [asked], seen: ["demo from \(first) to \(last)"], values: nil)
    }
    #expect(throws: nobody("--as-of 2020-01-01T00:00:00.000Z")) {
      try store.experiment("test", ["--as-of", "2020-01-01T00:00:00Z"])
    }
    #expect(throws: nobody("start 2030-01-01T00:00:00.000Z")) { try store.experiment(yaml: "start: 2030-01-01") }
    #expect(throws: nobody("--where platform=windows")) {
      try store.experiment("test", ["--where", "platform=windows"])
    }
    // A variant of the plan that nobody saw may yet come, unless a name like it did.
    #expect(throws: ExperimentError.unseenVariant("newe", seen: ["control", "new"])) {
      try store.experiment(yaml: "variants: [control, newe]")
    }
    #expect(throws: Never.self) { try store.experiment(yaml: "variants: [control, new, later]") }
    #expect(throws: ExperimentError.unknownVariant(key: "control", "old", seen: ["control", "new"])) {
      try store.experiment(yaml: "control: old")
    }
    #expect(throws: ExperimentError.unknownApp("dmeo", known: ["demo"])) { try store.experiment(yaml: "app: dmeo") }
    #expect(throws: ExperimentError.unsupportedDimension(option: "--by", "entry_point")) {
      try store.experiment("test", ["--by", "entry_point"])
    }
  }

  /// A page has to answer soon: the reason comes before any metric is computed.
  @Test func moreVariantsThanWantedAreRefused() throws {
    let store = try TestStore(lines: ["control", "b", "c"].map { ExperimentEvents.exposure("user-\($0)", $0) })
    func arms(most: Int?) throws -> Int? {
      var wanted = ExperimentOptions(experiment: "test")
      wanted.mostVariants = most
      return try store.store.read { try Experiments.report($0, ReportOptions(), wanted) }.readouts.first?.arms.count
    }
    #expect(try arms(most: nil) == 3)
    #expect(try arms(most: 3) == 3)
    let error = ExperimentError.manyVariants("test", count: 3, most: 2)
    #expect(throws: error) { try arms(most: 2) }
    #expect(
      "\(error)" == "test has 3 variants, and a page compares at most 2: read it out with `tollgate experiment test`")
  }

  /// Of the three variants, c was seen first; names would put b first.
  @Test func variantsAreInTheOrderOfTheirFirstExposure() throws {
    let store = try TestStore(
      lines: ["c", "control", "b"].enumerated().map {
        ExperimentEvents.exposure("user-\($0.element)", $0.element, ms: Int64($0.offset))
      })
    #expect(try store.readout().variantOrder == ["c", "control", "b"])
  }

  /// Statistics 2.13: five payers of different amounts in each arm, or no interval, p and difference.
  @Test(arguments: [
    (4, true, "fewer than 5 payers in control"), (0, true, "fewer than 5 payers in control"),
    (5, false, "all payers in control paid the same amount"), (5, true, nil),
  ])
  func meansPerPayerNeedFivePayersWhoDiffer(payers: Int, differ: Bool, reason: String?) throws {
    func buyers(_ variant: String, _ count: Int, differ: Bool) -> [String] {
      (0..<20).flatMap { index -> [String] in
        let user = "\(variant)-\(index)"
        let exposed = ExperimentEvents.exposure(user, variant)
        let price = differ && index == 0 ? "7" : "10"
        return index < count ? [exposed, ExperimentEvents.conversion(user, ms: 60_000, price)] : [exposed]
      }
    }
    let store = try TestStore(lines: buyers("control", payers, differ: differ) + buyers("new", 6, differ: true))
    let readout = try #require(
      store.experiment("test", ["--as-of", "2026-03-10T00:00:00Z"]).readouts.first)
    let metric = try #require(readout.metrics.first { $0.metric.name == "revenue_per_payer" })
    let comparison = try #require(metric.comparisons.first)
    #expect(metric.arms[0].reason == reason && (metric.arms[0].interval == nil) == (reason != nil))
    #expect(comparison.reason == reason && (comparison.difference == nil) == (reason != nil))
    #expect((comparison.p == nil) == (reason != nil) && (comparison.interval == nil) == (reason != nil))
    #expect(metric.arms[1].interval != nil)
  }
}
