internal import Basics
internal import Statistics
public import Store

/// Reports the program of tests (`program`, decisions D9).
public enum Program {
  /// Returns one report per app, in byte order; apps without experiments and plans have none.
  ///
  /// - Parameter plans: The plans of a folder. A plan without an app applies to every app that has its experiment.
  /// - Throws: ``ConfigurationError`` for a plan that does not fit the store, ``ReportError``.
  public static func reports(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, plans: [PlanFile]
  ) throws -> [ProgramReport] {
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    let seen = try ExperimentList.exposures(query)
    let known = try snapshot.apps().map(\.name)
    for plan in plans {
      if let app = plan.plan.app, !known.contains(app) {
        throw ConfigurationError(
          file: plan.file, line: nil, key: "app",
          problem: "is \(app), but must be one of the store's: \(known.joined(separator: ", "))")
      }
    }
    var reports: [ProgramReport] = []
    for app in query.apps {
      var tests: [(test: ProgramReport.Test, readout: ExperimentReadout?)] = []
      for experiment in seen.filter({ $0.app == app.name }).map(\.experiment) {
        let plan = plans.plan(of: experiment, app: app.name)
        let readout = try readout(snapshot, options, app: app.name, experiment, plan)
        tests.append((test(experiment, plan?.plan, readout), readout))
      }
      let names = Set(tests.map(\.test.experiment))
      for plan in plans where !names.contains(plan.experiment) {
        // An unseen plan without an app is listed if there is only one app.
        guard plan.plan.app == app.name || (plan.plan.app == nil && isUnseen(plan, seen)) else { continue }
        tests.append((test(plan.experiment, plan.plan, nil), nil))
      }
      if tests.isEmpty { continue }
      tests.sort { precedesInBytes($0.test.experiment, $1.test.experiment) }
      reports.append(report(app.name, asOf: query.asOf(of: app), tests))
    }
    return reports
  }

  private static func isUnseen(
    _ plan: PlanFile, _ seen: [(app: String, experiment: String, range: ClosedRange<Int64>)]
  ) -> Bool { !seen.contains { $0.experiment == plan.experiment } }

  /// - Returns: `nil` if no user is exposed under the plan.
  private static func readout(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, app: String, _ experiment: String, _ plan: PlanFile?
  ) throws -> ExperimentReadout? {
    var options = options
    options.apps = [app]
    do {
      return try Experiments.report(
        snapshot, options, ExperimentOptions(experiment: experiment, plan: plan?.plan ?? ExperimentPlan())
      ).readouts.first
    } catch let error as ExperimentError {
      if let plan, error.isOfPlan {
        throw ConfigurationError(file: plan.file, line: nil, key: "", problem: error.description)
      }
      return nil
    }
  }

  private static func test(
    _ experiment: String, _ plan: ExperimentPlan?, _ readout: ExperimentReadout?
  ) -> ProgramReport.Test {
    guard let readout else {
      return ProgramReport.Test(experiment: experiment, plan: plan, state: .planned, users: 0, reason: "")
    }
    let decision = readout.decision
    var test = ProgramReport.Test(
      experiment: experiment, plan: plan, state: readout.schedule.isEnded ? .ended : .running,
      users: readout.arms.reduce(0) { $0 + $1.persons }, decision: decision.outcome, reason: decision.reason)
    // The cause of the lost users may also have caused the difference.
    if readout.health.isSampleRatioOff || !readout.health.leaks.isEmpty { return test }
    let effects = effects(readout)
    let best = effects.indices.filter { effects[$0] != nil }.max { effects[$0]!.value < effects[$1]!.value }
    guard let place = decision.outcome == .ship ? decision.treatment ?? best : best else { return test }
    test.variant = readout.treatments[place]
    test.effect = effects[place]
    if let paid = paid(readout), paid.comparisons.indices.contains(place) {
      let reading = paid.comparisons[place].sequential
      test.isOfFew = reading.interval == nil && reading.liftInterval == nil
    }
    if let money = readout.money, money.annual.indices.contains(place), let annual = money.annual[place] {
      test.annual = annual.value
      test.currency = money.currency
    }
    return test
  }

  /// Returns the effects on `paid`, one per treatment.
  private static func effects(_ readout: ExperimentReadout) -> [LogLift?] {
    guard let arms = paidArms(readout) else { return readout.treatments.map { _ in nil } }
    return arms.dropFirst().map { LogLift($0, arms[0]) }
  }

  private static func paid(_ readout: ExperimentReadout) -> MetricReadout? {
    readout.metrics.first { $0.metric.name == ExperimentMetric.paid.name }
  }

  private static func paidArms(_ readout: ExperimentReadout) -> [Proportion]? {
    paid(readout)?.arms.map { Proportion(successes: Double($0.events), trials: Double($0.persons)) }
  }

  private static func report(
    _ app: String, asOf: Int64, _ rows: [(test: ProgramReport.Test, readout: ExperimentReadout?)]
  ) -> ProgramReport {
    var tests = rows.map(\.test)
    // All tests with an effect are included, lost and undecided ones too.
    let places = tests.indices.filter { tests[$0].effect != nil }
    let effects = places.compactMap { tests[$0].effect }
    let shrunken = ShrunkenEffects(effects)
    for (number, place) in places.enumerated() { tests[place].shrunken = shrunken.means[number] }

    let ended = rows.filter { row in
      guard row.test.state == .ended, let health = row.readout?.health else { return false }
      return !health.isSampleRatioOff && health.leaks.isEmpty
    }.map(\.test)
    func wins(_ tests: [ProgramReport.Test]) -> ProgramReport.Rate {
      ProgramReport.Rate(count: tests.count(where: \.isShipped), of: tests.count)
    }
    let decided: Set<ExperimentDecision.Outcome> = [.ship, .doNotShip, .noDifference]
    let kinds = ExperimentPlan.Change.allCases.compactMap { change -> ProgramReport.Kind? in
      let own = ended.filter { $0.plan?.change == change }
      return own.isEmpty ? nil : ProgramReport.Kind(change: change, wins: wins(own))
    }
    return ProgramReport(
      app: app, asOf: asOf, tests: tests, shipped: shipped(tests, places, shrunken), readable: ended.count,
      wins: wins(ended),
      learned: ProgramReport.Rate(
        count: ended.count { $0.decision.map(decided.contains) ?? false }, of: ended.count),
      kinds: kinds, next: next(rows.compactMap(\.readout), effects))
  }

  private static func shipped(
    _ tests: [ProgramReport.Test], _ places: [Int], _ effects: ShrunkenEffects
  ) -> ProgramReport.Shipped? {
    let all = tests.filter(\.isShipped)
    let numbers = places.indices.filter { tests[places[$0]].isShipped }
    guard let sum = effects.sum(of: numbers) else { return nil }
    var annual: [String: Double] = [:]
    for test in all {
      if let currency = test.currency, let value = test.correctedAnnual { annual[currency, default: 0] += value }
    }
    return ProgramReport.Shipped(
      tests: all.count, withoutEffect: all.count - numbers.count,
      measured: numbers.reduce(0) { $0 + effects.effects[$1].value }, corrected: sum.mean, interval: sum.interval,
      annual: annual.sorted { precedesInBytes($0.key, $1.key) }.map { ($0.key, $0.value) })
  }

  /// Returns the next test at the traffic and the control rate of the test with the newest exposure.
  private static func next(_ readouts: [ExperimentReadout], _ effects: [LogLift]) -> ProgramReport.Next? {
    func newest(_ readout: ExperimentReadout) -> Int64 { readout.schedule.exposures?.upperBound ?? .min }
    for readout in readouts.sorted(by: { newest($0) > newest($1) }) {
      guard let users = readout.schedule.usersADay, let rate = paidArms(readout)?.first?.estimate,
        let chances = NextTest(after: effects, usersPerDay: users, controlRate: rate)
      else { continue }
      return ProgramReport.Next(
        experiment: readout.experiment, usersPerDay: users, controlRate: rate, chances: chances)
    }
    return nil
  }
}
