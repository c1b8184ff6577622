/// Makes the verdict of a readout (Experiments.md, "Verdict"; definitions 8.5).
struct VerdictRule {
  var plan: ExperimentPlan
  var health: ExperimentHealth
  var primary: MetricReadout
  var metrics: [MetricReadout]
  var guardrails: [GuardrailReadout]
  var treatments: [String]

  var verdict: ExperimentVerdict {
    if treatments.isEmpty { return none(.nothingToCompare) }
    if health.isSampleRatioOff { return none(.sampleRatio) }
    if !health.leaks.isEmpty { return none(.leak) }
    let winners = arms { isProven($0) && gain($0) > 0 }.sorted { gain($0) > gain($1) }
    if !winners.isEmpty { return decide(among: winners) }
    let losers = arms { isProven($0) && gain($0) < 0 }
    let open = arms { !losers.contains($0) }
    // The best of those that lost stands for all.
    if open.isEmpty, let best = losers.max(by: { gain($0) < gain($1) }) {
      return verdict(.doNotShip(variant: treatments[best]), .primary, arm: best)
    }
    let leaning = open.filter { (primary.comparisons[$0].p ?? 1) < 1 - primary.confidence }
    if let strongest = leaning.min(by: { primary.comparisons[$0].p ?? 1 < primary.comparisons[$1].p ?? 1 }) {
      return verdict(.undecided(variant: treatments[strongest]), .primary, arm: strongest)
    }
    if let reason = open.compactMap({ notEstimable($0) }).first { return none(.notEstimable(reason)) }
    guard let nearest = open.max(by: { gain($0) < gain($1) }) else { return none(.nothingToCompare) }
    var verdict = verdict(.noDifference, .primary, arm: nearest)
    verdict.bound =
      open.compactMap { primary.comparisons[$0].sequential.interval ?? primary.comparisons[$0].interval }
      .map { max(abs($0.low), abs($0.high)) }.max()
    return verdict
  }

  /// The best winner that nothing speaks against; else what speaks against the best.
  private func decide(among winners: [Int]) -> ExperimentVerdict {
    for arm in winners where objection(to: arm) == nil {
      return verdict(.ship(variant: treatments[arm]), .primary, arm: arm)
    }
    let best = winners[0]
    let reason = objection(to: best) ?? .primary
    if case .guardrailOpen = reason { return verdict(.undecided(variant: treatments[best]), reason, arm: best) }
    return verdict(.doNotShip(variant: treatments[best]), reason, arm: best)
  }

  private func objection(to arm: Int) -> ExperimentVerdict.Reason? {
    for metric in metrics where !metric.isPrimary && DecisionMetric.isWatched(metric.metric) {
      let comparison = metric.comparisons[arm]
      if let p = comparison.p, let difference = comparison.difference, p < plan.alpha,
        difference * metric.metric.sign < 0
      {
        return .watched(metric: metric.metric.name)
      }
    }
    let own = guardrails.filter { $0.variant == treatments[arm] }
    if let failed = own.first(where: { $0.state == .inferior }) { return .guardrail(metric: failed.metric.name) }
    if let open = own.first(where: { $0.state == .undecided || $0.state == .notEstimable }) {
      return .guardrailOpen(metric: open.metric.name)
    }
    return nil
  }

  private func arms(where isWanted: (Int) -> Bool) -> [Int] { primary.comparisons.indices.filter(isWanted) }

  /// Whether the bound is crossed at the family's level, by Holm where there is a p, in the direction of now.
  private func isProven(_ arm: Int) -> Bool {
    let comparison = primary.comparisons[arm]
    let reading = comparison.sequential
    return (reading.adjustedP.map { $0 < plan.alpha } ?? reading.isSignificant) && !comparison.hasTurned
  }

  /// The difference, positive where the treatment is better; of a test that has stopped, that of its stop.
  private func gain(_ arm: Int) -> Double {
    let comparison = primary.comparisons[arm]
    return (comparison.decisionDifference ?? comparison.lift ?? 0) * primary.metric.sign
  }

  private func notEstimable(_ arm: Int) -> String? {
    let comparison = primary.comparisons[arm]
    if comparison.difference == nil || comparison.p == nil { return comparison.reason ?? "not estimable" }
    return comparison.sequential.interval == nil && comparison.sequential.p == nil ? comparison.sequential.reason : nil
  }

  private func none(_ reason: ExperimentVerdict.Reason) -> ExperimentVerdict { verdict(.none, reason, arm: nil) }

  private func verdict(
    _ decision: ExperimentVerdict.Decision, _ reason: ExperimentVerdict.Reason, arm: Int?
  ) -> ExperimentVerdict {
    var verdict = ExperimentVerdict(decision: decision, reason: reason, primary: primary.metric.name, arm: arm)
    if let arm {
      verdict.wins = metrics.filter { metric in
        guard !metric.isPrimary, let p = metric.comparisons[arm].p, let difference = metric.comparisons[arm].difference
        else { return false }
        return p < plan.alpha && difference * metric.metric.sign > 0
      }.map(\.metric.name)
    }
    return verdict
  }
}
