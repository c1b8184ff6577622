public import Store

/// All reports of the report page, from one snapshot, so that all numbers come from the same events.
public struct PageReports: Sendable {
  public var home: HomeReports
  /// The others, in the page's order.
  public var reports: [Report]

  /// - Parameter options: Without dimensions, rows are by variant, those of cancellations by variant and plan. Rows of
  ///   reports over time are always by month. Savings are always in the currencies of the prices.
  public init(_ snapshot: StoreSnapshot, _ options: ReportOptions, plans: [PlanFile] = []) throws {
    let byVariant = options.split(by: options.by ?? [.variant])
    let byPlan = options.split(by: options.by ?? [.variant, .plan])
    let byMonth = options.split(by: [.month])
    var movement = byMonth
    movement.showsMovement = true
    var cohorts = options.split(by: [.month, .plan])
    cohorts.isByPeriod = true
    var byPayments = try Retention.report(snapshot, cohorts)
    byPayments.name = "retention_cohorts"
    byPayments.title = "Retention of monthly cohorts by payments"
    // Prices are compared as they were shown.
    var shown = byVariant
    shown.currency = nil
    reports = [
      try Funnel.report(snapshot, byVariant), try Trials.report(snapshot, byVariant),
      try Savings.report(snapshot, shown), try Cancellations.report(snapshot, byPlan),
      try Revenue.report(snapshot, byMonth), try MRR.report(snapshot, movement),
      try Subscriptions.report(snapshot, byMonth), try Retention.report(snapshot, byVariant), byPayments,
      try LTV.report(snapshot, byVariant),
    ].map { $0.withMainCurrency(snapshot, options) }
    home = try HomeReports(snapshot, options, plans: plans)
  }
}
