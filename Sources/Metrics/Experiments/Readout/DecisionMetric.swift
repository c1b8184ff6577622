internal import Lifecycle

/// The metric that decides where no plan names one: what the app is paid for, as early as it can be known.
enum DecisionMetric {
  /// - `paid`: a person who pays within 14 days, whether by trial or at once; trials alone can be won and lost again.
  /// - Revenue, where trials are so long that most end past those 14 days.
  /// - `retained`, in an app that never sold anything.
  static func standard(_ metrics: ExperimentMetrics) -> ExperimentMetric {
    guard metrics.sells else { return .retained }
    if let trials = metrics.trialToPaid, trials.horizon > ExperimentMetric.paid.horizon,
      let revenue = metrics.metric(named: ExperimentMetric.revenueName)
    {
      return revenue
    }
    return .paid
  }

  /// - Throws: ``ExperimentError`` for a name that no metric has.
  static func of(_ plan: ExperimentPlan, _ metrics: ExperimentMetrics) throws -> ExperimentMetric {
    guard let name = plan.primary else { return standard(metrics) }
    return try resolve(name, key: "primary", plan, metrics)
  }

  /// - Throws: ``ExperimentError`` for a name that no metric has.
  static func resolve(
    _ name: String, key: String, _ plan: ExperimentPlan, _ metrics: ExperimentMetrics
  ) throws -> ExperimentMetric {
    if let metric = metrics.metric(named: name) { return metric }
    // Nothing of it has happened yet: it is known all the same, and not estimable.
    switch name {
    case "trial_to_paid": return .trialToPaid(horizon: ExperimentMetric.paid.horizon)
    case "revenue": return .revenue("(none)")
    case "revenue_per_payer": return .revenuePerPayer("(none)")
    default:
      if let colon = name.firstIndex(of: ":") {
        let currency = String(name[name.index(after: colon)...])
        if name.hasPrefix("revenue:") { return .nativeRevenue(currency) }
        if name.hasPrefix("revenue_per_payer:") { return .nativeRevenuePerPayer(currency) }
      }
      throw ExperimentError.unknownMetric(key: key, name, known: metrics.knownNames(own: plan.metrics))
    }
  }
}
