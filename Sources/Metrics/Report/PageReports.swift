public import Store

/// All reports of the report page, from one snapshot, so that all numbers rest on the same events.
public struct PageReports: Sendable {
  public var changes: Report
  public var experiments: Report
  /// The readouts, in the order of the list.
  public var readouts: [ExperimentReport] = []
  /// Why some or all experiments have no readout.
  public var experimentsNote: String?
  /// The other reports, in the page's order.
  public var reports: [Report]

  /// The most variants of an experiment with a readout, because every variant is compared with all others.
  private static let mostVariants = 20

  /// - Parameter options: Without dimensions, rows are by variant, cancellations by variant and plan, and time series
  ///   always by month. Savings are always in the currencies of the prices.
  public init(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws {
    var byVariant = options
    byVariant.by = options.by ?? [.variant]
    var byPlan = options
    byPlan.by = options.by ?? [.variant, .plan]
    var byMonth = options
    byMonth.by = [.month]
    var movement = byMonth
    movement.showsMovement = true
    var cohorts = options
    cohorts.by = [.month, .plan]
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
    ]
    changes = try Changes.report(snapshot, options)
    var plain = options
    plain.by = nil
    plain.attribution = .last
    experiments = try ExperimentList.report(snapshot, plain)
    var names: [String] = []
    for case .text(let name) in experiments.rows.map({ $0[1] }) where !names.contains(name) { names.append(name) }
    let large = try ExperimentList.names(
      withMoreVariantsThan: Self.mostVariants, ReportQuery(snapshot, plain, defaultBy: []))
    if !large.isEmpty {
      let list = large.prefix(3).joined(separator: ", ") + (large.count > 3 ? ", ..." : "")
      experimentsNote =
        "Not read out, with more than \(Self.mostVariants) variants: \(list); the command experiment does."
    }
    do {
      for name in names where !large.contains(name) {
        readouts.append(
          try Experiments.report(snapshot, plain, ExperimentOptions(experiment: name, isOverTime: true)))
      }
    } catch let error as ExperimentError {
      guard case .unsupportedDimension = error else { throw error }
      readouts = []
      experimentsNote = "Not read out: \(error)."
    }
  }
}
