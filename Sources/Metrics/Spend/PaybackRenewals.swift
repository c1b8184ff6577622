internal import EventModel
internal import Statistics
internal import Store

/// Finds how the active subscriptions of a row renew, by the survival and refunds that ``Value`` uses.
struct PaybackRenewals {
  /// The renewals of a plan in one row.
  struct OfPlan: Sendable {
    let name: String
    let counts: RenewalCounts
    let survival: PlanSurvival
    /// The shares that make payment 1, 2, …, in each resample.
    let resampled: [[Double]]
    /// The share of a renewal that refunds leave.
    let shareLeft: Double
  }

  private let query: ReportQuery
  private let purchases: AppPurchases
  private let remainder: PaymentRemainder
  /// The greatest number of a payment that any subscription comes to.
  private var payments: [Plan: Int] = [:]
  private var ofApps: [AppPurchases.Place: [[Double]]] = [:]

  /// - Parameter cohorts: Those whose renewals will be asked for.
  init(_ query: ReportQuery, _ cohorts: some Sequence<PaybackCohort>) throws {
    self.query = query
    remainder = try PaymentRemainder(query, mode: .proceeds)
    purchases = AppPurchases(query, remainder, apps: query.apps.map(\.id))
    for cohort in cohorts {
      for subscription in cohort.persons.lazy.flatMap(\.subscriptions) {
        payments[subscription.plan] = max(
          payments[subscription.plan] ?? 1, subscription.payments + subscription.ages.count)
      }
    }
  }

  /// - Parameter labels: The labels of the row, of which the first is the app; they seed the random numbers.
  /// - Throws: ``ReportError/missingRates(_:_:)``.
  mutating func plans(_ cohort: PaybackCohort, _ labels: [String]) throws -> [Plan: OfPlan] {
    guard let app = query.apps.first(where: { $0.name == labels.first }) else { return [:] }
    var found: [Plan: OfPlan] = [:]
    for plan in Set(cohort.persons.lazy.flatMap(\.subscriptions).map(\.plan)) {
      let place = AppPurchases.Place(app: app.id, plan: plan)
      let (counts, areOwn) = try purchases.counts(of: place, own: cohort.renewals[plan] ?? PeriodCounts())
      let last = payments[plan] ?? 1
      let name = areOwn ? labels.joined(separator: "\u{1F}") : app.name
      let resampled =
        (areOwn ? nil : ofApps[place])
        ?? PlanSurvival.resampled(
          counts, assumed: nil, payments: last, times: PaybackBreakEven.resamples,
          CounterGenerator(name: "payback/\(name)/\(plan.name)")
        ) { $0.shares }
      if !areOwn { ofApps[place] = resampled }
      found[plan] = OfPlan(
        name: plan.name, counts: counts, survival: PlanSurvival(counts, assumed: nil, payments: last),
        resampled: resampled, shareLeft: try purchases.shareLeft(of: place))
    }
    try remainder.money.check()
    return found
  }
}
