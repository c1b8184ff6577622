internal import Lifecycle
internal import Statistics
internal import Store

/// Makes the readout of one experiment in one app.
struct ExperimentMaker {
  private let exposed: ExposedPersons
  private let metrics: ExperimentMetrics
  private let outcomes: Outcomes
  private let wanted: ExperimentOptions
  private let primary: ExperimentMetric
  /// The names of the metrics that share the error rate, the primary's among them.
  private let family: Set<String>

  private var plan: ExperimentPlan { wanted.plan }
  private var treatments: [String] { Array(exposed.names.dropFirst()) }

  /// - Returns: `nil` when nobody is exposed in the app.
  init?(
    _ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, _ wanted: ExperimentOptions
  ) throws {
    guard let exposed = try ExposedPersons(query, app: app, experiment: experiment, plan: wanted.plan) else {
      return nil
    }
    self.exposed = exposed
    self.wanted = wanted
    metrics = try ExperimentMetrics(exposed, own: wanted.plan.metrics)
    outcomes = metrics.table.whole
    primary = try DecisionMetric.of(wanted.plan, metrics)
    var family: Set = [primary.name]
    for name in wanted.plan.family {
      family.insert(try DecisionMetric.resolve(name, key: "family", wanted.plan, metrics).name)
    }
    self.family = family
    for guardrail in wanted.plan.guardrails {
      _ = try DecisionMetric.resolve(guardrail.metric, key: "guardrails", wanted.plan, metrics)
    }
  }

  func readout() throws -> ExperimentReadout {
    var health = try ExperimentHealth(exposed, plan: plan)
    var all = readouts()
    adjust(&all)
    let main = all[0]
    health.immature = main.arms.reduce(0) { $0 + $1.immature }
    let guardrails = try guardrails(all)
    let verdict = VerdictRule(
      plan: plan, health: health, primary: main, metrics: all, guardrails: guardrails, treatments: treatments
    ).verdict
    return ExperimentReadout(
      app: exposed.app.name, experiment: wanted.experiment, asOf: exposed.asOf, plan: plan,
      arms: exposed.names.indices.map {
        ExperimentReadout.Arm(variant: exposed.names[$0], share: exposed.shares[$0], persons: exposed.persons[$0])
      }, verdict: verdict,
      schedule: TestSchedule(rule: .alwaysValid, isEnded: false, analysed: 0, immature: 0, horizonDays: 14),
      health: health, metrics: all, incidence: incidence(), revenue: revenue(),
      guardrails: guardrails, sizes: sizes(all), overTime: wanted.isOverTime ? overTime() : [], slices: slices(),
      by: exposed.query.by.map(\.name))
  }

  /// The primary first.
  private func readouts() -> [MetricReadout] {
    let others = metrics.metrics.filter { $0.name != primary.name }
    return ([primary] + others).flatMap { metric -> [MetricReadout] in
      var readout = metrics.readout(
        metric, of: outcomes, rules(metric), looksBack: plan.looks != .once)
      readout.isPrimary = metric.name == primary.name
      CovariateRule(outcomes: outcomes).adjust(&readout)
      return [readout] + capped(metric)
    }
  }

  /// The twin of a revenue metric with the highest sums capped; none where the cap cuts nothing, or everything.
  private func capped(_ metric: ExperimentMetric) -> [MetricReadout] {
    guard case .money(let currency) = metric.unit, metric == .revenue(currency), let arms = outcomes.means[metric.name]
    else { return [] }
    var pooled = Distribution()
    for arm in arms { pooled.merge(arm.total) }
    guard let cap = pooled.quantile(0.999), cap > 0 else { return [] }
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

  private func familySize(_ metric: ExperimentMetric) -> Int {
    family.contains(metric.name) ? max(1, family.count * treatments.count) : 1
  }

  private func rules(_ metric: ExperimentMetric, slices: Int = 1) -> ComparisonRules {
    let size = familySize(metric) * slices
    let confidence = simultaneousConfidence(plan.level, family: size)
    let isPrimary = metric.name == primary.name && slices == 1
    return ComparisonRules(
      confidence: confidence, familySize: size,
      sequential: { arm in sequentialRule(metric, arm: arm, alpha: 1 - confidence, isPrimary: isPrimary) },
      seed: "\(wanted.experiment) \(metric.name)")
  }

  private func sequentialRule(
    _ metric: ExperimentMetric, arm: Int, alpha: Double, isPrimary: Bool
  ) -> SequentialRule {
    let allocation = [exposed.shares[0], exposed.shares[arm]]
    let share = allocation[0] + allocation[1]
    let planned = plan.plannedUsers.map { $0 * share }
    let isProportion = metric.kind == .proportion
    var kind = SequentialRule.Kind.alwaysValid
    if plan.looks == .once { kind = .once } else if plan.isPlanned && isPrimary { kind = .groupSequential }
    return SequentialRule(
      kind: kind, alpha: alpha, plannedUnits: planned ?? 5_000,
      informationFraction: { look in informationFraction(look, metric, planned: planned) },
      allocation: allocation, countsConversions: isProportion)
  }

  /// Users of the planned ones, or days of exposures of the planned ones.
  private func informationFraction(_ look: DifferenceLook, _ metric: ExperimentMetric, planned: Double?) -> Double? {
    if let planned, metric.kind != .incidence { return look.users / planned }
    let days = plan.plannedDays ?? planned.map { planned in planned / max(1, usersPerDay) }
    guard let days, let first = exposed.exposures?.lowerBound else { return nil }
    let start = max(first, plan.start ?? first)
    let analysed = exposed.asOf - Int64(look.daysBefore) * day - metric.horizon - start
    // Exposures end with the data: a day after the last one there is nothing more to analyse.
    return analysed <= 0 ? nil : Double(analysed) / (days * Double(day))
  }

  private var usersPerDay: Double {
    guard let range = exposed.exposures else { return 0 }
    let days = max(1, Double(range.upperBound - range.lowerBound) / Double(day))
    return Double(exposed.persons.reduce(0, +)) / days
  }

  /// Adjusts the p of the family by Holm's method.
  private func adjust(_ all: inout [MetricReadout]) {
    let places = all.indices.filter { family.contains(all[$0].metric.name) }.flatMap { metric in
      all[metric].comparisons.indices.map { (metric, $0) }
    }
    guard places.count > 1 else { return }
    let adjusted = Adjustment.holm.adjusted(places.map { all[$0.0].comparisons[$0.1].sequential.p })
    for (place, p) in zip(places, adjusted) { all[place.0].comparisons[place.1].sequential.adjustedP = p }
  }

  // MARK: Parts

  private func incidence() -> IncidenceReadout? {
    metrics.trialToPaid.flatMap { metric in
      outcomes.incidences[metric.name].map { IncidenceComparison.over(metric, arms: $0, asOf: exposed.asOf) }
    }
  }

  private func guardrails(_ all: [MetricReadout]) throws -> [GuardrailReadout] {
    try plan.guardrails.flatMap { guardrail in
      let metric = try DecisionMetric.resolve(guardrail.metric, key: "guardrails", plan, metrics)
      let readout =
        all.first { $0.metric.name == metric.name }
        ?? metrics.readout(metric, of: outcomes, rules(metric), looksBack: false)
      return GuardrailRule.readouts(guardrail, readout, treatments: treatments, alpha: plan.alpha)
    }
  }

  private func sizes(_ all: [MetricReadout]) -> [SizeReadout] {
    let rule = SizeRule(
      plan: plan, outcomes: outcomes, span: exposed.asOf - (exposed.exposures?.lowerBound ?? exposed.asOf))
    return all.filter { $0.capped == nil }.flatMap { metric in
      treatments.indices.map { place in
        rule.readout(
          metric, arm: place + 1, variant: treatments[place],
          rule: sequentialRule(
            metric.metric, arm: place + 1, alpha: 1 - metric.confidence, isPrimary: metric.isPrimary))
      }
    }
  }

  private func revenue() -> [RevenueSplit] {
    metrics.currencies.compactMap { currency in
      outcomes.ratios[ExperimentMetric.revenuePerPayer(currency).name].map { arms in
        RevenueSplit(currency: currency, arms: arms.map(\.total))
      }
    }
  }

  private func overTime() -> [OverTimePoint] {
    let rules = rules(primary)
    let looks = treatments.indices.map { metrics.looks(primary, arm: $0 + 1, of: outcomes, rules) }
    return OverTime.points(asOf: exposed.asOf, treatments: treatments, looks: looks, rules: rules)
  }

  private func slices() -> [SliceReadout] {
    let by = exposed.query.by
    guard !by.isEmpty else { return [] }
    var rules = rules(primary, slices: metrics.table.slices.count)
    rules.hasPosteriors = false
    var slices = zip(exposed.source.slices, metrics.table.slices).map { codes, outcomes in
      SliceReadout(
        values: zip(by, codes).map { exposed.query.label($0, $1) },
        metric: metrics.readout(primary, of: outcomes, rules, looksBack: true))
    }
    slices.sort { precedesInBytes($0.values, $1.values) }
    let places = slices.indices.flatMap { slice in slices[slice].metric.comparisons.indices.map { (slice, $0) } }
    let adjusted = Adjustment.holm.adjusted(places.map { slices[$0.0].metric.comparisons[$0.1].sequential.p })
    for (place, p) in zip(places, adjusted) { slices[place.0].metric.comparisons[place.1].sequential.adjustedP = p }
    return slices
  }
}
