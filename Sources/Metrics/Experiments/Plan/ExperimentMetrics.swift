internal import Lifecycle

/// The outcomes of an experiment's users and their metrics.
struct ExperimentMetrics {
  let exposed: ExposedPersons
  private(set) var table: OutcomeTable
  /// All metrics compared, in the order of Experiments.md, "Metrics", then the plan's own.
  private(set) var metrics: [ExperimentMetric] = []
  /// The coverage of money; `nil` if no user paid.
  private(set) var money: MoneyCoverage?
  private(set) var trialToPaid: ExperimentMetric?
  /// Whether the app ever had a trial or a purchase.
  private(set) var sells = false
  /// Whether usage is known for any exposed user (D5.1).
  private(set) var hasUsage = false
  /// The horizon of cancelled trials (D5.3).
  let trialHorizon: Int64

  init(_ exposed: ExposedPersons, plan: ExperimentPlan) throws {
    var native: [String] = []
    self.exposed = exposed
    table = OutcomeTable(arms: exposed.variants.count, slices: exposed.source.slices.count)
    trialHorizon = try (Funnel.horizons(exposed.query, nil)[exposed.app.id] ?? 0) - exposed.query.options.grace
    if table.arms > 0 {
      hasUsage = try PersonOutcomes(exposed: exposed, trialHorizon: trialHorizon).add(to: &table)
      trialToPaid = try TrialOutcomes(exposed: exposed).add(to: &table)
      (money, native) = try RevenueOutcomes(exposed: exposed, plan: plan).add(to: &table)
      try OwnOutcomes(exposed: exposed, own: plan.metrics).add(to: &table)
    }
    let decision = [money?.currency].compactMap { $0 }
    let revenue = decision.map { ExperimentMetric.revenue($0) } + native.map { .nativeRevenue($0) }
    let perPayer = decision.map { ExperimentMetric.revenuePerPayer($0) } + native.map { .nativeRevenuePerPayer($0) }
    table.addPersons(revenue, to: \.means)
    table.addPersons(perPayer, to: \.ratios)
    metrics = [.trialStart, .paid]
    if let trialToPaid { metrics.append(trialToPaid) }
    metrics += revenue + perPayer
    metrics += [
      .trialCancelled(horizon: trialHorizon), .trialCancelledPerExposed(horizon: trialHorizon), .refunded, .retained,
    ]
    metrics += plan.metrics.map { ExperimentMetric($0) }
    sells = try exposed.query.facts.hasSales(of: exposed.app.id, before: exposed.asOf)
  }

  /// Returns the metric for a plan's name; `revenue:EUR` is the metric of all money if all money is in EUR.
  func metric(named name: String) -> ExperimentMetric? {
    if let money, name.hasSuffix(":\(money.currency)") {
      let plain = String(name.dropLast(money.currency.utf8.count + 1))
      if let metric = metrics.first(where: { $0.name == plain }) { return metric }
    }
    return metrics.first { $0.name == name }
  }

  /// Reads one metric of one slice, or of all.
  func readout(
    _ metric: ExperimentMetric, of outcomes: Outcomes, _ rules: ComparisonRules, looksBack: Bool
  ) -> MetricReadout {
    let arms = exposed.variants.count
    func none<Value>() -> [CumulativeByDay<Value>] { Array(repeating: CumulativeByDay(), count: arms) }
    let exposedPersons = outcomes.ages.map { $0.values.reduce(0, +) }
    func immature(_ analysed: [Int]) -> [Int] { zip(exposedPersons, analysed).map { max(0, $0 - $1) } }
    switch metric.kind {
    case .proportion:
      let found = outcomes.shares[metric.name] ?? none()
      // A metric of trials takes its immature users from the per-exposed metric, as it never has users without a trial.
      let matured =
        metric.conditionalOn == nil
        ? found : outcomes.shares[ExperimentMetric.trialCancelledPerExposed(horizon: metric.horizon).name] ?? found
      return ProportionComparison.readout(
        metric, arms: found, immature: immature(matured.map(\.total.persons)), rules)
    case .mean:
      let found = outcomes.means[metric.name] ?? none()
      return MeanComparison.readout(metric, arms: found, immature: immature(found.map(\.total.persons)), rules)
    case .ratio:
      let found = outcomes.ratios[metric.name] ?? none()
      return RatioComparison.readout(metric, arms: found, immature: immature(found.map(\.total.persons)), rules)
    case .incidence:
      let found = outcomes.incidences[metric.name] ?? [[IncidenceRecord]](repeating: [], count: arms)
      return IncidenceComparison.readout(
        metric, arms: found, asOf: exposed.asOf,
        lookDays: looksBack ? Self.lookDays(found, asOf: exposed.asOf, horizon: metric.horizon) : [0], rules)
    }
  }

  /// Returns the days before the as-of, starting when the first subject had been followed to the horizon. Once the last
  /// one has been, the estimate stays as it is: no look is taken again until the as-of.
  static func lookDays(_ arms: [[IncidenceRecord]], asOf: Int64, horizon: Int64) -> [Int] {
    let starts = arms.joined().map(\.start)
    guard let first = starts.min(), let last = starts.max(), first + horizon <= asOf else { return [0] }
    let settled = max(0, Int((asOf - last - horizon - 1) / day))
    return (settled...Int((asOf - first - horizon) / day)).reversed() + (settled > 0 ? [0] : [])
  }

  /// Returns the data of each day's look at one treatment by a metric.
  func looks(_ metric: ExperimentMetric, arm: Int, of outcomes: Outcomes, _ rules: ComparisonRules) -> [DifferenceLook]
  {
    switch metric.kind {
    case .proportion:
      outcomes.shares[metric.name].map { ProportionComparison.looks($0[arm], $0[0], rules) } ?? []
    case .mean: outcomes.means[metric.name].map { MeanComparison.looks($0[arm], $0[0], rules) } ?? []
    case .ratio: outcomes.ratios[metric.name].map { RatioComparison.looks($0[arm], $0[0], rules) } ?? []
    case .incidence:
      outcomes.incidences[metric.name].map { arms in
        let (treatment, control) = (IncidenceHistory(arms[arm]), IncidenceHistory(arms[0]))
        return Self.lookDays(arms, asOf: exposed.asOf, horizon: metric.horizon).compactMap { day in
          IncidenceComparison.look(treatment, control, asOf: exposed.asOf, daysBefore: day, horizon: metric.horizon)
        }
      } ?? []
    }
  }
}

extension ExperimentMetric {
  init(_ own: OwnMetric) {
    self.init(
      name: own.name, kind: .mean, direction: own.direction, unit: .number, horizon: own.window.upperBound,
      outcome: "users with such an event")
    switch own.kind {
    case .proportion: (kind, unit) = (.proportion, .share)
    case .mean: kind = .mean
    case .ratio: kind = .ratio
    case .timeToEvent: (kind, unit) = (.incidence, .share)
    }
    switch own.source {
    case .step: outcome = "users who got there"
    case .events(let selection):
      if case .price(let currency) = selection.value, kind == .mean || kind == .ratio {
        unit = .money(currency: currency)
      }
    }
  }
}
