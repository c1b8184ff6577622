/// The metric that decides if a plan names none: the app's source of income, as early as it can be known.
enum DecisionMetric {
  /// Returns the default metric:
  ///
  /// - `paid`: a user who pays within 14 days, by trial or directly; trials alone can be won and lost again.
  /// - Revenue, if trials are so long that most end after those 14 days.
  /// - `retained`, in an app that never had a trial or a purchase.
  static func standard(_ metrics: ExperimentMetrics) -> ExperimentMetric {
    guard metrics.sells else { return .retained }
    if let trials = metrics.trialToPaid, trials.horizon > ExperimentMetric.paid.horizon,
      let revenue = metrics.metric(named: ExperimentMetric.revenueName)
    {
      return revenue
    }
    return .paid
  }

  /// - Throws: ``ExperimentError`` if no metric has the name.
  static func of(_ plan: ExperimentPlan, _ metrics: ExperimentMetrics) throws -> ExperimentMetric {
    guard let name = plan.primary else { return standard(metrics) }
    return try resolve(name, key: "primary", plan, metrics)
  }

  /// - Throws: ``ExperimentError`` if no metric has the name.
  static func resolve(
    _ name: String, key: String, _ plan: ExperimentPlan, _ metrics: ExperimentMetrics
  ) throws -> ExperimentMetric {
    if let metric = metrics.metric(named: name) { return metric }
    // Built-in metrics without data are known, but not estimable.
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
      throw ExperimentError.unknownMetric(key: key, name, known: plan.names)
    }
  }
}
