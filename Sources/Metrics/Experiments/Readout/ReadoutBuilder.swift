internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

struct ReadoutBuilder {
  let exposed: ExposedPersons
  let metrics: ExperimentMetrics
  let outcomes: Outcomes
  let wanted: ExperimentOptions
  let primary: ExperimentMetric
  /// The names of the metrics that share the error rate, the primary's included.
  let family: Set<String>
  let rule: ScheduleRule

  var plan: ExperimentPlan { wanted.plan }
  var treatments: [String] { Array(exposed.names.dropFirst()) }

  /// - Returns: `nil` if no user is exposed in the app.
  /// - Throws: ``ExperimentError``, also for more variants than are wanted.
  init?(
    _ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, _ wanted: ExperimentOptions
  ) throws {
    let start = wanted.plan.start.map { Int($0 / day) }.map(CivilDate.init(daysSince1970:))
    if let ahead = query.cohorts.first(where: { $0.looksAhead(of: start) }) {
      throw ExperimentError.cohortLooksAhead(ahead.name)
    }
    guard let exposed = try ExposedPersons(query, app: app, experiment: experiment, plan: wanted.plan) else {
      return nil
    }
    if let most = wanted.mostVariants, exposed.names.count > most {
      throw ExperimentError.manyVariants(wanted.experiment, count: exposed.names.count, most: most)
    }
    var wanted = wanted
    if wanted.plan.metrics.contains(where: \.isOfStep) {
      let horizon = try Funnel.horizons(query)[app.id] ?? 0
      wanted.plan.metrics = wanted.plan.metrics.map { $0.timed(trial: horizon - FoldOptions.attributionWindow) }
    }
    self.exposed = exposed
    self.wanted = wanted
    metrics = try ExperimentMetrics(exposed, plan: wanted.plan)
    outcomes = metrics.table.whole
    primary = try DecisionMetric.of(wanted.plan, metrics)
    var family: Set = [primary.name]
    for name in wanted.plan.family {
      family.insert(try DecisionMetric.resolve(name, key: "family", wanted.plan, metrics).name)
    }
    self.family = family
    rule = ScheduleRule(
      plan: wanted.plan, asOf: exposed.asOf, exposures: exposed.exposures,
      byDay: exposed.byDay.map { ($0.day, $0.persons.reduce(0, +)) },
      ages: outcomes.ages.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }, horizon: primary.horizon,
      isPartOfTest: try Self.isPartOfTest(exposed, wanted.experiment))
    for guardrail in wanted.plan.guardrails {
      _ = try DecisionMetric.resolve(guardrail.metric, key: "guardrails", wanted.plan, metrics)
    }
  }

  /// Returns whether the days asked for leave out users of the test.
  private static func isPartOfTest(_ exposed: ExposedPersons, _ experiment: String) throws -> Bool {
    var options = exposed.query.options
    let (from, to) = (options.from, options.to)
    if from == nil && to == nil { return false }
    (options.from, options.to, options.by, options.apps) = (nil, nil, [], [exposed.app.name])
    let query = try ReportQuery(exposed.query.snapshot, options, defaultBy: [])
    guard let range = try ExperimentList.exposures(query).first(where: { $0.experiment == experiment })?.range else {
      return false
    }
    let time = query.localTime
    return from.map { range.lowerBound < time.start(of: $0) } ?? false
      || to.map { range.upperBound >= time.start(of: $0) } ?? false
  }

  func readout() throws -> ExperimentReadout {
    let health = try ExperimentHealth(exposed, plan: plan, immature: rule.exposed - rule.analysed)
    var all = readouts()
    adjust(&all)
    for place in all.indices {
      all[place].setStandings(plan, isDecided: family.contains(all[place].metric.name))
    }
    let guardrails = guardrails(all)
    for place in all.indices { all[place].role = role(all[place], guardrails) }
    let main = all[0]
    let money = money(all)
    var evidence = DecisionEvidence(
      plan: plan, health: health, primary: main, metrics: all, guardrails: guardrails, treatments: treatments,
      money: money, longTerm: nil, unfinished: rule.unfinished)
    if main.absence == nil, !health.isSampleRatioOff, let leading = evidence.leading {
      evidence.longTerm = try LongTermRule(exposed: exposed, money: metrics.money).readout(
        leading: leading, isGain: Self.isGain(main.comparisons[leading].standing))
    }
    let decision = evidence.decision
    var ranking = ranking(main)
    let bestGroup = ranking?.bestGroup ?? []
    ranking?.alternatives = evidence.alternatives(to: decision, of: bestGroup)
    let (schedule, remaining) = schedule(main, decision)
    let split = try segments(main, decision)
    var readout = ExperimentReadout(
      app: exposed.app.name, experiment: wanted.experiment, asOf: exposed.asOf, plan: plan,
      arms: exposed.names.indices.map {
        ExperimentReadout.Arm(variant: exposed.names[$0], share: exposed.shares[$0], persons: exposed.persons[$0])
      }, decision: decision, next: remaining.next(after: decision), schedule: schedule, health: health,
      metrics: all.enumerated().sorted { Self.order($0, $1) }.map(\.element), money: money, longTerm: evidence.longTerm,
      ranking: ranking,
      segments: split.segments, trend: split.trend, within: split.within, incidence: incidence(), revenue: revenue(),
      guardrails: guardrails, sizes: sizes(all), overTime: wanted.isOverTime ? overTime() : [], slices: slices(),
      by: exposed.query.by.map(\.name))
    if exposed.names.count > 2 || wanted.isOverTime {
      readout.variantOrder = try exposed.query.facts.variantOrder()[exposed.app.id] ?? []
    }
    if wanted.isOverTime, let place = decision.treatment, primary == .paid {
      readout.byAge = try AgeRule(exposed: exposed).differences(arm: place + 1)
    }
    let low = try annualOfLastWeeks(readout)
    readout.money?.annualOfLastWeeks = low
    if wanted.hasDataHash {
      readout.dataHash = try exposed.query.snapshot.dataHash(app: exposed.app.name, before: exposed.asOf)
    }
    readout.caveats =
      CaveatRule(
        readout: readout, evidence: evidence, isPlannedLate: rule.isPlannedLate, loggingP: loggingP(),
        isPartOfTest: rule.isPartOfTest,
        filters: exposed.query.options.filters.map(\.description) + exposed.query.options.cohorts.map(\.description),
        trialLength: metrics.trialHorizon - FoldOptions.attributionWindow
      ).caveats
    return readout
  }

  /// Returns the readouts of all metrics, the primary first.
  func readouts() -> [MetricReadout] {
    let others = metrics.metrics.filter { $0.name != primary.name }
    return ([primary] + others).flatMap { metric -> [MetricReadout] in
      let rules = rules(metric)
      var readout = metrics.readout(metric, of: outcomes, rules, looksBack: reading(of: metric) != .once)
      readout.isPrimary = metric.name == primary.name
      if metric == .retained && !metrics.hasUsage { readout.remove(reason: "no_usage_events") }
      CovariateRule(outcomes: outcomes).adjust(&readout)
      if readout.isPrimary && plan.adjust == .cuped { readout.decideByHistory(estimates(metric), sequence: sequence) }
      addComposition(&readout)
      return [readout] + capped(metric)
    }
  }

  /// Adds the bounds of `compositionBounds` for metrics whose users the outcome selects.
  func addComposition(_ readout: inout MetricReadout) {
    if readout.metric.name == ExperimentMetric.trialCancelledName {
      addTrialConditional(&readout)
      return
    }
    let groups = chosenGroups(readout)
    guard groups.count == readout.arms.count else { return }
    for place in readout.comparisons.indices {
      guard let treatment = groups[place + 1], let control = groups[0] else { continue }
      readout.comparisons[place].composition = compositionBounds(treatment: treatment, control: control)
    }
  }

  func addTrialConditional(_ readout: inout MetricReadout) {
    guard
      let exposedArms = outcomes.shares[
        ExperimentMetric.trialCancelledPerExposed(horizon: readout.metric.horizon).name]
    else { return }
    let arms = zip(exposedArms, readout.arms).map { exposed, trials in
      TrialConditional.Arm(
        users: Double(exposed.total.persons), trials: Double(trials.persons), cancelled: Double(trials.events))
    }
    for place in readout.comparisons.indices {
      let conditional = TrialConditional(treatment: arms[place + 1], control: arms[0])
      readout.comparisons[place].composition = conditional.composition
      readout.comparisons[place].perExposedDifference = conditional.perExposedDifference
    }
  }

  /// Returns the users selected by the outcome, by arm; empty for a metric of all users.
  func chosenGroups(_ readout: MetricReadout) -> [ChosenGroup?] {
    let name = readout.metric.name
    if name == ExperimentMetric.trialToPaidName {
      return zip(outcomes.shares[TrialOutcomes.started.name] ?? [], readout.arms).map { arm, result in
        let started = arm.total
        return ChosenGroup(users: Double(started.persons), group: Double(started.events), rate: result.estimate)
      }
    }
    guard readout.metric.conditionalOn != nil, let payers = outcomes.means[name], let users = outcomes.ratios[name]
    else {
      return []
    }
    return zip(payers, users).map { payers, users in
      ChosenGroup(users: Double(users.total.persons), values: payers.total.sorted)
    }
  }

  static func isGain(_ standing: ArmComparison.Standing) -> Bool? {
    switch standing {
    case .better: true
    case .worse: false
    case .same, .open, .withheld: nil
    }
  }

  // MARK: Order

  /// Returns the role of a metric; implements D10.1.
  func role(_ readout: MetricReadout, _ guardrails: [GuardrailReadout]) -> MetricRole {
    if readout.isPrimary { return .goal }
    if let role = plan.roles[readout.metric.name] { return role }
    if plan.guardrails.contains(where: { $0.metric == readout.metric.name }) { return .guardrail }
    return readout.metric.defaultRole
  }

  static func order(
    _ left: (offset: Int, element: MetricReadout), _ right: (offset: Int, element: MetricReadout)
  ) -> Bool {
    let places = [left, right].map { MetricRole.allCases.firstIndex(of: $0.element.role) ?? 0 }
    return places[0] != places[1] ? places[0] < places[1] : left.offset < right.offset
  }

  /// Returns a revenue metric with the highest sums capped: at the plan's cap, or else the cap of the first frozen
  /// readout, or else the 99.9% quantile; implements D6.5. Empty if the cap cuts nothing, or everything.
  func capped(_ metric: ExperimentMetric) -> [MetricReadout] {
    guard case .money(let currency) = metric.unit, metric == .revenue(currency), let arms = outcomes.means[metric.name]
    else { return [] }
    var pooled = Distribution()
    for arm in arms { pooled.merge(arm.total) }
    let frozen = wanted.fixed.flatMap { $0.currency == currency ? $0.cap : nil }
    guard let cap = plan.cap ?? frozen ?? pooled.quantile(0.999), cap > 0 else { return [] }
    let above = pooled.values.filter { $0.key > cap }
    guard !above.isEmpty else { return [] }
    let count = above.values.reduce(0, +)
    let amount = above.keys.sorted().reduce(0) { $0 + ($1 - cap) * Double(above[$1]!) }
    let twin = ExperimentMetric.cappedRevenue(currency)
    var outcomes = Outcomes(arms: arms.count)
    outcomes.ages = self.outcomes.ages
    outcomes.means[twin.name] = arms.map { arm in arm.mapped { $0.capped(at: cap) } }
    var readout = metrics.readout(twin, of: outcomes, rules(twin), looksBack: false)
    readout.capped = MetricReadout.Capped(cap: cap, persons: count, amount: amount)
    return [readout]
  }

  // MARK: Rules

  func familySize(_ metric: ExperimentMetric) -> Int {
    max(1, (family.contains(metric.name) ? family.count : 1) * treatments.count)
  }

  /// Returns how a metric's arms are compared; with ``adjust(_:)``, implements D2.4.
  func rules(_ metric: ExperimentMetric, slices: Int = 1) -> ComparisonRules {
    let size = familySize(metric) * slices
    let confidence = simultaneousConfidence(plan.level, family: size)
    var rules = ComparisonRules(
      confidence: confidence, familySize: size,
      sequential: { arm in sequentialRule(metric, arm: arm, alpha: 1 - confidence, isWhole: slices == 1) },
      seed: "\(wanted.experiment) \(metric.name)", variants: exposed.names)
    rules.hasPosteriors = exposed.names.count <= ExperimentReadout.mostCompared
    return rules
  }

  func reading(of metric: ExperimentMetric) -> SequentialRule.Kind {
    rule.reading == .groupSequential && metric.name != primary.name ? .alwaysValid : rule.reading
  }

  func sequentialRule(_ metric: ExperimentMetric, arm: Int, alpha: Double, isWhole: Bool) -> SequentialRule {
    SequentialRule(
      kind: isWhole ? reading(of: metric) : .alwaysValid, alpha: alpha, planAlpha: plan.alpha,
      plannedUnits: plannedUnits(arm),
      informationFraction: { look in informationFraction(look, metric, planned: plannedUsers(arm)) },
      allocation: [exposed.shares[0], exposed.shares[arm]], countsConversions: metric.kind == .proportion)
  }

  /// Returns the planned users of control and one treatment; `nil` without such a plan.
  func plannedUsers(_ arm: Int) -> Double? {
    rule.isPlanned ? plan.plannedUsers.map { $0 * (exposed.shares[0] + exposed.shares[arm]) } : nil
  }

  /// Returns N* (D2.1).
  func plannedUnits(_ arm: Int) -> Double { plannedUsers(arm) ?? Self.unplannedUnits }

  static let unplannedUnits = 5_000.0

  func sequence(_ arm: Int) -> AsymptoticSequence {
    AsymptoticSequence(plannedUnits: plannedUnits(arm), alpha: plan.alpha)
  }

  /// Returns analysed users ÷ planned users, or days of exposures ÷ planned days.
  func informationFraction(_ look: DifferenceLook, _ metric: ExperimentMetric, planned: Double?) -> Double? {
    if let planned, metric.kind != .incidence { return look.users / planned }
    let days = plan.plannedDays ?? planned.map { planned in planned / max(1, usersPerDay) }
    guard let days, let first = exposed.exposures?.lowerBound else { return nil }
    let start = max(first, plan.start ?? first)
    let analysed = exposed.asOf - Int64(look.daysBefore) * day - metric.horizon - start
    // Exposures end with the data: from the day after the last one, there is nothing more to analyse.
    return analysed <= 0 ? nil : Double(analysed) / (days * Double(day))
  }

  var usersPerDay: Double {
    guard let range = exposed.exposures else { return 0 }
    let days = max(1, Double(range.upperBound - range.lowerBound) / Double(day))
    return Double(exposed.persons.reduce(0, +)) / days
  }

  /// Adjusts the p of the family by Holm's method.
  func adjust(_ all: inout [MetricReadout]) {
    let places = all.indices.filter { family.contains(all[$0].metric.name) }.flatMap { metric in
      all[metric].comparisons.indices.map { (metric, $0) }
    }
    guard places.count > 1 else { return }
    let adjusted = Adjustment.holm.adjusted(places.map { all[$0.0].comparisons[$0.1].sequential.p })
    for (place, p) in zip(places, adjusted) { all[place.0].comparisons[place.1].sequential.adjustedP = p }
  }
}
